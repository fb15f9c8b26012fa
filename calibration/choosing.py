"""Which turn ends to label next: spread over languages, repositories and versions, so that no one speaks for all.

A language gets a share by the square root of what there is of it, so that small ones are heard. Within it the
repository and then the version with the fewest labels is next. A repository is the folder that a file is in.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from calibration.ends import TurnEnd
from calibration.labels import Label
from calibration.languages import guess

MOST = 0.15
"""Of all labels, from one repository."""


class Candidate(Struct, frozen=True):
    id: str
    path: Path
    end: TurnEnd
    language: str

    @property
    def file(self) -> str:
        return self.id.partition(":")[0]

    @property
    def repository(self) -> str:
        return self.path.parent.name

    @property
    def version(self) -> str:
        return ".".join(self.end.version.split(".")[:2])


def candidates(ends: Iterable[tuple[str, Path, TurnEnd]]) -> list[Candidate]:
    return [Candidate(f"{name}:{end.line}", path, end, guess(end.said)) for name, path, end in ends]


def choose(
    found: list[Candidate], labelled: dict[str, Label], *, count: int, seed: int, language: str = ""
) -> list[Candidate]:
    """The next ones, in the order in which to label them."""
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    so_far = _SoFar(found, labelled)
    by_language: dict[str, list[Candidate]] = defaultdict(list)
    for one in found:
        if one.id not in labelled and (not language or one.language == language):
            by_language[one.language].append(one)
    shares = {name: len(ones) ** 0.5 for name, ones in by_language.items()}
    for ones in by_language.values():
        chance.shuffle(ones)
    # Of a few repositories each has an equal share at least.
    most = max(MOST, 1 / max(len({one.repository for one in found}), 1)) * (len(labelled) + count)
    chosen: list[Candidate] = []
    while len(chosen) < count and by_language:
        name = min(by_language, key=lambda one: (so_far.languages[one] / shares[one], one))
        allowed = [one for one in by_language[name] if so_far.repositories[one.repository] < most]
        if not allowed:
            del by_language[name]
            continue
        best = min(allowed, key=so_far.heard)
        by_language[name].remove(best)
        so_far.add(best, name)
        chosen.append(best)
    return chosen


class _SoFar:
    """How much has been labelled, or chosen, of what."""

    def __init__(self, found: list[Candidate], labelled: dict[str, Label]) -> None:
        self.languages = Counter(one.language for one in labelled.values())
        self.repositories = Counter(one.repository for one in found if one.id in labelled)
        self._versions = Counter(one.version for one in found if one.id in labelled)
        self._files = {one.file for one in labelled.values()}

    def heard(self, one: Candidate) -> tuple[int, int, bool]:
        return self.repositories[one.repository], self._versions[one.version], one.file in self._files

    def add(self, one: Candidate, language: str) -> None:
        self.languages[language] += 1
        self.repositories[one.repository] += 1
        self._versions[one.version] += 1
        self._files.add(one.file)

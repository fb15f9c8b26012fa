"""What the signals say at labelled turn ends, and how often that is right.

Each session is told to the arbiter as ``rawr backtest`` does it, so the signals come from the code that decides live.
``agent_done`` and ``concluding`` belong to the turn in which they are seen. ``topic_shift`` may also be seen when the
user's next message is known, and then belongs to the turn before it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from calibration.ends import TurnEnd, ends_of, file_hash
from calibration.labels import Label
from rawr.backtest.pool import backtest_file
from rawr.backtest.result import BoundarySeen
from rawr.core.policy.policy import Policy

SIGNALS = ("agent_done", "topic_shift", "concluding")
BY_ITSELF = 20
"""Labels with which a language has a row of its own; the figures of fewer would say nothing."""
ENGLISH, OTHERS, ALL = "English", "others", "all"


class Score(Struct):
    """Of one signal on a group of labels: how often it is true, seen, and both."""

    labels: int = 0
    true: int = 0
    seen: int = 0
    right: int = 0

    def add(self, *, true: bool, seen: bool) -> None:
        self.labels += 1
        self.true += true
        self.seen += seen
        self.right += true and seen


class Measured(Struct):
    scores: dict[tuple[str, str, str], Score] = {}
    """By half, signal and language group."""
    wrong: dict[str, list[Label]] = {}
    """By signal: the labels of the tuned half on which it is wrong."""
    missing_files: int = 0
    missing_labels: int = 0
    """Labels of files that are not in the history."""
    lost: int = 0
    """Labels at lines where the reader finds no turn end."""


def truth(label: Label, signal: str) -> bool | None:
    """Return None if the label does not say."""
    if signal == "agent_done":
        return None if label.kind == "unknown" else label.kind == "done"
    answer = label.shift if signal == "topic_shift" else label.concluding
    return None if answer == "unknown" else answer == "yes"


def seen_at(end: TurnEnd, boundaries: Iterable[BoundarySeen]) -> set[str]:
    """The signals that belong to a turn. What is seen on the line with which it began is still of the turn before."""
    found = set()
    for one in boundaries:
        shifts = one.kind == "topic_shift"
        first = max(end.began, end.spoken) if shifts else end.began
        last = max(end.ended, end.heard) if shifts else end.ended
        if one.kind in SIGNALS and first < one.line <= last:
            found.add(one.kind)
    return found


def measure(labels: Iterable[Label], files: Iterable[Path], policy: Policy) -> Measured:
    wanted: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        wanted[label.file].append(label)
    named = _named(wanted)
    measured = Measured()
    # What follows from a signal must not change what is seen next.
    policy = replace(policy, compaction=replace(policy.compaction, mode="tag", soft_landing=False))
    for path in files:
        own = wanted.pop(file_hash(path), [])
        for label, found in _observed(path, own, policy):
            if found is None:
                measured.lost += 1
            else:
                _count(measured, label, found, named)
    measured.missing_files, measured.missing_labels = len(wanted), sum(len(ones) for ones in wanted.values())
    return measured


def _named(wanted: dict[str, list[Label]]) -> frozenset[str]:
    """The languages with a row of their own."""
    counted = Counter(label.language for ones in wanted.values() for label in ones)
    return frozenset(language for language, count in counted.items() if count >= BY_ITSELF and language != "en")


def _observed(path: Path, own: list[Label], policy: Policy) -> Iterator[tuple[Label, set[str] | None]]:
    if not own:
        return
    ends = {end.line: end for end in ends_of(path)}
    [(result, _)] = backtest_file(str(path), [policy])
    boundaries = result.boundaries
    for label in own:
        end = ends.get(label.line)
        yield label, None if end is None else seen_at(end, boundaries)


def _count(measured: Measured, label: Label, found: set[str], named: frozenset[str]) -> None:
    language = ENGLISH if label.language == "en" else label.language if label.language in named else OTHERS
    for signal in SIGNALS:
        true = truth(label, signal)
        if true is None:
            continue
        if true != (signal in found) and label.half == "tune":
            measured.wrong.setdefault(signal, []).append(label)
        for group in (language, ALL):
            measured.scores.setdefault((label.half, signal, group), Score()).add(true=true, seen=signal in found)

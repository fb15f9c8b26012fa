"""The result of a tuning. It is in the file of its program, in a part that ``tuned`` does not read."""

from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.core.vocabulary.opinions import SignatureName
from rawr.models.tuning.examples import Method
from rawr.models.tuning.tuned import MAX_FILE


class Score(Struct, frozen=True):
    right: int
    answered: int
    """How many answers could be read at all."""
    of: int

    def __str__(self) -> str:
        return f"{self.right} of {self.of}"


class Report(Struct, frozen=True, kw_only=True):
    at: int
    """When, in ms since the epoch."""
    model: str
    """The model that was asked for the scores."""
    method: Method
    before: Score
    """The score of what was in use until then."""
    after: Score
    good: int
    bad: int
    implied: int
    """How many of the bad ones are implied, because a person overrode them."""
    examples: int
    """How many examples are in the program."""
    questions: int
    tokens: int

    @property
    def better(self) -> bool:
        """Examples cost tokens with every question, so an equal score is not good enough."""
        before, after = self.before, self.after
        return (after.right, after.answered) > (before.right, before.answered)


class _Metadata(Struct):
    rawr: Report


class _File(Struct):
    metadata: _Metadata


def report_of(folder: Path, name: SignatureName) -> Report | None:
    """None if nothing was learned, or if the file has no report: another program may have written it."""
    try:
        with (folder / f"{name}.json").open("rb") as file:
            return msgspec.json.decode(file.read(MAX_FILE + 1), type=_File).metadata.rawr
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return None


def program(state: dict[str, object], report: Report) -> bytes:
    """The file: DSPy's state, with the report beside what DSPy itself writes there."""
    from importlib.metadata import version

    metadata = {"dependency_versions": {"dspy": version("dspy")}, "rawr": report}
    return msgspec.json.format(msgspec.json.encode({**state, "metadata": metadata}), indent=2) + b"\n"

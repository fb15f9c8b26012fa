"""What a decision was made of, and what would have changed it: from its evidence alone."""

from collections.abc import Iterator

from msgspec import Struct

from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision, Evidence
from rawr.views.codes import meaning

_GUARDS = ("guards", "against")
"""Evidence that lists objections, each with what it saw."""
_ROOM = frozenset({Reason.COMPACT_SKIPPED_ROOMY})


class Grounds(Struct, frozen=True):
    inputs: tuple[tuple[str, str], ...]
    """Names and values, as recorded."""
    guards: tuple[str, ...]
    """What was looked at and could have stopped it, with what it saw."""
    otherwise: tuple[str, ...]
    """What would have led to another decision; empty if the evidence does not tell."""


def grounds_of(row: Decision) -> Grounds:
    evidence = row.record.evidence
    inputs = tuple((name.replace("_", " "), _words(value)) for name, value in evidence.items() if _tells(name, value))
    return Grounds(inputs, tuple(_guards(evidence)), tuple(_otherwise(row.record.reason, evidence)))


def _tells(name: str, value: Evidence) -> bool:
    return name not in _GUARDS and value not in ("", None, [])


def _words(value: Evidence) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def _guards(evidence: dict[str, Evidence]) -> Iterator[str]:
    for name in _GUARDS:
        value = evidence.get(name)
        if isinstance(value, list):
            # Objections are codes; a run's guards are words already.
            yield from (meaning(one) for one in value)


def _otherwise(reason: Reason, evidence: dict[str, Evidence]) -> Iterator[str]:
    against = evidence.get("against")
    objections = [meaning(one) for one in against] if isinstance(against, list) else []
    percent, tier = evidence.get("percent"), evidence.get("tier")
    if reason in _ROOM and percent is not None:
        yield f"Less room: at {percent} % left no tier asks for a compaction."
    elif reason is Reason.COMPACT_SKIPPED_NO_BOUNDARY:
        yield f"A boundary that the tier {tier} asks for, such as a commit or the end of a phase."
    elif reason.startswith(("compact.deferred", "judgment.")) and objections:
        yield "rawr would have compacted if none of these held:" if len(objections) > 1 else "Without this objection:"
        yield from (f"– {one}" for one in objections)
    elif reason.startswith("compact.decided") and evidence.get("satisfied"):
        yield f"Without the boundary {_words(evidence['satisfied'])}, it would have waited."
    guards = evidence.get("guards")
    if isinstance(guards, list) and guards and reason.startswith("run.continued"):
        yield "Any guard at its limit would have stopped the run."

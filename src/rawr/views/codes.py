"""Reason codes as they come from journals and a running rawr: their meaning, for views that need no more."""

from collections.abc import Iterable

from rawr.core.vocabulary.reasons import Reason

_MEANINGS = {one.value: one.meaning for one in Reason}

_AREAS = {
    "compact": "Compaction",
    "judgment": "Compaction",
    "gain": "Compaction",
    "hold": "Compaction",
    "packet": "Packet and handoff",
    "handoff": "Packet and handoff",
    "headsup": "Packet and handoff",
    "scratch": "Packet and handoff",
    "landing": "Packet and handoff",
    "run": "Run",
    "request": "Requests",
    "guidance": "Guidance",
    "model": "Models",
    "turn": "Turns and messages",
    "steer": "Turns and messages",
    "thread": "Turns and messages",
}
_OTHERS = "Others"
AREAS = (*dict.fromkeys(_AREAS.values()), _OTHERS)
"""The groups of decisions in the order in which they are shown."""


def area(code: str) -> str:
    """The group of a decision, for people."""
    return _AREAS.get(code.partition(".")[0], _OTHERS)


def meaning(code: str) -> str:
    """The code's sentence; for a code from another version, the code itself."""
    return _MEANINGS.get(code, code)


def leaves_undone(code: str) -> bool:
    """A person's request was not carried out."""
    area, _, rest = code.partition(".")
    return area == "ignored" or rest.partition(".")[0] in ("deferred", "skipped", "refused")


def is_ignored(code: str) -> bool:
    """Nothing was decided, because there was nothing to decide."""
    return code.startswith("ignored.")


def is_unanswered(code: str) -> bool:
    """A run was paused because nobody answered a question in time."""
    return code == Reason.RUN_PAUSED_UNANSWERED


def is_cut_off(code: str) -> bool:
    """A run was paused because rawr ended while it ran."""
    return code == Reason.RUN_PAUSED_AWAY


def is_about_no_run(codes: Iterable[str]) -> bool:
    """A command to a run found no run to receive it."""
    return Reason.IGNORED_NO_RUN in codes

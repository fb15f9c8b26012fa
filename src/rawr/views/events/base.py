"""What all events have: where, when, and, if rawr decided it, why."""

import re

from msgspec import Struct

_WORD = re.compile(r"(?<!^)(?=[A-Z])")


def _tag(name: str) -> str:
    return _WORD.sub("_", name).lower()


class Event(Struct, frozen=True, kw_only=True, tag_field="type", tag=_tag):
    """Base of all events: where and when. ``seq`` is the fact in the journal behind it."""

    thread: str = ""
    """Empty: it is about rawr as a whole."""
    seq: int = 0
    at: int = 0
    """In milliseconds since the epoch."""


class Decided(Event, frozen=True, kw_only=True):
    """Base of the events from rawr's own decisions. ``reason`` is for the record; ``why`` says it in words."""

    reason: str = ""
    why: str = ""

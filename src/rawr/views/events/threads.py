"""Codex and its threads: the connection, turns, boundaries; and rawr's own notices to the person."""

from typing import Literal

from rawr.core.vocabulary.facts import Level, TurnStatus
from rawr.core.vocabulary.payloads import AnyPayload
from rawr.views.events.base import Event


class CodexConnected(Event, frozen=True, kw_only=True):
    version: str
    transport: str
    native: str = ""
    """When it compacts by itself, in words, if that is before its window is full."""


class CodexLost(Event, frozen=True, kw_only=True):
    problem: str


class Notice(Event, frozen=True, kw_only=True):
    """A sentence of rawr's own to the person."""

    level: Level
    text: str


class ThreadJoined(Event, frozen=True, kw_only=True):
    cwd: str
    native: str = ""
    """When Codex compacts it by itself, in words, if that is before its window is full."""


class ThreadReplaced(Event, frozen=True, kw_only=True):
    """The work of ``origin``, of which Codex has kept nothing, continues in this thread."""

    origin: str


class ThreadClosed(Event, frozen=True, kw_only=True):
    how: Literal["closed", "archived", "deleted"]


class TurnBegan(Event, frozen=True, kw_only=True):
    turn: str


class TurnEnded(Event, frozen=True, kw_only=True):
    turn: str
    status: TurnStatus
    duration_ms: int | None
    failed: bool
    problem: str
    """What was wrong, in Codex's words."""


class BoundarySeen(Event, frozen=True, kw_only=True):
    """A place where the work could be divided; ``turn_completed`` once rawr has judged a turn."""

    kind: str
    source: str
    detail: str
    payload: AnyPayload | None = None
    """All that there is to say of it, by kind."""


class PhaseEnded(Event, frozen=True, kw_only=True):
    phase: str
    by: Literal["agent", "person"]

"""A turn: the one that runs, and the one that ended last."""

from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.facts import Problem, TurnStatus

MAX_OPEN_ITEMS = 128

MAX_FILES = 256

MAX_ACTIONS = 64

MAX_ACTION = 200

MAX_ENDED = 16

Purpose = Literal["user", "continue", "heads_up", "scratch", "packet", "correction", "landing", "handoff", "recovery"]
"""Why a message is sent. All but a user's own and a run's are rawr's, and the turns that they start are synthetic."""

OwnPurpose = Literal["continue", "heads_up", "scratch", "packet", "correction", "landing", "handoff", "recovery"]
"""Of what rawr says itself."""

WORK: frozenset[str] = frozenset({"", "user", "continue"})
"""In turns of these purposes the agent works; empty is another client's."""
OF_WORK = WORK | {"handoff", "recovery"}
"""What begins a turn of work. A handoff does: the agent goes on from it, for as long as the work takes."""


class OpenItem(Struct, frozen=True, gc=False, omit_defaults=True):
    id: str
    kind: str
    paths: tuple[str, ...] = ()
    """Of a file change: what it would touch, for whoever must approve it."""


class ActiveTurn(Struct, frozen=True, gc=False, omit_defaults=True):
    """The turn that runs now, as far as decisions need it."""

    id: str
    """Empty while only that a turn runs is known; the next fact about it brings its name."""
    started_at: int
    open_items: tuple[OpenItem, ...] = ()
    messages: tuple[str, ...] = ()
    """The client ids of the user messages in it. An effect id among them makes the turn a synthetic one."""
    items: int = 0
    commands: int = 0
    commands_failed: int = 0
    files: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    """The commands that ran, to tell one turn's doings from another's."""
    tools: int = 0
    agent_text: str = ""
    """The newest whole message of the agent."""
    review: str = ""
    """It is a review: of what, and in the end what it found."""
    purpose: Purpose | Literal[""] = ""
    """Of the message of ours that is in it; empty where another client's message started it."""
    midway: bool = False
    """We came in the middle of it, so its message was not seen."""


class Cut(Struct, frozen=True, gc=False, omit_defaults=True):
    """A turn that Codex was asked to end before its time."""

    turn: str
    asked: int = 1
    restart: str = ""
    """The effect that starts Codex anew, because it did not."""


class TurnOutcome(Struct, frozen=True, gc=False, omit_defaults=True):
    """The turn that ended last."""

    id: str
    status: TurnStatus
    ended_at: int
    problem: Problem | None = None
    items: int = 0
    commands: int = 0
    commands_failed: int = 0
    files: tuple[str, ...] = ()
    agent_text: str = ""
    messages: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()
    """The kinds of items that had begun in it and not ended: a command in the background, a sub-agent."""
    lost: bool = False
    """The connection was lost while it ran, so its end was not seen."""
    purpose: Purpose | Literal[""] = ""
    actions: tuple[str, ...] = ()
    tools: int = 0
    midway: bool = False
    review: str = ""

    @property
    def synthetic(self) -> bool:
        return self.purpose not in WORK

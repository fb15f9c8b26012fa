"""A turn: the running one, and the last one that ended."""

from typing import Literal

from msgspec import Struct

from rawr.core.state.ran import Ended
from rawr.core.vocabulary.facts import Problem, TurnStatus

MAX_OPEN_ITEMS = 128

MAX_FILES = 256

MAX_ACTIONS = 64

MAX_ACTION = 200

MAX_AT_ONCE = 64
"""Commands of a turn that wait to be put on record."""

MAX_ENDED = 16

Purpose = Literal["user", "continue", "heads_up", "scratch", "packet", "correction", "landing", "handoff", "recovery"]
"""Why a message is sent. All except a user's and a run's are rawr's, and the turns that they start are synthetic."""

OwnPurpose = Literal["continue", "heads_up", "scratch", "packet", "correction", "landing", "handoff", "recovery"]
"""The purposes of rawr's own messages."""

WORK: frozenset[str] = frozenset({"", "user", "continue"})
"""In turns of these purposes the agent works; empty is another client's."""
OF_WORK = WORK | {"handoff", "recovery"}
"""What begins a turn of work. A handoff does: the agent continues from it, for as long as the work takes."""


class OpenItem(Struct, frozen=True, gc=False, omit_defaults=True):
    id: str
    kind: str
    paths: tuple[str, ...] = ()
    """For a file change: what it would touch, for the approval."""


class ActiveTurn(Struct, frozen=True, gc=False, omit_defaults=True):
    """The running turn, as far as decisions need it."""

    id: str
    """Empty if only the existence of the turn is known; the next fact about it brings its id."""
    started_at: int
    open_items: tuple[OpenItem, ...] = ()
    messages: tuple[str, ...] = ()
    """The client ids of the user messages in it. An effect id among them makes the turn synthetic."""
    items: int = 0
    commands: int = 0
    commands_failed: int = 0
    files: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    """The commands that ran, to compare turns."""
    ran: tuple[Ended, ...] = ()
    """The same with their exit codes, until they are on record."""
    tools: int = 0
    agent_text: str = ""
    """The agent's newest complete message."""
    review: str = ""
    """It is a review: its subject, and in the end its findings."""
    purpose: Purpose | Literal[""] = ""
    """The purpose of our message in it; empty if another client's message started it."""
    midway: bool = False
    """We joined in the middle of it, so its message was not seen."""
    worked: str = ""
    """What the agent had said when a request of rawr's came into it. What it says then is the answer to that."""
    agent_phase: str = ""
    """What Codex calls the agent's newest message: ``commentary``, ``final_answer``; older versions say nothing."""
    asked: int = 0
    """How long the user's messages in it are together, in characters."""
    unchecked: bool = False
    """Files were changed, and no check has passed since."""
    failing: str = ""
    """The check that failed last, if none has passed since."""
    spoke: bool = False
    """The agent's message is the newest of all: without a call behind it, the turn is about to end."""

    @property
    def answered(self) -> bool:
        """Return True if the agent has said its last word and called nothing since: Codex asks the model no more."""
        return self.spoke and self.agent_phase != "commentary" and not self.open_items


class Cut(Struct, frozen=True, gc=False, omit_defaults=True):
    """A turn that Codex was asked to end early."""

    turn: str
    asked: int = 1
    restart: str = ""
    """The effect that restarts Codex, because the turn did not end."""


class TurnOutcome(Struct, frozen=True, gc=False, omit_defaults=True):
    """The last turn that ended."""

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
    """The kinds of items that began in it and did not end: a command in the background, a sub-agent."""
    lost: bool = False
    """The connection was lost while it ran, so its end was not seen."""
    purpose: Purpose | Literal[""] = ""
    actions: tuple[str, ...] = ()
    tools: int = 0
    midway: bool = False
    review: str = ""
    agent_phase: str = ""
    asked: int = 0
    unchecked: bool = False
    failing: str = ""
    spoke: bool = False
    changed_tree: bool = False
    """It wrote files by other means than patches, as the working tree shows."""
    held: int = 0
    """What the context held at its end. A turn is judged later, when the next one may have added to it."""

    @property
    def synthetic(self) -> bool:
        return self.purpose not in WORK

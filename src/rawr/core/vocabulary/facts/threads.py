"""What Codex reports about a thread."""

from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.facts.base import Fact
from rawr.core.vocabulary.limits import InForce, Limits
from rawr.core.vocabulary.native import Native
from rawr.core.vocabulary.order import Order


class ThreadOpened(Fact, frozen=True):
    """A thread exists: ours because we started it, or another client's that we saw begin."""

    cwd: str
    model: str = ""
    ephemeral: bool = False
    parent: str = ""
    ours: bool = False
    token_budget: bool = False
    """Codex's feature of this name is on for the thread."""
    limits: Limits | None = None
    """The limits ordered for it, if we started it."""
    in_force: InForce | None = None
    server: str = ""
    """The process that holds it, if we started it."""
    session_file: str = ""
    """Where Codex writes down everything about it, if we started it."""
    session_id: str = ""
    """Codex's session: a thread and its forks share one. Older versions name none."""
    shared: bool = False
    """Other clients reach it on the same server, if we started it."""
    native: Native | None = None
    """When Codex compacts it by itself, if we started it."""


class MissedTurn(Struct, frozen=True, gc=False, omit_defaults=True):
    """A turn whose end rawr has not seen, according to Codex's own history."""

    turn: str
    compacted: bool = False
    """The context was compacted in it, whatever its status: if its client disappears, Codex finishes a compaction and
    calls its turn interrupted (measured)."""
    spoken: bool = False
    """A user's message is in it, so it is not a compaction's own turn."""


class ThreadJoined(Fact, frozen=True):
    """From here on, the thread's events reach us. Includes what Codex's own history says about its newest turn."""

    cwd: str
    model: str = ""
    ephemeral: bool = False
    idle: bool = True
    last_turn: str = ""
    last_status: str = ""
    missed: tuple[MissedTurn, ...] = ()
    """The turns after the last one whose end was seen, oldest first."""
    fresh: bool = False
    """The server had not opened it: no request to an earlier server is still under way."""
    server: str = ""
    """The process that holds it now."""
    last_said: str = ""
    """The agent's last words in the newest turn."""
    messages: tuple[str, ...] = ()
    """What the user had said before we joined, if requested: the first message and the newest ones, in order."""
    token_budget: bool = False
    in_force: InForce | None = None
    session_file: str = ""
    session_id: str = ""
    shared: bool = False
    """Other clients reach it on the same server."""
    native: Native | None = None
    """When Codex compacts it by itself, as far as its configuration says."""


class ThreadReached(Fact, frozen=True):
    """From here on, this connection reaches the thread. Comes only where rawr has several connections."""

    link: str
    moved: bool = False
    """A person continues it there: Codex has not opened it on this connection yet."""


class SettingsUpdated(Fact, frozen=True):
    """Codex reports that a thread works under other settings from here on, whoever changed them."""

    in_force: InForce


class ThreadTookOver(Fact, frozen=True):
    """This thread replaces one of which Codex has kept nothing; its work is done here."""

    origin: str
    run: int = 0
    """The number of the run there: it is the same run."""
    order: Order | None = None
    messages: tuple[str, ...] = ()
    """What a person had submitted there besides the order, in order."""


class ThreadStatusChanged(Fact, frozen=True):
    status: Literal["not_loaded", "idle", "active", "system_error"]
    waiting_on: tuple[str, ...] = ()


class ThreadClosed(Fact, frozen=True):
    """Codex has closed the thread: nothing more will come from it, unless somebody opens it again."""

    how: Literal["closed", "archived", "deleted"] = "closed"


class GoalUpdated(Fact, frozen=True):
    objective: str
    status: str


class GoalCleared(Fact, frozen=True):
    pass

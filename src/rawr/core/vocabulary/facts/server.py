"""What the app-server reports about itself and the account, and what it asks."""

from rawr.core.vocabulary.facts.base import Fact
from rawr.core.vocabulary.native import Native
from rawr.core.vocabulary.requests import Question


class ServerConnected(Fact, frozen=True):
    """A connection to an app-server is open. ``epoch`` counts them, because request ids start over with each."""

    epoch: int
    user_agent: str
    codex_home: str
    transport: str
    link: str = ""
    """Which of rawr's connections it is. A rawr that serves one Codex has one, without a name."""
    native: Native | None = None
    """When this Codex compacts by itself, wherever nothing else is configured; None: nobody asked."""


class ServerLost(Fact, frozen=True):
    epoch: int
    problem: str
    exit_code: int | None = None
    stderr_tail: tuple[str, ...] = ()
    by_us: bool = False
    """rawr itself closed the connection."""
    link: str = ""


class FaultRecorded(Fact, frozen=True):
    """The other side sent something unusable. ``sample`` is its start, bounded."""

    where: str
    problem: str
    sample: str = ""
    size: int = 0


class NotificationPassed(Fact, frozen=True):
    """A notification that this version does not use; recorded so that nothing is dropped unseen."""

    method: str
    size: int


class RateLimitsUpdated(Fact, frozen=True):
    limit: str
    used_percent: int
    resets_at: int | None = None
    reached: bool = False


class WarningReported(Fact, frozen=True):
    message: str


class RequestReceived(Fact, frozen=True):
    """The server waits for an answer. ``request`` identifies it across reconnects: ``"{epoch}/{wire id}"``."""

    request: str
    question: Question
    turn: str = ""
    item: str = ""


class RequestResolved(Fact, frozen=True):
    """The server has its answer, from whichever client came first."""

    request: str


class RequestRefused(Fact, frozen=True):
    """A request of an unknown kind got an error at once, so that the turn does not hang."""

    request: str
    method: str

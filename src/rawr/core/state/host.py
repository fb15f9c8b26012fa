"""What rawr knows that belongs to no thread."""

from msgspec import Struct

from rawr.core.state.deadlines import Deadline
from rawr.core.vocabulary.facts import ThreadRequested


class Wanted(Struct, frozen=True, gc=False, omit_defaults=True):
    """A thread that was asked for: which fact asked, and the effect that is starting it, if Codex is there."""

    fact: ThreadRequested
    effect: str = ""
    epoch: int = 0
    """The connection that it is started on."""
    tries: int = 0
    """How often it went down with one."""


class RateLimit(Struct, frozen=True, gc=False):
    limit: str
    used_percent: int
    resets_at: int | None
    reached: bool


class HostState(Struct, frozen=True, gc=False, omit_defaults=True):
    """What rawr knows that belongs to no thread."""

    id: str = ""
    online: bool = False
    epoch: int = 0
    wanted: tuple[Wanted, ...] = ()
    rate_limits: tuple[RateLimit, ...] = ()
    faults: int = 0
    deadlines: tuple[Deadline, ...] = ()

"""What rawr knows that belongs to no thread."""

from msgspec import Struct

from rawr.core.state.deadlines import Deadline
from rawr.core.vocabulary.facts import ThreadRequested

FULL = 100
"""Percent of a rate limit."""


class Wanted(Struct, frozen=True, gc=False, omit_defaults=True):
    """A requested thread: the fact that requested it, and the effect that is starting it, if Codex is there."""

    fact: ThreadRequested
    effect: str = ""
    epoch: int = 0
    """The connection on which it is starting."""
    tries: int = 0
    """How often it was lost with a connection."""


class RateLimit(Struct, frozen=True, gc=False):
    limit: str
    used_percent: int
    resets_at: int | None
    reached: bool


class Link(Struct, frozen=True, gc=False, omit_defaults=True):
    """An open connection to an app-server. A rawr that serves one Codex has one, without a name."""

    name: str = ""
    epoch: int = 0


class HostState(Struct, frozen=True, gc=False, omit_defaults=True):
    """What rawr knows that belongs to no thread."""

    id: str = ""
    links: tuple[Link, ...] = ()
    """The connections that are open."""
    epoch: int = 0
    """The newest connection's number; none is used twice."""
    wanted: tuple[Wanted, ...] = ()
    rate_limits: tuple[RateLimit, ...] = ()
    faults: int = 0
    deadlines: tuple[Deadline, ...] = ()


def link_of(host: HostState, name: str) -> Link | None:
    """The open connection of this name, if there is one."""
    return next((one for one in host.links if one.name == name), None)


def limited_until(host: HostState) -> int:
    """When a limit that is reached resets, in ms since the epoch; 0 if none is reached.

    An account has a short window and a long one, and both report it when either is reached. The full one counts.
    """
    full = [one.resets_at or 0 for one in host.rate_limits if one.used_percent >= FULL]
    told = [one.resets_at or 0 for one in host.rate_limits if one.reached]
    return (max(full) if full else min(told, default=0)) * 1000

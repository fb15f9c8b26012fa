"""The host of the home, for a command: found, or started in the background."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.cli.commands.ordering import Wanted
from rawr.cli.places import Places
from rawr.cli.terminal.output import warn
from rawr.codex import binary
from rawr.codex.variables import named_by
from rawr.codex.versions import refuse_too_old
from rawr.core.kernel import Taken
from rawr.core.vocabulary.facts import Level, ThreadOpened, ThreadReached
from rawr.errors import OutsideError
from rawr.host import messages as m
from rawr.host.client import HostClient
from rawr.host.sent import Sent, chosen
from rawr.host.starting import find_or_start
from rawr.ports.surface import Surface
from rawr.version import __version__

EARLIEST = (ThreadReached, ThreadOpened)
MAX_EARLY = 50
VARIABLE = "RAWR_FOREGROUND"
"""Set, and not 0: everything runs in the process that was started, as with --foreground."""


def in_foreground(places: Places, *, asked: bool) -> bool:
    """Return True if the work is to be done by this process."""
    named = os.environ.get(VARIABLE, "")
    return asked or named not in ("", "0") or not places.settings.background


class Part:
    """A surface that is shown some of a host's threads, and what belongs to none."""

    def __init__(self, surface: Surface, is_mine: Callable[[str], bool]) -> None:
        self._surface = surface
        self._is_mine = is_mine
        self._early: dict[str, list[Taken]] = {}
        """Facts of threads that may still turn out to be among them: a thread begins before its run does."""

    def notify(self, thread: str, level: Level, text: str) -> None:
        if not thread or self._is_mine(thread):
            self._surface.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        thread = taken.recorded.thread
        if not thread:
            self._surface.taken(taken)
        elif self._is_mine(thread):
            for one in (*self._early.pop(thread, ()), taken):
                self._surface.taken(one)
        elif isinstance(taken.recorded.fact, EARLIEST) or thread in self._early:
            held = self._early.setdefault(thread, [])
            held.append(taken)
            del held[:-MAX_EARLY]


def to_send(places: Places, env: tuple[str, ...] = ()) -> Sent:
    """What this terminal sends to the host. ``env``: names given for this call."""
    named = (*places.settings.environment, *named_by(places.codex_home), *env)
    return chosen(os.environ, named=named)


@asynccontextmanager
async def connected(home: Path, name: str) -> AsyncIterator[HostClient]:
    """A client of this home's host, which is the same rawr. ``name``: the surface that it is, for the record."""
    async with await find_or_start(home, surface=name) as client:
        if client.notice:
            warn(client.notice)
        if not client.welcome.same:
            other = client.welcome.version
            which = f"rawr {other}, and this is {__version__}" if other != __version__ else "another build of rawr"
            raise OutsideError(
                f"The host of {home} is {which}.",
                way_out="`rawr host stop` pauses its runs and ends it; the next command starts one of this version.",
            )
        yield client


@asynccontextmanager
async def host_of(
    places: Places, flags: dict[str, object], surface: Surface, *, env: tuple[str, ...] = (), name: str
) -> AsyncIterator[HostClient]:
    """A subscribed client, of a host that works under these settings."""
    async with connected(places.home, name) as client:
        await client.bring(to_send(places, env).variables)
        await client.use_rules(flags)
        await client.subscribe(surface)
        yield client


def codex_for(wanted: Wanted, places: Places) -> m.Reach:
    """The Codex that the runs of a call work with."""
    if wanted.attach:
        return m.Reach(socket=str(places.control_socket))
    codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    refuse_too_old(codex.version)
    return m.Reach(program=str(codex.path.absolute()), codex_home=str(places.codex_home))

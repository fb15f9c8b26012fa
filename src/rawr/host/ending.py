"""When a host has nothing left to do, and how it stops: its runs are paused, never cut off."""

import asyncio
import time
from typing import Protocol

from rawr.core.vocabulary.facts import RunPauseSubmitted
from rawr.host.hosting import Hosting
from rawr.runtime.supervisor import Supervisor

LINGER = 5.0
"""Seconds without anything to do, after which a host exits: the next command may come at once."""
NO_CODEX = 3600.0
"""Seconds after which a watch that nobody looks at, of a Codex that is not there, is over."""
IN_ORDER = 3.0
"""Seconds for the work under way to finish in order, once the host is told to stop."""
AT_ONCE = 2.0
"""Seconds beyond that to record the state of the runs."""


class Busy(Protocol):
    """What keeps a host from exiting."""

    hosting: Hosting

    @property
    def clients(self) -> int: ...


class Ending:
    def __init__(self, *, stay: bool = False, linger: float = LINGER, no_codex: float = NO_CODEX) -> None:
        """``stay``: until it is told to stop."""
        self._stay = stay
        self._linger = linger
        self._no_codex = no_codex
        self._changed = asyncio.Event()
        self._stopped = asyncio.Event()
        self._idle_since: float | None = None

    def look(self) -> None:
        """Something changed."""
        self._changed.set()

    def stop(self) -> None:
        self._stopped.set()

    async def wait(self, host: Busy) -> str:
        """Until the host may exit. Returns why, for its clients."""
        while not self._stopped.is_set():
            self._changed.clear()
            seconds = self._patience(host)
            now = time.monotonic()
            if seconds is None:
                self._idle_since = None
            elif self._idle_since is None:
                self._idle_since = now
            left = None if seconds is None or self._idle_since is None else self._idle_since + seconds - now
            if left is not None and left <= 0:
                return "nothing is left to do"
            await self._sleep(left)
        return "it was told to stop"

    async def _sleep(self, seconds: float | None) -> None:
        changed = asyncio.ensure_future(self._changed.wait())
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({changed, stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()
            stopped.cancel()

    def _patience(self, host: Busy) -> float | None:
        """How long it stays as things are; None: for good."""
        if self._stay or host.clients or host.hosting.runs:
            return None
        if host.hosting.watching:
            return None if host.hosting.watched_is_there else self._no_codex
        return self._linger

    def in_words(self, host: Busy) -> str:
        if self._stay:
            return "It stays until it is told to stop."
        if host.hosting.runs:
            return "It stays for its runs."
        if host.hosting.watching:
            return "It stays for the watch."
        return "It exits when its last client leaves."


async def pause_runs(rawr: Supervisor) -> None:
    """Pause every run: in order if it can be done in time, else as it is. Nothing is lost either way."""
    for leaving, seconds in ((False, IN_ORDER), (True, AT_ONCE)):
        if not await _paused(rawr, leaving=leaving, seconds=seconds):
            continue
        return


async def _paused(rawr: Supervisor, *, leaving: bool, seconds: float) -> bool:
    over = asyncio.Event()

    def active() -> list[str]:
        return [state.id for state in rawr.threads.values() if state.run is not None and state.run.status == "running"]

    def look(_taken: object = None) -> None:
        if not active():
            over.set()

    rawr.follow(look)
    for thread in active():
        rawr.tell(thread, RunPauseSubmitted(now=True, leaving=leaving))
    look()
    try:
        async with asyncio.timeout(seconds):
            await over.wait()
    except TimeoutError:
        return False
    return True

"""The terminal program from the command line: only here, and only when it is asked for, is it imported.

Leaving it stops nothing. Work of this process goes on, shown as lines; work of the host goes on there.
"""

import asyncio
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from typing import Any

from rawr.core.kernel import Taken
from rawr.core.vocabulary.facts import Level
from rawr.errors import OutsideError
from rawr.ports.surface import Rawr, Surface

CLOSING = 3.0
"""Seconds for the program to give the terminal back."""


def require_screen(*, json: bool = False, plain: bool = False, detach: bool = False) -> None:
    """Raise if it cannot be opened: it is not installed, there is no terminal, or lines were asked for."""
    if detach:
        raise OutsideError(
            "--tui cannot be combined with --detach.", way_out="`rawr` opens the terminal program on it later."
        )
    if json or plain:
        raise OutsideError(
            f"--tui cannot be combined with {'--json' if json else '--plain'}.",
            way_out="--plain prints one line per event, also for a screen reader.",
        )
    if find_spec("textual") is None:
        raise OutsideError(
            "The terminal program is not installed.", way_out="Install it: pip install 'codex-rawr[tui]'."
        )
    from rawr.tui.opening import refuse_no_terminal

    refuse_no_terminal()


async def open_screen(
    rawr: Rawr,
    *,
    thread: str = "",
    opens: Callable[[], str] | None = None,
    problem: str = "",
    returns: bool = False,
) -> str | None:
    """Return when the person leaves. What is under way goes on in the host. With ``returns``: the thread to come back
    to, if they want to be connected again."""
    from rawr.tui.opening import show

    return await show(rawr, thread=thread, opens=opens, problem=problem, returns=returns)


async def beside_screen(
    rawr: Rawr,
    work: Coroutine[Any, Any, None],
    *,
    left: Callable[[], None],
    opens: Callable[[], str] | None = None,
    leaving: asyncio.Event | None = None,
) -> None:
    """Do the work with the program open. ``left``: the person left it, and the work goes on. When the work is over
    first, the program stays until they leave; if the work fails, or ``leaving`` is set, it closes. ``opens``: the
    thread to show, once there is one."""
    from rawr.tui.opening import show

    close = leaving or asyncio.Event()
    working, watching = asyncio.ensure_future(work), asyncio.ensure_future(show(rawr, opens=opens, close=close))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if working.done() and not working.cancelled() and working.exception() is None:
            await watching
        elif watching.done():
            watching.result()
            if not close.is_set():
                left()
        await working
    finally:
        close.set()
        await asyncio.wait({watching}, timeout=CLOSING)
        for task in (watching, working):
            if not task.done():
                task.cancel()


class Muted:
    """A surface that shows nothing while the terminal program has the screen."""

    def __init__(self, surface: Surface, *, muted: bool) -> None:
        self._surface = surface
        self.muted = muted

    def notify(self, thread: str, level: Level, text: str) -> None:
        if not self.muted:
            self._surface.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        if not self.muted:
            self._surface.taken(taken)

"""Opens the terminal program on a rawr, in this process or in its host, and comes back when a person leaves it."""

import asyncio
import os
import sys
from collections.abc import Callable

from rawr.errors import OutsideError
from rawr.ports.surface import Rawr
from rawr.tui.app import RawrApp


def has_terminal() -> bool:
    """Return True if there is a screen to draw on."""
    return _is_terminal() and os.environ.get("TERM", "") not in ("", "dumb", "unknown")


def _is_terminal() -> bool:
    streams = (sys.__stdin__, sys.__stdout__)
    return all(stream is not None and stream.isatty() for stream in streams)


def refuse_no_terminal() -> None:
    """Raise if there is no screen to draw on."""
    if not _is_terminal():
        raise OutsideError("The terminal program needs a terminal.", way_out="Omit --tui, or use --plain.")
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        raise OutsideError("This terminal cannot place text on its screen.", way_out="Omit --tui, or use --plain.")


async def show(
    rawr: Rawr,
    *,
    thread: str = "",
    opens: Callable[[], str] | None = None,
    problem: str = "",
    returns: bool = False,
    close: asyncio.Event | None = None,
) -> str | None:
    """Return when the person leaves, or when ``close`` is set. What is under way goes on; whoever started it decides
    what becomes of it. With ``returns`` they can ask to be connected again when the host is gone; then the thread that
    was open is returned, or an empty name."""
    app = RawrApp(rawr, thread=thread, opens=opens, problem=problem)
    app.returns = returns
    closing = asyncio.ensure_future(_close(app, close)) if close is not None else None
    try:
        return await app.run_async()
    finally:
        if closing is not None:
            closing.cancel()


async def _close(app: RawrApp, close: asyncio.Event) -> None:
    await close.wait()
    app.action_leave()

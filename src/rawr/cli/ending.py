"""Being told to end: Ctrl-C, a service manager, a closed window. All of them end rawr in order."""

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_order(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end. A signal that asks rawr to end is a ``KeyboardInterrupt`` here, once everything is closed."""
    return asyncio.run(_watched(work))


async def _watched(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    told: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        told.append(number)
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        with contextlib.suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(number, end, number)
    try:
        return await task
    except asyncio.CancelledError:
        if told:
            raise KeyboardInterrupt from None
        raise

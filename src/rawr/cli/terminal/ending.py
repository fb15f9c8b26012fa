"""Being told to end: Ctrl-C, a service manager, a closed window. All of them end rawr in order."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")

LAST_LOOK = 1.0
"""Seconds for a look at a repository that is under way at the end."""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_in_order(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end. A signal that asks rawr to end is a ``KeyboardInterrupt`` here, once everything is closed."""
    return asyncio.run(_watched(work))


async def _watched(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    told: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        # A closed window is told of more than once, and the second word must not cut the closing short.
        if not told:
            task.cancel()
        told.append(number)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if _is_heard(number):
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, end, number)
    try:
        return await task
    except asyncio.CancelledError:
        if told:
            raise KeyboardInterrupt from None
        raise


@contextlib.contextmanager
def interruptible(*, pause: Callable[[signal.Signals], bool], stop: Callable[[], None]) -> Iterator[None]:
    """While runs are under way: Ctrl-C pauses them, once more stops them, a third time just ends the program.

    Everything else that asks rawr to end pauses them, however often it does; also after a Ctrl-C that still waits for
    something. ``pause`` says whether there was anything to pause; if not, the program ends. From the end of the block
    on only the exit code is left to come, and nothing that is pressed too late can change it.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    asked: list[signal.Signals] = []
    leaving = False

    def leave() -> None:
        """In order: everything is closed on the way out. Who asks again is in a hurry."""
        nonlocal leaving
        leaving = True
        if task is not None:
            task.cancel()

    def interrupted(number: signal.Signals) -> None:
        first = number not in asked
        asked.append(number)
        if number == signal.SIGINT and asked.count(number) > 1:
            stop() if asked.count(number) == 2 else leave()
        elif first and not leaving and not pause(number):
            leave()

    heard = [number for number in ENDING if _is_heard(number)]
    for number in heard:
        loop.add_signal_handler(number, interrupted, number)
    try:
        yield
    except asyncio.CancelledError:
        if leaving:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, heard)
        for number in heard:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)


def leave(code: int) -> NoReturn:
    """End the program. A thread that looks at something and never comes back, as on a disk that is gone, would hold up
    the interpreter's own end for ever; everything else is closed by now."""
    deadline = time.monotonic() + LAST_LOOK
    looking = [one for one in threading.enumerate() if one.name.startswith("rawr-") and not one.daemon]
    for thread in looking:
        thread.join(max(deadline - time.monotonic(), 0))
    if any(thread.is_alive() for thread in looking):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _is_heard(number: signal.Signals) -> bool:
    """``nohup`` says that a hang-up is not to be heard."""
    return number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN

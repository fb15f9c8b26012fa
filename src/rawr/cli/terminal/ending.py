"""Requests to exit: Ctrl-C, a service manager, a closed window. On all of them rawr exits in order."""

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
"""Seconds at the end for a look at a repository that is under way."""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_in_order(work: Coroutine[Any, Any, T]) -> T:
    """Run it to completion. A signal to exit becomes a ``KeyboardInterrupt`` here, once everything is closed."""
    return asyncio.run(_watched(work))


async def _watched(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    told: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        # A closed window is reported more than once, and the second signal must not cut the closing short.
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
    """While runs are under way: the first Ctrl-C pauses them, the second stops them, the third exits.

    Every other signal that asks rawr to exit pauses them, however often it comes, even after a Ctrl-C that still waits
    for something. ``pause`` returns True if there was anything to pause; if not, the program exits. After the block,
    only the exit code is left, and late key presses cannot change it.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    asked: list[signal.Signals] = []
    leaving = False

    def leave() -> None:
        """In order: everything is closed on the way out. A further request is urgent."""
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
    """Exit the program. A thread that looks at something and never returns, as on a lost disk, would keep the
    interpreter from exiting forever; everything else is closed by now."""
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
    """``nohup`` tells the program to ignore a hang-up."""
    return number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN

"""Being told to end: Ctrl-C, a service manager, a closed window. All of them end rawr in order."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

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

    Everything else that asks rawr to end pauses them, however often it does. ``pause`` says whether there was anything
    to pause; if not, the program ends. From the end of the block on only the exit code is left to come, and nothing
    that is pressed too late can change it.
    """
    loop = asyncio.get_running_loop()
    asked: list[signal.Signals] = []

    def interrupted(number: signal.Signals) -> None:
        if not asked:
            asked.append(number)
            if not pause(number):
                raise KeyboardInterrupt
        elif number == signal.SIGINT:
            asked.append(number)
            match asked.count(signal.SIGINT):
                case 1:
                    pass
                case 2:
                    stop()
                case _:
                    raise KeyboardInterrupt

    heard = [number for number in ENDING if _is_heard(number)]
    for number in heard:
        loop.add_signal_handler(number, interrupted, number)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, heard)
        for number in heard:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)


def _is_heard(number: signal.Signals) -> bool:
    """``nohup`` says that a hang-up is not to be heard."""
    return number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN

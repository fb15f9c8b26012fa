"""Many sessions, over all cores. Each file is read, told and forgotten in one process: memory does not grow with the
history. Results come in the order of the files, so that a resumed session is recognised by the one it repeats."""

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process

from rawr.backtest.repeats import Repeats
from rawr.backtest.result import SessionResult, TurnMark
from rawr.backtest.session import Backtest
from rawr.core.policy.policy import Policy
from rawr.errors import OutsideError
from rawr.history.compressed import CannotUnpack
from rawr.history.files import Cut, SessionFile, lines_of

Done = Callable[[int, int], object]
"""Called with the bytes done, and all bytes."""
_AT_ONCE = 4
"""Files given to a process at a time: enough that asking costs nothing, few enough that none waits at the end."""

_POLICIES: list[Policy] = []
"""Of a process of the pool."""


Tested = tuple[SessionResult, tuple[TurnMark, ...]]
"""A session, and its turns to recognise them in another file."""


def backtest_file(path: str, policies: Sequence[Policy]) -> tuple[Tested, ...]:
    """One file under each policy. It does not raise: a result says what could not be read."""
    return tuple(_one(path, policy) for policy in policies)


def _one(path: str, policy: Policy) -> Tested:
    session = Backtest(policy, file=path)
    result = session.over(problem=feed(session, path))
    return result, tuple(session.marks)


def feed(session: Backtest, path: str) -> str:
    """Give a session all lines of its file. Returns what went wrong; empty if nothing did."""
    try:
        for line in lines_of(path):
            if isinstance(line, Cut):
                session.cut(line.size)
            else:
                session.take(line)
    except OSError as error:
        return error.strerror or str(error)
    except CannotUnpack as error:
        return str(error)
    return ""


def over(
    files: Sequence[SessionFile], policies: Sequence[Policy], *, workers: int = 0, done: Done | None = None
) -> Generator[tuple[SessionResult, ...], None, None]:
    """Every file under every policy."""
    workers = min(workers or os.cpu_count() or 1, max(len(files), 1))
    repeats = [Repeats() for _ in policies]
    total, size = sum(one.size for one in files), 0
    with _results(files, policies, workers) as results:
        for file, found in zip(files, results, strict=True):
            size += file.size
            if done is not None:
                done(size, total)
            yield tuple(known.without(*one) for one, known in zip(found, repeats, strict=True))


@contextmanager
def _results(
    files: Sequence[SessionFile], policies: Sequence[Policy], workers: int
) -> Iterator[Iterator[tuple[Tested, ...]]]:
    paths = [one.path for one in files]
    if workers <= 1:
        yield (backtest_file(path, policies) for path in paths)
        return
    # A fork would copy whatever threads the caller has.
    others = set(active_children())
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(tuple(policies),)
    )
    done = False
    try:
        yield pool.map(_in_process, paths, chunksize=_AT_ONCE)
        done = True
    except BrokenProcessPool as error:
        raise OutsideError(
            "A process that read sessions was ended from outside.",
            way_out="If memory is short, use fewer with --workers 1.",
        ) from error
    finally:
        if not done:
            # Nobody waits for the files that they are reading.
            for process in set(active_children()) - others:
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(policies: Sequence[Policy]) -> None:
    """In a process of the pool. Ctrl-C reaches it too, and is the caller's to answer; without a caller it is over."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_caller, daemon=True).start()
    _POLICIES[:] = policies


def _leave_with_caller() -> None:
    caller = parent_process()
    if caller is not None:
        caller.join()
        os._exit(1)


def _in_process(path: str) -> tuple[Tested, ...]:
    return backtest_file(path, _POLICIES)

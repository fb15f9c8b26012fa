"""Many sessions, over all cores. Each file is read, told and forgotten in one process: memory does not grow with the
history. Results come in the order of the files, so that a resumed session is recognised by the one it repeats."""

import contextlib
import gc
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import active_children, get_context, parent_process
from types import TracebackType
from typing import Self

from rawr.backtest.repeats import Repeats
from rawr.backtest.result import SessionResult, TurnMark
from rawr.backtest.session import Backtest
from rawr.backtest.threshold import Candidate
from rawr.errors import OutsideError
from rawr.history.compressed import CannotUnpack
from rawr.history.files import Cut, SessionFile, batches_of

Done = Callable[[int, int], object]
"""Called with the bytes done, and all bytes."""
_AT_ONCE = 4
"""Files given to a process at a time: enough that asking costs nothing, few enough that none waits at the end."""


Tested = tuple[SessionResult, tuple[TurnMark, ...]]
"""A session, and its turns to recognise them in another file."""


def backtest_file(path: str, policies: Sequence[Candidate]) -> tuple[Tested, ...]:
    """One file under each policy, read once. It does not raise: a result says what could not be read."""
    with _collected_once():
        return _tested(path, policies)


def _tested(path: str, policies: Sequence[Candidate]) -> tuple[Tested, ...]:
    sessions = [Backtest(policy, file=path) for policy in policies]
    problem = _feed(sessions, path)
    late = sessions[0].late()
    return tuple((one.over(problem=problem, late=late), tuple(one.marks)) for one in sessions)


@contextlib.contextmanager
def _collected_once() -> Iterator[None]:
    """Look for garbage when a session is over, and not while it is read: hardly anything in it refers back to what
    refers to it, and to look again and again costs a tenth of the time."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
            gc.collect(0)


def feed(session: Backtest, path: str) -> str:
    """Give a session all lines of its file. Returns what went wrong; empty if nothing did."""
    return _feed([session], path)


def _feed(sessions: Sequence[Backtest], path: str) -> str:
    first = sessions[0]
    try:
        for batch in batches_of(path):
            if isinstance(batch, Cut):
                for session in sessions:
                    session.cut(batch.size)
                continue
            found = first.read(batch)
            for session in sessions:
                session.enter(found, batch)
    except OSError as error:
        return error.strerror or str(error)
    except CannotUnpack as error:
        return str(error)
    return ""


class Pool:
    """Processes that read files. They stay, so that the same files can be read again under other policies."""

    def __init__(self, workers: int) -> None:
        self._executor = None
        self._others = set(active_children())
        if workers > 1:
            # A fork would copy whatever threads the caller has.
            self._executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._executor is None:
            return
        if kind is not None:
            # Nobody waits for the files that they are reading.
            for process in set(active_children()) - self._others:
                process.terminate()
        self._executor.shutdown(wait=True, cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise OutsideError(
                "A process that read sessions was ended from outside.",
                way_out="If memory is short, use fewer with --workers 1.",
            ) from error

    def each(self, paths: Sequence[str], policies: Sequence[Candidate]) -> Iterator[tuple[Tested, ...]]:
        """Every file under every policy, in order."""
        if self._executor is None:
            return (backtest_file(path, policies) for path in paths)
        packed = pickle.dumps(tuple(policies))
        return self._executor.map(_in_process, ((path, packed) for path in paths), chunksize=_AT_ONCE)


def workers_for(files: Sequence[SessionFile], wanted: int = 0) -> int:
    return min(wanted or os.cpu_count() or 1, max(len(files), 1))


def over(
    files: Sequence[SessionFile], policies: Sequence[Candidate], *, workers: int = 0, done: Done | None = None
) -> Generator[tuple[SessionResult, ...], None, None]:
    """Every file under every policy."""
    repeats = [Repeats() for _ in policies]
    total, size = sum(one.size for one in files), 0
    with Pool(workers_for(files, workers)) as pool:
        results = pool.each([one.path for one in files], policies)
        for file, found in zip(files, results, strict=True):
            size += file.size
            if done is not None:
                done(size, total)
            yield tuple(known.without(*one) for one, known in zip(found, repeats, strict=True))


def _begin() -> None:
    """In a process of the pool. Ctrl-C reaches it too, and is the caller's to answer; without a caller it is over."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_caller, daemon=True).start()


def _leave_with_caller() -> None:
    caller = parent_process()
    if caller is not None:
        caller.join()
        os._exit(1)


def _in_process(given: tuple[str, bytes]) -> tuple[Tested, ...]:
    path, packed = given
    return backtest_file(path, _policies(packed))


@lru_cache(maxsize=1)
def _policies(packed: bytes) -> tuple[Candidate, ...]:
    found: tuple[Candidate, ...] = pickle.loads(packed)  # noqa: S301 - from the process that started this one
    return found

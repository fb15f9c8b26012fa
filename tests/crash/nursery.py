"""Where most victims are born: a process that has read all of rawr's code once, and forks.

Reading the code takes longer than most cases do. Each child is a process of its own, with its own session, environment,
folder and output, and runs ``rawr`` from its first line; what it does not repeat is the import. One case in ten starts
a Python of its own all the same.
"""

import asyncio
import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

NOT_KNOWN = 255
"""The code of a child whose end nobody told of."""


class Order(Struct, frozen=True, tag=True):
    """A child that is wanted."""

    words: list[str]
    env: dict[str, str]
    cwd: str
    out: str
    err: str
    terminal: str = ""
    """The file that its terminal signs; empty: it has none."""


class Kill(Struct, frozen=True, tag=True):
    """A child that must end. Only its parent can be sure that the number is still its own."""

    pid: int
    number: int


class News(Struct, frozen=True, omit_defaults=True):
    """A child was born, or has ended, with the code that ``waitstatus_to_exitcode`` gives."""

    pid: int
    code: int | None = None


# -- the side of whoever wants children -----------------------------------------------------------------------------


class Child:
    """A victim, as asyncio's own processes are."""

    def __init__(self, pid: int, *, tell: Callable[[Kill], None]) -> None:
        self.pid = pid
        self._tell = tell
        self.returncode: int | None = None
        self._over = asyncio.Event()

    async def wait(self) -> int:
        await self._over.wait()
        assert self.returncode is not None
        return self.returncode

    def ended(self, code: int) -> None:
        self.returncode = code
        self._over.set()

    def send_signal(self, number: signal.Signals) -> None:
        if self.returncode is not None:
            raise ProcessLookupError
        self._tell(Kill(self.pid, number))


class NurseryGone(Exception):
    """The process that forks has ended before its time."""


class Nursery:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._children: dict[int, Child] = {}
        self._born: asyncio.Queue[Child | None] = asyncio.Queue()
        self._order = asyncio.Lock()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def open(cls) -> "Nursery":
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.crash.nursery"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": code_path()},
        )
        return cls(process)

    async def start(
        self, words: Sequence[str], *, env: Mapping[str, str], cwd: Path, out: Path, err: Path, terminal: str = ""
    ) -> Child:
        wanted = Order(list(words), dict(env), str(cwd), str(out), str(err), terminal)
        async with self._order:
            self._send(wanted)
            born = await self._born.get()
        if born is None:
            raise NurseryGone
        return born

    def _send(self, order: Order | Kill) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            news = msgspec.json.decode(line, type=News)
            if news.code is None:
                self._children[news.pid] = Child(news.pid, tell=self._send)
                self._born.put_nowait(self._children[news.pid])
            else:
                self._children.pop(news.pid).ended(news.code)
        # Nobody tells of the children any more, and nobody makes new ones.
        self._born.put_nowait(None)
        for child in self._children.values():
            child.ended(NOT_KNOWN)

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        await self._reading


def code_path() -> str:
    root = Path(__file__).parents[2]
    return os.pathsep.join([str(root / "src"), str(root)])


# -- the side of the process that forks ------------------------------------------------------------------------------


def serve() -> None:
    """Fork what is asked for, and tell of every birth and every end, until nobody asks any more."""
    _read_all_code()
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # Ctrl-C is for whoever wants children; they close the nursery.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    rest = b""
    while True:
        ready, _, _ = select.select([0, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            _tell_of_the_ended()
        if 0 in ready:
            data = os.read(0, 1 << 20)
            if not data:
                _end_all()
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                _obey(msgspec.json.decode(line, type=Order | Kill), without=(wake, waker))


_living: set[int] = set()


def _end_all() -> None:
    """Nobody is there any more to whom they could matter."""
    for pid in _living:
        os.kill(pid, signal.SIGKILL)


def _read_all_code() -> None:
    import tests.crash.victim  # noqa: F401


def _obey(order: Order | Kill, *, without: Sequence[int]) -> None:
    match order:
        case Order():
            _tell(News(_bear(order, without=without)))
        case Kill(pid=pid, number=number):
            # A child that was waited for is nobody's any more; as long as it was not, its number is its own.
            if pid in _living:
                os.kill(pid, number)


def _tell(news: News) -> None:
    os.write(1, msgspec.json.encode(news) + b"\n")


def _tell_of_the_ended() -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            _living.discard(pid)
            _tell(News(pid, os.waitstatus_to_exitcode(status)))


def _bear(order: Order, *, without: Sequence[int]) -> int:
    pid = os.fork()
    if pid:
        _living.add(pid)
        return pid
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in without:
            os.close(descriptor)
        code = _live(order)
    finally:
        os._exit(code)


def _live(order: Order) -> int:
    os.setsid()
    os.chdir(order.cwd)
    os.environ.clear()
    os.environ.update(order.env)
    for number, (path, flags) in enumerate(
        ((os.devnull, os.O_RDONLY), (order.out, os.O_WRONLY | os.O_CREAT), (order.err, os.O_WRONLY | os.O_CREAT))
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    if not order.terminal:
        return become(order.words)
    from tests.crash.emulator import hold

    return hold(lambda: become(order.words), signs=Path(order.terminal))


def become(words: Sequence[str]) -> int:
    """Be ``rawr`` from here on, a victim if there are orders for one; gives the exit code."""
    from rawr.cli.main import main
    from tests.crash import victim

    sys.argv = ["rawr", *words]
    code = 0
    try:
        if victim.ORDERS in os.environ:
            victim.main()
        else:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve()

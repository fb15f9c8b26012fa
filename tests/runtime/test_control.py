"""Words to a running rawr, over a socket that only its own user reaches (B9, D1)."""

import asyncio
import contextlib
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.core.kernel import Kernel, Taken
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary import facts
from rawr.errors import OutsideError
from rawr.runtime.control import Asked, ControlServer, NobodyThere, ask
from rawr.runtime.door import came_from
from rawr.runtime.sockets import SOCKET


class Known:
    """One thread, and everything it was told."""

    def __init__(self) -> None:
        self.kernel = Kernel()
        self.told: list[facts.AnyFact] = []

    def find_thread(self, name: str) -> str:
        return "thread-1" if "thread-1".endswith(name) else ""

    def record(self, thread: str, fact: facts.AnyFact) -> "asyncio.Future[Taken]":
        self.told.append(fact)
        future: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        future.set_result(self.kernel.take(thread, fact, at=1))
        return future

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        return tuple(Real(one) for one in self.kernel.threads[thread].requests) if thread in self.kernel.threads else ()


def made(home: Path) -> Path:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return home


@asynccontextmanager
async def serving(home: Path) -> AsyncIterator[Known]:
    known = Known()
    server = ControlServer(made(home), known)
    await server.start()
    try:
        yield known
    finally:
        await server.close()


async def raw(home: Path, line: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(home / SOCKET)
    writer.write(line)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (facts.PinSubmitted(text="Never push."), "directive.pinned.submitted"),
        (facts.HoldSubmitted(until="tomorrow"), "hold.set.submitted"),
        (facts.HoldReleased(), "hold.released.submitted"),
        (facts.PhaseSubmitted(phase="research"), "phase.marked.user"),
    ],
)
async def test_a_word_is_recorded_and_answered(tmp_path: Path, command: facts.AnyFact, reason: str) -> None:
    async with serving(tmp_path) as known:
        answer = await ask(tmp_path, Asked(command, "1"))  # type: ignore[arg-type]
        assert (answer.thread, answer.reasons[0], answer.problem) == ("thread-1", reason, "")
        [told] = known.told
        assert came_from(told, facts.Origin()) == came_from(command, facts.Origin())


async def test_a_thread_that_nobody_knows(tmp_path: Path) -> None:
    async with serving(tmp_path) as known:
        assert (await ask(tmp_path, Asked(facts.HoldReleased(), "9"))).problem == "rawr knows no thread 9."
        assert known.told == []


@pytest.mark.parametrize(
    "line",
    [
        b"{}\n",
        b"not json\n",
        b"\xff\xfe\n",
        b'{"command": {"fact": "ServerLost", "epoch": 1, "problem": ""}}\n',
        b'{"command": {"fact": "TurnCompleted", "turn": "T", "status": "completed"}}\n',
        b"[" * 100_000 + b"\n",
        b'{"command": {"fact": "HoldReleased"}, "more": ' + b"[" * 100_000 + b"\n",
    ],
    ids=["empty", "no json", "no text", "not a person's", "not a person's either", "deep", "deep within"],
)
async def test_only_what_a_person_may_say_is_understood(tmp_path: Path, line: bytes) -> None:
    async with serving(tmp_path) as known:
        assert b"not understood" in await raw(tmp_path, line)
        assert known.told == []


async def test_a_line_without_end_is_given_up(tmp_path: Path) -> None:
    async with serving(tmp_path) as known:
        with contextlib.suppress(ConnectionError):
            assert await raw(tmp_path, b"x" * 1_000_000) == b""
        assert known.told == []


async def test_without_a_rawr_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(NobodyThere, match="No rawr is running"):
        await ask(tmp_path, Asked(facts.HoldReleased()))


async def test_a_socket_that_was_left_over_is_replaced(tmp_path: Path) -> None:
    (tmp_path / SOCKET).touch()
    async with serving(tmp_path):
        assert stat.S_IMODE((tmp_path / SOCKET).stat().st_mode) == 0o600
        assert (await ask(tmp_path, Asked(facts.HoldReleased()))).thread == "thread-1"
    assert not (tmp_path / SOCKET).exists()


async def test_a_deep_home_has_its_socket_in_it(tmp_path: Path) -> None:
    """Also where the path is too long for an address; nothing lies in a folder that others can write to (D25)."""
    deep = tmp_path / ("d" * 200)
    async with serving(deep):
        assert stat.S_IMODE((deep / SOCKET).lstat().st_mode) == 0o600
        assert (await ask(deep, Asked(facts.HoldReleased()))).thread == "thread-1"
    assert not (deep / SOCKET).exists()


async def test_a_folder_that_others_may_enter_is_not_used(tmp_path: Path) -> None:
    home = made(tmp_path / "home")
    home.chmod(0o755)
    with pytest.raises(OutsideError, match=r"Other users can access .*chmod go="):
        async with serving(home):
            pass

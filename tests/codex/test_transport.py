"""The two ways to an app-server, each against real processes and sockets that behave badly."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, unix_serve

from rawr.codex.rpc import MAX_FRAME, SAMPLE, Fault, Oversize
from rawr.codex.stdio import STDERR_LINES, StdioDialer, StdioLink
from rawr.codex.transport import CodexUnreachable, Ended, Link
from rawr.codex.unix_socket import UnixDialer

from .servers import stand_in

DEADLINE = 20.0


@asynccontextmanager
async def linked(script: str, *, end_grace: float = 1.0) -> AsyncIterator[StdioLink]:
    link = await stand_in(script, end_grace=end_grace).dial()
    try:
        async with asyncio.timeout(DEADLINE):
            yield link
    finally:
        await link.close()
        assert not is_running(link.pid)


async def frames_of(link: Link) -> list[bytes | Oversize | Fault]:
    return [frame async for frame in link.frames()]


def is_running(pid: int) -> bool:
    """Running, and not merely waiting for its parent to look."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


# -- a child process --------------------------------------------------------------------------------------------


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CodexUnreachable) as caught:
        await StdioDialer(tmp_path / "codex", env={}).dial()
    assert str(caught.value) == (
        f"{tmp_path / 'codex'} could not be started: No such file or directory. "
        "Run `rawr doctor` to see which Codex rawr uses."
    )


async def test_frames_go_both_ways() -> None:
    async with linked("send({'first': 1}); message = read(); message['back'] = 'ä'; send(message)") as link:
        await link.send(b'{"second":2}')
        assert await frames_of(link) == [b'{"first": 1}', b'{"second": 2, "back": "\\u00e4"}']
        assert await link.close() == Ended("the app-server exited with code 0", 0)


@pytest.mark.parametrize(
    ("script", "tail"),
    [
        ("print('one', file=sys.stderr); print('two', file=sys.stderr); sys.exit(3)", ("one", "two")),
        ("sys.stderr.write('no newline at the end'); sys.exit(3)", ("no newline at the end",)),
        ("sys.stderr.buffer.write(b'bad \\xff byte\\n'); sys.exit(3)", ("bad \N{REPLACEMENT CHARACTER} byte",)),
        (
            f"[print(n, file=sys.stderr) for n in range({STDERR_LINES + 10})]; sys.exit(3)",
            tuple(str(n) for n in range(10, STDERR_LINES + 10)),
        ),
        ("print('x' * 1_000_000, file=sys.stderr); sys.exit(3)", ("x" * SAMPLE,)),
        ("sys.exit(3)", ()),
    ],
)
async def test_its_last_words_are_kept(script: str, tail: tuple[str, ...]) -> None:
    """Server stderr is kept, its last lines, whatever they look like."""
    async with linked(script) as link:
        assert await frames_of(link) == []
        assert await link.close() == Ended("the app-server exited with code 3", 3, tail)


async def test_a_death_by_signal_is_told_by_its_name() -> None:
    async with linked("write('{}\\n'); time.sleep(60)") as link:
        frames = link.frames()
        assert await anext(frames) == b"{}"
        os.kill(link.pid, signal.SIGKILL)
        assert [frame async for frame in frames] == []
        assert await link.close() == Ended("the app-server was killed by SIGKILL", -signal.SIGKILL, killed=True)


async def test_garbage_comes_through_as_it_is() -> None:
    """What is no JSON is for the peer to judge; here it is a line."""
    script = "sys.stdout.buffer.write(b'\\xff\\x00 garbage\\n\\n{}\\n'); sys.stdout.flush()"
    async with linked(script) as link:
        assert await frames_of(link) == [b"\xff\x00 garbage", b"{}"]


async def test_a_line_of_50_mb_and_then_life_goes_on() -> None:
    async with linked("write('x' * 50_000_000 + '\\n'); write('{}\\n')") as link:
        assert await frames_of(link) == [Oversize(b"x" * SAMPLE, 50_000_000), b"{}"]


async def test_a_death_in_the_middle_of_a_line() -> None:
    async with linked('write(\'{}\\n{"method":"turn/com\'); os.kill(os.getpid(), signal.SIGSEGV)') as link:
        assert await frames_of(link) == [
            b"{}",
            Fault("a line cut in half by the end of the stream", '{"method":"turn/com', 19),
        ]
        assert (await link.close()).problem == "the app-server was killed by SIGSEGV"


async def test_a_server_that_no_longer_reads() -> None:
    async with linked("os.close(0); write('{}\\n'); time.sleep(60)", end_grace=0.1) as link:
        frames = link.frames()
        assert await anext(frames) == b"{}"
        with pytest.raises(CodexUnreachable, match=r"no longer reads|has exited"):
            await link.send(b"{}")
        await frames.aclose()


async def test_nothing_is_sent_after_the_end() -> None:
    async with linked("read()") as link:
        await link.close()
        with pytest.raises(CodexUnreachable, match="The app-server has exited"):
            await link.send(b"{}")


async def test_a_server_that_is_told_to_end_ends_by_its_input() -> None:
    async with linked("read()") as link:
        assert await link.close() == Ended("the app-server exited with code 0 when its input was closed", 0)
        assert await link.close() == await link.close()


async def test_a_server_that_is_busy_writing_sees_its_input_end() -> None:
    """It would wait for room in its pipe, and be killed, if nobody read on."""
    async with linked("send({}); write('x' * 10_000_000 + '\\n'); read()", end_grace=5.0) as link:
        frames = link.frames()
        assert await anext(frames) == b"{}"
        await frames.aclose()
        assert await link.close() == Ended("the app-server exited with code 0 when its input was closed", 0)


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("send({}); time.sleep(60)", "the app-server was killed by SIGTERM"),
        (
            "signal.signal(signal.SIGTERM, signal.SIG_IGN); send({}); time.sleep(60)",
            "the app-server was killed by SIGKILL",
        ),
    ],
)
async def test_a_server_that_does_not_end_is_ended(script: str, problem: str) -> None:
    async with linked(script, end_grace=0.1) as link:
        frames = link.frames()
        await anext(frames)  # Now it does what it was written for.
        await frames.aclose()
        assert (await link.close()).problem == problem


async def test_a_server_whose_child_holds_its_stderr() -> None:
    """A tool that the server started outlives it and keeps the pipe open: the death is told all the same."""
    script = """
        import subprocess
        child = subprocess.Popen(["/bin/sleep", "60"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        print("last words", file=sys.stderr)
        send({"child": child.pid})
        os._exit(3)
    """
    before = open_files()
    async with linked(script, end_grace=0.3) as link:
        (frame,) = await frames_of(link)
        assert isinstance(frame, bytes)
        child = int(frame.removeprefix(b'{"child": ').removesuffix(b"}"))
        try:
            assert await link.close() == Ended("the app-server exited with code 3", 3, ("last words",))
            assert is_running(child)
            await asyncio.sleep(0)
            assert open_files() == before
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
async def test_a_wrapper_that_does_not_end_is_ended_with_what_it_started(trap: str) -> None:
    """The wrapper dies of SIGTERM; what it started may ignore that, and goes all the same."""
    script = f"""
        import subprocess
        line = "{trap}echo $$; while :; do sleep 60; done"
        child = subprocess.Popen(["/bin/sh", "-c", line], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        send({{"child": int(child.stdout.readline())}})
        time.sleep(60)
    """
    async with linked(script, end_grace=0.2) as link:
        frames = link.frames()
        frame = await anext(frames)
        await frames.aclose()
        assert isinstance(frame, bytes)
        child = int(frame.removeprefix(b'{"child": ').removesuffix(b"}"))
        assert is_running(child)
        assert (await link.close()).problem == "the app-server was killed by SIGTERM"
        await asyncio.sleep(0.1)
        assert not is_running(child)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


# -- a unix socket ----------------------------------------------------------------------------------------------


async def test_frames_over_a_socket(tmp_path: Path) -> None:
    async def serve(connection: ServerConnection) -> None:
        async for message in connection:
            assert isinstance(message, str)
            await connection.send(message.upper())
            await connection.send(b"in bytes")
            await connection.close(reason="enough")

    async with unix_serve(serve, str(tmp_path / "s")):
        link = await UnixDialer(tmp_path / "s").dial()
        await link.send(b"hello")
        assert await frames_of(link) == [b"HELLO", b"in bytes"]
        with pytest.raises(CodexUnreachable, match="The connection to the app-server is closed"):
            await link.send(b"more")
        assert await link.close() == Ended("the connection was closed (1000: enough)")


async def test_a_message_over_the_limit_is_a_fault_and_the_end(tmp_path: Path) -> None:
    async def serve(connection: ServerConnection) -> None:
        await connection.send("{}")
        await connection.send("x" * (MAX_FRAME + 1))
        await connection.wait_closed()

    async with unix_serve(serve, str(tmp_path / "s"), compression=None):
        link = await UnixDialer(tmp_path / "s").dial()
        assert await frames_of(link) == [
            b"{}",
            Fault(f"a message over the limit of {MAX_FRAME} bytes; rawr closed the connection"),
        ]
        assert (await link.close()).problem.startswith("the connection was closed")


async def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(CodexUnreachable) as caught:
        await UnixDialer(tmp_path / "s").dial()
    assert str(caught.value).startswith(f"No app-server answers on {tmp_path / 's'}: ")
    assert str(caught.value).endswith("No such file or directory. Start Codex, or name its socket.")


@pytest.mark.parametrize(
    "greeting", [b"", b"220 mail.example.invalid ESMTP\r\n\r\n", b"HTTP/1.1 403 Forbidden\r\n\r\n"]
)
async def test_something_else_listens(tmp_path: Path, greeting: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(greeting)
        writer.close()

    async with await asyncio.start_unix_server(serve, tmp_path / "s"):
        with pytest.raises(CodexUnreachable, match="No app-server answers"):
            await UnixDialer(tmp_path / "s").dial()


async def test_something_listens_and_says_nothing(tmp_path: Path) -> None:
    finished = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await finished.wait()
        writer.close()

    async with await asyncio.start_unix_server(serve, tmp_path / "s"):
        with pytest.raises(CodexUnreachable, match="No app-server answers"):
            await UnixDialer(tmp_path / "s", open_timeout=0.1).dial()
        finished.set()

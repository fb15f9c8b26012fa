"""The way to an app-server that rawr starts itself: a child process, one frame per line."""

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from pathlib import Path

from rawr.codex import leftover
from rawr.codex.harness import CodexConnection, CodexDialer
from rawr.codex.rpc import Fault, LineFramer, Oversize
from rawr.codex.transport import END_GRACE, CodexUnreachable, Ended
from rawr.ports.harness import Listener

STDERR_LINES = 40
STDERR_LINE = 2_000
READ_SIZE = 256 * 1024
REST_GRACE = 0.5
"""Seconds that a child's own processes may outlive it, after a signal to all of them."""
POLL = 0.01


class StdioDialer(CodexDialer):
    """Starts a new ``codex app-server`` for each connection, in its own process group."""

    def __init__(
        self,
        binary: Path,
        *,
        env: Mapping[str, str],
        arguments: Sequence[str] = ("app-server",),
        end_grace: float = END_GRACE,
    ) -> None:
        self.name = "stdio"
        self._remembered_in: Path | None = None
        self.ours = True
        self._command = (str(binary), *arguments)
        self._env = dict(env)
        self._end_grace = end_grace

    def connection(
        self, listener: Listener, *, home: Path, epochs: Iterator[int], patient: bool, name: str
    ) -> CodexConnection:
        """Note the process in ``home``, for the rawr that follows if this one is killed."""
        self._remembered_in = leftover.place(home, name)
        return super().connection(listener, home=home, epochs=epochs, patient=patient, name=name)

    async def dial(self) -> "StdioLink":
        if self._remembered_in is not None:
            await leftover.see_off_all(self._remembered_in)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=self._env,
                # Ctrl-C in the terminal is for rawr, which then stops Codex in order.
                start_new_session=True,
            )
        except OSError as error:
            message = f"{self._command[0]} could not be started: {error.strerror or error}."
            raise CodexUnreachable(message, way_out="Run `rawr doctor` to see which Codex rawr uses.") from error
        if self._remembered_in is not None:
            leftover.note(self._remembered_in, process.pid)
        return StdioLink(process, end_grace=self._end_grace)


class StdioLink:
    def __init__(self, process: asyncio.subprocess.Process, *, end_grace: float = END_GRACE) -> None:
        self._process = process
        self._end_grace = end_grace
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_task = asyncio.create_task(self._keep_stderr())
        self._ending: asyncio.Future[Ended] | None = None
        self._closing = False
        self._reading = False
        self._fell_silent = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def server(self) -> str:
        return leftover.name_of(self.pid)

    async def frames(self) -> AsyncGenerator[bytes | Oversize | Fault, None]:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - asked for with PIPE
        framer = LineFramer()
        self._reading = True
        try:
            while data := await stdout.read(READ_SIZE):
                for frame in framer.feed(data):
                    yield frame
        finally:
            self._reading = False
        self._fell_silent = not self._closing
        cut = framer.end()
        if cut is not None:
            yield cut

    async def send(self, frame: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - asked for with PIPE
        if self._closing or stdin.is_closing():
            raise CodexUnreachable("The app-server has exited.")
        try:
            stdin.write(frame + b"\n")
            await stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise CodexUnreachable("The app-server no longer reads.") from error

    def kill(self) -> None:
        self._signal_group(signal.SIGKILL)

    async def close(self) -> Ended:
        """Close in order. Concurrent callers wait for the same result."""
        self._closing = True
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end())
        return await asyncio.shield(self._ending)

    async def _end(self) -> Ended:
        stdin = self._process.stdin
        if stdin is not None:
            stdin.close()
        discarding = asyncio.create_task(self._discard_output())
        # Its output closes before the system reports its exit, so the exit code alone is not enough here.
        died_by_itself = self._fell_silent or self._process.returncode is not None
        for end in (None, signal.SIGTERM, signal.SIGKILL):
            if end is not None:
                died_by_itself = False
                self._signal_group(end)
            if await self._gone():
                break
        if end is not None:
            await self._end_rest()
        try:
            async with asyncio.timeout(self._end_grace):
                await self._stderr_task
        except TimeoutError:
            # Something that Codex started still holds the pipe; do not wait for it.
            self._stderr_task.cancel()
        discarding.cancel()
        # Close the pipes that another process holds open; asyncio has no public way to do it.
        self._process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
        code = self._process.returncode
        problem = _obituary(code, by_itself=died_by_itself)
        if self._fell_silent and not died_by_itself:
            problem = f"the app-server closed its output but did not exit; {problem.removeprefix('the app-server ')}"
        killed = died_by_itself and code is not None and code < 0
        return Ended(problem, code, tuple(self._stderr), killed)

    async def _gone(self) -> bool:
        """Return True if the child exited in time. ``wait()`` would also wait for others that hold its pipes."""
        try:
            async with asyncio.timeout(self._end_grace):
                while self._process.returncode is None:  # noqa: ASYNC110 - its exit alone has no event
                    await asyncio.sleep(POLL)
        except TimeoutError:
            return False
        return True

    async def _end_rest(self) -> None:
        """Wait for what the child started, then kill it: a wrapper that dies must not leave the real Codex behind."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(self._end_grace, REST_GRACE)):
                while self._signal_group(None):  # noqa: ASYNC110 - nothing reports a grandchild's exit
                    await asyncio.sleep(POLL)
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals | None) -> bool:
        """Signal the child's whole group, or only check it with ``None``. Return True if a process is there."""
        try:
            os.killpg(self._process.pid, 0 if number is None else number)
        except (ProcessLookupError, PermissionError):  # macOS raises the latter for dead processes.
            return False
        return True

    async def _discard_output(self) -> None:
        """Read on when nobody else does: a child blocked on a write would never see that its input has closed."""
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - asked for with PIPE
        while not self._reading and await stdout.read(READ_SIZE):
            pass

    async def _keep_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None  # noqa: S101 - asked for with PIPE
        framer = LineFramer(limit=STDERR_LINE)
        while data := await stderr.read(READ_SIZE):
            for line in framer.feed(data):
                self._stderr.append((line.head if isinstance(line, Oversize) else line).decode("utf-8", "replace"))
        unfinished = framer.end()
        if unfinished is not None:
            self._stderr.append(unfinished.sample)


def _obituary(code: int | None, *, by_itself: bool) -> str:
    if code is None:
        return "the app-server did not exit when told to"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"the app-server was killed by {name}"
    return f"the app-server exited with code {code}" + ("" if by_itself else " when its input was closed")

"""A case as it is played: a person's machine, with processes that are killed and started again.

Everything waits for something that happens; the one limit is the deadline of the whole case.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from rawr import __version__
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.errors import RawrError
from rawr.journal.home import is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.recovery import Recollection
from rawr.testing import ScriptedCodex
from tests.crash.case import Case
from tests.crash.nursery import Child, Nursery, code_path
from tests.crash.victim import ORDERS, TAG, Orders, Passed

POLL = 0.02
Life = asyncio.subprocess.Process | Child


class Scene:
    """The machine of one case."""

    def __init__(self, case: Case, codex: ScriptedCodex, folder: Path, *, nursery: Nursery | None) -> None:
        self.case = case
        self.nursery = nursery
        self._children: list[Life] = []
        self.codex = codex
        self.folder = folder
        self.home = folder / "rawr"
        self.workspace = codex.home.workspace
        self.lives = 0
        self.waits_for = ""
        self.theirs = False
        """The user's own program was the first to open the thread in a Codex that was started anew."""
        """What is waited for now, for whoever wants to know where a case hangs."""
        self._sockets = tempfile.TemporaryDirectory(prefix="rawr-")
        self._server: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        if case.what.settings:
            self.home.mkdir(mode=0o700)
            (self.home / "config.toml").write_text(case.what.settings)

    # -- rawr ---------------------------------------------------------------------------------------------------

    async def start(self, *words: str, point: str = "", delay_ms: int = 0) -> Life:
        """A life of rawr."""
        self.lives += 1
        orders = Orders(
            trace=str(self.trace_file(self.lives)),
            kill=self.case.kill if self.lives == 1 else "rawr",
            point=point,
            delay_ms=delay_ms,
            vetoed=self.case.what.vetoed,
            codex_pid=str(self._pid_file) if self.case.transport == "socket" else "",
        )
        env = {**self.env(), ORDERS: msgspec.json.encode(orders).decode()}
        out, err = self._out("out"), self._out("err")
        if self.nursery is not None and not self.case.cold:
            child: Life = await self.nursery.start(words, env=env, cwd=self.workspace, out=out, err=err)
        else:
            child = await self._start_cold(words, env=env, out=out, err=err)
        self._children.append(child)
        return child

    async def _start_cold(self, words: tuple[str, ...], *, env: dict[str, str], out: Path, err: Path) -> Life:
        with out.open("wb") as stdout, err.open("wb") as stderr:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.crash.victim", *words),
                env=env,
                cwd=self.workspace,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )

    def env(self) -> dict[str, str]:
        own = {"RAWR_FOREGROUND": "1", "RAWR_HOME": str(self.home), "PYTHONPATH": code_path(), TAG: str(self.folder)}
        return {**self.codex.env(), **own}

    def _out(self, name: str) -> Path:
        return self.folder / f"life-{self.lives}.{name}"

    def trace_file(self, life: int) -> Path:
        return self.folder / f"life-{life}.trace"

    def trace(self, life: int = 1) -> list[Passed]:
        """The points that a life has passed so far."""
        file = self.trace_file(life)
        lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
        return [msgspec.json.decode(line, type=Passed) for line in lines if line.endswith(b"\n")]

    def said(self, life: int, name: str = "out") -> str:
        file = self.folder / f"life-{life}.{name}"
        return file.read_text(errors="replace") if file.exists() else ""

    def states(self) -> list[ThreadState]:
        """What rawr knows by its journal, whether it runs or not."""
        if not is_recorded(self.home):
            return []
        try:
            with JournalReader.open(self.home) as reader:
                memory = Recollection(reader, policy=Policy(), version=__version__)
                found = [memory.thread(span.thread) for span in reader.threads() if span.thread]
        except RawrError:
            return []
        return [state for state in found if state is not None]

    # -- a Codex that outlives rawr -----------------------------------------------------------------------------

    @property
    def socket(self) -> Path:
        # An address has room for about a hundred bytes.
        return Path(self._sockets.name) / "codex.sock"

    @property
    def _pid_file(self) -> Path:
        return self.folder / "codex.pid"

    async def serve(self) -> None:
        """The user's own Codex: it is started again when it dies."""
        await self._start_server()
        link = self.codex.home.path / "app-server-control" / "app-server-control.sock"
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(self.socket)
        self._keeper = asyncio.create_task(self._keep_server())

    async def restart_codex(self) -> None:
        """The user's Codex goes down and comes up again."""
        assert self._server is not None
        gone = self._server
        gone.kill()
        await until(lambda: self._server is not gone)
        await until(self._listens)

    async def _start_server(self) -> None:
        self.socket.unlink(missing_ok=True)
        self._server = await asyncio.create_subprocess_exec(
            *self.codex.command("app-server", "--listen", f"unix://{self.socket}"),
            env=self.env(),
            cwd=self.workspace,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        self._pid_file.write_text(str(self._server.pid))
        await until(self._listens)

    async def _listens(self) -> bool:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_unix_connection(self.socket)
            writer.close()
            return True
        return False

    async def _keep_server(self) -> None:
        while self._server is not None:
            await self._server.wait()
            await self._start_server()

    # -- the end ------------------------------------------------------------------------------------------------

    async def close(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper
        if self._server is not None:
            with contextlib.suppress(ProcessLookupError):
                self._server.kill()
            await self._server.wait()
        for child in self._children:
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGKILL)
        for pid in tagged(str(self.folder)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._sockets.cleanup()

    def left_running(self) -> dict[int, str]:
        """The processes of this case, by what their environment says, and how they were called.

        One that was forked does not say so; those are known by name.
        """
        server = self._server.pid if self._server is not None and self._server.returncode is None else 0
        alive = {child.pid: "rawr" for child in self._children if child.returncode is None}
        return {pid: name for pid, name in {**alive, **tagged(str(self.folder))}.items() if pid != server}


async def until(holds: Callable[[], object]) -> None:
    """Wait for a state that nobody tells of."""
    while True:
        found = holds()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return
        await asyncio.sleep(POLL)


def tagged(tag: str) -> dict[int, str]:
    """The living processes that carry the tag of a case."""
    wanted = f"{TAG}={tag}".encode()
    found: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in "ZX":
                    found[int(entry.name)] = (
                        (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    )
    return found


@asynccontextmanager
async def scene(
    case: Case, codex: ScriptedCodex, folder: Path, *, nursery: Nursery | None = None
) -> AsyncIterator[Scene]:
    made = Scene(case, codex, folder, nursery=nursery)
    try:
        if case.transport == "socket":
            await made.serve()
        yield made
    finally:
        await made.close()

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
from functools import partial
from pathlib import Path

import msgspec

from rawr import __version__
from rawr.cli.exit_codes import Exit
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.errors import OutsideError, RawrError
from rawr.host.client import HostClient
from rawr.host.starting import LOG
from rawr.journal.home import is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.recovery import Recollection
from rawr.testing import ScriptedCodex
from tests.crash.case import Case, victims
from tests.crash.living import signed
from tests.crash.nursery import Child, Nursery, code_path
from tests.crash.victim import OF_RAWR, ORDERS, TAG, Orders, Passed

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
        """What is waited for now, for whoever wants to know where a case hangs."""
        self.theirs = False
        """The user's own program was the first to open the thread in a Codex that was started anew."""
        self.abandoned: dict[int, tuple[int, str]] = {}
        """How clients exited whose host was killed, and what they said about it, by life."""
        self._sockets = tempfile.TemporaryDirectory(prefix="rawr-")
        self._server: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        if case.what.settings:
            self.home.mkdir(mode=0o700)
            (self.home / "config.toml").write_text(case.what.settings)

    # -- rawr ---------------------------------------------------------------------------------------------------

    async def start(self, *words: str, point: str = "", delay_ms: int = 0) -> Life:
        """A life of rawr: a command, and the host that it starts if it needs one and finds none."""
        self.lives += 1
        terminal = str(self._signed_by("terminal")) if self.in_terminal else ""
        orders = Orders(
            trace=str(self.trace_file(self.lives)),
            kill=self.case.kill if self.lives == 1 else victims(hosted=self.case.hosted)[0],
            point=point,
            delay_ms=delay_ms,
            vetoed=self.case.what.vetoed,
            codex_pid=str(self._pid_file) if self.case.transport == "socket" else "",
            hosted=self.case.hosted,
            client=str(self._signed_by("client")),
            watching=str(self._signed_by("watching")),
            terminal=terminal,
            overtaken=str(self.spoken_file) if self.case.what.overtaken else "",
        )
        env = {**self.env(), ORDERS: msgspec.json.encode(orders).decode()}
        out, err = self._out("out"), self._out("err")
        if self.nursery is not None and not self.case.cold:
            child: Life = await self.nursery.start(
                words, env=env, cwd=self.workspace, out=out, err=err, terminal=terminal
            )
        else:
            child = await self._start_cold(words, env=env, out=out, err=err)
        self._children.append(child)
        return child

    async def _start_cold(self, words: tuple[str, ...], *, env: dict[str, str], out: Path, err: Path) -> Life:
        program = "tests.crash.emulator" if self.in_terminal else "tests.crash.victim"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", program, *words),
                env=env,
                cwd=self.workspace,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )

    def env(self) -> dict[str, str]:
        own = {"RAWR_HOME": str(self.home), "PYTHONPATH": code_path(), TAG: str(self.folder)}
        where = {"RAWR_FOREGROUND": "0" if self.case.hosted else "1", "TERM": "xterm-256color"}
        return {**self.codex.env(), **own, **where}

    @property
    def in_terminal(self) -> bool:
        """The life of now is in a terminal that can be closed; later ones are not."""
        return self.case.in_terminal and self.lives == 1

    def _signed_by(self, who: str, life: int = 0) -> Path:
        return self.folder / f"life-{life or self.lives}.{who}"

    def interrupt(self, life: Life) -> None:
        """Ctrl-C."""
        with contextlib.suppress(ProcessLookupError):
            if not self.in_terminal:
                life.send_signal(signal.SIGINT)
            elif client := signed(self._signed_by("client")):
                os.kill(client, signal.SIGINT)

    # -- what became of a life ----------------------------------------------------------------------------------

    def was_killed(self, code: int) -> bool:
        """The life of now did not end by itself. A client whose host was killed exits, and says so."""
        if code == -signal.SIGKILL:
            return True
        as_asked = code in (Exit.OK, Exit.INTERRUPTED)
        if as_asked or not self.case.hosted or not any(one.killed in OF_RAWR for one in self.trace(self.lives)):
            return False
        self.abandoned[self.lives] = (code, self.said(self.lives, "err"))
        return True

    async def was_too_early(self, code: int) -> bool:
        """rawr was started while the user's Codex was coming up again, and said so; waits until that is there."""
        told = self.case.codex_dies and code == Exit.CODEX and "No Codex is listening" in self.said(self.lives, "err")
        if told:
            await until(self._listens)
        return told

    @property
    def goes_on(self) -> bool:
        """The client of now was killed, or its terminal, and the work goes on in the host."""
        return self.case.kill in ("client", "terminal") and any(one.killed for one in self.trace(self.lives))

    async def settled(self) -> None:
        """Nobody is with the host any more, and everything that it was told is in the journal."""
        if not self.case.hosted:
            return
        self.waits_for = "the client to leave"
        await until(lambda: not signed(self._signed_by("client")))
        self.waits_for = "the host to see that its client has left"
        with contextlib.suppress(OutsideError):
            async with await HostClient.open(self.home, shape=False) as ours:
                await until(partial(self._is_alone, ours))
                await ours.shown()

    def is_watching(self) -> bool:
        """The client of now has the host watch."""
        return signed(self._signed_by("watching")) != 0

    async def _is_alone(self, ours: HostClient) -> bool:
        return (await ours.status()).clients == 1

    def _out(self, name: str) -> Path:
        return self.folder / f"life-{self.lives}.{name}"

    @property
    def spoken_file(self) -> Path:
        """It is there once the user has said what overtakes a compaction."""
        return self.folder / "spoken"

    def trace_file(self, life: int) -> Path:
        return self.folder / f"life-{life}.trace"

    def trace(self, life: int = 1) -> list[Passed]:
        """The points that a life has passed so far."""
        file = self.trace_file(life)
        lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
        return [msgspec.json.decode(line, type=Passed) for line in lines if line.endswith(b"\n")]

    def newest_trace(self) -> list[Passed]:
        """Of the rawr that does the work now: a command that finds a host has no trace of its own."""
        for life in range(self.lives, 0, -1):
            if found := self.trace(life):
                is_over = life < self.lives and any(one.killed in OF_RAWR for one in found)
                return [] if is_over else found
        return []

    def errors(self) -> str:
        """What rawr printed about itself, the newest last."""
        log = self.home / LOG
        told = [log.read_text(errors="replace")] if log.exists() else []
        # In a terminal both outputs are one.
        told += [self.said(1)] if self.case.shows_screen else []
        return "".join([*told, *(self.said(life, "err") for life in range(1, self.lives + 1))])

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
        for pid in self._known():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._sockets.cleanup()

    def left_running(self) -> dict[int, str]:
        """The processes of this case, by what their environment says, and how they were called.

        One that was forked does not say so; those are known by name.
        """
        server = self._server.pid if self._server is not None and self._server.returncode is None else 0
        alive = {child.pid: "rawr" for child in self._children if child.returncode is None}
        return {pid: name for pid, name in {**alive, **self._known()}.items() if pid != server}

    def _known(self) -> dict[int, str]:
        clients = (signed(self._signed_by("client", life)) for life in range(1, self.lives + 1))
        return {**{pid: "client" for pid in clients if pid}, **tagged(str(self.folder))}


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

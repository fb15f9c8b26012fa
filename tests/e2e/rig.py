"""A real Codex on a scripted model, and rawr on top, over either transport.

When the rig is put away it replays the journal: what was decided live must follow again from the recorded facts.
"""

import asyncio
import contextlib
import os
import signal
import tempfile
import textwrap
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, TypeVar

from rawr.codex.client import CodexClient
from rawr.codex.harness import CodexConnection, CodexDialer
from rawr.codex.stdio import StdioDialer, StdioLink
from rawr.codex.unix_socket import UnixDialer
from rawr.core.kernel import Taken
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.records import Evidence
from rawr.journal.reader import JournalReader
from rawr.ports.advisers import Models
from rawr.ports.clock import Clock
from rawr.runtime.replaying import replay_journal
from rawr.runtime.supervisor import Supervisor
from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex

Transport = Literal["stdio", "socket"]
DEADLINE = 15.0
F = TypeVar("F", bound=facts.Fact)


class SocketServer:
    """``codex app-server --listen unix://…`` as a process of its own, as the user's Codex has it."""

    def __init__(self, codex: ScriptedCodex) -> None:
        self._codex = codex
        # Socket paths have room for about 100 characters, and a test's own folder is often deeper.
        self._folder = tempfile.TemporaryDirectory(prefix="rawr-")
        self.path = Path(self._folder.name) / "codex.sock"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self.path.unlink(missing_ok=True)
        self._process = await asyncio.create_subprocess_exec(
            *self._codex.command("app-server", "--listen", f"unix://{self.path}"),
            env=self._codex.env(),
            cwd=self._codex.home.workspace,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )

    async def listening(self) -> None:
        """Return when somebody can connect. The socket appears when it is bound, a moment before."""
        async with asyncio.timeout(DEADLINE):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_unix_connection(self.path)
                    writer.close()
                    return
                await asyncio.sleep(0.02)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def close(self) -> None:
        await self.kill()
        self._folder.cleanup()


class Rig:
    def __init__(self, codex: ScriptedCodex, home: Path, *, transport: Transport) -> None:
        self.codex = codex
        self.home = home
        self.workspace = codex.home.workspace
        self.notices: list[tuple[facts.Level, str]] = []
        self.seen: list[Taken] = []
        self._transport = transport
        self.server = SocketServer(codex)
        self.rawr: Supervisor

    # -- rawr and its Codex -------------------------------------------------------------------------------------

    @asynccontextmanager
    async def running(
        self, *, policy: Policy | None = None, clock: Clock | None = None, models: Models | None = None
    ) -> AsyncIterator[Supervisor]:
        """rawr, from start to stop. Using it twice on one rig is a restart of rawr."""
        policy = policy or Policy(compaction=AutoCompaction(enabled=False))
        async with Supervisor(
            self._dialer(), self.home, policy=policy, clock=clock, surface=self, models=models
        ) as rawr:
            self.rawr = rawr
            yield rawr
        with JournalReader.open(self.home) as reader:
            replayed = replay_journal(reader, policy=policy)
        assert replayed.divergences == ()

    def _dialer(self) -> CodexDialer:
        if self._transport == "socket":
            return UnixDialer(self.server.path)
        return StdioDialer(self.codex.binary, env=self.codex.env())

    @property
    def client(self) -> CodexClient:
        """rawr's own, for what no effect asks of Codex."""
        assert isinstance(self.rawr.connection, CodexConnection)
        return self.rawr.connection.client

    async def kill_server(self) -> None:
        """SIGKILL for the app-server, and a new one in its place; over stdio rawr itself starts the new one."""
        lost = self.expect(facts.ServerLost)
        if self._transport == "socket":
            await self.server.kill()
            await lost
            await self.server.start()
        else:
            link = self.client.link
            assert isinstance(link, StdioLink)
            os.kill(link.pid, signal.SIGKILL)
            await lost

    # -- the surface --------------------------------------------------------------------------------------------

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self.notices.append((level, text))

    def taken(self, taken: Taken) -> None:
        self.seen.append(taken)

    # -- what tests say -----------------------------------------------------------------------------------------

    async def thread(
        self,
        *,
        approvals: facts.AskPolicy = "never",
        sandbox: facts.Sandbox = "danger-full-access",
    ) -> str:
        return await self.rawr.start_thread(self.workspace, approvals=approvals, sandbox=sandbox)

    def expect(
        self, kind: type[F], where: Callable[[F], bool] = lambda _: True, *, thread: str | None = None
    ) -> "asyncio.Task[Taken]":
        """The next fact of a kind, from now on."""

        def fits(taken: Taken) -> bool:
            fact = taken.recorded.fact
            right_thread = thread is None or taken.recorded.thread == thread
            return right_thread and isinstance(fact, kind) and where(fact)

        return self.rawr.expect(fits, deadline=DEADLINE, what=f"{kind.__name__} did not come")

    async def turn(self, thread: str, text: str) -> facts.TurnCompleted:
        """Say something and wait for the end of the turn, and until rawr knows everything about it."""
        ended: list[facts.TurnCompleted] = []

        def judged(taken: Taken) -> bool:
            if taken.recorded.thread == thread and isinstance(taken.recorded.fact, facts.TurnCompleted):
                ended.append(taken.recorded.fact)
            return bool(ended) and not self.state(thread).unweighed

        over = self.rawr.expect(judged, deadline=DEADLINE, what="TurnCompleted did not come, or it was not judged")
        self.rawr.submit(thread, text)
        await over
        return ended[0]

    async def turn_under_way(self, thread: str, text: str) -> str:
        """Say something and wait until the model has been asked. A reply that hangs is then hanging."""
        started = self.expect(facts.TurnStarted, thread=thread)
        asked = len(self.codex.model.requests)
        self.rawr.submit(thread, text)
        fact = (await started).recorded.fact
        assert isinstance(fact, facts.TurnStarted)
        await self.codex.model.wait_for_async(lambda request: request.number > asked, deadline=DEADLINE)
        return fact.turn

    async def heard(self, thread: str, text: str) -> None:
        """Say something and wait until the turn that it started has ended, whatever else runs before."""
        own: list[str] = []

        def answered(taken: Taken) -> bool:
            fact = taken.recorded.fact
            if isinstance(fact, facts.ItemCompleted) and isinstance(fact.item, items.UserMessage):
                own.extend([fact.turn] if fact.item.text == text else [])
            return isinstance(fact, facts.TurnCompleted) and fact.turn in own

        ended = self.rawr.expect(answered, deadline=DEADLINE, what=f"the turn of {text!r} did not end")
        self.rawr.submit(thread, text)
        await ended

    def state(self, thread: str) -> ThreadState:
        return self.rawr.state(thread)

    def facts(self, kind: type[F], *, thread: str | None = None) -> list[F]:
        return [
            one.recorded.fact
            for one in self.seen
            if isinstance(one.recorded.fact, kind) and thread in (None, one.recorded.thread)
        ]

    def reasons(self, thread: str | None = None) -> list[str]:
        return [
            decision.record.reason.value
            for one in self.seen
            for decision in one.decisions
            if thread in (None, decision.thread)
        ]

    def evidence(self, reason: str, *, thread: str | None = None) -> list[Mapping[str, Evidence]]:
        """What was recorded with each decision of this reason, oldest first."""
        return [
            decision.record.evidence
            for one in self.seen
            for decision in one.decisions
            if decision.record.reason.value == reason and thread in (None, decision.thread)
        ]

    def decided(self, reason: str, *, thread: str | None = None) -> "asyncio.Task[Taken]":
        """The next decision of this reason, from now on."""

        def fits(taken: Taken) -> bool:
            return any(one.record.reason.value == reason and thread in (None, one.thread) for one in taken.decisions)

        return self.rawr.expect(fits, deadline=DEADLINE, what=f"{reason} was not decided")

    def user_texts(self) -> list[str]:
        """Every user message in the newest model request: what the agent has been told, in order."""
        return list(self.codex.model.requests[-1].user_texts)


@asynccontextmanager
async def rig(
    script: str,
    folder: Path,
    *,
    transport: Transport,
    check: bool = True,
    extra_config: Mapping[str, object] | None = None,
) -> AsyncIterator[Rig]:
    """``script`` is the list of replies of a scenario, as YAML."""
    scenario = parse_scenario("name: test\nreplies:\n" + textwrap.indent(textwrap.dedent(script), "  "))
    with scripted_codex(scenario, folder, check=check, extra_config=extra_config) as codex:
        made = Rig(codex, folder / "rawr", transport=transport)
        if transport == "socket":
            await made.server.start()
        try:
            yield made
        finally:
            await made.server.close()

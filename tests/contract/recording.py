"""One real session, frame by frame: the real Codex on a scripted model, through a plan, commands, a file change, a
dynamic tool, a refused approval, a compaction and a failed turn."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from msgspec import Struct

from rawr.codex import rpc
from rawr.codex.client import CallRefused, CodexClient
from rawr.codex.stdio import StdioDialer
from rawr.codex.transport import Ended, Link
from rawr.codex.wire import methods
from rawr.codex.wire.items import TextInput
from rawr.core.speech import say
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import (
    Answer,
    CommandApproval,
    FileChangeApproval,
    ToolInvocation,
    ToolResult,
    Verdict,
)
from rawr.testing import (
    Call,
    HttpError,
    Patch,
    Plan,
    PlanStep,
    Reply,
    Run,
    Say,
    Scenario,
    ScriptedCodex,
    Think,
    Usage,
    When,
    scripted_codex,
)

DEADLINE = 20.0

SCENARIO = Scenario.of(
    "everything once",
    [
        Reply(
            steps=(Think("**Looking** around."), Say("I look around."), Run(cmd="echo found-$((40 + 2))")),
            when=When(user="work"),
            usage=Usage(input=12_000, cached=6_000, output=55, reasoning=5),
        ),
        Reply(
            steps=(
                Plan((PlanStep("look", "completed"), PlanStep("write", "in_progress"), PlanStep("ship", "pending"))),
            ),
            when=When(tool="found-42"),
        ),
        Reply(
            steps=(Patch("*** Begin Patch\n*** Add File: notes.md\n+# Notes\n+naïve\n*** End Patch"),),
            when=When(tool="Plan updated"),
        ),
        Reply(
            steps=(Run(cmd="touch declined", escalate=True, why="It must leave the sandbox."),),
            when=When(tool="notes"),
        ),
        Reply(
            steps=(Call(tool="phase_complete", arguments={"phase": "research", "summary": "ünï"}),),
            when=When(tool="(?i)reject|declin|denied"),
        ),
        Reply(steps=(Say("Done."),), when=When(tool="phase noted")),
        Reply(fault=HttpError(status=429), when=When(user="fail")),
    ],
    window=100_000,
)
TOOL = methods.DynamicTool(
    name="phase_complete",
    description="Says that a phase is done.",
    input_schema={"type": "object", "properties": {"phase": {"type": "string"}, "summary": {"type": "string"}}},
)


class Recording(Struct, frozen=True):
    frames: tuple[bytes, ...]
    sent: tuple[bytes, ...]
    told: tuple[tuple[str, facts.AnyFact], ...]
    thread: str

    def inbound(self) -> list[rpc.Inbound]:
        """Notifications and requests as the peer reads them; answers are left out, since a new peer made no calls."""
        peer = rpc.Peer()
        read = [peer.receive(frame) for frame in self.frames]
        return [one for one in read if isinstance(one, rpc.Notification | rpc.ServerRequest)]

    def notifications(self) -> list[rpc.Notification]:
        return [one for one in self.inbound() if isinstance(one, rpc.Notification)]


class _TappedLink:
    def __init__(self, link: Link, frames: list[bytes], sent: list[bytes]) -> None:
        self._link = link
        self._frames = frames
        self._sent = sent

    @property
    def server(self) -> str:
        return self._link.server

    async def frames(self) -> AsyncIterator[bytes | rpc.Oversize | rpc.Fault]:
        async for frame in self._link.frames():
            if isinstance(frame, bytes):
                self._frames.append(frame)
            yield frame

    async def send(self, frame: bytes) -> None:
        self._sent.append(frame)
        await self._link.send(frame)

    async def close(self) -> Ended:
        return await self._link.close()

    def kill(self) -> None:
        self._link.kill()


class _TappedDialer:
    def __init__(self, dialer: StdioDialer, frames: list[bytes], sent: list[bytes]) -> None:
        self.name = dialer.name
        self.ours = dialer.ours
        self._dialer = dialer
        self._frames = frames
        self._sent = sent

    async def dial(self) -> Link:
        return _TappedLink(await self._dialer.dial(), self._frames, self._sent)


class _Session:
    """Answers what is asked, and lets the script wait for what is told."""

    def __init__(self, codex: ScriptedCodex) -> None:
        self.frames: list[bytes] = []
        self.sent: list[bytes] = []
        self.told: list[tuple[str, facts.AnyFact]] = []
        self._news = asyncio.Event()
        self._answers: set[asyncio.Task[None]] = set()
        dialer = StdioDialer(codex.binary, env=codex.env())
        self.client = CodexClient(_TappedDialer(dialer, self.frames, self.sent), version="0", on_told=self._take)

    def _take(self, thread: str, fact: facts.AnyFact) -> None:
        self.told.append((thread, fact))
        self._news.set()
        if isinstance(fact, facts.RequestReceived):
            answer = asyncio.create_task(self.client.answer(fact.request, _answer_to(fact)))
            self._answers.add(answer)
            answer.add_done_callback(self._answers.discard)

    async def wait(self, wanted: Callable[[facts.AnyFact], bool], *, times: int = 1) -> None:
        async with asyncio.timeout(DEADLINE):
            while sum(wanted(fact) for _, fact in self.told) < times:
                self._news.clear()
                await self._news.wait()


def _answer_to(asked: facts.RequestReceived) -> Answer:
    match asked.question:
        case CommandApproval(command=command):
            return Verdict(verdict="decline" if "declined" in command else "accept")
        case FileChangeApproval():
            return Verdict(verdict="accept")
        case ToolInvocation():
            return ToolResult(text=say("phase noted"))
        case other:
            raise AssertionError(other)


async def record(base: Path) -> Recording:
    with scripted_codex(SCENARIO, base) as codex:
        session = _Session(codex)
        running = asyncio.create_task(session.client.run(reconnect=False))
        try:
            await session.client.wait_connected(DEADLINE)
            thread = await _play(session, codex)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
        return Recording(tuple(session.frames), tuple(session.sent), tuple(session.told), thread)


async def _play(session: _Session, codex: ScriptedCodex) -> str:
    call = session.client.call
    start = methods.ThreadStart(
        cwd=str(codex.home.workspace),
        approval_policy="untrusted",
        sandbox="danger-full-access",
        dynamic_tools=[TOOL],
    )
    thread = (await call(methods.THREAD_START, start)).thread.id
    goal = methods.GoalSet(thread_id=thread, objective="Ship it.", status="paused")
    await call(methods.GOAL_SET, goal)
    await session.wait(lambda fact: isinstance(fact, facts.GoalUpdated))
    await call(methods.GOAL_CLEAR, methods.ThreadOnly(thread_id=thread))
    for ended, text in enumerate(("work", "", "fail"), start=1):
        if text:
            turn = methods.TurnStart(thread_id=thread, input=[TextInput(text=text)], client_user_message_id=f"m-{text}")
            await call(methods.TURN_START, turn)
        else:
            await call(methods.THREAD_COMPACT_START, methods.ThreadOnly(thread_id=thread))
        await session.wait(lambda fact: isinstance(fact, facts.TurnCompleted), times=ended)
    await _look_around(session.client, thread)
    return thread


async def _look_around(client: CodexClient, thread: str) -> None:
    """The calls that change nothing, or nothing that matters."""
    only, call = methods.ThreadOnly(thread_id=thread), client.call
    note = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "A note."}]}
    await call(methods.THREAD_INJECT_ITEMS, methods.InjectItems(thread_id=thread, items=[note]))
    await call(methods.THREAD_SETTINGS_UPDATE, methods.ThreadSettings(thread_id=thread, approval_policy="on-request"))
    assert (await call(methods.THREAD_READ, methods.ThreadRead(thread_id=thread))).thread.id == thread
    assert thread in (await call(methods.THREAD_LOADED_LIST, methods.Page())).data
    assert [one.id for one in (await call(methods.THREAD_LIST, methods.Page(limit=5))).data] == [thread]
    turns = methods.TurnsList(thread_id=thread, limit=2, items_view="full", sort_direction="desc")
    assert [one.status for one in (await call(methods.THREAD_TURNS_LIST, turns)).data] == ["failed", "completed"]
    items = await call(methods.THREAD_ITEMS_LIST, methods.ItemsList(thread_id=thread, limit=3, sort_direction="desc"))
    assert items.next_cursor is not None
    assert (await call(methods.GOAL_GET, only)).goal is None
    assert (await call(methods.ACCOUNT_READ, methods.AccountRead())).requires_openai_auth is False
    assert b"scripted" in bytes((await call(methods.CONFIG_READ, methods.ConfigRead())).config)
    features = (await call(methods.FEATURES_LIST, methods.FeaturesList(thread_id=thread, limit=1_000))).data
    assert [feature.enabled for feature in features if feature.name == "token_budget"] == [False]
    fork = methods.ThreadFork(thread_id=thread, ephemeral=True, exclude_turns=True)
    assert (await call(methods.THREAD_FORK, fork)).thread.ephemeral is True
    resumed = await call(methods.THREAD_RESUME, methods.ThreadResume(thread_id=thread, exclude_turns=True))
    assert (resumed.thread.id, resumed.model) == (thread, "scripted")
    await call(methods.THREAD_UNSUBSCRIBE, only)
    with contextlib.suppress(CallRefused):  # There is no account here to have limits.
        await call(methods.RATE_LIMITS_READ, methods.Nothing())

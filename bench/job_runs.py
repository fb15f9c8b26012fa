"""The job on the real Codex, with rawr and without, up to the first model request after the compaction."""

import asyncio
import contextlib
from pathlib import Path

import msgspec
from msgspec import Struct

from bench import job
from rawr.codex.client import CodexClient
from rawr.codex.stdio import StdioDialer
from rawr.codex.wire import methods
from rawr.codex.wire.items import TextInput
from rawr.config.load import load_policy
from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.requests import Replies, UserInput
from rawr.runtime.supervisor import Supervisor
from rawr.testing import ModelRequest, Scenario, ScriptedCodex, scripted_codex
from rawr.testing.codex_home import REMOTE_COMPACTION

DEADLINE = 60.0
BYTES_PER_TOKEN = 4


class Outcome(Struct, frozen=True):
    first: ModelRequest
    """The first request after the compaction."""
    requests: int
    tokens: int
    """Of all requests and replies, at four bytes a token, as if nothing were cached."""


def with_rawr(folder: Path, summary: job.Summary, packet: job.Packet, *, remote: bool = False) -> Outcome:
    """rawr as it is shipped: it decides by itself that the job's last turn is the moment."""
    script = job.scenario(summary, packet)
    with scripted_codex(script, folder, extra_config=_config(remote=remote)) as codex:
        job.lay_out(codex)
        asyncio.run(_supervised(codex, folder / "rawr"))
        return _outcome(codex, script, remote=remote)


def alone(folder: Path, summary: job.Summary, *, remote: bool = False) -> Outcome:
    """Codex by itself: its own client asks for the compaction, then the user says to go on."""
    script = job.scenario(summary, None)
    with scripted_codex(script, folder, extra_config=_config(remote=remote)) as codex:
        job.lay_out(codex)
        asyncio.run(_unsupervised(codex))
        return _outcome(codex, script, remote=remote)


def _config(*, remote: bool) -> dict[str, object]:
    return {**job.FEATURES, **(REMOTE_COMPACTION if remote else {})}


def _outcome(codex: ScriptedCodex, script: Scenario, *, remote: bool) -> Outcome:
    codex.model.check(all_used=True)
    job.check_repository(codex)
    requests = codex.model.requests
    [compaction] = [n for n, request in enumerate(requests) if request.is_compaction]
    assert compaction == len(requests) - 2, "one request follows the compaction, and only one"
    assert requests[compaction].is_remote_compaction == remote, "the compaction was where it should be"
    asked = sum(len(msgspec.json.encode(request.body)) for request in requests)
    replied = sum(len(msgspec.json.encode(reply.steps)) for reply in script.replies)
    return Outcome(requests[-1], len(requests), (asked + replied) // BYTES_PER_TOKEN)


def _answer(fact: facts.AnyFact) -> Replies:
    assert isinstance(fact, facts.RequestReceived), fact
    assert isinstance(fact.question, UserInput), fact
    return Replies(replies={one.id: (job.ANSWERS[one.id],) for one in fact.question.questions})


# -- rawr -------------------------------------------------------------------------------------------------------


async def _supervised(codex: ScriptedCodex, home: Path) -> None:
    policy = load_policy(home).policy
    dialer = StdioDialer(codex.binary, env=job.environment(codex))
    async with Supervisor(dialer, home, policy=policy, reconnect=False) as rawr:
        thread = await rawr.start_thread(codex.home.workspace, approvals="never", sandbox="danger-full-access")

        def answer(taken: Taken) -> None:
            fact = taken.recorded.fact
            if isinstance(fact, facts.RequestReceived):
                rawr.answer(thread, fact.request, _answer(fact))

        rawr.follow(answer)
        over = rawr.expect(_Heard(job.GOES_ON), deadline=DEADLINE, what="The agent did not go on")
        for message in job.MESSAGES:
            ended = rawr.expect(_a_turn_ended, deadline=DEADLINE, what=f"The turn of {message!r} did not end")
            rawr.submit(thread, message)
            await ended
        await over


def _a_turn_ended(taken: Taken) -> bool:
    return isinstance(taken.recorded.fact, facts.TurnCompleted)


class _Heard:
    """The agent has said this, and the turn in which it did has ended."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._turn = ""

    def __call__(self, taken: Taken) -> bool:
        match taken.recorded.fact:
            case facts.ItemCompleted(turn=turn, item=items.AgentMessage(text=self._words)):
                self._turn = turn
            case facts.TurnCompleted(turn=turn):
                return turn == self._turn
            case _:
                pass
        return False


# -- Codex alone ------------------------------------------------------------------------------------------------


async def _unsupervised(codex: ScriptedCodex) -> None:
    ended: asyncio.Queue[facts.TurnCompleted] = asyncio.Queue()
    answers: set[asyncio.Task[None]] = set()

    def told(_thread: str, fact: facts.AnyFact) -> None:
        match fact:
            case facts.TurnCompleted():
                ended.put_nowait(fact)
            case facts.RequestReceived(request=request):
                answers.add(asyncio.create_task(client.answer(request, _answer(fact))))
            case _:
                pass

    client = CodexClient(StdioDialer(codex.binary, env=job.environment(codex)), version="bench", on_told=told)
    running = asyncio.create_task(client.run(reconnect=False))
    try:
        async with asyncio.timeout(DEADLINE):
            await client.wait_connected(DEADLINE)
            start = methods.ThreadStart(
                cwd=str(codex.home.workspace), approval_policy="never", sandbox="danger-full-access"
            )
            thread = (await client.call(methods.THREAD_START, start)).thread.id

            async def say(text: str) -> None:
                turn = methods.TurnStart(thread_id=thread, input=[TextInput(text=text)])
                await client.call(methods.TURN_START, turn)
                await finished()

            async def finished() -> None:
                fact = await ended.get()
                assert fact.status == "completed", fact

            for message in job.MESSAGES:
                await say(message)
            await client.call(methods.THREAD_COMPACT_START, methods.ThreadOnly(thread_id=thread))
            await finished()
            await say("Go on.")
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

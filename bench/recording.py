"""A recorded session: the real Codex on the scripted model, every frame that it sent.

The scenario is an ordinary piece of work, turn after turn: thoughts, a plan, commands with output, a patch, and a
report of a few hundred words, streamed word by word. Nothing here knows who is going to read the frames.
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

from rawr.codex.client import CodexClient
from rawr.codex.rpc import Fault, Oversize
from rawr.codex.stdio import StdioDialer
from rawr.codex.transport import Dialer, Ended, Link
from rawr.codex.wire import methods
from rawr.codex.wire.items import TextInput
from rawr.core.vocabulary import facts
from rawr.testing import Patch, Plan, PlanStep, Reply, Run, Say, Scenario, ScriptedCodex, Think, Usage, scripted_codex

DEADLINE = 60.0
STEPS = ("Read the parser and its tests", "Write a failing test", "Fix the parser", "Run everything", "Report")
SENTENCES = (
    "The parser keeps the last token in a field and looks at it again when a line ends without a quote.",
    "I ran the tests before changing anything, and two of them failed for the same reason.",
    "The loop in `read_row` stops one character early, so a trailing comma is taken for the end of the file.",
    "Nothing outside this module reads the field, which makes the change a local one.",
    "A shorter fix would have been to strip the line, but that would also strip spaces inside quotes.",
    "The new test writes three rows, one of them empty, and compares the whole result.",
    "I left the public function as it was; only the helper below it has another signature now.",
    "Reading a file of 200 MB takes as long as before, within the noise of this machine.",
    "There is one more place with the same pattern, in the writer, where it does no harm today.",
    "The error message now names the row, the column and the character that was not expected.",
    "Next I would look at the encoding, since the file is opened with whatever the system prefers.",
    "All tests pass, the type checker is quiet, and the diff is 14 lines long.",
)
COMMAND = "for part in 1 2 3 4; do seq -f 'tests/test_rows.py::test_case_%g PASSED' 1 40; sleep 0.15; done"


def scenario(turns: int) -> Scenario:
    """The same kind of work in every turn, with other words."""
    return Scenario.of("a working day", [reply for turn in range(turns) for reply in _turn(turn)], window=272_000)


def _turn(turn: int) -> list[Reply]:
    words = random.Random(turn)  # noqa: S311 - the same words in every run
    before = 12_000 + 9_000 * turn

    def usage(call: int) -> Usage:
        return Usage(input=before + 1_200 * call, cached=before, output=400, reasoning=120)

    def prose(sentences: int) -> str:
        return " ".join(words.choices(SENTENCES, k=sentences))

    return [
        Reply(steps=(Think(prose(4)), Say(prose(3)), _plan(1)), usage=usage(0)),
        Reply(steps=(Think(prose(2)), Run(cmd="ls -la && git --version")), usage=usage(1)),
        Reply(steps=(Say(prose(2)), Run(cmd=COMMAND)), usage=usage(2)),
        Reply(steps=(Patch(_patch(turn, prose(6))), _plan(3)), usage=usage(3)),
        Reply(steps=(Think(prose(2)), Run(cmd=f"cat notes-{turn}.md"), Run(cmd="exit 1")), usage=usage(4)),
        Reply(steps=(_plan(5),), usage=usage(5)),
        Reply(steps=(Say("\n\n".join(prose(6) for _ in range(4))),), usage=usage(6)),
    ]


def _plan(done: int) -> Plan:
    return Plan(
        tuple(
            PlanStep(step, "completed" if n < done else "in_progress" if n == done else "pending")
            for n, step in enumerate(STEPS)
        )
    )


def _patch(turn: int, text: str) -> str:
    lines = "\n".join(f"+{sentence}" for sentence in text.split(". "))
    return f"*** Begin Patch\n*** Add File: notes-{turn}.md\n{lines}\n*** End Patch"


# -- the tap ----------------------------------------------------------------------------------------------------


class _TappedLink:
    def __init__(self, link: Link, frames: list[bytes]) -> None:
        self._link = link
        self._frames = frames

    @property
    def server(self) -> str:
        return self._link.server

    async def frames(self) -> AsyncIterator[bytes | Oversize | Fault]:
        async for frame in self._link.frames():
            if isinstance(frame, bytes):
                self._frames.append(frame)
            yield frame

    async def send(self, frame: bytes) -> None:
        await self._link.send(frame)

    async def close(self) -> Ended:
        return await self._link.close()

    def kill(self) -> None:
        self._link.kill()


class _TappedDialer:
    """The client's own record of frames leaves the deltas out, so they are taken from the link itself."""

    def __init__(self, dialer: Dialer, frames: list[bytes]) -> None:
        self.name = dialer.name
        self.ours = dialer.ours
        self._dialer = dialer
        self._frames = frames

    async def dial(self) -> Link:
        return _TappedLink(await self._dialer.dial(), self._frames)


# -- the session ------------------------------------------------------------------------------------------------


def record(folder: Path, *, turns: int) -> list[bytes]:
    """Every frame that Codex sent, in order."""
    with scripted_codex(scenario(turns), folder) as codex:
        return asyncio.run(_session(codex, turns))


async def _session(codex: ScriptedCodex, turns: int) -> list[bytes]:
    frames: list[bytes] = []
    ended: asyncio.Queue[facts.TurnCompleted] = asyncio.Queue()

    def told(_thread: str, fact: facts.AnyFact) -> None:
        if isinstance(fact, facts.TurnCompleted):
            ended.put_nowait(fact)

    dialer = _TappedDialer(StdioDialer(codex.binary, env=codex.env()), frames)
    client = CodexClient(dialer, version="bench", on_told=told)
    running = asyncio.create_task(client.run(reconnect=False))
    try:
        async with asyncio.timeout(DEADLINE):
            await client.wait_connected(DEADLINE)
            start = methods.ThreadStart(
                cwd=str(codex.home.workspace), approval_policy="never", sandbox="danger-full-access"
            )
            thread = (await client.call(methods.THREAD_START, start)).thread.id
            for turn in range(turns):
                text = TextInput(text=f"Go on with part {turn} of the parser, please.")
                await client.call(methods.TURN_START, methods.TurnStart(thread_id=thread, input=[text]))
                fact = await ended.get()
                assert fact.status == "completed", fact
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
    return frames

"""A real Codex that is asked as a plain model, for the tests of ``codex.completing``."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.codex.completing import CodexCompleter
from rawr.codex.plain_thread import quiet_dialer
from rawr.codex.stdio import StdioLink
from rawr.codex.transport import Dialer
from rawr.codex.wire import methods
from rawr.ports.completion import Completed, Completion
from rawr.testing import Hang, Reply, Say, Scenario, ScriptedCodex, Usage, When, scripted_codex

DEADLINE = 20.0
SYSTEM = "You weigh whether a run may go on."
SCHEMA = {
    "type": "object",
    "properties": {"go_on": {"type": "boolean"}},
    "required": ["go_on"],
    "additionalProperties": False,
}
YES = '{"go_on": true}'
GOOD = Reply(steps=(Say(YES),), usage=Usage(input=700, output=12), times="always")
HANGS = Reply(steps=(Say("too late"),), fault=Hang(), when=When(user="slow"))


def question(prompt: str = "May it?", *, model: str = "", seconds: float = DEADLINE) -> Completion:
    return Completion(system=SYSTEM, prompt=prompt, schema=json.dumps(SCHEMA).encode(), model=model, seconds=seconds)


ANSWER = Completed(text=YES, model="scripted", tokens=712, output_tokens=12)


async def until(condition: Callable[[], bool]) -> None:
    """For what nobody tells of."""
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def listing(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(folder.glob(pattern))


class Asked:
    """A completer on a real Codex, with what tests look at."""

    def __init__(self, codex: ScriptedCodex, completer: CodexCompleter) -> None:
        self.codex = codex
        self.completer = completer
        self.model = codex.model

    async def ask(self, prompt: str = "May it?", *, model: str = "", seconds: float = DEADLINE) -> Completed:
        return await self.completer.complete(question(prompt, model=model, seconds=seconds))

    def begin(self, prompt: str, *, seconds: float = DEADLINE) -> "asyncio.Task[Completed]":
        return asyncio.create_task(self.ask(prompt, seconds=seconds))

    async def reached(self, prompt: str) -> None:
        """Wait until the model has been asked this."""
        await self.model.wait_for_async(lambda request: request.last_user == prompt, deadline=DEADLINE)

    async def let_go(self) -> None:
        """Wait until nobody waits for the model any more: a turn that was given up has really ended."""
        await asyncio.to_thread(self.model.wait_idle, deadline=DEADLINE)

    @property
    def pid(self) -> int:
        assert self.completer._server is not None
        link = self.completer._server._client.link
        assert isinstance(link, StdioLink)
        return link.pid

    async def no_threads(self) -> None:
        """Wait until the app-server holds no thread. One that does not let go in time is ended instead."""
        if self.completer._server is None:
            return
        client = self.completer._server._client
        async with asyncio.timeout(DEADLINE):
            while (await client.call(methods.THREAD_LOADED_LIST, methods.Page())).data:  # noqa: ASYNC110 - only asking tells
                await asyncio.sleep(0.01)


@asynccontextmanager
async def asked(
    folder: Path,
    replies: Sequence[Reply] = (GOOD,),
    *,
    extra_config: dict[str, object] | None = None,
    idle_seconds: float = 300.0,
) -> AsyncIterator[Asked]:
    with scripted_codex(Scenario.of("questions", replies), folder, extra_config=extra_config) as codex:

        def dialer() -> Dialer:
            return quiet_dialer(codex.binary, env=codex.env())

        async with CodexCompleter(dialer, version="0", idle_seconds=idle_seconds) as completer:
            yield Asked(codex, completer)

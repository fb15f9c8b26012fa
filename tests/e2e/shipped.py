"""rawr as its users get it: programs, in the host, in a home with nothing in it."""

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from tests.e2e.beside import DEADLINE, MORNING, Line, Person, Told, Watching, person, rawr_watch, served
from tests.e2e.golden import JOB, OURS
from tests.e2e.test_host import Hosted, intact, over
from tests.e2e.test_run_program import FREE

TO_THE_END = """\
- { when: { user: "Handoff" }, plan: ["done: research", "done: draft", "done: ship"], usage: 20000 }
- { say: "Nothing is left to do.", usage: 21000 }
"""
"""What the agent of a run does when it has its packet back."""

COMMIT = "git commit -q --allow-empty -m 'Research done'"
SAYS = '- {{ say: "{text}", usage: {usage} }}\n'
REST = "I read the three modules, and the tables stand in my notes. Which of them comes first?"
"""Words that are no boundary."""


def turn(*actions: str, usage: int, text: str = REST) -> str:
    """The replies of a turn in which the agent does these things, and what it then says."""
    return "".join(f"- {{ {one}, usage: {usage} }}\n" for one in actions) + SAYS.format(text=text, usage=usage)


def repository(codex: ScriptedCodex) -> None:
    """The user's project."""
    for words in (("init", "-q", "-b", "trunk"), ("commit", "-q", "--allow-empty", "-m", "Begin")):
        subprocess.run(["git", *words], cwd=codex.home.workspace, env=codex.env(), check=True)


class Story(Watching):
    """``rawr run --json``, line by line as it comes, to its summary."""

    async def over(self) -> "Story":
        async with asyncio.timeout(DEADLINE):
            await asyncio.gather(*self._readers)
            await self._process.wait()
        return self

    @property
    def summary(self) -> Line:
        last = self.lines[-1]
        assert last["type"] in ("summary", "left"), self.warnings
        return last


def spoken(told: Told, thread: str | None = None) -> list[str]:
    """The conversation by who said what, and where it was compacted."""
    names: list[str] = []
    for fact in told.facts("ItemCompleted"):
        item = fact["item"]
        assert isinstance(item, dict)
        text = str(item.get("text", ""))
        if thread not in (None, fact["thread"]):
            continue
        match item["kind"]:
            case "usermessage":
                names.append(next((name for opening, name in OURS.items() if re.match(opening, text)), "user"))
            case "agentmessage":
                names.append("packet" if "## Overall goal" in text else "agent")
            case "compaction":
                names.append("compaction")
    return names


def once(story: Told, *reasons: str) -> None:
    """Each of these was decided, and no more than once."""
    told = story.reasons()
    assert {reason: told.count(reason) for reason in reasons} == dict.fromkeys(reasons, 1)


@asynccontextmanager
async def machine(script: str, folder: Path) -> AsyncIterator[Hosted]:
    """A user's machine, with an empty home. When it is put away, the record is replayed."""
    with scripted_codex(parse_scenario(f"name: shipped\nreplies:\n{script}"), folder) as codex:
        repository(codex)
        it = Hosted(codex, folder / "rawr")
        try:
            yield it
            intact(it.home)
        finally:
            await over(it.home)


@asynccontextmanager
async def running(it: Hosted, *words: str) -> AsyncIterator[Story]:
    """``rawr run``, or another command that follows one, as long as a test looks at it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "rawr", *words, "--json", *it.codex_flags()),
        env=it._env(),
        cwd=it.workspace,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=4 * 1024 * 1024,
    )
    story = Story(process)
    try:
        yield story
    finally:
        await story.close()


async def told_of(it: Hosted, *words: str, prompt: str = JOB) -> Story:
    """``rawr run`` from its beginning to its end. The agent may do everything, so that nothing is asked."""
    async with running(it, "run", prompt, *FREE, *words) as story:
        return await story.over()


@asynccontextmanager
async def watched(script: str, folder: Path, *words: str) -> AsyncIterator[tuple[ScriptedCodex, Watching, Person]]:
    """Somebody at work in their own Codex, whose thread ``rawr watch`` has joined."""
    home = folder / "rawr"
    async with served(MORNING + script, folder, prepare=repository) as (codex, server):
        try:
            async with (
                rawr_watch(codex, home, *words, server=server, host=True) as watching,
                person(server, codex.home.workspace) as ada,
            ):
                await watching.joins(ada)
                yield codex, watching, ada
                intact(home)
        finally:
            await over(home)

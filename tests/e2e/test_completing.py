"""The user's own Codex as a plain model: the real Codex, asked one typed question at a time."""

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.codex import plain_thread
from rawr.codex.completing import CodexCompleter, CompletionFailed
from rawr.codex.completion import Completed
from rawr.codex.plain_thread import ASIDE, own_server, quiet_dialer
from rawr.codex.stdio import StdioDialer, StdioLink
from rawr.codex.transport import Dialer
from rawr.codex.wire import methods
from rawr.models.completion import Completion
from rawr.testing import (
    Cut,
    Fail,
    Garbage,
    Hang,
    HttpError,
    Raw,
    Reply,
    Say,
    Scenario,
    ScriptedCodex,
    Think,
    Usage,
    When,
    scripted_codex,
)
from tests.codex.servers import is_gone
from tests.e2e.stopping import stop

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


# -- what is asked ----------------------------------------------------------------------------------------------


async def test_a_question_and_its_answer(tmp_path: Path) -> None:
    """The model reads our instructions, our aside and our prompt, and nothing else; the schema binds it."""
    async with asked(tmp_path) as it:
        assert await it.ask("May it?") == ANSWER
        (request,) = it.model.requests
        assert request.texts("developer") == (SYSTEM, ASIDE)
        assert request.texts("user") == ("May it?",)
        assert request.tools == ()
        assert len(request.input) == 3
        assert request.body["text"] == {
            "format": {"type": "json_schema", "strict": True, "schema": SCHEMA, "name": "codex_output_schema"}
        }
        assert len(json.dumps(request.body)) < 2_500


async def test_without_a_schema_the_answer_is_free(tmp_path: Path) -> None:
    async with asked(tmp_path) as it:
        free = Completion(system=SYSTEM, prompt="May it?", schema=b"", model="", seconds=DEADLINE)
        assert (await it.completer.complete(free)).text == YES
        assert it.model.requests[0].schema is None


async def test_a_model_that_is_named(tmp_path: Path) -> None:
    """One of Codex's own catalogue, that always gets the script tool: nothing is left that it could reach with it."""
    async with asked(tmp_path) as it:
        assert (await it.ask(model="gpt-6.1-sol")).model == "gpt-6.1-sol"
        (request,) = it.model.requests
        assert request.body["model"] == "gpt-6.1-sol"
        assert request.texts("developer")[-2:] == (SYSTEM, ASIDE)
        assert request.tools == ("exec", "wait")
        assert "exec tool declaration" not in json.dumps(request.body)
        assert len(json.dumps(request.body)) < 10_000


@pytest.mark.parametrize("quiet", [True, False], ids=["as it is", "and without the care"])
async def test_what_the_user_has_set_up_has_no_part_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    """Project documents, skills, memories, instructions, MCP servers, the program that is told of turn ends. The second
    run shows that they would be seen here."""
    marks = {name: tmp_path / f"{name} was here" for name in ("server", "notifier")}
    for name, mark in marks.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
        program.chmod(0o755)
    config: dict[str, object] = {
        "developer_instructions": "MINE: developer",
        "notify": [str(tmp_path / "notifier")],
        "mcp_servers": {"probe": {"command": str(tmp_path / "server")}},
        "features": {"memories": True},
    }
    if not quiet:
        monkeypatch.setattr(plain_thread, "QUIET", {})
        monkeypatch.setattr(plain_thread, "QUIETER", {})
        monkeypatch.setattr(plain_thread, "mcp_servers", lambda _: ())
    async with asked(tmp_path, extra_config=config) as it:
        home, workspace = it.codex.home.path, it.codex.home.workspace
        for file, text in {
            workspace / "AGENTS.md": "MINE: project",
            workspace / ".codex" / "config.toml": 'developer_instructions = "MINE: project config"',
            home / "skills" / "dig" / "SKILL.md": "---\nname: dig\ndescription: 'MINE: skill'\n---\nDig.\n",
            home / "memories" / "memory_summary.md": "MINE: memory",
        }.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        before = it.codex.home.config_file.read_bytes()
        monkeypatch.chdir(workspace)
        await it.ask()
        if not quiet:
            await until(lambda: all(mark.exists() for mark in marks.values()))
        await it.completer.close()
        assert it.codex.home.config_file.read_bytes() == before
        assert [path.name for path in listing(workspace)] == [".codex", "AGENTS.md"]
        seen = {text for text in ("MINE: skill", "MINE: memory") if text in it.model.requests[0].all_text}
        assert seen == (set() if quiet else {"MINE: skill", "MINE: memory"})
        assert {name for name, mark in marks.items() if mark.exists()} == (set() if quiet else set(marks))
        for text in ("MINE: developer", "MINE: project"):
            assert text not in it.model.requests[0].all_text


async def test_the_config_changes_between_questions(tmp_path: Path) -> None:
    """An MCP server comes and goes in the user's config; each question takes it as it is."""
    mark = tmp_path / "server was here"
    (tmp_path / "server").write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    (tmp_path / "server").chmod(0o755)
    async with asked(tmp_path) as it:
        config = it.codex.home.config_file
        without = config.read_text()
        for text in (without, f'{without}\n[mcp_servers.probe]\ncommand = "{tmp_path}/server"\n', without):
            config.write_text(text)
            assert await it.ask() == ANSWER
        assert not mark.exists()


async def test_the_users_own_agents_file_is_there_and_answered(tmp_path: Path) -> None:
    """Codex has no switch for the one in its home. The aside stands before it and says that it is not meant."""
    async with asked(tmp_path) as it:
        (it.codex.home.path / "AGENTS.md").write_text("Speak like a pirate.")
        await it.ask()
        (request,) = it.model.requests
        assert [text.splitlines()[0] for text in request.texts("user")] == ["# AGENTS.md instructions", "May it?"]
        assert "AGENTS.md files in this conversation are for other work" in request.texts("developer")[1]


# -- no answer --------------------------------------------------------------------------------------------------

REFUSAL: dict[str, object] = {
    "type": "message",
    "role": "assistant",
    "id": "m",
    "content": [{"type": "refusal", "refusal": "I will not."}],
}
LIMIT = '{"error": {"type": "usage_limit_reached", "message": "limit", "plan_type": "plus", "resets_at": 1999999999}}'


@pytest.mark.parametrize(
    ("reply", "message", "refused", "tokens"),
    [
        (Reply(fault=HttpError(status=500)), "high demand", False, 0),
        (Reply(fault=HttpError(status=429, retry_after=1)), "429 Too Many Requests", False, 0),
        (Reply(fault=HttpError(status=429, body=LIMIT)), "usage limit", False, 0),
        (Reply(fault=HttpError(status=401, body="no key")), "401 Unauthorized", False, 0),
        (Reply(steps=(Say("half of an answer"),), fault=Cut(3)), "stream disconnected", False, 0),
        (Reply(fault=Garbage()), "stream disconnected", False, 0),
        (Reply(fault=Fail("context_length_exceeded")), "out of room", False, 0),
        (Reply(fault=Fail("cyber_policy", "not this")), "not this", True, 0),
        (Reply(steps=(Raw(REFUSAL),), usage=Usage(input=70)), "ended without an answer", True, 70),
        (Reply(steps=(Think("Hm."),), usage=Usage(input=70)), "ended without an answer", True, 70),
        (Reply(steps=(Say(" "),), usage=Usage(input=70)), "ended without an answer", True, 70),
    ],
    ids=["500", "429", "limit", "401", "cut", "garbage", "too long", "policy", "refusal", "only thought", "blank"],
)
async def test_a_question_that_fails(tmp_path: Path, reply: Reply, message: str, refused: bool, tokens: int) -> None:
    """It says why, and the next one is answered by the same process."""
    bad = Reply(steps=reply.steps, fault=reply.fault, usage=reply.usage, when=When(user="bad"))
    async with asked(tmp_path, [bad, GOOD]) as it:
        with pytest.raises(CompletionFailed, match=message) as caught:
            await it.ask("a bad one")
        assert (caught.value.refused, caught.value.tokens) == (refused, tokens)
        pid = it.pid
        assert await it.ask("a good one") == ANSWER
        assert it.pid == pid
        await it.no_threads()


async def test_the_last_message_is_the_answer(tmp_path: Path) -> None:
    async with asked(tmp_path, [Reply(steps=(Say("Let me see."), Say(YES)), usage=Usage(input=5, output=3))]) as it:
        assert await it.ask() == Completed(text=YES, model="scripted", tokens=8, output_tokens=3)


HANGS = Reply(steps=(Say("too late"),), fault=Hang(), when=When(user="slow"))
HANGS_HALFWAY = Reply(steps=(Say("too late"),), fault=Hang(2), when=When(user="slow"))


@pytest.mark.parametrize("reply", [HANGS, HANGS_HALFWAY], ids=["says nothing", "stops halfway"])
async def test_a_model_that_hangs(tmp_path: Path, reply: Reply) -> None:
    """The deadline is kept, the turn is ended, and the next question is answered by the same process."""
    async with asked(tmp_path, [reply, GOOD]) as it:
        await it.ask("first")
        pid = it.pid
        loop = asyncio.get_running_loop()
        began = loop.time()
        with pytest.raises(CompletionFailed, match=r"did not answer the question within 0.5 seconds"):
            await it.ask("a slow one", seconds=0.5)
        assert loop.time() - began < 5
        await it.let_go()
        assert await it.ask("next") == ANSWER
        assert it.pid == pid
        await it.no_threads()


async def test_what_codex_tries_again_for_is_told(tmp_path: Path) -> None:
    """Codex does not give up by itself; the deadline then says what it was about."""
    config: dict[str, object] = {"model_providers": {"scripted": {"stream_max_retries": 100}}}
    cut = Reply(steps=(Say("half"),), fault=Cut(2), times="always", when=When(user="flaky"))
    async with asked(tmp_path, [cut, GOOD], extra_config=config) as it:
        await it.ask("first")
        with pytest.raises(CompletionFailed, match=r'within 1 seconds. It last said: "Reconnecting'):
            await it.ask("a flaky one", seconds=1)
        await it.let_go()
        await it.no_threads()


async def test_who_asked_goes_away(tmp_path: Path) -> None:
    """Cancelling ends the turn, and leaves neither a thread nor a task."""
    async with asked(tmp_path, [HANGS, GOOD]) as it:
        asking = it.begin("a slow one")
        await it.reached("a slow one")
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await it.let_go()
        await it.no_threads()
        assert await it.ask("next") == ANSWER


async def test_who_asked_goes_away_at_any_moment(tmp_path: Path) -> None:
    """However far the question has come, nothing of it is left."""
    async with asked(tmp_path, [HANGS, GOOD]) as it:
        await it.ask("first")
        for milliseconds in range(40):
            asking = it.begin("a slow one")
            await asyncio.sleep(milliseconds / 1000)
            asking.cancel()
            await asyncio.wait({asking})
            assert asking.cancelled()
        await it.no_threads()
        await it.let_go()
        assert await it.ask("next") == ANSWER


# -- several ----------------------------------------------------------------------------------------------------


async def test_answers_find_their_questions(tmp_path: Path) -> None:
    """The first is answered after the second."""
    first = Reply(steps=(Say("one"),), fault=Hang(), when=When(user="first"))
    second = Reply(steps=(Say("two"),), when=When(user="second"))
    async with asked(tmp_path, [first, second]) as it:
        one, two = it.begin("the first"), it.begin("the second")
        await it.reached("the first")
        assert (await two).text == "two"
        assert not one.done()
        it.model.release()
        assert (await one).text == "one"


async def test_no_more_than_four_at_once(tmp_path: Path) -> None:
    slow = Reply(steps=(Say(YES),), fault=Hang(), when=When(user="slow"))
    async with asked(tmp_path, [slow]) as it:
        asking = [it.begin(f"slow {number}") for number in range(6)]
        for number in range(4):
            await it.reached(f"slow {number}")
        assert len(it.model.requests) == 4
        for number in range(4, 6):
            it.model.release()
            await it.reached(f"slow {number}")
        it.model.release()
        assert [answer.text for answer in await asyncio.gather(*asking)] == [YES] * 6


async def test_nothing_is_left_of_twenty_questions(tmp_path: Path) -> None:
    """No thread in the process, no history on the disk, no folder."""
    async with asked(tmp_path) as it:
        for number in range(20):
            assert await it.ask(f"question {number}") == ANSWER
        pid = it.pid
        await it.no_threads()
        assert it.completer._server is not None
        folder = Path(it.completer._server._folder.name)
        assert listing(folder) == []
        await it.completer.close()
        assert is_gone(pid)
        assert listing(folder.parent, folder.name) == []
        home = it.codex.home.path
        assert listing(home, "**/*.jsonl*") == []
        with sqlite3.connect(next(home.glob("state_*.sqlite"))) as state:
            assert state.execute("select count(*) from threads").fetchone() == (0,)
        assert len({request.conversation for request in it.model.requests}) == 20


# -- the process ------------------------------------------------------------------------------------------------


async def test_codex_is_killed_between_questions(tmp_path: Path) -> None:
    """Whether the next question comes before its death is known or after: it is answered, by a new one."""
    async with asked(tmp_path) as it:
        pids = []
        for waits in (False, True, False):
            await it.ask()
            pids.append(it.pid)
            server = it.completer._server
            os.kill(it.pid, signal.SIGKILL)
            if waits:
                assert server is not None
                await asyncio.wait({server._running})
        assert await it.ask() == ANSWER
        assert len({*pids, it.pid}) == 4


async def test_codex_is_killed_in_the_middle_of_a_question(tmp_path: Path) -> None:
    """It is not put again, since it may have been answered already; the next one is."""
    async with asked(tmp_path, [HANGS, GOOD]) as it:
        asking = it.begin("a slow one")
        await it.reached("a slow one")
        os.kill(it.pid, signal.SIGKILL)
        with pytest.raises(CompletionFailed, match="Codex was lost: the app-server was ended by SIGKILL") as caught:
            await asking
        assert not caught.value.refused
        assert await it.ask("next") == ANSWER
        assert [request.last_user for request in it.model.requests] == ["a slow one", "next"]


async def test_codex_stands_still(tmp_path: Path) -> None:
    """A process that does not even take the question is ended, and another one asked."""
    async with asked(tmp_path) as it:
        await it.ask()
        pid = it.pid
        stop(pid)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rawr.codex.plain_server.OPEN_DEADLINE", 0.5)
            with pytest.raises(CompletionFailed, match=r"did not answer config/read within 0.5 seconds"):
                await it.ask()
        assert await it.ask() == ANSWER
        os.kill(pid, signal.SIGCONT)  # So that it ends in order, and soon.
        await it.completer.close()
        assert is_gone(pid)


async def test_nobody_asks_for_a_while(tmp_path: Path) -> None:
    """The process ends, and the next question starts another."""
    async with asked(tmp_path, idle_seconds=0.05) as it:
        await it.ask()
        pid = it.pid
        await until(lambda: is_gone(pid))
        assert await it.ask() == ANSWER
        assert it.pid != pid


async def test_it_is_closed_in_the_middle_of_a_question(tmp_path: Path) -> None:
    async with asked(tmp_path, [HANGS]) as it:
        asking = it.begin("a slow one")
        await it.reached("a slow one")
        pid = it.pid
        await it.completer.close()
        assert is_gone(pid)
        with pytest.raises(CompletionFailed, match="given up: rawr is ending"):
            await asking
        with pytest.raises(CompletionFailed, match="not asked: rawr is ending"):
            await it.ask("next")


async def test_it_is_closed_while_codex_starts(tmp_path: Path) -> None:
    async with asked(tmp_path) as it:
        asking = it.begin("an early one")
        await asyncio.sleep(0)
        await it.completer.close()
        with pytest.raises(CompletionFailed, match="rawr is ending"):
            await asking
        assert it.model.requests == ()


async def test_a_question_that_gives_up_during_the_start_leaves_it_to_the_others(tmp_path: Path) -> None:
    async with asked(tmp_path) as it:
        hasty, patient = it.begin("in haste", seconds=0.001), it.begin("with time")
        with pytest.raises(CompletionFailed, match=r"within 0.001 seconds"):
            await hasty
        assert await patient == ANSWER
        assert [request.last_user for request in it.model.requests] == ["with time"]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("/nowhere/codex", "/nowhere/codex could not be started: No such file"),
        ("/bin/false", "Codex ended before the conversation began"),
        ("/etc/hostname", "could not be started"),
    ],
)
async def test_it_is_not_codex(tmp_path: Path, program: str, message: str) -> None:
    """Each question says so; none waits for its deadline."""
    async with CodexCompleter(lambda: StdioDialer(Path(program), env={}), version="0") as completer:
        for _ in range(2):
            with pytest.raises(CompletionFailed, match=message):
                await completer.complete(question())


async def test_the_codex_that_rawr_run_would_start(tmp_path: Path) -> None:
    """Found at the first question, on the home that was named; what is wrong with it is said then."""
    with scripted_codex(Scenario.of("questions", [GOOD]), tmp_path) as codex:
        env = {name: value for name, value in codex.env().items() if name != "CODEX_HOME"}
        found = own_server(codex.binary, configured=None, codex_home=codex.home.path, env=env)
        async with CodexCompleter(found, version="0") as completer:
            assert await completer.complete(question()) == ANSWER
        missing = own_server(tmp_path / "no-codex", configured=None, codex_home=codex.home.path, env=env)
        async with CodexCompleter(missing, version="0") as completer:
            with pytest.raises(CompletionFailed, match="There is no file") as caught:
                await completer.complete(question())
            assert "Correct the path" in caught.value.way_out

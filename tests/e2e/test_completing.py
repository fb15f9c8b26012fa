"""The user's own Codex as a plain model: what is asked, and what comes of a question without an answer."""

import asyncio
import json
from pathlib import Path

import pytest

from rawr.codex import plain_thread
from rawr.codex.plain_thread import ASIDE
from rawr.ports.completion import Completed, Completion, CompletionFailed
from rawr.testing import Cut, Fail, Garbage, Hang, HttpError, Raw, Reply, Say, Think, Usage, When

from .completing import ANSWER, DEADLINE, GOOD, HANGS, SCHEMA, SYSTEM, YES, asked, listing, until

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
        (Reply(steps=(Raw(REFUSAL),), usage=Usage(input=70)), "finished without an answer", True, 70),
        (Reply(steps=(Think("Hm."),), usage=Usage(input=70)), "finished without an answer", True, 70),
        (Reply(steps=(Say(" "),), usage=Usage(input=70)), "finished without an answer", True, 70),
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

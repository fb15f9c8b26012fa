"""The user's own Codex as a plain model: several questions at once, and the life of its process."""

import asyncio
import os
import signal
import sqlite3
from pathlib import Path

import pytest

from rawr.codex.completing import CodexCompleter
from rawr.codex.plain_thread import own_server
from rawr.codex.stdio import StdioDialer
from rawr.ports.completion import CompletionFailed
from rawr.testing import Hang, Reply, Say, Scenario, When, scripted_codex
from tests.codex.servers import is_gone
from tests.e2e.stopping import stop

from .completing import ANSWER, GOOD, HANGS, YES, asked, listing, question, until

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
        with pytest.raises(CompletionFailed, match="Codex was lost: the app-server was killed by SIGKILL") as caught:
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
        with pytest.raises(CompletionFailed, match="dropped: rawr is exiting"):
            await asking
        with pytest.raises(CompletionFailed, match="not asked: rawr is exiting"):
            await it.ask("next")


async def test_it_is_closed_while_codex_starts(tmp_path: Path) -> None:
    async with asked(tmp_path) as it:
        asking = it.begin("an early one")
        await asyncio.sleep(0)
        await it.completer.close()
        with pytest.raises(CompletionFailed, match="rawr is exiting"):
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
        ("/bin/false", "Codex exited before the conversation began"),
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

"""Runs on threads that are there already, and on threads with a goal of Codex's own (C13, C14)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from rawr import __version__
from rawr.codex.client import CodexClient
from rawr.codex.stdio import StdioDialer
from rawr.codex.wire import methods
from tests.e2e.test_run_program import DONE, FREE, Desk, Ran, desk, ended

OTHER = '- { when: { user: "Now the docs" }, say: "Nothing is left to do: the docs are there." }\n'

FIRST = '- { when: { user: "^Build it" }, say: "Nothing is left to do: all is well." }\n'
GOAL_WORK = '- { say: "One more page of it is written.", times: always }\n'
"""What Codex's own goal has the agent do, whenever it gets to it."""


async def first(it: Desk) -> str:
    """A thread of Codex's, with a turn in it, that this rawr's home knows nothing of."""
    home = it.home
    it.home = home.with_name("another-home")
    ran = await ended(await it.run("Build it.", *FREE))
    it.home = home
    assert ran.code == 0, ran.err
    return str(ran.summary["thread"])


async def with_a_goal(it: Desk, thread: str) -> None:
    """Somebody gives Codex a goal on the thread, and lets go before it is worked on."""
    dialer = StdioDialer(it.codex.binary, env=it.codex.env())
    client = CodexClient(dialer, version=__version__, on_told=lambda _thread, _fact: None)
    serving = asyncio.create_task(client.run(reconnect=False))
    try:
        await client.wait_connected(30)
        await client.call(methods.THREAD_RESUME, methods.ThreadResume(thread_id=thread, exclude_turns=True))
        await client.call(methods.GOAL_SET, methods.GoalSet(thread_id=thread, objective="Codex's own"))
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


def said_to_codex(ran: Ran) -> list[str]:
    """The first words of every turn that Codex reported to this rawr. The model's own list is no measure: a request of
    the Codex before it may still be on its way there."""
    told: list[dict[str, Any]] = [fact for line in ran.lines if isinstance(fact := line.get("fact"), dict)]
    items = [fact["item"] for fact in told if fact["fact"] == "ItemCompleted"]
    spoken = [item["text"][:12] for item in items if item["kind"] == "usermessage"]
    assert len(spoken) == sum(fact["fact"] == "TurnStarted" for fact in told)
    return spoken


def stopped(ran: Ran) -> object:
    stop = ran.summary["stop"]
    assert isinstance(stop, dict)
    return stop["reason"]


async def test_a_new_run_on_a_thread_that_is_there(tmp_path: Path) -> None:
    """C13: what was said there before is still in the agent's context."""
    async with desk(DONE + OTHER, tmp_path) as it:
        thread = await first(it)
        ran = await ended(await it.run("Now the docs.", "--resume", thread))
        assert (ran.code, ran.summary["thread"], ran.summary["turns"]) == (0, thread, 1), ran.err
        assert it.codex.model.requests[-1].user_texts.count("Build it.") == 1


async def test_a_second_run_on_a_thread_of_its_own(tmp_path: Path) -> None:
    async with desk(DONE + OTHER, tmp_path) as it:
        once = await ended(await it.run("Build it.", *FREE))
        ran = await ended(await it.run("Now the docs.", "--resume", str(once.summary["run"])))
        assert (ran.code, ran.summary["thread"]) == (0, once.summary["thread"]), ran.err
        assert ran.summary["run"] != once.summary["run"]


async def test_a_run_is_let_go_with_its_thread(tmp_path: Path) -> None:
    """B11, C13: by its last run; an earlier one does not stand for all of it. Then it cannot be resumed."""
    paused = '- { when: { user: "Now the docs" }, say: "Hm.", times: always }\n'
    async with desk(FIRST + paused, tmp_path) as it:
        old = (await ended(await it.run("Build it.", *FREE))).summary
        again = await ended(await it.run("Now the docs.", "--resume", str(old["thread"]), "--max-turns", "1", *FREE))
        earlier = await it.rawr("journal", "prune", "--let-go", str(old["run"]))
        assert (earlier.code, earlier.err) == (
            1,
            (
                f"rawr: Run {old['run']} shares its thread with a later run."
                f" Name the thread to remove all of it: {old['thread']}.\n"
            ),
        )
        let_go = await it.rawr("journal", "prune", "--let-go", str(again.summary["run"]))
        assert (let_go.code, let_go.err) == (0, "")
        assert (await it.resume(str(again.summary["run"]))).code == 1


async def test_a_start_says_nothing_about_the_run_before(tmp_path: Path) -> None:
    """B11: what is over is over; it keeps its place among the others, too."""
    async with desk(FIRST + OTHER, tmp_path) as it:
        old = (await ended(await it.run("Build it.", *FREE))).summary["thread"]
        before = (await it.rawr("status", "--json")).lines
        ran = await ended(await it.run("Now the docs.", *FREE))
        assert ran.code == 0, ran.err
        assert {line["thread"] for line in ran.lines if line.get("thread")} == {ran.summary["thread"]}
        after = (await it.rawr("status", "--json")).lines
        assert [one for one in after if one.get("thread") == old] == [one for one in before if one.get("thread") == old]


@pytest.mark.parametrize(
    ("name", "code"), [("0199-nowhere", 1), ("r99", 1), ("01a1df68-f061-71b0-9699-b255c8dc370c", 69)]
)
async def test_a_thread_that_nobody_knows(tmp_path: Path, name: str, code: int) -> None:
    async with desk(DONE, tmp_path) as it:
        ran = await ended(await it.run("Build it.", "--resume", name))
        assert (ran.code, name in ran.err) == (code, True), ran.err
        assert "Traceback" not in ran.err


async def test_a_goal_is_taken_over_on_a_thread_that_is_there(tmp_path: Path) -> None:
    """C14: without the flag it is refused, and nothing is said there."""
    async with desk(OTHER + FIRST + GOAL_WORK, tmp_path) as it:
        thread = await first(it)
        await with_a_goal(it, thread)
        asked = len(it.codex.model.requests)
        refused = await ended(await it.run("Now the docs.", "--resume", thread))
        assert (refused.code, stopped(refused)) == (3, "run.refused.goal"), refused.err
        assert all("Now the docs" not in one.last_user for one in it.codex.model.requests[asked:])
        run = str(refused.summary["run"])
        again = await it.resume(run)
        assert (again.code, stopped(again)) == (2, "run.refused.goal"), again.err
        taken = await ended(await it.start("resume", run, "--take-goal", "--json", *it.codex_flags()))
        assert (taken.code, stopped(taken)) == (0, "run.done.reported"), taken.err
        assert "Now the docs" in it.codex.model.requests[-1].last_user
        assert len(said_to_codex(taken)) == 1


async def test_no_turn_of_a_goal_that_is_taken_over_runs_first(tmp_path: Path) -> None:
    """C14: Codex begins one as soon as somebody joins the thread, so the goal is cleared before."""
    async with desk(OTHER + FIRST + GOAL_WORK, tmp_path) as it:
        thread = await first(it)
        await with_a_goal(it, thread)
        taken = await ended(await it.run("Now the docs.", "--resume", thread, "--take-goal"))
        assert (taken.code, taken.summary["turns"]) == (0, 1), taken.err
        assert said_to_codex(taken) == ["Now the docs"]

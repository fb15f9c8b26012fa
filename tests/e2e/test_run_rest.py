"""A run at rest: nothing of it is sent, by anybody, until it is resumed (A15, C13). On the real Codex."""

from pathlib import Path

from tests.e2e.beside import person, rawr_watch
from tests.e2e.seat import DEADLINE, RAWR, run, seat
from tests.e2e.test_closed_thread import shared, thread_of
from tests.e2e.test_run_program import DONE, FREE, Desk, desk, ended, working
from tests.e2e.test_run_words import standing

BUSY = '- { when: { user: "Build it" }, say: "Working on it.", fault: hang }\n'
OTHER = '- { when: { user: "Do something else" }, say: "Nothing is left to do: done." }\n'
TABS = '- { when: { user: "Use tabs" }, say: "Nothing is left to do: tabs." }\n'
TYPED = "Use tabs, please."


def heard(it: Desk) -> int:
    """How many requests to the model had the line in them."""
    return sum(any(TYPED in text for text in one.user_texts) for one in it.codex.model.requests)


async def elsewhere(it: Desk) -> None:
    """A run that has nothing to do with the first one, by another rawr on the same home."""
    ran = await ended(await it.run("Do something else.", *FREE))
    assert ran.code == 0, ran.err


async def test_a_line_typed_before_ctrl_c_waits_for_the_resume(tmp_path: Path) -> None:
    async with run(BUSY + OTHER + TABS, tmp_path, "Build it.", *FREE) as (it, screen):
        await working(it)
        screen.says(TYPED)
        await screen.sees("A message was added to the running turn.")
        screen.type("\x03")
        await screen.sees(
            f"your message did not reach the agent; `rawr resume` sends it: “{TYPED}”", "Not done: paused."
        )
        assert (await screen.over(), heard(it)) == (2, 0)
        told = (await it.rawr("status")).out
        assert f"not sent: “{TYPED}”" in told, told
        run_id = (await standing(it))["id"]
        await elsewhere(it)
        thread = next(line for line in (await it.rawr("status", "--json")).lines if line.get("held"))
        assert (thread["held"], thread["turns"], heard(it)) == ([TYPED], 1, 0)
        async with seat(it, *RAWR, "resume", str(run_id), *it.codex_flags()) as again:
            await again.sees(f"you {TYPED}", "Nothing is left to do: tabs.")
            assert await again.over() == 0


async def test_an_override_that_a_stop_overtakes_is_not_sent(tmp_path: Path) -> None:
    """And is dropped on resume, if the person says so."""
    script = BUSY + OTHER + '- { when: { user: "Go on" }, say: "Nothing is left to do: all." }\n'
    async with run(script, tmp_path, "Build it.", *FREE) as (it, screen):
        await working(it)
        run_id = str((await standing(it))["id"])
        assert (await it.rawr("override", run_id, TYPED)).code == 0
        assert (await it.rawr("stop", run_id)).code == 0
        await screen.sees("Not done: stopped.")
        assert await screen.over() == 3
        await elsewhere(it)
        assert heard(it) == 0
        resumed = await ended(await it.start("resume", run_id, "--drop-messages", "--json", *it.codex_flags()))
        assert (resumed.code, heard(it)) == (0, 0), resumed.err
        reasons = [line["reason"] for line in (await it.rawr("log", "--json")).lines if line.get("reason")]
        assert "turn.dropped.run" in reasons


async def test_a_pause_that_waits_for_the_turns_end_is_visible(tmp_path: Path) -> None:
    async with run(BUSY + DONE, tmp_path, "Build it.", *FREE) as (it, screen):
        await working(it)
        assert (await it.rawr("pause")).code == 0
        run_now = await standing(it)
        assert (run_now["status"], run_now["about_to"]) == ("running", "pause")
        assert "pauses when its turn ends" in (await it.rawr("status")).out
        await screen.until(lambda _: "pauses when its turn ends" in screen.last, deadline=DEADLINE)
        it.codex.model.release()
        assert await screen.over() == 2


async def test_a_pause_that_waits_is_visible_in_a_log_too(tmp_path: Path) -> None:
    """Where no last line is redrawn; once, and before the turn ends."""
    async with run(BUSY + DONE, tmp_path, "Build it.", "--plain", *FREE) as (it, screen):
        await working(it)
        assert (await it.rawr("pause")).code == 0
        shown = await screen.sees("pauses when its turn ends")
        assert "turn completed" not in shown
        assert (await it.rawr("pause")).code == 0
        it.codex.model.release()
        assert (await screen.over(), screen.text.count("pauses when its turn ends")) == (2, 1)


async def test_a_watch_on_the_same_codex_sends_nothing_of_it(tmp_path: Path) -> None:
    """The thread is loaded there, and the watch sees it; the run is still the person's to resume."""
    async with desk(BUSY + OTHER + TABS, tmp_path) as it, shared(it) as server:
        process = await it.run("Build it.", "--attach", *FREE)
        thread = await thread_of(process)
        await working(it)
        assert (await it.rawr("override", thread, TYPED)).code == 0
        assert (await it.rawr("stop", thread)).code == 0
        assert (await ended(process)).code == 3
        async with rawr_watch(it.codex, it.home, server=server) as watching, person(server, it.workspace) as ada:
            await ada.until_over(await ada.say("Do something else."))
            await watching.fact("TurnCompleted", thread=ada.thread)
            assert "StartTurn" not in watching.effects()
        assert heard(it) == 0
        refused = await it.resume(thread)
        assert (refused.code, heard(it)) == (4, 0)
        assert "has it open: close it there, or continue with --attach" in refused.summary["stop"]["detail"]  # type: ignore[index]
        again = await ended(await it.start("resume", thread, "--attach", "--json", *it.codex_flags()))
        assert (again.code, heard(it)) == (0, 1), again.out

"""Words to a run from the terminal and from outside, on the real Codex: Ctrl-C once and more, a closed window, and what
each command says where no rawr runs (C5, C10, C11, C13)."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.seat import ASKS, COLOUR, RAWR, seat, wants
from tests.e2e.stopping import stop
from tests.e2e.test_run_program import DONE, FREE, HANGS, Desk, Line, Ran, desk, ended, working

ALWAYS_HANGS = '- { say: "Working on it.", fault: hang, times: always }\n'
GAPS = (0.01, 0.045, 0.1)
DEADLINE = 30.0


@asynccontextmanager
async def asking_desk(script: str, folder: Path, *, seconds: int = 900) -> AsyncIterator[Desk]:
    """A desk whose agent may ask questions, and waits so long for an answer."""
    may_ask = {"features": {"default_mode_request_user_input": True}}
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{script}"), folder, extra_config=may_ask) as codex:
        it = Desk(codex, folder / "rawr")
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text(f"[limits]\nperson = {seconds}\n")
        yield it


async def standing(it: Desk) -> Line:
    """The newest run, as ``rawr status`` has it."""
    run = (await it.rawr("status", "--json")).lines[0]["run"]
    assert isinstance(run, dict)
    return run


async def waits(it: Desk) -> Line:
    """What waits for a person, as soon as something does."""
    async with asyncio.timeout(DEADLINE):
        while True:
            for one in (await it.rawr("approvals", "--json")).lines:
                if one["type"] == "waiting":
                    return one


def said(ran: Ran) -> str:
    return " ".join((ran.out + ran.err).split())


# -- Ctrl-C ---------------------------------------------------------------------------------------------------------


async def test_a_second_ctrl_c_stops_whenever_it_comes(tmp_path: Path) -> None:
    """C5: exit code 3 and a summary, whatever the first one has come to by then."""
    async with desk(ALWAYS_HANGS, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        for number, gap in enumerate(GAPS, 1):
            await working(it, number)
            process.send_signal(signal.SIGINT)
            await asyncio.sleep(gap)
            os.kill(process.pid, signal.SIGINT)
            ran = await ended(process)
            stop = ran.summary["stop"]
            assert isinstance(stop, dict)
            assert (ran.code, stop["reason"]) == (3, "run.stopped.person"), (gap, ran.err)
            run = await standing(it)
            assert (run["status"], run["stop"]) == ("stopped", "run.stopped.person")
            process = await it.start("resume", str(run["id"]), "--json", *it.codex_flags())
        process.kill()
        await process.wait()


async def test_one_that_comes_too_late_changes_nothing(tmp_path: Path) -> None:
    """C5: the summary is out, and it is the exit code that is still to come."""
    async with desk(HANGS, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        told = b""
        async with asyncio.timeout(DEADLINE):
            while b'"type":"summary"' not in told:
                told += await process.stdout.read(65536)
        os.kill(process.pid, signal.SIGINT)
        while process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
                os.kill(process.pid, signal.SIGHUP)
            await asyncio.sleep(0.002)
        assert process.returncode == 2


@pytest.mark.parametrize("gap", [0.03, 0.2])
async def test_ctrl_c_twice_in_a_terminal(tmp_path: Path, gap: float) -> None:
    """C5, C18."""
    async with desk(HANGS, tmp_path) as it, seat(it, *RAWR, "run", "Build it.", *FREE, *it.codex_flags()) as screen:
        await working(it)
        screen.type("\x03")
        await asyncio.sleep(gap)
        screen.type("\x03")
        shown = await screen.sees(
            "pausing; press Ctrl-C again to stop", "Not done: stopped. run.stopped.person.", "rawr resume"
        )
        assert await screen.over() == 3
        assert "Traceback" not in shown


def child_of(pid: int) -> int:
    """The Codex that a rawr has started."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


async def test_a_third_ends_at_once(tmp_path: Path) -> None:
    """C5: also where Codex does not stir any more; it is not left behind."""
    async with desk(HANGS, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        codex = child_of(process.pid)
        stop(codex)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            await asyncio.sleep(0.2)
        ran = await ended(process)
        assert (ran.code, "stopping; press Ctrl-C again to exit at once" in ran.err) == (130, True), ran.err
        assert "Traceback" not in ran.err
        with pytest.raises(ProcessLookupError):
            os.kill(codex, 0)


async def test_before_anything_is_ordered_it_just_ends(tmp_path: Path) -> None:
    """C5: there is nothing to pause."""
    mute = tmp_path / "codex"
    mute.write_text('#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.163.0 && exit\ntouch started; exec sleep 60\n')
    mute.chmod(0o755)
    async with desk(DONE, tmp_path / "desk") as it:
        process = await it.start("run", "Build it.", "--codex-bin", str(mute))
        while process.returncode is None and not (it.workspace / "started").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        process.send_signal(signal.SIGINT)
        ran = await ended(process)
        assert ran.code == 130, ran.err


# -- being told to end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_being_told_to_end_pauses_however_often(tmp_path: Path, number: signal.Signals) -> None:
    """C13: a service manager or a closed window never stops a run."""
    async with desk(HANGS + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        for _ in range(3):
            process.send_signal(number)
            await asyncio.sleep(0.01)
        ran = await ended(process)
        assert (ran.code, ran.summary["status"]) == (2, "paused"), ran.err
        again = await it.resume(str(ran.summary["run"]))
        assert (again.code, again.summary["done"]) == (0, "self_reported"), again.err


async def test_a_terminal_that_is_closed(tmp_path: Path) -> None:
    """C13: the run is paused in order, though nobody can be told."""
    async with desk(HANGS + DONE, tmp_path) as it:
        async with seat(it, *RAWR, "run", "Build it.", *FREE, *it.codex_flags()) as screen:
            await working(it)
            asyncio.get_running_loop().remove_reader(screen._descriptor)
            os.close(screen._descriptor)
            screen._descriptor = os.open(os.devnull, os.O_RDWR)
            async with asyncio.timeout(DEADLINE):
                code = await screen.process.wait()
        run = await standing(it)
        assert (code, run["status"], run["stop"]) == (2, "paused", "run.paused.person")
        assert (await it.resume(str(run["id"]))).code == 0


async def test_nohup_is_heeded(tmp_path: Path) -> None:
    """C13: who asked not to be disturbed by a hang-up is not."""
    async with desk(HANGS + DONE, tmp_path) as it:
        words = ("run", "Build it.", "--json", *FREE, *it.codex_flags())
        process = await asyncio.create_subprocess_exec(
            "nohup",
            *RAWR,
            *words,
            env=it._env(),
            cwd=it.workspace,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await working(it)
        process.send_signal(signal.SIGHUP)
        await asyncio.sleep(0.3)
        it.codex.model.release()
        assert (await ended(process)).code == 0


async def test_a_reader_who_has_gone_does_not_change_the_exit_code(tmp_path: Path) -> None:
    """C7: `rawr run … | head -1` of a run that a guard stops has failed."""
    async with desk('- say: "Hm."\n' * 3, tmp_path) as it:
        process = await it.run("Build it.", "--max-turns", "2", *FREE)
        assert process.stdout is not None
        await process.stdout.readline()
        process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        async with asyncio.timeout(DEADLINE):
            assert await process.wait() == 3


# -- words from outside ---------------------------------------------------------------------------------------------


async def test_words_to_a_run_that_nobody_has_in_hand(tmp_path: Path) -> None:
    """C13: each says what is true and the way on; an override goes on with it, as its help says."""
    answered = '- { when: { user: "Do this instead" }, say: "Nothing is left to do: this." }\n'
    async with desk(HANGS + answered, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        process.send_signal(signal.SIGTERM)
        run = str((await ended(process)).summary["run"])
        for words in (("pause", run), ("stop", run), ("answer", run, "1")):
            told = await it.rawr(*words)
            assert told.code == 1
            assert f"Run {run} is not under way here (paused: A person paused it). `rawr resume {run}`" in said(told)
        assert said(await it.rawr("pause", "r99")) == "rawr: No run matches r99. `rawr status` lists them."
        again = await ended(await it.start("override", run, "Do this instead.", "--json", *it.codex_flags()))
        assert (again.code, again.summary["done"], again.summary["run"]) == (0, "self_reported", run), again.err
        over = await it.rawr("stop", run)
        assert (over.code, "is not under way here (done: The agent says the job is done" in said(over)) == (1, True)
        assert "rawr resume" not in said(over)


async def test_words_to_a_run_that_is_under_way(tmp_path: Path) -> None:
    """C13: every word is answered."""
    async with desk(HANGS + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        run = str((await standing(it))["id"])
        resumed = await it.rawr("resume", run)
        told = f"rawr: Run {run} is under way: turn 1 of 200, and another rawr is running it."
        assert (resumed.code, said(resumed)) == (1, told)
        paused = await it.rawr("pause", run)
        assert (paused.code, said(paused)) == (0, f"Run {run}: it pauses when its turn is over.")
        it.codex.model.release()
        assert (await ended(process)).code in (0, 2)


async def test_a_run_that_was_cut_off_says_so(tmp_path: Path) -> None:
    """C13: after a kill nothing is under way, and what was asked is asked by nobody."""
    async with asking_desk(wants("touch ../proof.txt") + DONE, tmp_path) as it:
        process = await it.run("Build it.", *ASKS)
        request = str((await waits(it))["id"])
        process.kill()
        await process.wait()
        run = str((await standing(it))["id"])
        listed = await it.rawr("approvals")
        assert "is not running, so it cannot be answered now" in listed.out
        assert f"`rawr resume {run}` continues the run, and the agent may ask again" in listed.out
        assert [one["type"] for one in (await it.rawr("approvals", "--json")).lines] == ["cut_off"]
        for words in (("approve", request), ("deny", request), ("answer", run, "1"), ("stop", run)):
            told = await it.rawr(*words)
            assert (told.code, f"Run {run} is not under way here (cut off: " in said(told)) == (1, True), told.err
        it.workspace.rename(tmp_path / "moved")
        it.workspace = tmp_path
        again = await it.rawr("resume", run, *it.codex_flags())
        assert (again.code, f"The folder of run {run} is gone" in said(again)) == (1, True), again.err


async def test_two_resume_at_once(tmp_path: Path) -> None:
    """C13: one goes on with it, the other says who does."""
    async with desk(HANGS + ALWAYS_HANGS, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        process.send_signal(signal.SIGTERM)
        run = str((await ended(process)).summary["run"])
        both = [await it.start("resume", run, "--json", *it.codex_flags()) for _ in range(2)]
        done, _ = await asyncio.wait(
            [asyncio.create_task(one.wait()) for one in both], return_when=asyncio.FIRST_COMPLETED
        )
        [second] = [one for one in both if one.returncode is not None]
        [first] = [one for one in both if one is not second]
        told = await ended(second)
        assert len(done) == 1
        if told.out:
            # The first was far enough to be told.
            assert (told.lines[0]["run"], told.lines[0]["status"]) == (run, "running")
        else:
            assert re.search(rf"another rawr( \(process {first.pid}\))? is running it", told.err), told.err
            assert told.code == 1
        first.kill()
        await first.wait()


# -- questions ------------------------------------------------------------------------------------------------------


async def test_a_question_is_not_approved_and_an_approval_not_answered(tmp_path: Path) -> None:
    """C10, C11: the right word is named."""
    async with asking_desk(COLOUR + wants("touch ../proof.txt") + DONE, tmp_path) as it:
        process = await it.run("Build it.", *ASKS)
        asked = await waits(it)
        told = await it.rawr("approve", str(asked["id"]))
        assert told.code == 1
        assert f"rawr: {asked['id']} is not an approval but a question: Which colour?" in said(told)
        assert f'`rawr answer {asked["run"]} "…"` answers it.' in said(told)
        assert (await it.rawr("answer", str(asked["run"]), "2")).code == 0
        async with asyncio.timeout(DEADLINE):
            while (wanted := await waits(it))["asked"] != "CommandApproval":
                pass
        told = await it.rawr("answer", str(wanted["run"]), "y")
        assert told.code == 1
        assert f"`rawr approve {wanted['id']}` or `rawr deny {wanted['id']}` answers it." in said(told)
        assert (await it.rawr("deny", str(wanted["id"]))).code == 0
        assert (await ended(process)).code == 0
        assert not (tmp_path / "proof.txt").exists()


async def test_the_question_that_paused_a_run_is_still_shown(tmp_path: Path) -> None:
    """C11: what it was, and what goes on with it."""
    # The agent may get to say a word before its turn is interrupted.
    async with asking_desk(wants("touch ../proof.txt") + DONE + DONE, tmp_path, seconds=1) as it:
        ran = await ended(await it.run("Build it.", *ASKS))
        run = str(ran.summary["run"])
        assert ran.code == 2
        listed = await it.rawr("approvals")
        assert f"{run} paused because nobody answered in time: approval of: " in said(listed)
        assert "touch ../proof.txt" in listed.out
        assert f"`rawr resume {run}` continues, and the agent may ask again" in listed.out
        assert [one["type"] for one in (await it.rawr("approvals", "--json")).lines] == ["unanswered"]
        assert (await it.resume(run)).code == 0
        assert (await it.rawr("approvals")).out == "Nothing is waiting for you.\n"


async def test_what_is_declined_does_not_look_done(tmp_path: Path) -> None:
    """C10: on the screen, too."""
    # The reason is steered in, and Codex may turn down on its own what it asks about at that moment: so it comes last.
    async with asking_desk(wants("ls") + wants("touch ../proof.txt") + DONE + DONE, tmp_path) as it:
        words = ("--sandbox", "read-only", "--unsafe", "decline", "--plain", *it.codex_flags())
        ran = await it.rawr("run", "Build it.", *words)
        assert ran.code == 0, ran.err
        assert "declined $ touch ../proof.txt" in ran.out
        assert "exit code None" not in ran.out
        assert "rawr     approved by rule: /bin/bash -lc ls" in ran.out


# -- tasks ----------------------------------------------------------------------------------------------------------


async def test_flags_hold_for_tasks_that_do_not_say_otherwise(tmp_path: Path) -> None:
    """C7, C12: a check on the command line is run; each end says whose it is."""
    says = '- { when: { user: "^WHO" }, say: "Nothing is left to do: WHO.", times: always }\n'
    async with desk(says.replace("WHO", "first") + says.replace("WHO", "second"), tmp_path) as it:
        tasks = tmp_path / "tasks.yaml"
        tasks.write_text("- prompt: first job\n- { prompt: second job, done: 'true' }\n")
        words = ("--tasks", str(tasks), "-C", ".", "--done", "false", "--max-turns", "1", *FREE, "--plain")
        ran = await it.rawr("run", *words, *it.codex_flags())
        assert ran.code == 3, ran.err
        shown, first, second = ran.out.split("\nTask ")
        lines = [line for line in shown.splitlines() if re.match(r"(you|codex|auto) ", line)]
        assert all(re.match(r"\w+ +\[(\w{4}\]|r\d+ )", line) for line in lines), shown
        assert re.match(rf"1 of 2: r\d+ first job, in {it.workspace}\nNot done: stopped\. run\.stopped\.turns", first)
        assert re.match(rf"2 of 2: r\d+ second job, in {it.workspace}\nDone, and the check passed\.", second)

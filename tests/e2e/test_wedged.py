"""Told to end while something hangs: rawr ends all the same, nothing is left running, and the run can be resumed."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from rawr.journal.reader import JournalReader
from tests.e2e.beside import MORNING, person, served, watch_command, watch_env
from tests.e2e.go_between import Deed, go_between
from tests.e2e.test_run_program import DEADLINE, DONE, FREE, HANGS, Desk, Ran, appears, desk, ended, working
from tests.soaking import soak

HUNG = 30
"""Seconds after which a rawr that was told to end is taken for one that never will."""
GOES_ON = '- { say: "Nothing is left to do: all is well.", times: always }\n'
STATES: dict[str, tuple[str, str, Deed, signal.Signals]] = {
    "never answers": (GOES_ON, ">turn/start", "deaf", signal.SIGHUP),
    "frozen in a turn": (GOES_ON, "<turn/started", "freeze", signal.SIGHUP),
    "stubborn in a turn": (GOES_ON, "<turn/started", "stubborn", signal.SIGTERM),
}


def of_group(pid: int) -> list[int]:
    """The processes of a process's descendants, by who started whom."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if stat[0] != "Z":
                parents.setdefault(int(stat[1]), []).append(int(entry.name))
    found, left = [], [pid]
    while left:
        children = parents.get(left.pop(), [])
        found += children
        left += children
    return found


def alive(pids: list[int]) -> list[int]:
    def lives(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    return [pid for pid in pids if lives(pid)]


async def told_to_end(process: asyncio.subprocess.Process, *numbers: signal.Signals) -> Ran:
    """Everything that it had started is gone with it."""
    started = of_group(process.pid)
    assert started
    for number in numbers:
        process.send_signal(number)
    async with asyncio.timeout(HUNG):
        ran = await ended(process)
    assert alive(started) == []
    return ran


def flags(it: Desk, program: Path) -> tuple[str, ...]:
    return ("--codex-bin", str(program), "--codex-home", str(it.codex.home.path))


async def goes_on(it: Desk, ran: Ran) -> None:
    """The journal was closed properly, and the run can be gone on with."""
    with JournalReader.open(it.home) as reader:
        assert reader.unfinished_effects() is not None
    again = await it.resume(str(ran.summary["run"]))
    assert (again.code, again.summary["done"]) == (0, "self_reported"), (again.err, again.out[-2_000:])


@pytest.mark.parametrize("name", ["never answers", soak("stubborn in a turn"), soak("frozen in a turn")])
async def test_a_run_on_a_codex_that_hangs(tmp_path: Path, name: str) -> None:
    """C5, C13: exit code 2, a summary, and nothing left running."""
    script, moment, deed, number = STATES[name]
    async with desk(script, tmp_path) as it:
        program = go_between(it.codex, tmp_path, moment, deed=deed)
        process = await it.start("run", "Build it.", *FREE, "--json", *flags(it, program))
        await asyncio.to_thread(appears, tmp_path / "the-deed-is-done")
        ran = await told_to_end(process, number)
        assert (ran.code, ran.summary["status"]) == (2, "paused"), (ran.err, ran.out[-2_000:])
        assert ran.summary["stop"]["reason"] == "run.paused.leaving"  # type: ignore[index]
        await goes_on(it, ran)


@pytest.mark.soak
async def test_told_again_and_again(tmp_path: Path) -> None:
    """A closed window is told of more than once, and a service manager is not patient."""
    async with desk(GOES_ON, tmp_path) as it:
        program = go_between(it.codex, tmp_path, "<turn/started", deed="stubborn")
        process = await it.start("run", "Build it.", *FREE, "--json", *flags(it, program))
        await asyncio.to_thread(appears, tmp_path / "the-deed-is-done")
        ran = await told_to_end(process, signal.SIGHUP, signal.SIGTERM, signal.SIGHUP, signal.SIGTERM)
        assert (ran.code, ran.summary["status"]) == (2, "paused"), ran.err
        await goes_on(it, ran)


async def test_ctrl_c_three_times_leaves_at_once(tmp_path: Path) -> None:
    """C5: exit code 130, with Codex gone and a run that can be resumed."""
    async with desk(GOES_ON, tmp_path) as it:
        program = go_between(it.codex, tmp_path, "<turn/started", deed="stubborn")
        process = await it.start("run", "Build it.", *FREE, "--json", *flags(it, program))
        await asyncio.to_thread(appears, tmp_path / "the-deed-is-done")
        started = of_group(process.pid)
        assert process.stderr is not None
        for said in (b"again to stop", b"again to exit", b""):
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(DEADLINE):
                while said and said not in (line := await process.stderr.readline()):
                    assert line
        async with asyncio.timeout(HUNG):
            ran = await ended(process)
        assert (ran.code, alive(started)) == (130, [])
        run = next(line for line in (await it.rawr("status", "--json")).lines if line.get("run"))["run"]
        assert isinstance(run, dict)
        again = await it.resume(str(run["id"]))
        assert (again.code, again.summary["done"]) == (0, "self_reported"), again.err


async def _in_a_check(it: Desk) -> None:
    await asyncio.to_thread(appears, it.workspace.parent / "checking")


async def _in_a_wait(it: Desk) -> None:
    await working(it)
    async with asyncio.timeout(DEADLINE):
        while "run.retried.passing" not in (await it.rawr("log", "--json")).out:
            pass  # each look is a program of its own, and takes its time


STUBBORN_CHECK = "trap '' TERM HUP; touch ../checking; if [ -e ../go ]; then exit 0; fi; while true; do sleep 1; done"
ELSEWHERE: dict[str, tuple[str, tuple[str, ...], Callable[[Desk], Awaitable[None]], signal.Signals]] = {
    "a check that does not end": (DONE * 3, ("--done", STUBBORN_CHECK), _in_a_check, signal.SIGHUP),
    "a wait for better times": ("- { fault: { http: 503 } }\n" + GOES_ON, (), _in_a_wait, signal.SIGTERM),
}


@pytest.mark.parametrize("name", ["a wait for better times", soak("a check that does not end")])
async def test_a_run_that_waits_for_something_else(tmp_path: Path, name: str) -> None:
    """C5, C13."""
    script, words, reached, number = ELSEWHERE[name]
    async with desk(script, tmp_path) as it:
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[rawr_full_auto]\nretry_seconds = 600\nretry_most_seconds = 600\n")
        process = await it.run("Build it.", *words, *FREE)
        await reached(it)
        ran = await told_to_end(process, number)
        assert (ran.code, ran.summary["status"]) == (2, "paused"), ran.err
        (it.workspace.parent / "go").touch()
        again = await it.resume(str(ran.summary["run"]))
        assert again.code == 0, (again.err, again.out[-2_000:])


@pytest.mark.parametrize("number", ["SIGHUP", soak("SIGINT")])
async def test_a_start_that_hangs(tmp_path: Path, number: str) -> None:
    """Nothing was ordered yet, so there is nothing to pause: exit code 130."""
    async with desk(GOES_ON, tmp_path) as it:
        program = go_between(it.codex, tmp_path, ">initialize", deed="stubborn")
        process = await it.start("run", "Build it.", *FREE, "--json", *flags(it, program))
        await asyncio.to_thread(appears, tmp_path / "the-deed-is-done")
        ran = await told_to_end(process, signal.Signals[number])
        assert ran.code == 130, ran.err


@pytest.mark.parametrize("number", [soak("SIGTERM"), soak("SIGINT")])
async def test_the_demo_on_a_codex_that_hangs(tmp_path: Path, number: str) -> None:
    async with desk(HANGS, tmp_path) as it:
        program = go_between(it.codex, tmp_path, "<turn/started", deed="stubborn")
        process = await it.start("demo", "--json", "--codex-bin", str(program))
        await asyncio.to_thread(appears, tmp_path / "the-deed-is-done")
        ran = await told_to_end(process, signal.Signals[number])
        assert (ran.code, "what happened so far is in" in ran.err) == (130, True)


@pytest.mark.parametrize("words", ["stop", soak("pause --now")])
async def test_a_turn_that_ignores_an_interrupt(tmp_path: Path, words: str) -> None:
    """C5, C13: asked twice, then Codex is started anew and the run rests, by itself and with a reason of its own."""
    async with desk(GOES_ON, tmp_path) as it:
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[limits]\ninterrupt = 1\n")
        program = go_between(it.codex, tmp_path, "<turn/started", deed="freeze")
        process = await it.start("run", "Build it.", *FREE, "--json", *flags(it, program))
        await asyncio.to_thread(appears, tmp_path / "the-deed-is-done")
        started = of_group(process.pid)
        status = await it.rawr("status", "--json")
        run = next(line["run"] for line in status.lines if line.get("run"))
        assert isinstance(run, dict)
        word, *flags_of_word = words.split()
        told = await it.rawr(word, str(run["id"]), *flags_of_word)
        assert told.code == 0, told.err
        ran = await ended(process)
        assert (ran.code, ran.summary["stop"]["reason"]) == (2, "run.paused.wedged"), ran.err  # type: ignore[index]
        assert alive(started) == []
        asked = [line for line in ran.lines if "InterruptTurn" in str(line.get("effects"))]
        assert len(asked) == 2
        await goes_on(it, ran)


@pytest.mark.parametrize("number", ["SIGTERM", soak("SIGHUP"), soak("SIGINT")])
async def test_watching_a_codex_that_does_not_read(tmp_path: Path, number: str) -> None:
    """D1: the user's own Codex is stopped in its tracks. rawr ends, and leaves it alone."""
    async with served(MORNING, tmp_path) as (codex, server):
        process = await asyncio.create_subprocess_exec(
            *watch_command("--json", server=server),
            env=watch_env(codex, tmp_path / "rawr"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        async with asyncio.timeout(DEADLINE):
            while line := await process.stdout.readline():
                if b"ServerConnected" in line:
                    break
        server.signal(signal.SIGSTOP)
        try:
            process.send_signal(signal.Signals[number])
            async with asyncio.timeout(HUNG):
                ran = await ended(process)
        finally:
            server.signal(signal.SIGCONT)
        assert ran.code == 130, ran.err
        async with person(server, codex.home.workspace) as user:
            assert user.thread


def test_a_look_that_never_comes_back_holds_up_no_end(tmp_path: Path) -> None:
    """A thread that hangs in the system, as on a disk that is gone, is not waited for at the end."""
    program = (
        "import sys, threading\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from rawr.cli.terminal.ending import leave\n"
        "pool = ThreadPoolExecutor(1, thread_name_prefix='rawr-observe')\n"
        "pool.submit(threading.Event().wait)\n"
        "pool.shutdown(wait=False)\n"
        "print('said')\n"
        "leave(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=HUNG, check=False)
    assert (done.returncode, done.stdout) == (3, "said\n"), done.stderr

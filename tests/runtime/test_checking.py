"""Running the user's check (C7): bounded in time and output, and gone afterwards, whatever it started."""

import asyncio
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts
from rawr.core.vocabulary.effects import Intended, RunCheck
from rawr.journal.redact import Redactor
from rawr.runtime import checking
from rawr.runtime.checking import MAX_OUTPUT, Checked, run_check
from rawr.runtime.executor import Executor
from rawr.runtime.timers import Timers
from rawr.testing.clock import VirtualClock
from tests.runtime.codex import PatientCodex
from tests.runtime.rig import Screen


async def check(command: str, cwd: Path, *, seconds: int = 20) -> Checked:
    return await run_check(Real(RunCheck(command=command, cwd=str(cwd), seconds=seconds)))


async def test_it_runs_under_the_variables_that_are_given(tmp_path: Path) -> None:
    """All of them and no other: also a PATH on which bash is found."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "bash").symlink_to(str(shutil.which("bash")))
    wanted = Real(RunCheck(command='echo "$COLOUR/${HOME-none}/$PATH"', cwd=str(tmp_path), seconds=20))
    checked = await run_check(wanted, env={"COLOUR": "red", "PATH": f"{tmp_path}/own"})
    assert checked.output == f"red/none/{tmp_path}/own\n"


def alive(pid: int) -> bool:
    """Whether a process still runs; one that is dead and not yet fetched does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def written(file: Path) -> str:
    return file.read_text().strip() if file.exists() else ""


async def until(holds: Callable[[], bool], *, deadline: float = 5) -> bool:
    for _ in range(int(deadline / 0.02)):
        if holds():
            return True
        await asyncio.sleep(0.02)
    return False


async def gone(pid_file: Path) -> bool:
    return await until(lambda: not alive(int(written(pid_file))))


@pytest.mark.parametrize("code", [0, 1, 77])
async def test_the_exit_code_is_the_answer(tmp_path: Path, code: int) -> None:
    """C7."""
    checked = await check(f"echo out; echo err >&2; exit {code}", tmp_path)
    assert (checked.exit_code, checked.output, checked.timed_out) == (code, "out\nerr\n", False)


async def test_it_runs_in_the_workspace_with_bash(tmp_path: Path) -> None:
    """C7."""
    checked = await check('[[ $PWD == */work ]] && echo "$BASH_VERSION"', _folder(tmp_path, "work"))
    assert checked.exit_code == 0
    assert checked.output.strip()


def _folder(path: Path, name: str) -> Path:
    folder = path / name
    folder.mkdir()
    return folder


async def test_it_has_no_terminal_and_no_input(tmp_path: Path) -> None:
    """C7: a check that asks gets no answer instead of waiting for one."""
    checked = await check("read -r line || echo nobody", tmp_path)
    assert checked.output == "nobody\n"


async def test_a_check_that_does_not_end_is_ended(tmp_path: Path) -> None:
    """C7: that is not passing, and what it said so far is told."""
    begun = time.monotonic()
    checked = await check("echo begun; sleep 60", tmp_path, seconds=1)
    assert (checked.exit_code, checked.timed_out, checked.output) == (None, True, "begun\n")
    assert checked.duration_ms >= 1_000
    assert time.monotonic() - begun < 10


async def test_a_check_that_will_not_be_ended_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C7."""
    monkeypatch.setattr(checking, "GRACE", 0.2)
    checked = await check("trap '' TERM; echo $$ > pid; while true; do sleep 0.05; done", tmp_path, seconds=1)
    assert checked.timed_out
    assert await gone(tmp_path / "pid")


async def test_what_it_started_is_gone_too(tmp_path: Path) -> None:
    """C7: the whole group, also after a check that passed."""
    checked = await check("sleep 60 & echo $! > pid; exit 0", tmp_path)
    assert checked.exit_code == 0
    assert await gone(tmp_path / "pid")


async def test_what_it_leaves_in_the_background_does_not_hold_it_up(tmp_path: Path) -> None:
    """C7: a server that keeps the output open is no reason to wait for the time-out."""
    begun = time.monotonic()
    checked = await check("sleep 60 & echo done", tmp_path, seconds=30)
    assert (checked.exit_code, checked.output, checked.timed_out) == (0, "done\n", False)
    assert time.monotonic() - begun < 10


async def test_one_that_left_the_group_does_not_hold_it_up_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C7: it cannot be found, and need not be waited for."""
    monkeypatch.setattr(checking, "GRACE", 0.2)
    leaves = f"{sys.executable} -c 'import os, time; os.setsid(); time.sleep(3)'"
    checked = await check(f"{leaves} & echo $! > pid; echo done", tmp_path)
    assert (checked.exit_code, checked.output) == (0, "done\n")


async def test_of_the_output_the_end_is_kept(tmp_path: Path) -> None:
    """C7: whatever it prints, no more than that is held."""
    checked = await check("yes line | head -c 3000000; echo the end", tmp_path)
    assert len(checked.output.encode()) <= MAX_OUTPUT
    assert checked.output.endswith("the end\n")


async def test_output_that_is_no_text_is_told_as_far_as_it_can_be(tmp_path: Path) -> None:
    """C7."""
    checked = await check(r"printf 'a\xff\xfeb'", tmp_path)
    assert checked.output == "a\ufffd\ufffdb"


async def test_somebody_who_does_not_wait_any_more_leaves_nothing_behind(tmp_path: Path) -> None:
    """C7: rawr ends, and the check with it."""
    task = asyncio.create_task(check("echo $$ > pid; sleep 60", tmp_path))
    assert await until(lambda: bool(written(tmp_path / "pid")))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await gone(tmp_path / "pid")


@pytest.mark.parametrize("command", ["echo \0", "echo \udcff\0"])
async def test_a_command_that_no_shell_takes_has_not_passed(tmp_path: Path, command: str) -> None:
    """C7: and does not leave the run waiting."""
    checked = await check(command, tmp_path)
    assert checked.exit_code is None
    assert checked.output.startswith("rawr could not run it: ")


async def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    """C7."""
    checked = await check("true", tmp_path / "nowhere")
    assert (checked.exit_code, checked.timed_out) == (None, False)
    assert "nowhere" in checked.output


async def test_without_bash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C7."""
    monkeypatch.setenv("PATH", str(tmp_path))
    checked = await check("true", tmp_path)
    assert checked.exit_code is None
    assert "rawr could not run it" in checked.output


async def test_the_executor_tells_what_came_of_it(tmp_path: Path) -> None:
    """C7: as a fact, and then that the effect is over."""
    told: asyncio.Queue[facts.AnyFact] = asyncio.Queue()

    def tell(thread: str, fact: facts.AnyFact) -> None:
        assert thread == "t"
        told.put_nowait(fact)

    timers = Timers(VirtualClock(), tell)
    executor = Executor(PatientCodex(), timers, surface=Screen(), tell=tell, redactor=Redactor())
    wanted = effects.RunCheck(command="echo hi; exit 3", cwd=str(tmp_path), seconds=20)
    executor.start(Intended("t:9.0", "t", wanted))
    async with asyncio.timeout(20):
        checked, over = await told.get(), await told.get()
    await executor.close()
    assert isinstance(checked, facts.DoneChecked)
    assert (checked.effect, checked.exit_code, checked.output) == ("t:9.0", 3, "hi\n")
    assert over == facts.EffectSucceeded(effect="t:9.0")

"""What a shell offers after Tab (C18): commands, options, runs and threads; and never an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from rawr.cli import completing
from rawr.cli.main import app
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from tests.cli.in_process import Rawr, rawr
from tests.cli.program import Ended, script
from tests.core.runs import RULES
from tests.e2e.terminal import terminal
from tests.views.labelled_journal import Told
from tests.views.reported_journal import a_night

__all__ = ["rawr"]

OPENED = facts.ThreadOpened(cwd="/p", ours=True)
GOAL = 'Say "hi"; $(touch x) `touch y`'


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """A folder for PATH, with ``rawr`` as it is installed."""
    place = tmp_path / "bin"
    place.mkdir()
    script(place / "rawr", f'exec {sys.executable} -m rawr "$@"')
    return place


@pytest.fixture
def two_runs(own_home: Path, tmp_path: Path) -> tuple[str, str]:
    """One that is done, and a newer one that is not; and a thread without one."""
    done = a_night(own_home / "rawr", tmp_path, [])
    with Told(own_home / "rawr", RULES) as told:
        told.at += 1_000_000
        told.tell("bare-1", OPENED).tell("new-2", OPENED, facts.RunSubmitted(order=Order(goal=GOAL)))
        run = told.kernel.threads["new-2"].run
    assert run is not None
    return done, run.id


def offered(monkeypatch: pytest.MonkeyPatch, rawr: Rawr, *words: str) -> list[str]:
    """What bash would be given after these words."""
    monkeypatch.setenv(completing.VARIABLE, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "\n".join(["rawr", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    ended = rawr()
    assert (ended.code, ended.err) == (0, "")
    return ended.out.split()


def test_the_runs_that_a_command_can_be_about(
    monkeypatch: pytest.MonkeyPatch, rawr: Rawr, two_runs: tuple[str, str]
) -> None:
    """C18: newest first."""
    done, new = two_runs
    expected = {
        "resume": [new],
        "pause": [new],
        "stop": [new],
        "override": [new, done],
        "report": [new, "bare-1", done],
        "status": [new, "bare-1", done],
        "log": [new, "bare-1", done],
    }
    found = {command: offered(monkeypatch, rawr, command, "") for command in expected}
    assert found == expected
    assert offered(monkeypatch, rawr, "status", "ba") == ["bare-1"]
    assert offered(monkeypatch, rawr, "stat") == ["status"]
    assert offered(monkeypatch, rawr, "log", "--fol") == ["--follow"]


@pytest.mark.parametrize("content", [None, b"not a journal"])
def test_it_is_silent_whatever_happens(
    monkeypatch: pytest.MonkeyPatch,
    rawr: Rawr,
    own_home: Path,
    content: bytes | None,
) -> None:
    """C18: the person is in the middle of a line."""
    if content is not None:
        (own_home / "rawr").mkdir(mode=0o700)
        (own_home / "rawr" / "journal.db").write_bytes(content)
    assert offered(monkeypatch, rawr, "resume", "") == []
    monkeypatch.setenv(completing.VARIABLE, "nonsense")
    assert rawr() == Ended(0, "", "")


def test_a_goal_is_no_shell(two_runs: tuple[str, str]) -> None:
    """C18: zsh evaluates what it is offered."""
    assert completing._plain(GOAL) == "Say hi touch x touch y"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(rawr: Rawr, shell: str) -> None:
    out = rawr("completion", shell).out
    assert f"{completing.VARIABLE}=complete_{shell}" in out


def test_another_shell_is_bad_usage(rawr: Rawr) -> None:
    ended = rawr("completion", "tcsh")
    assert (ended.code, "'tcsh' is not one of 'bash', 'zsh', 'fish'" in ended.err) == (64, True)


def test_help_does_not_read_the_journal() -> None:
    """C18: completion costs nothing until Tab is pressed."""
    heavy = (
        "sorted(one for one in sys.modules if one.startswith(('rawr.core', 'rawr.journal', 'rawr.views', 'sqlite')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, rawr.cli.main; print({heavy})"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


async def test_tab_in_a_real_bash(two_runs: tuple[str, str], bin_folder: Path, tmp_path: Path) -> None:
    """C18: a person presses Tab."""
    env = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "PS1": "$ "}
    async with terminal(["bash", "--norc", "-i"], env=env, cwd=tmp_path) as screen:
        screen.type('eval "$(rawr completion bash)"; echo read""y\r')
        await screen.until(lambda text: "\nready" in text)
        screen.type("rawr resume \t")
        await screen.until(lambda text: f"rawr resume {two_runs[1]}" in text)


def test_no_help_loses_a_word_in_a_completion() -> None:
    """zsh and fish show the help of an option; what looks like markup in it would be taken out."""
    groups = [get_command(app)]
    for group in groups:
        commands = getattr(group, "commands", {}).values()
        groups += commands
        for one in (param for command in commands for param in command.params):
            assert "[" not in (getattr(one, "help", "") or ""), one

"""RAWR_HOME that other users can get at: refused, or asked about at a terminal; never changed in silence."""

import os
import pty
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import rawr

COMMANDS = [("run", "Build it."), ("watch",), ("demo",), ("prompts", "list"), ("run", "--resume", "r1")]


def wide(tmp_path: Path) -> Path:
    """What ``mkdir`` makes for most people."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    return home


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_where_nobody_can_be_asked_it_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    home = wide(tmp_path)
    ended = rawr(*words, env={"RAWR_HOME": str(home)})
    assert ended.code == 74
    assert f"Other users can access {home}" in ended.err
    assert f"chmod go= {home}" in ended.err
    assert (mode(home), list(home.iterdir())) == (0o755, [])


def test_looking_at_it_changes_nothing(tmp_path: Path) -> None:
    home = wide(tmp_path)
    env = {"RAWR_HOME": str(home)}
    assert rawr("status", env=env).code == 0
    found = {line.get("name"): line for line in rawr("doctor", "--json", env=env).lines}
    assert (found["home"]["status"], found["home"]["way_out"]) == ("fail", f"Remove their access: chmod go= {home}")
    assert (mode(home), list(home.iterdir())) == (0o755, [])


def at_a_terminal(home: Path, answer: str) -> tuple[int, str]:
    """``rawr prompts list`` with a person at the keyboard."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rawr", "prompts", "list"],
        env={**os.environ, "RAWR_HOME": str(home)},
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        seen = b""
        while b"[y/N]" not in seen:
            seen += os.read(ours, 1024)
        os.write(ours, f"{answer}\n".encode())
        try:
            while chunk := os.read(ours, 1024):
                seen += chunk
        except OSError:
            pass  # the other end of a terminal that is closed
        code = process.wait(60)
    os.close(ours)
    return code, seen.decode()


@pytest.mark.parametrize(("answer", "code", "then"), [("y", 0, 0o700), ("n", 74, 0o755), ("", 74, 0o755)])
def test_at_a_terminal_it_is_asked_about(tmp_path: Path, answer: str, code: int, then: int) -> None:
    home = wide(tmp_path)
    ended, seen = at_a_terminal(home, answer)
    assert (ended, mode(home)) == (code, then), seen
    assert f"Other users can access {home}" in seen
    assert "Remove their access now? [y/N]" in seen


def test_a_home_that_rawr_makes_is_nobody_elses(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    assert rawr("prompts", "list", env={"RAWR_HOME": str(home)}).code == 0
    assert mode(home) == 0o700

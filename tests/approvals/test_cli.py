"""C10: ``rawr approvals check``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import rawr


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "src").mkdir(parents=True)
    return folder


def test_safe(workspace: Path) -> None:
    ended = rawr("approvals", "check", "ls && cat src/x", "--cwd", str(workspace))
    assert (ended.code, ended.out, ended.err) == (0, "safe\n  `ls` only reads.\n  `cat` only reads.\n", "")


def test_not_safe_as_json(workspace: Path) -> None:
    ended = rawr("approvals", "check", "rm x; curl y", "--cwd", str(workspace), "--json")
    assert ended.code == 1
    assert ended.lines == [
        {"safe": False, "reasons": ["`rm` changes or removes files.", "`curl` reaches the network."]},
    ]


def test_folder_and_workspace(workspace: Path) -> None:
    place = ("--cwd", str(workspace / "src"))
    assert rawr("approvals", "check", "ls ..", *place).code == 1
    assert rawr("approvals", "check", "ls ..", *place, "--workspace", str(workspace)).code == 0


def test_stdin_is_answered_line_by_line(workspace: Path) -> None:
    words = ["approvals", "check", "--stdin", "--cwd", str(workspace)]
    given = "ls\nrm x\n\ncat 'ä'\n".encode() + b"ls \xff\n"

    def ask(*more: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-m", "rawr", *words, *more], input=given, capture_output=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().splitlines()

    assert [json.loads(line)["safe"] for line in ask("--json")] == [True, False, False, True, False]
    assert ask()[:2] == ["safe: `ls` only reads.", "not safe: `rm` changes or removes files."]


def test_credentials_and_protected_paths(workspace: Path) -> None:
    place = ("--cwd", str(workspace))
    assert rawr("approvals", "check", "cat .env", *place).code == 1
    assert rawr("approvals", "check", "cat .env", "--not-secret", ".env", *place).code == 0
    assert rawr("approvals", "check", "mkdir src/x", "--protect", "src", *place).code == 1


def test_rules(workspace: Path) -> None:
    place = ("--cwd", str(workspace))
    assert rawr("approvals", "check", "npm test", "--allow", "npm test", *place).code == 0
    assert rawr("approvals", "check", "ls", "--deny", "ls", *place).code == 1
    ended = rawr("approvals", "check", "ls", "--allow", "a | b", *place)
    assert (ended.code, ended.out) == (78, "")
    assert "The allow rule 'a | b' contains '|'" in ended.err


@pytest.mark.parametrize("words", [(), ("ls", "--stdin"), ("ls", "extra")])
def test_wrong_words(words: tuple[str, ...]) -> None:
    ended = rawr("approvals", "check", *words)
    assert (ended.code, ended.out) == (64, "")


def test_help() -> None:
    assert "check" in rawr("approvals", "--help").out
    assert "--stdin" in rawr("approvals", "check", "--help").out

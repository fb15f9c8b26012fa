"""C10: what ``git add`` would take along."""

from pathlib import Path

import pytest

from tests.approvals.git.test_allowed import Work


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


EVERYTHING = ("git add -A", "git add .", "git add --all", "git add sub", "git add sub/", "git add '*'")


def test_a_file_with_credentials_that_nothing_ignores(work: Work) -> None:
    (work.root / "sub").mkdir()
    for line in EVERYTHING:
        assert work.judge(line).safe or line == "git add '*'", line
    (work.root / "sub" / ".env").write_text("X=1\n")
    for line in EVERYTHING:
        judged = work.judge(line)
        assert "`sub/.env` may hold credentials, and is not ignored." in judged.reasons, line
    assert work.judge("git add a.txt").safe
    assert work.judge("git add -u").safe


@pytest.mark.parametrize("line", [".env", "*.env", ".env*", "sub/", "sub", "**/.env"])
def test_one_that_is_ignored(work: Work, line: str) -> None:
    (work.root / "sub").mkdir()
    (work.root / "sub" / ".env").write_text("X=1\n")
    (work.root / ".gitignore").write_text(f"{line}\n")
    assert work.judge("git add -A").safe
    (work.root / ".gitignore").write_text(f"{line}\n!.env\n!sub\n")
    assert not work.judge("git add -A").safe


def test_one_that_is_ignored_below_or_by_the_repository(work: Work) -> None:
    (work.root / "sub").mkdir()
    (work.root / "sub" / ".env").write_text("X=1\n")
    (work.root / "sub" / ".gitignore").write_text(".env\n")
    assert work.judge("git add -A").safe
    assert work.judge("git add sub").safe
    (work.root / "sub" / ".gitignore").unlink()
    (work.root / ".git" / "info").mkdir(exist_ok=True)
    (work.root / ".git" / "info" / "exclude").write_text(".env\n")
    assert work.judge("git add -A").safe


def test_one_that_is_tracked_is_the_users_decision(work: Work) -> None:
    (work.root / ".env").write_text("X=1\n")
    work.git("add", "-f", ".env")
    assert work.judge("git add -A").safe
    assert not work.judge("git add .env").safe

"""rawr runs no program of its own from where an agent works (D11)."""

import os
from pathlib import Path

import pytest

from rawr.programs import own_program, safe_path
from tests.cli.program import script

pytestmark = pytest.mark.mission("D11")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary folder is another one, so that a test's own folder is an ordinary place."""
    monkeypatch.setattr("rawr.programs.OPEN_TO_AGENTS", ())
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path


def found(*folders: Path, away_from: Path | None = None) -> str | None:
    return own_program("git", env={"PATH": ":".join(map(str, folders))}, away_from=away_from)


def git_in(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return script(folder / "git", "true")


def test_the_first_in_path_is_taken(elsewhere: Path) -> None:
    first, second = git_in(elsewhere / "first"), git_in(elsewhere / "second")
    assert found(first.parent, second.parent) == str(first)


@pytest.mark.parametrize("mark", [".venv/pyvenv.cfg", ".git/HEAD", "node_modules/x"])
def test_a_project_is_passed_over(elsewhere: Path, mark: str) -> None:
    """Its virtualenv, its packages, and any folder of a repository."""
    project = elsewhere / "project"
    (project / mark).parent.mkdir(parents=True)
    (project / mark).touch()
    inside = git_in(project / Path(mark).parts[0] / "bin" if not mark.startswith(".git") else project / "bin")
    system = git_in(elsewhere / "system")
    assert found(inside.parent, system.parent) == str(system)
    assert found(inside.parent) is None


def test_a_link_into_a_project_is_passed_over(elsewhere: Path) -> None:
    """Whether the program is a link, or the folder that it is found in."""
    workspace, bin_ = elsewhere / "workspace", elsewhere / "bin"
    git_in(workspace)
    bin_.mkdir()
    (bin_ / "git").symlink_to(workspace / "git")
    (elsewhere / "linked").symlink_to(workspace)
    assert found(bin_, elsewhere / "linked", away_from=workspace) is None
    assert found(bin_) == str(bin_ / "git")


def test_a_program_behind_a_link_in_the_workspace_is_passed_over(elsewhere: Path) -> None:
    """The agent may turn the link round at any moment."""
    workspace = elsewhere / "workspace"
    workspace.mkdir()
    (workspace / "tools").symlink_to(git_in(elsewhere / "system").parent)
    assert found(workspace / "tools", away_from=workspace) is None


def test_relative_folders_and_temporary_ones_are_passed_over(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git_in(elsewhere / "tmp")
    monkeypatch.chdir(elsewhere / "tmp")
    assert own_program("git", env={"PATH": f".::{elsewhere / 'tmp'}"}) is None
    assert own_program("git", env={"PATH": ""}) is None


def test_a_path_without_folders_that_an_agent_writes_to(elsewhere: Path) -> None:
    """Relative ones, those in the workspace or in a temporary folder, and links to them. Other projects stay: they are
    the person's."""
    workspace, own = elsewhere / "workspace", elsewhere / "own"
    for folder in (workspace / ".venv" / "bin", own, elsewhere / "tmp", elsewhere / "project" / ".git"):
        folder.mkdir(parents=True)
    (elsewhere / "link").symlink_to(workspace)
    named = [workspace / ".venv/bin", "", "bin", elsewhere / "tmp", elsewhere / "link", elsewhere / "project", own]
    env = {"PATH": ":".join(map(str, named))}
    assert safe_path(env, away_from=workspace) == f"{elsewhere / 'project'}:{own}"
    assert safe_path({"PATH": "bin"}, away_from=workspace) == os.defpath

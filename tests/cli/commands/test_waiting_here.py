"""D14, D23: what makes approvals wait is said before the first turn."""

import subprocess
from pathlib import Path

import pytest

from rawr.cli.commands.waiting_here import what_waits
from rawr.core.vocabulary.limits import Sandboxing

pytestmark = pytest.mark.mission("D23", "D14")

WRITES = Sandboxing("workspace-write")


def test_all_is_well(tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    assert what_waits(tmp_path, WRITES, {"PATH": "/opt/a:/opt/b"}) == []


def test_the_environment_of_the_project_comes_first(tmp_path: Path) -> None:
    (tmp_path / ".venv/bin").mkdir(parents=True)
    [text] = what_waits(tmp_path, WRITES, {"PATH": f"{tmp_path}/.venv/bin:/opt/a"})
    assert text.startswith(f"PATH begins with {tmp_path}/.venv/bin, where the agent can put programs.")
    assert "`deactivate`" in text
    assert what_waits(tmp_path, Sandboxing("read-only"), {"PATH": f"{tmp_path}/.venv/bin:/opt/a"}) == []
    # Behind everything else it shadows nothing.
    assert what_waits(tmp_path, WRITES, {"PATH": f"/opt/a:{tmp_path}/.venv/bin"}) == []


def test_a_folder_of_a_larger_repository(tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    (tmp_path / "part").mkdir()
    [text] = what_waits(tmp_path / "part", WRITES, {"PATH": "/opt/a"})
    assert f"a folder of the repository {tmp_path}: every approval for git waits for you" in text


def test_a_workspace_that_the_agent_can_replace() -> None:
    [text] = what_waits(Path("/tmp/deep/project"), WRITES, {"PATH": "/opt/a"})
    assert text.startswith("rawr can prove of no command that it is safe here. The agent can put another folder")


def test_without_a_sandbox_nothing_is_asked(tmp_path: Path) -> None:
    assert what_waits(tmp_path, Sandboxing("danger-full-access"), {"PATH": f"{tmp_path}:/opt/a"}) == []

"""``rawr doctor`` says whether an agent could write what rawr obeys (D11)."""

import os
from pathlib import Path

import pytest

from rawr.cli.commands.doctor.check import Check
from rawr.cli.commands.doctor.reach import reach_checks
from rawr.cli.places import Places
from tests.cli.program import rawr

pytestmark = pytest.mark.mission("D11")


@pytest.fixture(autouse=True)
def not_excused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is for tests in a checkout that is in reach itself."""
    monkeypatch.delenv("RAWR_CODE_IN_REACH", raising=False)


def found(home: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.setenv("RAWR_HOME", str(home))
    [check] = reach_checks(Places.find())
    return check


def test_a_home_in_the_project_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check = found(tmp_path / ".rawr", monkeypatch)
    assert (check.status, f"rawr's home {tmp_path / '.rawr'} lies in" in check.detail) == ("fail", True)
    assert "Set RAWR_HOME to a folder outside of it" in check.way_out


def test_a_home_in_a_temporary_folder_is_a_problem_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check = found(Path("/tmp/rawr-of-mine"), monkeypatch)
    assert (check.status, "work in another folder" in check.way_out) == ("fail", False)


def test_asked_from_the_users_own_folder_it_is_a_note(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few mean to work there, and every default home lies in it."""
    monkeypatch.chdir(own_home)
    assert found(own_home / ".codex-rawr", monkeypatch).status == "warn"


def test_elsewhere_all_is_well(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert found(own_home / ".codex-rawr", monkeypatch).status == "ok"


def test_rawrs_own_checkout_is_a_note_unless_it_is_meant(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[4])
    note = found(own_home / "rawr", monkeypatch)
    assert (note.status, "rawr's own code" in note.detail) == ("warn", True)
    monkeypatch.setenv("RAWR_CODE_IN_REACH", "1")
    assert found(own_home / "rawr", monkeypatch).status == "ok"


def test_a_codex_that_an_agent_may_have_left_is_not_started(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even to ask its version."""
    left = tmp_path / ".venv" / "bin" / "codex"
    left.parent.mkdir(parents=True)
    left.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho codex-cli 0.163.0\n")
    left.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    (own_home / "codex").mkdir()
    for command in (("doctor",), ("setup", "codex"), ("demo",)):
        ended = rawr(*command, env={"PATH": f"{left.parent}:{os.environ['PATH']}", "RAWR_HOME": str(own_home / "rawr")})
        assert ended.code != 0, command
        assert "where an agent may have left it" in ended.out + ended.err, command
    assert not (tmp_path / "ran").exists()


def test_settings_that_an_agent_may_have_written_ask_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "config.toml").write_text('[rawr_models]\norder = ["openai:x"]\n')
    ended = rawr("doctor", env={"RAWR_HOME": str(tmp_path / "home")}, fresh=True)
    assert ended.code == 1
    assert "not asked, and neither are models" in ended.out
    assert "openai" not in ended.out

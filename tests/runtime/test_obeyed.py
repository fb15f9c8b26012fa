"""Nothing that rawr obeys is an agent's to write (D11)."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.limits import InForce, Limits, Sandboxing
from rawr.runtime.obeyed import InReach, Obeyed, Place

pytestmark = pytest.mark.mission("D11")

WRITES = Sandboxing("workspace-write")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def problem(obeyed: Obeyed, workspace: Path, sandbox: Sandboxing = WRITES) -> str:
    found = obeyed.reached(sandbox, workspace)
    return found.message if found is not None else ""


def test_a_home_of_its_own_is_out_of_reach(home: Path, tmp_path: Path) -> None:
    assert problem(Obeyed(home), tmp_path / "work") == ""


@pytest.mark.parametrize(
    ("workspace", "word"), [("", "lies in"), ("home", "is the workspace"), ("home/work", "holds")], ids=str
)
def test_home_and_workspace_are_apart(home: Path, tmp_path: Path, workspace: str, word: str) -> None:
    (home / "work").mkdir()
    assert f"rawr's home {home} {word}" in problem(Obeyed(home), tmp_path / workspace)


def test_the_sandbox_decides(home: Path, tmp_path: Path) -> None:
    """Where nothing can be written, no home is in reach. Where everything can, none is out of it."""
    for mode in ("read-only", "danger-full-access"):
        assert problem(Obeyed(home), tmp_path, Sandboxing(mode)) == ""
    elsewhere = Sandboxing("workspace-write", roots=(str(tmp_path),))
    assert "a writable root of Codex's sandbox" in problem(Obeyed(home), Path("/w"), elsewhere)


@pytest.mark.parametrize("name", ["config.toml", "auto-compact", "auto-compact/heads-up.md", "tuned", "journal.db"])
def test_no_file_of_the_home_leads_into_the_workspace(home: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "work").mkdir()
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).symlink_to(tmp_path / "work" / "file")
    assert f"{home / name} leads into {tmp_path / 'work'}" in problem(Obeyed(home), tmp_path / "work")
    assert problem(Obeyed(home), tmp_path / "other") == ""


def test_its_own_code_counts_for_the_program_alone(home: Path) -> None:
    """A program that uses rawr as a library answers for its own code."""
    checkout = Path(__file__).parents[2]
    assert "rawr's own code" in problem(Obeyed(home, own_code=True), checkout)
    assert problem(Obeyed(home), checkout) == ""


def test_a_cache_of_compiled_code_is_code(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "work" / "cache"))
    found = Obeyed(home, own_code=True).reached(WRITES, tmp_path / "work")
    assert found is not None
    assert "PYTHONPYCACHEPREFIX" in found.way_out


def test_what_is_added_counts(home: Path, tmp_path: Path) -> None:
    obeyed = Obeyed(home)
    obeyed.add(Place("Codex", tmp_path / "work" / "codex", "Name another."))
    with pytest.raises(InReach, match=r"Codex .* lies in .* Name another"):
        obeyed.refuse(WRITES, tmp_path / "work")
    obeyed.refuse(WRITES, tmp_path / "other")


@pytest.mark.parametrize(
    "fact",
    [facts.ThreadJoined(cwd="/w"), facts.ThreadOpened(cwd="/w"), facts.SettingsUpdated(in_force=InForce())],
    ids=lambda fact: type(fact).__name__,
)
def test_facts_about_what_is_in_force_say_what_is_in_reach(
    home: Path, tmp_path: Path, fact: facts.ThreadJoined | facts.ThreadOpened | facts.SettingsUpdated
) -> None:
    obeyed = Obeyed(home)
    far = replace(fact, in_force=InForce(str(tmp_path / "work"), WRITES))
    near = obeyed.told(replace(fact, in_force=InForce(str(tmp_path), WRITES)))
    assert near.in_force is not None
    assert near.in_force.reaches.startswith(f"rawr's home {home} lies in {tmp_path}")
    assert obeyed.is_in_reach
    assert Obeyed(home).told(far) is far


def test_other_facts_stay_as_they_are(home: Path) -> None:
    for fact in (facts.ThreadOpened(cwd="/w", limits=Limits()), facts.GoalCleared()):
        assert Obeyed(home).told(fact) is fact

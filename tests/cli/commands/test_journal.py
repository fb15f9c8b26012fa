"""``rawr journal``: how large the record is, and what goes from it."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from rawr.cli.commands.journal import days
from rawr.cli.commands.journal_prune import WHY
from rawr.cli.commands.journal_size import in_bytes
from rawr.core.real import Redacted
from rawr.core.vocabulary.effects import Intended, InterruptTurn
from rawr.journal.integrity import check
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from rawr.runtime.retention import Needed
from tests.cli.program import rawr
from tests.runtime.test_retention import lived, states


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A record of long ago: three threads, one of them with a run that can be resumed."""
    lived(tmp_path / "home", ["long", "run", "talk"])
    return tmp_path / "home"


def test_it_says_how_large_the_record_is(home: Path) -> None:
    env = {"RAWR_HOME": str(home)}
    told = rawr("journal", env=env)
    assert told.code == 0
    assert "3 threads" in told.out
    assert "since 2023-11-1" in told.out
    assert "A month takes" in told.out
    assert "rawr keeps 30 days (journal.keep_days)." in told.out
    [line] = rawr("journal", "size", "--json", env=env).lines
    assert (line["threads"], line["keep_days"], line["last_pruned"]) == (3, 30, None)
    assert line["bytes"] == (home / "journal.db").stat().st_size


def test_it_prunes_what_nothing_needs_and_frees_the_space(home: Path) -> None:
    """C13: and says what went, what stayed and why."""
    env = {"RAWR_HOME": str(home)}
    before = (home / "journal.db").stat().st_size
    dry = rawr("journal", "prune", "--keep", "30d", "--dry-run", "--json", env=env).lines
    assert (home / "journal.db").stat().st_size == before
    assert [one["thread"] for one in dry if one["type"] == "pruned"] == ["day-0-long", "day-2-talk"]
    assert [(one["thread"], one["why"]) for one in dry if one["type"] == "kept"] == [("day-1-run", "run")]
    told = rawr("journal", "prune", "--keep", "4w", env=env)
    assert told.code == 0
    assert told.out.startswith("Removed 2 threads older than 28 days and ")
    assert "Kept 1 old thread: a run can be resumed." in told.out
    assert (home / "journal.db").stat().st_size < before
    assert list(states(home)) == ["day-1-run"]
    assert check(home, full=True).findings == ()
    assert rawr("journal", "prune", env=env).out.startswith("Nothing to remove")


def test_a_run_that_nobody_wants_any_more_can_be_let_go(home: Path) -> None:
    """B11, C13: by name only, and nothing else goes with it."""
    env = {"RAWR_HOME": str(home)}
    [kept] = [one for one in rawr("status", "--all", "--json", env=env).lines if one.get("run")]
    assert isinstance(kept["run"], dict)
    name = str(kept["run"]["id"])
    dry = rawr("journal", "prune", "--let-go", name, "--dry-run", env=env)
    assert (dry.code, dry.out.splitlines()[1:]) == (0, ["    day-1-run"])
    assert len(states(home)) == 3
    told = rawr("journal", "prune", "--let-go", name, env=env)
    assert told.code == 0, told.err
    assert told.out.startswith("Removed 1 thread as you asked, and ")
    assert list(states(home)) == ["day-0-long", "day-2-talk"]
    assert check(home, full=True).findings == ()
    gone = rawr("journal", "prune", "--let-go", name, env=env)
    assert (gone.code, gone.err) == (1, f"rawr: No thread or run matches {name}. `rawr status` lists them.\n")
    assert rawr("journal", "prune", "--let-go", "day-2-talk", "--keep", "3d", env=env).code == 64


def test_what_is_under_way_is_not_let_go(tmp_path: Path) -> None:
    lived(tmp_path / "home", ["run", "cut off", "talk"])
    batch = Batch(durable=True)
    env = {"RAWR_HOME": str(tmp_path / "home")}
    with Journal.open(tmp_path / "home") as journal:
        cut = Intended("day-1-cut-off:1.1", "day-1-cut-off", InterruptTurn(turn="T1"))
        batch.add_effect(cut, Redacted(msgspec.json.encode(cut.effect)), seq=1)
        journal.append(batch).result()
    told = rawr("journal", "prune", "--let-go", "day-0-run", "--let-go", "day-1-cut-off", env=env)
    assert (told.code, told.err.partition(":")[2].strip().partition(",")[0]) == (
        1,
        "Nothing was removed: day-1-cut-off stays",
    )
    assert len(states(tmp_path / "home")) == 3


def test_a_running_rawr_is_not_disturbed(home: Path) -> None:
    env = {"RAWR_HOME": str(home)}
    with Journal.open(home):
        told = rawr("journal", "prune", env=env)
        assert told.code != 0
        assert "rawr also prunes by itself when it stops" in told.err
        assert rawr("journal", "prune", "--dry-run", env=env).code == 0
    assert len(states(home)) == 3


@pytest.mark.parametrize("text", ["0d", "", "3", "x", "-1d", "2m", "99999999d"])
def test_a_time_that_makes_no_sense_is_refused(text: str, tmp_path: Path) -> None:
    if text == "3":
        assert days(text) == 3
        return
    told = rawr("journal", "prune", f"--keep={text}", env={"RAWR_HOME": str(tmp_path / "home")})
    assert told.code == 64
    assert "expected 1 to 99999 days or weeks, for example 30d or 4w" in told.err


def test_without_a_record_there_is_nothing_to_show(tmp_path: Path) -> None:
    env = {"RAWR_HOME": str(tmp_path / "home")}
    assert rawr("journal", env=env).out.startswith("Nothing is recorded yet")
    assert rawr("journal", "prune", env=env).code != 0
    assert not (tmp_path / "home").exists()


def test_every_reason_to_stay_has_words() -> None:
    assert set(WHY) == set(get_args(Needed))


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (177_000_000, "177 MB"), (2 * 10**9, "2 GB")],
)
def test_sizes_are_readable(size: int, words: str) -> None:
    assert in_bytes(size) == words

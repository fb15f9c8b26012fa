"""``rawr replay``: a journal told again, by a command (C17, D4)."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.cli.commands import replay
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.reasons import LOGIC
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.cli.in_process import Rawr
from tests.cli.program import in_shell
from tests.core.golden.journaled import altered, journaled
from tests.core.golden.lines import FORGED, HERE, TOLD, Line, read
from tests.core.golden.test_recorded import told
from tests.core.samples import QUIET
from tests.journal.test_migrations import of_version

JUDGED = HERE / "recorded" / "a_judgment.ndjson"
PROGRAM = HERE / "recorded" / "a_run_as_a_program.ndjson"
OFF = "[features]\nrawr_auto_compaction = false\n"
SEEDED = """
import sys
from rawr.cli.commands import replay
from rawr.cli.main import main
from tests.core.samples import QUIET
replay.otherwise_in_force = lambda reader: QUIET
main()
"""
"""The day of the golden journal has no rules on record."""


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "otherwise_in_force", lambda reader: QUIET)


def forgeries() -> list[int]:
    return [line.seq for line, real in zip(read(FORGED), read(TOLD), strict=True) if line != real]


# -- the same, and not the same -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quiet")
def test_the_golden_day_by_the_command(rawr: Rawr, own_home: Path) -> None:
    """C17."""
    lines = list(read(TOLD))
    journaled(lines, own_home / "rawr")
    count = sum(len(line.because) for line in lines)
    ended = rawr("replay")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[0] == f"{count} decisions, 0 differ"
    summary = rawr("replay", "--verify", "--json").lines[-1]
    assert (summary["type"], summary["decisions"], summary["differ"], summary["same"]) == ("summary", count, {}, True)


@pytest.mark.usefixtures("quiet")
def test_the_day_that_must_differ_does(rawr: Rawr, own_home: Path) -> None:
    """C17: the first difference with the state before, the fact and both outcomes."""
    journaled(read(FORGED), own_home / "rawr")
    ended = rawr("replay")
    assert ended.code == 1
    assert ended.out.startswith(f"First difference: effects at fact {forgeries()[0]} (")
    for part in (
        "Research nothing.",
        "Research, then draft.",
        "the fact:",
        "the state before it:",
        '"cwd": "/project"',
    ):
        assert part in ended.out
    assert re.search(r"^\d+ decisions, [1-9]\d* differ; also ", ended.out, re.MULTILINE)
    *found, summary = rawr("replay", "--json").lines
    assert {line["type"] for line in found} == {"difference"}
    assert set(forgeries()) <= {line["seq"] for line in found}
    assert ["before" in line for line in found] == [True] + [False] * (len(found) - 1)
    assert summary["same"] is False


@pytest.mark.parametrize("words", [("--json",), ("--verify",), ("--at", "40", "--json"), ("--at", "40")], ids=str)
def test_under_two_hash_seeds_it_prints_the_same_bytes(tmp_path: Path, words: tuple[str, ...]) -> None:
    """C17: nothing depends on the order of a set."""
    home = journaled(read(FORGED), tmp_path / "home")
    told = [_seeded(seed, str(home / "journal.db"), *words) for seed in ("1", "2")]
    assert told[0] == told[1]
    assert len(told[0]) > 500


def _seeded(seed: str, *words: str) -> bytes:
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(("src", "."))}
    command = [sys.executable, "-c", SEEDED, "replay", *words]
    root = Path(__file__).parents[3]
    return subprocess.run(command, env=env, cwd=root, capture_output=True, check=False, timeout=60).stdout


def test_every_recorded_session_names_the_rules_it_was_made_under(rawr: Rawr, tmp_path: Path) -> None:
    """C17: what earlier rules decided is not called different."""
    for number, path in enumerate(sorted((HERE / "recorded").glob("*.ndjson"))):
        home = journaled(read(path), tmp_path / str(number), logic=LOGIC - 1)
        altered(home / "journal.db", "UPDATE decisions SET evidence = '{\"then\":1}' WHERE rowid = 1")
        ended = rawr("replay", str(home))
        assert ended.code == 0, ended.out
        assert ", 0 differ\n" in ended.out
        assert f"under version {LOGIC - 1} of the rules; this rawr has {LOGIC}" in ended.out
        assert "would be otherwise" in ended.out
        summary = rawr("replay", str(home), "--json").lines[-1]
        assert (list(summary["rules"]), summary["same"]) == ([str(LOGIC - 1)], True)  # type: ignore[call-overload]


# -- one of them, and another journal -------------------------------------------------------------------------------


def test_by_thread_by_run_and_by_path(rawr: Rawr, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C17."""
    lines = list(read(PROGRAM))
    journaled(lines, own_home / "rawr")
    ordered = next(line for line in lines if isinstance(line.fact, facts.RunSubmitted))
    run = rawr("replay", f"r{ordered.seq}", "--json").lines[-1]
    assert run == rawr("replay", ordered.thread[-6:], "--json").lines[-1]
    assert (run["thread"], run["same"]) == (ordered.thread, True)
    assert run["decisions"] == sum(len(line.because) for line in lines if line.thread == ordered.thread)
    whole = rawr("replay", "--json").lines
    monkeypatch.chdir(own_home)
    for path in ("rawr", "./rawr", "rawr/journal.db", str(own_home / "rawr")):
        assert rawr("replay", path, "--json").lines == whole
    missing = rawr("replay", "nobody")
    assert (missing.code, missing.err.count("No thread or run matches nobody.")) == (1, 1)
    assert rawr("replay", "no/such.db").code == 74


def test_another_journal_is_only_read(rawr: Rawr, tmp_path: Path) -> None:
    """C17: neither migrated nor written, and nothing is left beside it."""
    old = of_version(4, tmp_path / "old")
    for path in (old, journaled(read(PROGRAM), tmp_path / "new") / "journal.db"):
        copy = Path(shutil.copy(path, tmp_path / "copied.db"))
        before = hashlib.sha256(copy.read_bytes()).digest(), sorted(tmp_path.iterdir())
        assert rawr("replay", str(copy), "--verify").code in (0, 1)
        assert (hashlib.sha256(copy.read_bytes()).digest(), sorted(tmp_path.iterdir())) == before


def test_beside_a_running_rawr(rawr: Rawr, own_home: Path) -> None:
    """C17: it blocks nobody, and nobody blocks it."""
    journaled(read(PROGRAM), own_home / "rawr")
    with Journal.open(own_home / "rawr"):
        assert rawr("replay", "--verify").code == 0
        assert rawr("replay", str(own_home / "rawr")).code == 0


def test_nothing_recorded_yet(rawr: Rawr, own_home: Path) -> None:
    assert rawr("replay").err.startswith("rawr: Nothing is recorded yet")


# -- other rules ----------------------------------------------------------------------------------------------------


def test_what_another_policy_would_have_decided(rawr: Rawr, tmp_path: Path) -> None:
    """D4: with other settings over the rules of the day, the decisions that would change, and no others."""
    home = str(journaled(told(list(read(JUDGED))), tmp_path / "home"))
    file = tmp_path / "off.toml"
    file.write_text(OFF)
    ended = rawr("replay", home, "--policy", str(file))
    assert ended.code == 0
    assert "judgment.asked.model → (nothing)" in ended.out
    assert "12 decisions, 5 would be different" in ended.out
    assert rawr("replay", home, "--policy", str(file), "--verify").code == 1
    *changes, summary = rawr("replay", home, "--policy", str(file), "--json").lines
    assert {line["type"] for line in changes} == {"change"}
    assert (summary["policy"], summary["same"]) == (str(file), False)
    file.write_text("[limits]\nperson = 30\n")
    same = rawr("replay", home, "--policy", str(file), "--json").lines
    assert [line["type"] for line in same] == ["summary"]


def test_a_mistake_in_the_policy_is_told(rawr: Rawr, tmp_path: Path) -> None:
    home = str(journaled(read(JUDGED), tmp_path / "home"))
    file = tmp_path / "wrong.toml"
    file.write_text("[limits]\npersn = 3\n")
    ended = rawr("replay", home, "--policy", str(file))
    assert (ended.code, ended.out) == (78, "")
    assert "limits.persn" in ended.err
    assert "started" not in ended.err, "nothing would have been"
    assert rawr("replay", home, "--policy", str(tmp_path / "none")).code == 78


# -- a state --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quiet")
def test_the_state_at_a_fact(rawr: Rawr, own_home: Path) -> None:
    """C17: of the thread that the fact is about, or of the one that was named."""
    lines = list(read(TOLD))
    journaled(lines, own_home / "rawr")
    plan = next(line for line in lines if isinstance(line.fact, facts.PlanUpdated))
    [state] = rawr("replay", "--at", str(plan.seq), "--json").lines
    assert (state["type"], state["seq"], state["thread"], state["sound"]) == ("state", plan.seq, plan.thread, True)
    assert [step["step"] for step in state["state"]["plan"]["steps"]] == ["research", "draft"]  # type: ignore[index]
    [before] = rawr("replay", plan.thread, "--at", str(plan.seq - 1), "--json").lines
    assert "plan" not in before["state"]  # type: ignore[operator]
    host = rawr("replay", "--at", "1")
    assert host.out.startswith("rawr itself after fact 1 (RuntimeStarted")
    assert '"research"' in rawr("replay", "--at", str(plan.seq)).out
    beyond = rawr("replay", "--at", str(10**30))
    assert (beyond.code, f"the last one is {lines[-1].seq}" in beyond.err) == (1, True)
    assert rawr("replay", "--at", "3", "--verify").code == 64


# -- what is wrong --------------------------------------------------------------------------------------------------


def test_one_altered_fact_is_found_where_it_is(rawr: Rawr, tmp_path: Path) -> None:
    """C17: in a copy, with its checksum rewritten as the journal would."""
    home = journaled(read(PROGRAM), tmp_path / "home")
    copy = Path(shutil.copy(home / "journal.db", tmp_path / "copy.db"))
    change = "UPDATE facts SET body = replace(body, '\"completed\"', '\"failed\"') WHERE kind = 'TurnCompleted'"
    altered(copy, f"{change} AND body LIKE '%\"completed\"%'")
    seqs = [line.seq for line in read(PROGRAM) if isinstance(line.fact, facts.TurnCompleted)]
    assert rawr("replay", str(home)).code == 0
    ended = rawr("replay", str(copy), "--json")
    assert (ended.code, ended.lines[0]["seq"]) == (1, seqs[0])


def test_a_damaged_fact_is_named_and_the_rest_compared(rawr: Rawr, own_home: Path) -> None:
    """C17, D5."""
    home = journaled(read(PROGRAM), own_home / "rawr")
    seq = next(line.seq for line in read(PROGRAM) if isinstance(line.fact, facts.TurnStarted))
    body = (home / "journal.db").read_bytes()
    assert body.count(b'"fact":"TurnStarted"') >= 1
    (home / "journal.db").write_bytes(body.replace(b'"fact":"TurnStarted"', b'"fact":"TurnStarteb"', 1))
    ended = rawr("replay")
    assert ended.code == 1
    assert f"unreadable facts at fact {seq}" in ended.out
    assert "facts were not compared" in ended.out
    assert "`rawr doctor --journal` lists all of them." in ended.err


def test_a_file_that_is_no_journal(rawr: Rawr, tmp_path: Path) -> None:
    """C17: one sentence, and no traceback."""
    path = tmp_path / "some.db"
    for content in (b"", b"hello" * 1000, b"SQLite format 3\0" + bytes(8000)):
        path.write_bytes(content)
        ended = rawr("replay", str(path))
        assert (ended.code, ended.out, ended.err.count("\n")) == (74, "", 1), ended
    path.unlink()
    os.mkfifo(path)
    assert "it is a FIFO" in rawr("replay", str(path)).err


@pytest.mark.parametrize("exists", [True, False])
def test_the_way_out_is_another_path(rawr: Rawr, tmp_path: Path, exists: bool) -> None:
    """Whoever named a file did not set RAWR_HOME."""
    path = tmp_path / "empty.db"
    if exists:
        path.touch()
    ended = rawr("replay", str(path))
    assert (ended.code, "Give the path of a journal" in ended.err) == (74, True)
    assert "RAWR_HOME to" not in ended.err


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egpj.exe\u2028{type: x}\n\r0 differ"


@pytest.mark.usefixtures("quiet")
def test_hostile_text_is_shown_harmlessly(rawr: Rawr, own_home: Path) -> None:
    """C17: what is in a fact is data."""
    lines = [_hostile(line) for line in read(FORGED)]
    journaled(lines, own_home / "rawr")
    said = next(line.seq for line in lines if isinstance(line.fact, facts.UserSubmitted))
    for words in (("replay",), ("replay", "--at", str(said + 1)), ("replay", "--json")):
        out = rawr(*words).out
        assert "owned" in out
        assert not set("\x1b\x07\x9b\u202e\u2028\r") & set(out)
    assert all(json.loads(line)["type"] for line in rawr("replay", "--json").out.splitlines())


def _hostile(line: Line) -> Line:
    fact = line.fact
    if isinstance(fact, facts.UserSubmitted):
        return replace(line, fact=facts.UserSubmitted(text=fact.text + HOSTILE))
    return line


FORGERIES = (
    "UPDATE facts SET at = 9000000000000000000",
    "UPDATE facts SET at = -9000000000000000000",
    "UPDATE facts SET at = 'noon'",
    "UPDATE facts SET thread = x'00ff'",
    "UPDATE decisions SET logic = 'new'",
    "UPDATE decisions SET seq = 1.5",
    "UPDATE decisions SET at = x'ff'",
    "UPDATE effects SET seq = 2",
    "UPDATE effects SET thread = 7",
    "UPDATE boundaries SET detail = 7",
)


@pytest.mark.parametrize("statement", FORGERIES)
def test_a_forged_journal_is_different_and_no_more(rawr: Rawr, tmp_path: Path, statement: str) -> None:
    """C17: somebody else's journal can hold anything, in sound rows."""
    home = journaled(read(PROGRAM), tmp_path / "home")
    batch = Batch()
    batch.add_boundary(BoundaryEvent("x", 1, "t", "T", "commit", "repository"), seq=3)
    with Journal.open(home) as journal:
        journal.append(batch).result()
    path = altered(home / "journal.db", statement)
    for words in (("--verify",), ("--json", "--verify")):
        ended = rawr("replay", str(path), *words)
        assert ended.code == 1, ended
        assert "unexpected" not in ended.err
    assert rawr("replay", str(path), "--at", "9").code in (0, 1)


def test_a_reader_that_stops_is_no_error(tmp_path: Path) -> None:
    home = journaled(read(PROGRAM), tmp_path / "home")
    ended = in_shell(f"rawr replay {home} --at 30 | head -n 1")
    assert (ended.code, ended.err) == (0, "")
    assert len(ended.out.splitlines()) == 1


def test_names_are_offered(rawr: Rawr, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C18."""
    journaled(read(PROGRAM), own_home / "rawr")
    run = next(line.seq for line in read(PROGRAM) if isinstance(line.fact, facts.RunSubmitted))
    monkeypatch.setenv("_RAWR_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "rawr\nreplay\n")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert f"r{run}" in rawr().out

"""``rawr demo``, ``rawr status`` and ``rawr doctor`` as a person runs them, on the real Codex."""

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from rawr.codex.binary import bundled_path
from rawr.core.policy.policy import Policy
from rawr.journal.reader import JournalReader
from rawr.runtime.replaying import replay_journal
from tests.cli.program import in_shell, rawr, script


def test_the_demo_really_happens(own_home: Path) -> None:
    """The real Codex, a real repository, a real commit; stdout is NDJSON only, and the last line the summary."""
    ended = rawr("demo", "--json")
    assert ended.code == 0, ended.err
    *events, summary = ended.lines
    assert summary["type"] == "summary"
    assert summary["ok"] is True
    assert summary["golden_path"] == {"order": ["heads_up", "packet", "compaction", "handoff"], "ok": True}
    assert (summary["compactions"], summary["vetoes"]) == (1, ["compact.deferred.weak_boundary"])
    assert summary["tokens_before"] == 74000
    assert {event["type"] for event in events} <= {"fact", "notice"}
    workspace, journal = Path(str(summary["workspace"])), Path(str(summary["journal"]))
    assert journal.is_relative_to(own_home / "rawr")
    assert (workspace / "haiku.md").read_text().startswith("Stripes")
    log = subprocess.run(
        ["git", "log", "--format=%s"], cwd=workspace, capture_output=True, text=True, check=True, timeout=30
    )
    assert log.stdout.splitlines() == ["Draft the haiku", "Begin"]
    with JournalReader.open(journal) as reader:
        assert replay_journal(reader, policy=Policy()).same
        assert reader.unfinished_effects() == []


def test_the_demo_for_people_ends_with_the_journals_path(own_home: Path) -> None:
    ended = rawr("demo", "--plain")
    assert ended.code == 0, ended.err
    assert "\x1b" not in ended.out
    said = {line.split()[1] for line in ended.out.splitlines() if line[2:3] == ":"}
    assert said >= {"you", "codex", "plan", "run", "phase", "rawr"}
    assert "packet by the agent" in ended.out
    assert max(map(len, ended.out.split("\n\n")[0].splitlines())) < 200, "prompts and packets are folded"
    last = ended.out.splitlines()[-1]
    assert last.startswith("Journal: ")
    journal = Path(last.removeprefix("Journal: ").strip())
    assert journal.stat().st_mode & 0o077 == 0
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as db:
        [(count,)] = db.execute("SELECT count(*) FROM facts WHERE kind = 'TurnCompleted'")
    db.close()
    assert count == 5

    status = rawr("status", "--json", env={"RAWR_HOME": str(journal.parent)})
    [thread, summary] = status.lines
    assert (thread["type"], thread["turns"], thread["plan_done"], thread["plan_steps"]) == ("thread", 5, 3, 3)
    assert (thread["percent_left"], thread["tier"]) == (93, "roomy")
    assert summary["threads"] == 1


def test_the_last_lines_can_be_pasted(own_home: Path) -> None:
    """Into the same shell, wherever the home is and however rawr was called."""
    ended = rawr("demo", "--plain", env={"RAWR_HOME": str(own_home / "a home; of 'mine'")})
    (again,) = (line for line in ended.out.splitlines() if line.startswith("Look again: "))
    done = in_shell(again.removeprefix("Look again: "))
    assert (done.code, done.err) == (0, "")
    assert "\n    5 turns, plan 3/3, 93 % left (roomy), compacted 1 time\n    sandbox " in done.out
    assert "\n\n1 thread, " in done.out


def test_an_interrupted_demo_says_where_its_journal_is(own_home: Path) -> None:
    """Ctrl-C: Codex ends, in order and soon, and the journal so far is kept and named."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rawr", "demo", "--plain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert "connected" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, said = process.communicate(timeout=30)
    assert (process.returncode, time.monotonic() - began < 5) == (130, True)
    (journal,) = (own_home / "rawr" / "demo").glob("*/journal.db")
    assert said == f"rawr: what happened so far is in {journal}\n"


def test_a_codex_that_dies_is_mourned_once(own_home: Path, tmp_path: Path) -> None:
    """It answers until the first turn begins."""
    codex = bundled_path()
    dying = script(
        tmp_path / "codex",
        f'[ "$1" = --version ] && exec {codex} --version\n'
        f'(while read -r line; do case "$line" in *turn/start*) exit;; esac; echo "$line"; done) | {codex} "$@"',
    )
    ended = rawr("demo", "--plain", "--codex-bin", str(dying))
    assert ended.code == 69
    assert ended.out.count("lost Codex") == 1
    (journal,) = (own_home / "rawr" / "demo").glob("*/journal.db")
    assert ended.err.endswith(f"What happened is in {journal}\n")


def test_old_recordings_are_not_kept_for_ever(own_home: Path) -> None:
    demos = own_home / "rawr" / "demo"
    demos.parent.mkdir(mode=0o700)
    for number in range(9):
        (demos / f"20200101-00000{number}-1").mkdir(parents=True)
    (demos / "not-a-folder.txt").write_text("mine")
    assert rawr("demo", "--json").code == 0
    assert len([folder for folder in demos.iterdir() if folder.is_dir()]) == 5
    assert (demos / "not-a-folder.txt").read_text() == "mine"


def test_status_with_nothing_recorded() -> None:
    ended = rawr("status")
    assert ended.code == 0
    assert "Nothing is recorded yet" in ended.out
    assert [line["type"] for line in rawr("status", "--json").lines] == ["summary"]


def test_doctor_names_each_part(own_home: Path) -> None:
    """On a machine without a login everything but the login is well, and the way out is said."""
    (own_home / "codex").mkdir()
    ended = rawr("doctor", "--json", env={"RAWR_CODE_IN_REACH": "0"})
    *checks, summary = ended.lines
    found = {str(check["name"]): check["status"] for check in checks}
    assert found == {
        "rawr": "ok",
        "config": "ok",
        "home": "ok",
        "orders": "ok",
        "reach": "warn",  # the tests run in the checkout, where an agent could change rawr itself
        "codex": "ok",
        "protocol": "ok",
        "codex home": "ok",
        "app-server": "ok",
        "compaction": "ok",
        "login": "fail",
        "agent tools": "ok",
        "models": "ok",
    }
    assert (summary["ok"], summary["failed"], ended.code) == (False, ["login"], 1)
    assert not (own_home / "rawr").exists(), "doctor made a folder"


def test_doctor_uses_the_codex_home_that_is_named(tmp_path: Path) -> None:
    """A provider of one's own needs no login; the flag wins over the environment."""
    (tmp_path / "config.toml").write_text(
        'model = "local"\nmodel_provider = "local"\n'
        '[model_providers.local]\nname = "local"\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    ended = rawr("doctor", "--codex-home", str(tmp_path), env={"RAWR_CODE_IN_REACH": "1"})
    assert ended.code == 0, ended.out
    assert "needs no login" in ended.out
    assert "All is well" in ended.out

"""The list of threads: as the facts say, however it came about, and without a look at all of them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.journal import commit, spans
from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from tests.journal.samples import batch_of, recorded


def write(home: Path, threads: str, *, first: int = 1) -> None:
    """One fact for each letter, about the thread of that name, each in a batch of its own."""
    with Journal.open(home) as journal:
        for seq, thread in enumerate(threads, first):
            journal.append(batch_of(recorded(seq, thread))).result()


@contextmanager
def opened(home: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        yield db


def counted(home: Path) -> list[tuple[object, ...]]:
    with opened(home) as db:
        return db.execute(spans.ALL).fetchall()


def listed(home: Path) -> list[tuple[object, ...]]:
    with JournalReader.open(home) as reader:
        found = reader._listed(spans.LISTED)
        assert found is not None, "there is no sound list"
        return sorted(found, key=lambda row: row[1])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(alphabet="abcde", max_size=12), max_size=4), st.integers(1, 6))
def test_it_says_what_the_facts_say(tmp_path_factory: pytest.TempPathFactory, parts: list[str], every: int) -> None:
    """However often rawr was started, and whatever is not in it yet."""
    home = tmp_path_factory.mktemp("spans") / "home"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(commit, "LISTED_EVERY", every)
        seq = 1
        for part in parts:
            write(home, part, first=seq)
            seq += len(part)
        with Journal.open(home) as journal:
            for n, thread in enumerate("abcab"):
                journal.append(batch_of(recorded(seq + n, thread))).result()
                assert listed(home) == counted(home)
                with JournalReader.open(home) as reader:
                    assert reader.totals() == (len(counted(home)), reader.counts().facts)


def test_the_newest_come_first(tmp_path: Path) -> None:
    write(tmp_path / "home", "abcabda")
    with JournalReader.open(tmp_path / "home") as reader:
        assert [(one.thread, one.facts) for one in reader.newest_threads(3)] == [("a", 3), ("d", 1), ("b", 2)]
        assert reader.totals() == (4, 7)
        found = reader.span("c")
        assert found is not None
        assert (found.first_seq, found.last_seq) == (3, 3)
        assert reader.span("z") is None


@pytest.mark.parametrize("change", ["facts = 9", "last_seq = 99", "thread = 'x'", "crc = 1"])
def test_a_damaged_list_is_not_believed_and_made_anew(tmp_path: Path, change: str) -> None:
    """D5: it follows from the facts, so nothing is lost with it."""
    home = tmp_path / "home"
    write(home, "abcab")
    with opened(home) as db:
        db.execute(f"UPDATE threads SET {change} WHERE thread = 'b'")  # noqa: S608
    assert [one.area for one in check(home, full=True).findings] == ["list"]
    with JournalReader.open(home) as reader:
        assert [(one.thread, one.facts) for one in reader.threads()] == [("a", 2), ("b", 2), ("c", 1)]
        assert [one.thread for one in reader.newest_threads(2)] == ["b", "a"]
    write(home, "b", first=6)
    assert check(home, full=True).findings == ()
    assert listed(home) == counted(home)


GROWING = ("facts", "decisions", "effects")
SMALL = ("effects_unfinished", "facts_policies", "facts_labels")
"""Indexes of a few rows, however long the tables are."""
PLANS = {
    "what is not in the list yet": (spans.SINCE, (9,)),
    "how much there is": (spans.TOTALS, ()),
    "the newest threads": (spans.NEWEST, (20,)),
    "one thread": (f"{spans.LISTED} WHERE thread = ?", ("a",)),
    "the rules of the day": ("SELECT max(seq) FROM facts WHERE kind = 'PolicyAdopted' AND seq < ?", (9,)),
    "labels": ("SELECT seq FROM facts WHERE seq > ? AND kind = 'DecisionLabelled' ORDER BY 1", (0,)),
    "a thread's last decisions": (
        "SELECT id FROM decisions WHERE rowid < ? AND thread = ? ORDER BY rowid DESC LIMIT 9",
        (9, "a"),
    ),
    "a fact's effects": ("SELECT id FROM effects WHERE id >= ? AND id < ?", ("a:1.", "a:1/")),
    "what a start concerns": ("SELECT thread FROM touched", ()),
    "effects under way": ("SELECT id FROM effects WHERE state = 'intended' ORDER BY seq", ()),
}


@pytest.mark.parametrize("what", PLANS)
def test_a_start_and_a_look_read_by_an_index(tmp_path: Path, what: str) -> None:
    """B11: none of them goes through a table that grows with the work."""
    write(tmp_path / "home", "a")
    query, values = PLANS[what]
    with opened(tmp_path / "home") as db:
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}", values)]
    scans = [step for step in plan if step.startswith("SCAN") and step.split()[1] in GROWING]
    scans = [step for step in scans if not step.endswith(SMALL)]
    assert scans == [], plan

"""Single flipped bits, wherever they are: noticed, or provably without effect; and never a traceback."""

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.real import Redacted
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.facts import Recorded, UserSubmitted
from rawr.errors import JournalError
from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.rows import Frame, Snapshot, Unreadable
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.journal.samples import AT, batch_of, decision, encode, facts, intended, recorded

THREADS = ("", "first", "second", "third")
ROWS = {
    "facts": b"said-%d-",
    "decisions": b'"n":%d',
    "effects": b"go %d",
    "boundaries": b"because-%d-",
    "frames": b"frame-%d-",
    "snapshots": b"state-%d-",
}
"""What can be found in the file of a row, by its number."""
PER_KIND = 25
ANYWHERE = 100
IN_THE_HEAD = 60
LAST = 120


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with rows of every kind, closed, so that everything is in the one file."""
    home = tmp_path_factory.mktemp("sound") / "home"
    with Journal.open(home) as journal:
        for seq in range(1, LAST + 1):
            journal.append(everything(seq))
        journal.flush()
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        db.execute("VACUUM")  # what was pruned still lies in the file, and there a bit may flip
    assert check(home, full=True).findings == ()
    return home


def everything(seq: int) -> Batch:
    thread = THREADS[seq % len(THREADS)]
    text = f"said-{seq}-" + "x" * (6_000 if seq % 50 == 0 else seq % 90)
    batch = batch_of(recorded(seq, thread, fact=UserSubmitted(text=text)))
    batch.add_decision(decision(seq, thread), encode(decision(seq, thread).record.evidence))
    batch.add_effect(intended(seq), encode(intended(seq).effect), seq=seq)
    if seq % 3:
        batch.add_outcome(intended(seq).id, "done" if seq % 2 else "failed", seq=seq, detail=f"turn-{seq}")
    event = BoundaryEvent(f"b{seq}", AT + seq, thread, "turn", "commit", "repository", f"because-{seq}-")
    batch.add_boundary(event, seq=seq)
    batch.add_frame("in", Redacted(b'{"frame-%d-":1}' % seq), at=AT + seq, thread=thread, method="turn/started")
    if seq % 7 == 0:
        batch.add_snapshot(thread, Redacted(b'"state-%d-"' % seq), seq=seq, at=AT + seq, shape="s")
    return batch


Content = dict[str, list[object]]


def content(place: Path) -> tuple[Content, bool]:
    """All that rawr reads out of a journal, and whether anything about it was said not to be as it should."""
    found: Content = {}
    with JournalReader.open(place) as reader:
        spans = reader.threads()
        found["threads"] = list(spans)
        for span in spans:
            found[f"facts of {span.thread}"] = list(reader.facts(span.thread))
            found[f"decisions of {span.thread}"] = list(reader.decisions(span.thread))
            found[f"snapshot of {span.thread}"] = [reader.latest_snapshot(span.thread, "s")]
        found["facts"] = list(reader.facts())
        found["effects"] = list(reader.effects())
        found["unfinished"] = list(reader.unfinished_effects())
        found["boundaries"] = list(reader.boundaries())
        found["frames"] = list(reader.frames())
        found["counts"] = [reader.counts()]
        return found, not reader.unreadable


def rows_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every cell, as SQLite reads it when it goes through the tables themselves."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return {table: db.execute(f"SELECT rowid, * FROM {table} NOT INDEXED").fetchall() for table in ROWS}  # noqa: S608


def flipped(sound: Path, home: Path, *, at: int, bit: int) -> Path:
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(mode=0o700)
    path = home / "journal.db"
    shutil.copy2(sound / "journal.db", path)
    with path.open("r+b") as file:
        file.seek(at)
        [byte] = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))
    return path


def as_told(one: object) -> str:
    """A value to compare; which number a raw frame has is nobody's business but SQLite's."""
    return repr(replace(one, n=0) if isinstance(one, Frame) else one)


@cache
def known(sound: Path) -> tuple[Content, frozenset[str]]:
    """What a sound journal holds, and every value in it."""
    before, _ = content(sound)
    snapshots = [Snapshot(*row[1:6]) for row in rows_of(sound / "journal.db")["snapshots"]]
    return before, frozenset(map(as_told, chain(snapshots, *before.values())))


def judged(sound: Path, path: Path) -> str:
    """Noticed; or harmless, if nothing that anybody reads is other than it was."""
    whole = check(path, full=True).ok
    before, values = known(sound)
    try:
        after, silent = content(path)
    except JournalError:
        assert not whole, "reading fails, and the check has found nothing"
        return "noticed"
    wrong = [
        one
        for name, rows in after.items()
        if name.startswith(("facts", "decisions", "effects", "unfinished", "boundaries", "frames", "snapshot"))
        for one in rows
        if one is not None and not isinstance(one, Unreadable) and as_told(one) not in values
    ]
    assert wrong == [], "a damaged value was handed out for a sound one"
    if silent and whole:
        assert after == before
        assert rows_of(path) == rows_of(sound / "journal.db")
        return "harmless"
    if silent:
        return "noticed"
    assert not whole, "reading found damage, and the check has not"
    return "noticed"


def places(sound: Path, kind: str) -> Iterator[tuple[int, int]]:
    """Bits in rows of one kind: in what they say, and in the numbers and checksums around it."""
    rng = random.Random(f"rawr {kind}")  # noqa: S311
    file = (sound / "journal.db").read_bytes()
    made = 0
    while made < PER_KIND:
        seq = rng.randrange(7, LAST, 7)
        mark = ROWS[kind] % seq
        at = file.rfind(mark)
        if at < 0:
            continue
        made += 1
        yield at + rng.randrange(-40, len(mark) + 10), rng.randrange(8)


@pytest.mark.parametrize("kind", ROWS)
def test_a_flipped_bit_in_a_row_is_noticed(sound: Path, tmp_path: Path, kind: str) -> None:
    """D5."""
    verdicts = [judged(sound, flipped(sound, tmp_path / "home", at=at, bit=bit)) for at, bit in places(sound, kind)]
    assert set(verdicts) == {"noticed"}
    assert len(verdicts) == PER_KIND


def test_a_flipped_bit_anywhere_is_noticed_or_without_effect(sound: Path, tmp_path: Path) -> None:
    """D5: pages of tables and indexes, the file's head, the schema. What is unused may hold anything."""
    rng = random.Random("rawr")  # noqa: S311
    size = (sound / "journal.db").stat().st_size
    verdicts = [
        judged(sound, flipped(sound, tmp_path / "home", at=rng.randrange(size), bit=rng.randrange(8)))
        for _ in range(ANYWHERE)
    ]
    assert verdicts.count("noticed") > ANYWHERE // 4


def test_a_flipped_bit_in_the_files_head_is_noticed_or_without_effect(sound: Path, tmp_path: Path) -> None:
    rng = random.Random("rawr's head")  # noqa: S311
    for _ in range(IN_THE_HEAD):
        judged(sound, flipped(sound, tmp_path / "home", at=rng.randrange(100), bit=rng.randrange(8)))


@pytest.mark.parametrize("at", [60, 61, 62, 63])
@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_version_is_not_migrated_from(sound: Path, tmp_path: Path, at: int, bit: int) -> None:
    path = flipped(sound, tmp_path / "home", at=at, bit=bit)
    before = path.read_bytes()
    assert not check(path).ok
    with pytest.raises(JournalError):
        Journal.open(path.parent)
    assert path.read_bytes() == before


# -- rows that are missing or in the wrong place -----------------------------------------------------------------------


def tampered(home: Path, *statements: str) -> Path:
    with Journal.open(home) as journal:
        for seq in range(1, 41):
            journal.append(everything(seq))
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
    return home / "journal.db"


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM facts WHERE seq = 10", "Facts are missing before number 11."),
        ("DELETE FROM facts WHERE seq > 30", "Facts are missing after number 30: decisions go on to number 40."),
        ("UPDATE facts SET seq = seq + 100 WHERE seq = 40", "Fact 140 (UserSubmitted, thread rawr itself) is damaged"),
        ("UPDATE facts SET thread = 'third' WHERE seq = 10", "Fact 10 (UserSubmitted, thread third) is damaged"),
        ("DELETE FROM decisions WHERE seq = 10", "Decision third:11 has rows missing before it."),
        ("DELETE FROM effects WHERE seq = 10", "Effect t:11.0 has rows missing before it."),
        ("DELETE FROM boundaries WHERE seq = 10", "Boundary b11 has rows missing before it."),
        ("UPDATE effects SET state = 'done' WHERE seq = 12", "Effect t:12.0 (t:12.0) has a damaged outcome."),
    ],
)
def test_a_row_that_is_missing_or_moved_is_named(tmp_path: Path, statement: str, told: str) -> None:
    path = tampered(tmp_path / "home", statement)
    assert any(one.problem.startswith(told) for one in check(path, full=True).findings), check(path, full=True).findings


def test_a_fact_missing_in_the_middle_of_a_thread_is_told_in_its_place(tmp_path: Path) -> None:
    """A fold that went on would come to a state that the thread never had."""
    tampered(tmp_path / "home", "DELETE FROM facts WHERE seq = 10")
    with JournalReader.open(tmp_path / "home") as reader:
        rows = list(reader.facts("second"))
        at = [isinstance(one, Unreadable) for one in rows].index(True)
        assert [one.seq for one in rows][at - 1 : at + 2] == [6, 14, 14]
        assert list(reader.facts("first")) == [one for one in reader.facts() if one.thread == "first"]
        assert isinstance(next(reader.facts("second", after=6)), Unreadable)
        assert isinstance(next(reader.facts("second", after=14)), Recorded)


def test_a_check_that_runs_out_of_time_says_how_much_is_left(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(1, 9_000)).result()
    seen: list[tuple[int, int]] = []

    def twice(done: int, total: int) -> bool:
        seen.append((done, total))
        return len(seen) < 2

    report = check(tmp_path / "home", full=True, pace=twice)
    assert (report.ok, report.whole, report.rows, report.left) == (True, False, 4_000, 5_000)
    assert seen == [(2_000, 9_000), (4_000, 9_000)]
    assert check(tmp_path / "home", full=True).whole

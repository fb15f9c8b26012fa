"""Long bodies in less room: what was written comes back, and damage stays where it is."""

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.vocabulary.effects import Intended, ObserveCommand, effect_id
from rawr.core.vocabulary.facts import ItemCompleted
from rawr.core.vocabulary.items import Command
from rawr.journal.integrity import check
from rawr.journal.packing import LEAST, Unpackable, packed, packed_beside, unpacked
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect, Unreadable
from rawr.journal.store import FRAME_BYTES, Journal
from rawr.ports.memory import Batch
from tests.journal.samples import batch_of, encode, facts, recorded

OUTPUT = "".join(f"tests/test_rows.py::test_case_{n} PASSED in {n * 7 % 13} ms\n" for n in range(250))
TEXTS = st.text() | st.builds(lambda text, times: text * times, st.text(min_size=1), st.integers(1, 3_000))


def observed(seq: int, output: str = OUTPUT) -> Batch:
    """A command that ended, and the look at the repository that follows: both have its output."""
    item = Command(id="c1", command="git commit", cwd="/project", status="completed", exit_code=0, output_tail=output)
    batch = batch_of(recorded(seq, "t", fact=ItemCompleted(turn="T", item=item)))
    effect = ObserveCommand(turn="T", item="c1", command="git commit", cwd="/project", exit_code=0, output=output)
    intended = Intended(effect_id("t", seq=seq, n=0), "t", effect)
    batch.add_effect(intended, encode(effect), seq=seq)
    return batch


@given(TEXTS, TEXTS, TEXTS)
def test_every_text_comes_back(text: str, other: str, around: str) -> None:
    """B11."""
    assert unpacked(packed(text)) == text
    for origin in (text, around + text + other, text[len(text) // 3 :], other):
        for one in (text, other + text, text + around):
            cell = packed_beside(one, origin)
            assert unpacked(cell, lambda origin=origin: packed(origin)) == one  # type: ignore[misc]


def test_short_texts_stay_text() -> None:
    """Whoever opens the journal with the sqlite3 program reads most of it."""
    assert packed('{"a":1}') == '{"a":1}'
    assert isinstance(packed("ab" * LEAST), bytes)


def test_what_packing_would_lengthen_stays_text() -> None:
    incompressible = "".join(chr(0x4E00 + zlib.crc32(b"%d" % n) % 20_000) for n in range(LEAST))
    assert unpacked(packed(incompressible)) == incompressible


def test_an_output_is_kept_once(tmp_path: Path) -> None:
    """B11: in its fact, packed; the effect that follows refers to it, and a frame has only its beginning, packed."""
    with Journal.open(tmp_path / "home") as journal:
        batch = observed(1)
        batch.add_frame("in", encode({"output": OUTPUT}), at=1)
        journal.append(batch).result()
    with closing(sqlite3.connect(tmp_path / "home" / "journal.db")) as db:
        [(fact, effect, frame)] = db.execute(
            "SELECT length(facts.body), length(effects.body), length(frames.body) FROM facts, effects, frames"
        )
    assert fact < len(OUTPUT) / 3
    assert effect < 200
    assert frame < FRAME_BYTES
    with JournalReader.open(tmp_path / "home") as reader:
        [row] = [one for one in reader.effects() if isinstance(one, StoredEffect)]
        assert isinstance(row.effect, ObserveCommand)
        assert row.effect.output == OUTPUT
        [frame_row] = reader.frames()
        assert frame_row.size == len(encode({"output": OUTPUT}))
        assert frame_row.body == encode({"output": OUTPUT}).decode()[:FRAME_BYTES]
        assert len(OUTPUT) > 2 * FRAME_BYTES
    assert check(tmp_path / "home", full=True).findings == ()


def test_an_effect_is_not_believed_when_its_facts_text_is_damaged(tmp_path: Path) -> None:
    """D5: its own row is sound, and what it would say is not."""
    with Journal.open(tmp_path / "home") as journal:
        journal.append(observed(1)).result()
        journal.append(observed(2, "another output\n" * 200)).result()
    with closing(sqlite3.connect(tmp_path / "home" / "journal.db", isolation_level=None)) as db:
        db.execute("UPDATE facts SET body = (SELECT body FROM facts WHERE seq = 2) WHERE seq = 1")
    with JournalReader.open(tmp_path / "home") as reader:
        first, second = list(reader.effects())
        assert isinstance(first, Unreadable)
        assert (first.damaged, first.problem) == (
            True,
            "it shares a text with its fact, which is missing or damaged",
        )
        assert isinstance(second, StoredEffect)
        assert [isinstance(one, Unreadable) for one in reader.facts()] == [True, False]
    problems = [one.problem for one in check(tmp_path / "home", full=True).findings]
    assert problems == [
        "Fact 1 (ItemCompleted, thread t) is damaged: its checksum does not match.",
        "The body of effects t:1.0 is not JSON.",
    ]


@pytest.mark.parametrize("cell", [b"", b"\x01", b"\x01nonsense", b"\x02short", b"\x09" + zlib.compress(b"{}"), None, 7])
def test_what_is_no_packed_body_is_refused(cell: object) -> None:
    with pytest.raises(Unpackable):
        unpacked(cell, lambda: None)


def test_a_body_that_unfolds_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rawr.journal.packing.MOST", 10_000)
    with pytest.raises(Unpackable, match="cut short"):
        unpacked(packed("x" * 10_001))


def test_an_older_rawr_does_not_take_packed_bodies_for_text(tmp_path: Path) -> None:
    """B10: the version says so before it reads a row."""
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(1, 1)).result()
    with closing(sqlite3.connect(tmp_path / "home" / "journal.db")) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] >= 5

"""Facts, batches and generated values for the journal's tests."""

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import msgspec.inspect as shapes
from hypothesis import strategies as st

from rawr.core.real import Redacted
from rawr.core.vocabulary.effects import AnyEffect, Intended, StartTurn, effect_id
from rawr.core.vocabulary.facts import AnyFact, Recorded, TurnStarted
from rawr.core.vocabulary.reasons import LOGIC, Reason
from rawr.core.vocabulary.records import Decision, Record
from rawr.journal.packing import Cell, unpacked
from rawr.ports.memory import Batch

AT = 1_700_000_000_000
TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


def encode(value: object) -> Redacted:
    return Redacted(msgspec.json.encode(value))


def recorded(seq: int, thread: str = "t", *, fact: AnyFact | None = None) -> Recorded:
    return Recorded(seq=seq, at=AT + seq, thread=thread, fact=fact or TurnStarted(turn=f"turn-{seq}"))


def batch_of(*facts: Recorded) -> Batch:
    batch = Batch()
    for fact in facts:
        batch.add_fact(fact, encode(fact.fact))
    return batch


def facts(first: int, last: int, *, thread: str = "t") -> Batch:
    return batch_of(*(recorded(seq, thread) for seq in range(first, last + 1)))


def intended(seq: int, n: int = 0, *, effect: AnyEffect | None = None) -> Intended:
    return Intended(id=effect_id("t", seq=seq, n=n), thread="t", effect=effect or StartTurn(text=f"go {seq}"))


def decision(seq: int, thread: str = "t") -> Decision:
    record = Record(reason=Reason.TURN_STARTED_INPUT, evidence={"n": seq, "why": "ß", "yes": True, "none": None})
    return Decision(id=f"{thread}:{seq}", seq=seq, at=AT + seq, thread=thread, record=record, policy="p1", logic=LOGIC)


def values(kind: object) -> st.SearchStrategy[object]:
    """Any value of a type that the core's structs are made of."""
    return _strategy(shapes.type_info(kind))


def _strategy(shape: shapes.Type) -> st.SearchStrategy[object]:
    match shape:
        case shapes.StrType():
            return TEXT
        case shapes.IntType(ge=least, le=most):
            return st.integers(-(2**63) if least is None else least, 2**63 - 1 if most is None else most)
        case shapes.FloatType(ge=0, le=1):
            return st.floats(0, 1)
        case shapes.BoolType():
            return st.booleans()
        case shapes.NoneType():
            return st.none()
        case shapes.LiteralType(values=options):
            return st.sampled_from(options)
        case shapes.VarTupleType(item_type=item):
            return st.lists(_strategy(item), max_size=3).map(tuple)
        case shapes.ListType(item_type=item):
            return st.lists(_strategy(item), max_size=2)
        case shapes.DictType(key_type=key, value_type=value):
            return st.dictionaries(_strategy(key), _strategy(value), max_size=3)
        case shapes.UnionType(types=members):
            return st.one_of([_strategy(member) for member in members])
        case shapes.StructType(cls=cls, fields=fields):
            return st.builds(cls, **{field.name: _strategy(field.type) for field in fields})
        case _:
            raise NotImplementedError(shape)


def bodies(home: Path) -> str:
    """Every body in a journal, unpacked: what a search of the file itself would not find."""
    found: list[str] = []
    with closing(sqlite3.connect(home / "journal.db")) as db:
        for table in ("facts", "frames", "snapshots"):
            found += [unpacked(cell) for (cell,) in db.execute(f"SELECT body FROM {table}")]  # noqa: S608
        for seq, cell in db.execute("SELECT seq, body FROM effects").fetchall():
            found.append(unpacked(cell, partial(_body, db, seq)))
        found += [unpacked(cell) for (cell,) in db.execute("SELECT evidence FROM decisions")]
    return "\n".join(found)


def _body(db: sqlite3.Connection, seq: int) -> Cell | None:
    found = db.execute("SELECT body FROM facts WHERE seq = ?", (seq,)).fetchone()
    return found[0] if found is not None else None

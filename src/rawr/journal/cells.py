"""From a row's cells to a value, if the row is as it was written: the edge where SQLite's columns get their types.

A cell of a damaged row can be anything, so the checksum is compared before a cell is trusted. Rows of a journal
from before there were checksums (``summed`` is false) are not checked.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from rawr.core.vocabulary import payloads
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import AnyEffect
from rawr.core.vocabulary.facts import AnyFact, Recorded
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision, Evidence, Record
from rawr.journal.checksums import FIRST, of_cells, of_ending, of_fact
from rawr.journal.packing import Cell, Unpackable, unpacked
from rawr.journal.rows import Frame, Snapshot, StoredEffect, Table, Unreadable

Cells = tuple[Any, ...]
"""A row as SQLite returns it."""

DAMAGED = "its checksum does not match"
MISSING = "facts of this thread are missing before it"
MISPLACED = "it is listed under the wrong thread"

_FACT: msgspec.json.Decoder[AnyFact] = msgspec.json.Decoder(AnyFact)
_EFFECT: msgspec.json.Decoder[AnyEffect] = msgspec.json.Decoder(AnyEffect)
_EVIDENCE = msgspec.json.Decoder(dict[str, Evidence])
_UNFIT = (msgspec.MsgspecError, UnicodeError, TypeError, Unpackable)
Origin = Callable[[int], Cell | None]
"""Reads the stored body of a fact by its number."""


def recorded(cells: Cells, *, summed: bool) -> Recorded | Unreadable:
    _, seq, at, thread, kind, body, prior, crc = cells
    if summed and of_fact(prior, cells[1:6]) != crc:
        return _damaged("facts", seq, seq=seq, thread=thread, kind=kind, body=body)
    try:
        _check(str, thread)
        _check(int, at)
        return Recorded(seq=seq, at=at, thread=thread, fact=_FACT.decode(unpacked(body)))
    except _UNFIT as error:
        return _strange("facts", seq, error, seq=seq, thread=thread, kind=kind, body=body)


def linked(
    rows: Iterable[Cells],
    heads: dict[str, int | None],
    *,
    thread: str | None,
    start: int | None,
    summed: bool,
    cuts: Container[int] = (),
) -> Iterator[Recorded | Unreadable]:
    """Yield facts in order, with an ``Unreadable`` wherever a fact of their thread is missing in between.

    ``heads`` has the checksum that the next fact of a thread must name as its predecessor, ``start`` the one for a
    thread that is not in ``heads``; None means unknown. ``cuts`` are the facts whose predecessor was pruned.
    """
    for cells in rows:
        found = recorded(cells, summed=summed)
        whose, prior = cells[3], cells[6]
        if isinstance(found, Unreadable) and found.damaged:
            # The thread's name may itself be damaged; the index has it too.
            found = found if thread is None else replace(found, thread=thread)
            heads[found.thread] = None
            yield found
            continue
        if thread is not None and whose != thread:
            # The index is wrong: the fact is missing in its own thread and does not belong in this one.
            yield _noted(cells, MISPLACED, thread=thread)
            yield _noted(cells, MISPLACED, thread=whose)
            continue
        before = heads.get(whose, start)
        if summed and before is not None and prior != before and cells[1] not in cuts:
            yield _noted(cells, MISSING, thread=whose)
        heads[whose] = cells[7]
        yield found


def is_text(cell: object) -> bool:
    """Return True if the cell is text that can be shown and written."""
    return isinstance(cell, str) and cell == _text(cell)


def misplaced(cells: Cells) -> Unreadable:
    """A fact that no reading of its thread will find."""
    return _noted(cells, MISPLACED, thread=_text(cells[3]))


def first_head(after: int) -> int | None:
    """The checksum that the first fact of a thread must name when reading starts after ``after``."""
    return FIRST if after == 0 else None


def decision(cells: Cells, *, summed: bool) -> Decision | Unreadable:
    _, key, seq, at, thread, reason, policy, logic, evidence, prior, crc = cells
    if summed and of_cells(prior, *cells[1:9]) != crc:
        return _damaged("decisions", key, seq=seq, thread=thread, kind=reason, body=evidence)
    try:
        _check(str, thread)
        _check(int, seq, at, logic)
        record = Record(reason=msgspec.convert(reason, Reason), evidence=_EVIDENCE.decode(unpacked(evidence)))
    except _UNFIT as error:
        return _strange("decisions", key, error, seq=seq, thread=thread, kind=reason, body=evidence)
    return Decision(id=key, seq=seq, at=at, thread=thread, record=record, policy=policy, logic=logic)


def effect(cells: Cells, *, summed: bool, origin: Origin) -> StoredEffect | Unreadable:
    _, key, seq, thread, kind, body, state, outcome_seq, detail, prior, crc, ending = cells
    sound = of_cells(prior, *cells[1:6]) == crc and of_ending(key, state, outcome_seq, detail) == ending
    if summed and not sound:
        return _damaged("effects", key, seq=seq, thread=thread, kind=kind, body=body)
    try:
        decoded = _EFFECT.decode(unpacked(body, lambda: origin(seq)))
    except Unpackable as error:
        return _damaged("effects", key, seq=seq, thread=thread, kind=kind, body="", problem=str(error))
    except _UNFIT as error:
        return _strange("effects", key, error, seq=seq, thread=thread, kind=kind, body=body)
    return StoredEffect(
        id=key, seq=seq, thread=thread, effect=decoded, state=state, outcome_seq=outcome_seq, detail=detail
    )


def boundary(cells: Cells, *, summed: bool) -> tuple[int, BoundaryEvent] | Unreadable:
    """With the number of the fact that showed it."""
    _, key, seq, at, thread, turn, kind, source, detail, prior, crc = cells
    if summed and of_cells(prior, *cells[1:9]) != crc:
        return _damaged("boundaries", key, seq=seq, thread=thread, kind=kind, body=detail)
    payload = payloads.read(detail)
    words = payload.words if payload is not None else detail
    return seq, BoundaryEvent(key, at, thread, turn, kind, source, words, payload)


def frame(cells: Cells, *, summed: bool) -> Frame | Unreadable:
    n, crc = cells[1], cells[8]
    if summed and of_cells(*cells[2:8]) != crc:
        return _damaged("frames", n, seq=0, thread=cells[4], kind=cells[5], body=cells[7])
    try:
        _, at, direction, thread, method, size, body, _ = cells[1:]
        return Frame(n, at, direction, thread, method, size, unpacked(body))
    except Unpackable as error:
        return _strange("frames", n, error, seq=0, thread=cells[4], kind=cells[5], body="")


def snapshot(cells: Cells, *, summed: bool) -> Snapshot | Unreadable:
    thread, seq, at, shape, body, crc = cells
    if summed and of_cells(*cells[:5]) != crc:
        return _damaged("snapshots", f"{thread}:{seq}", seq=seq, thread=thread, kind=shape, body=body)
    try:
        return Snapshot(thread, seq, at, shape, unpacked(body))
    except Unpackable as error:
        return _strange("snapshots", f"{thread}:{seq}", error, seq=seq, thread=thread, kind=shape, body="")


def _check(kind: type, *cells: object) -> None:
    """SQLite keeps anything in any column, and whoever forges a row can sum it too."""
    for cell in cells:
        if type(cell) is not kind:
            raise TypeError(f"expected {kind.__name__}, found {type(cell).__name__}")


def _damaged(
    table: Table,
    key: object,
    *,
    seq: object,
    thread: object,
    kind: object,
    body: object,
    problem: str = DAMAGED,
) -> Unreadable:
    number = seq if isinstance(seq, int) else 0
    return Unreadable(
        table, _text(key), number, _text(thread), _text(kind), _shown(body), problem=problem, damaged=True
    )


def _strange(
    table: Table, key: object, error: Exception, *, seq: int, thread: str, kind: str, body: object
) -> Unreadable:
    return Unreadable(table, _text(key), seq, _text(thread), _text(kind), _shown(body), problem=str(error))


def _noted(cells: Cells, problem: str, *, thread: str) -> Unreadable:
    """A note about a fact that is itself sound."""
    return Unreadable("facts", str(cells[1]), cells[1], thread, cells[4], "", problem=problem, damaged=True)


def _shown(body: object) -> str:
    """A body as text, as far as it can be read."""
    try:
        return _text(unpacked(body))
    except Unpackable:
        return _text(body)


def _text(cell: object) -> str:
    """The cell as text that can be shown, whatever its content."""
    raw = cell if isinstance(cell, bytes) else str(cell).encode(errors="surrogateescape")
    return raw.decode(errors="replace")

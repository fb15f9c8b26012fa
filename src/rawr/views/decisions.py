"""Recorded decisions, with their labels and consequences: for ``rawr log``, ``explain`` and the like."""

import re
import sys
from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType

from rawr.core.vocabulary.facts import DecisionLabelled, Recorded
from rawr.core.vocabulary.records import Decision, Evidence
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect, ThreadSpan
from rawr.views.asked import Exchange, exchange, questions
from rawr.views.codes import is_ignored

_NAME = re.compile(r"(?:^|:)(\d{1,18})/\d+$")
"""How the name of a decision ends: the number of its fact, and which of its decisions it is."""


class DecisionView(Struct, frozen=True, kw_only=True, tag_field="type", tag="decision"):
    """Fields that are not set do not apply: nobody labelled it, no model was asked."""

    label: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    id: str
    at: int
    thread: str
    reason: str
    meaning: str
    evidence: dict[str, Evidence]
    policy: str
    logic: int
    fact: int
    question_effect: str | UnsetType = UNSET


class Followed(Struct, frozen=True):
    """An effect that a decision led to, and its outcome."""

    id: str
    effect: str
    state: str
    detail: str


class Explanation(Struct, frozen=True):
    """Everything on record about one decision."""

    decision: DecisionView
    effects: tuple[Followed, ...]
    exchange: Exchange | None
    """What a model was asked about it, and answered."""

    def as_json(self) -> dict[str, object]:
        view = self.decision
        shown = {name: getattr(view, name) for name in view.__struct_fields__}
        known = {name: value for name, value in shown.items() if value is not UNSET}
        asked = self.exchange.as_json() if self.exchange is not None else {}
        return {"type": "decision", **known, "effects": self.effects, **asked}


def decided(reader: JournalReader, thread: str | None = None, *, after: int = 0) -> list[Decision]:
    """The decisions of one thread or of all, oldest first; unreadable ones are left out."""
    return [one for one in reader.decisions(thread, after=after) if isinstance(one, Decision)]


def newest_decided(
    reader: JournalReader, thread: str | None = None, *, most: int, since: int = 0, everything: bool = False
) -> list[Decision]:
    """The newest decisions that are worth showing, oldest first: at most so many, and none from before ``since`` (in ms
    since the epoch). Reads back from the end, and no further."""
    found: list[Decision] = []
    for one in reader.decisions_back(thread):
        if not isinstance(one, Decision):
            continue
        if len(found) == most or one.at < since:
            break
        if everything or is_worth_showing(one):
            found.append(one)
    return found[::-1]


def decisions_named(reader: JournalReader, name: str) -> list[Decision]:
    """The decisions with that name, or with a name that ends in it."""
    number = _NAME.search(name)
    if number is None:
        return [one for one in decided(reader) if name and one.id.endswith(name)]
    seq = int(number[1])
    row = reader.fact(seq)
    rows = reader.decisions_of(row.thread, seq) if row is not None else []
    found = [one for one in rows if isinstance(one, Decision) and one.id.endswith(name)]
    return [one for one in found if one.id == name] or found


def is_worth_showing(row: Decision) -> bool:
    """Return True unless it only says that something was ignored."""
    return not is_ignored(row.record.reason)


def newest(reader: JournalReader, span: ThreadSpan) -> Decision | None:
    """The newest decision about a thread that is worth showing."""
    rows = (one for one in reader.decisions_back(span.thread) if isinstance(one, Decision))
    return next((one for one in rows if is_worth_showing(one)), None)


def latest(
    reader: JournalReader,
    thread: str | None = None,
    *,
    most: int | None = None,
    since: int = 0,
    everything: bool = True,
) -> tuple[list[Decision], bool]:
    """The newest decisions, oldest first, and whether there are older ones. ``since`` is in ms since the epoch."""
    if most is None and not since:
        return [one for one in decided(reader, thread) if everything or is_worth_showing(one)], False
    # One more than is wanted says whether there are older ones.
    limit = most + 1 if most is not None else sys.maxsize
    rows = newest_decided(reader, thread, most=limit, since=since, everything=everything)
    cut = max(len(rows) - most, 0) if most is not None else 0
    return rows[cut:], cut > 0


def labels(reader: JournalReader) -> dict[str, DecisionLabelled]:
    """People's labels on decisions; the last one counts."""
    told = (one.fact for one in reader.facts_of_kind("DecisionLabelled") if isinstance(one, Recorded))
    return {fact.decision: fact for fact in told if isinstance(fact, DecisionLabelled)}


def decision_views(rows: Iterable[Decision], labelled: dict[str, DecisionLabelled]) -> list[DecisionView]:
    """Each with the effect that asked a model, if it is about one; ``rows`` has all that belong together."""
    rows = tuple(rows)
    asked = questions(rows)
    return [decision_view(one, labelled.get(one.id), question=asked.get(one.id, UNSET)) for one in rows]


def decision_view(
    row: Decision, labelled: DecisionLabelled | None = None, *, question: str | UnsetType = UNSET
) -> DecisionView:
    return DecisionView(
        label=labelled.label if labelled is not None else UNSET,
        note=labelled.note if labelled is not None else UNSET,
        id=row.id,
        at=row.at,
        thread=row.thread,
        reason=row.record.reason.value,
        meaning=row.record.reason.meaning,
        evidence=row.record.evidence,
        policy=row.policy,
        logic=row.logic,
        fact=row.seq,
        question_effect=question,
    )


def explanation(reader: JournalReader, row: Decision) -> Explanation:
    stored = reader.effects_of(row.thread, row.seq)
    return Explanation(
        decision=decision_view(row, labels(reader).get(row.id)),
        effects=tuple(
            Followed(one.id, type(one.effect).__name__, one.state, one.detail)
            for one in stored
            if isinstance(one, StoredEffect)
        ),
        exchange=exchange(reader, row),
    )

"""Recorded decisions, with their labels and consequences: for ``rawr log``, ``explain`` and the like."""

from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType

from rawr.core.vocabulary.facts import DecisionLabelled, Recorded
from rawr.core.vocabulary.records import Decision, Evidence
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect, ThreadSpan
from rawr.views.asked import Exchange, exchange, questions
from rawr.views.codes import is_ignored

RECENT = 500
"""The newest facts, which are searched first for the newest decision."""


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


def is_worth_showing(row: Decision) -> bool:
    """Return True unless it only says that something was ignored."""
    return not is_ignored(row.record.reason)


def newest(reader: JournalReader, span: ThreadSpan) -> Decision | None:
    """The newest decision about a thread."""
    for after in (span.last_seq - RECENT, 0):
        rows = (one for one in reader.decisions(span.thread, after=after) if isinstance(one, Decision))
        found = [one for one in rows if is_worth_showing(one)]
        if found:
            return found[-1]
    return None


def latest(
    reader: JournalReader,
    thread: str | None = None,
    *,
    most: int | None = None,
    since: int = 0,
    everything: bool = True,
) -> tuple[list[Decision], bool]:
    """The newest decisions, oldest first, and whether there are older ones. ``since`` is in ms since the epoch.

    It looks at the newest facts first, so that a long journal takes no longer than a short one.
    """
    end = reader.last_seq()
    span = end if most is None and not since else RECENT
    while True:
        rows = decided(reader, thread, after=max(end - span, 0))
        recent = [one for one in rows if one.at >= since and (everything or is_worth_showing(one))]
        enough = most is not None and len(recent) > most
        if span >= end or enough or (since and rows and rows[0].at < since):
            cut = max(len(recent) - most, 0) if most is not None else 0
            return recent[cut:], cut > 0
        span *= 8


def labels(reader: JournalReader) -> dict[str, DecisionLabelled]:
    """People's labels on decisions; the last one counts."""
    told = (one.fact for one in reader.facts("") if isinstance(one, Recorded))
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
    stored = reader.effects(row.thread, after=row.seq - 1, until=row.seq)
    return Explanation(
        decision=decision_view(row, labels(reader).get(row.id)),
        effects=tuple(
            Followed(one.id, type(one.effect).__name__, one.state, one.detail)
            for one in stored
            if isinstance(one, StoredEffect)
        ),
        exchange=exchange(reader, row),
    )

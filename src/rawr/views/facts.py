"""Each complete fact, with its decisions and effects: what ``--json`` prints while something runs.

It is the record itself, for programs that store or study it. To show what happens, follow ``events``.
"""

from msgspec import Struct, to_builtins

from rawr.core.kernel import Taken
from rawr.core.vocabulary.facts import AnyFact, Level
from rawr.core.vocabulary.records import Evidence


class DecisionOfFact(Struct, frozen=True):
    reason: str
    evidence: dict[str, Evidence]


class FactView(Struct, frozen=True, tag_field="type", tag="fact"):
    seq: int
    at: int
    thread: str
    fact: AnyFact
    decisions: tuple[DecisionOfFact, ...]
    effects: tuple[dict[str, object], ...]


class NoticeView(Struct, frozen=True, tag_field="type", tag="notice"):
    thread: str
    level: Level
    text: str


def fact_view(taken: Taken) -> FactView:
    recorded = taken.recorded
    return FactView(
        seq=recorded.seq,
        at=recorded.at,
        thread=recorded.thread,
        fact=recorded.fact,
        decisions=tuple(DecisionOfFact(one.record.reason.value, one.record.evidence) for one in taken.decisions),
        effects=tuple({"id": one.id, **to_builtins(one.effect)} for one in taken.effects),
    )

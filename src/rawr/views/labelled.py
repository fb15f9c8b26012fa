"""The answers of models that a person confirmed or overrode, from the journal.

A label on the model's answer counts, and so does one on a decision that followed it. If a guard, a doubt or the rules
decided instead of the model, a label is about them, not about the model.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import (
    DecisionLabelled,
    ModelAnswered,
    Recorded,
    RunOverridden,
    Submitted,
    TurnCompleted,
)
from rawr.core.vocabulary.opinions import SHAPES, SignatureName
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect
from rawr.models.tuning.examples import Receipt

_MOVES = frozenset(
    {
        Reason.RUN_CONTINUED_MODEL,
        Reason.RUN_PAUSED_MODEL,
        Reason.RUN_STOPPED_MODEL,
        Reason.RUN_REVIEWED_POLICY,
        Reason.RUN_CHECKED_CLAIM,
        Reason.RUN_DONE_REPORTED,
    }
)
FOLLOWS: dict[SignatureName, frozenset[Reason]] = {
    "compaction_judgment": frozenset(
        {
            Reason.JUDGMENT_VETOED_MODEL,
            Reason.COMPACT_DECIDED_BOUNDARY,
            Reason.COMPACT_TAGGED_BOUNDARY,
            Reason.COMPACT_SUGGESTED_BOUNDARY,
        }
    ),
    "full_auto_decision": _MOVES,
    "tool_input": frozenset({Reason.REQUEST_ANSWERED_MODEL}),
    "guidance_router": frozenset({Reason.GUIDANCE_ROUTED_MESSAGE}),
    "task_understanding": frozenset({Reason.GUIDANCE_UNDERSTOOD_TASK}),
    "planning": frozenset({Reason.GUIDANCE_PLANNED_WORK}),
    "guidance_directive": frozenset({Reason.GUIDANCE_DIRECTED_AGENT}),
    "guidance_decision": frozenset({Reason.GUIDANCE_DECIDED_TURN}) | _MOVES,
}
"""The decisions that follow the model's answer, by signature."""


class Found(Struct):
    answers: dict[SignatureName, int]
    """How many usable answers are on record."""
    receipts: dict[SignatureName, list[Receipt]]


class _Answer(Struct):
    """A recorded answer, with a person's label on it."""

    decision: Decision
    signature: SignatureName
    question: str
    word: DecisionLabelled | None = None
    told: int = -1
    """Its position among all labels; the last one counts."""
    overridden: str = ""


def nothing() -> Found:
    return Found(dict.fromkeys(SHAPES, 0), {name: [] for name in SHAPES})


def read(reader: JournalReader) -> Found:
    told = [one.fact for one in reader.facts("") if isinstance(one, Recorded)]
    labels = {fact.decision: n for n, fact in enumerate(told) if isinstance(fact, DecisionLabelled)}
    answers: dict[int, _Answer] = {}
    asked: dict[str, int] = {}
    moved: dict[str, _Answer] = {}
    for decision in reader.decisions():
        if not isinstance(decision, Decision):
            continue
        reason = decision.record.reason
        if reason is Reason.MODEL_ASKED_QUESTION:
            asked[str(decision.record.evidence.get("question"))] = decision.seq
        elif reason is Reason.MODEL_ANSWERED_OPINION:
            _take(answers, decision)
        answer = answers.get(decision.seq)
        about_it = answer is not None and follows(answer.signature, decision)
        number = labels.get(decision.id, -1)
        if answer is not None and about_it and number > answer.told:
            word = told[number]
            assert isinstance(word, DecisionLabelled)  # noqa: S101
            answer.word, answer.told = word, number
        if reason is Reason.RUN_OVERRIDDEN_PERSON:
            _override(reader, moved.pop(decision.thread, None), decision)
        elif reason.startswith("run."):
            moved.pop(decision.thread, None)
            if answer is not None and about_it:
                moved[decision.thread] = answer
    return _found(reader, answers.values(), asked)


def _take(answers: dict[int, _Answer], decision: Decision) -> None:
    evidence = decision.record.evidence
    signature = next((name for name in SHAPES if name == evidence.get("signature")), None)
    if signature is not None:
        answers[decision.seq] = _Answer(decision, signature, str(evidence.get("question")))


def follows(signature: SignatureName, decision: Decision) -> bool:
    """Return True if a decision is about a model's answer, so that a label on it is a label on the answer."""
    reason = decision.record.reason
    if reason is Reason.MODEL_ANSWERED_OPINION:
        return True
    return reason in FOLLOWS[signature] and decision.record.evidence.get("by") != "rules"


def _override(reader: JournalReader, answer: _Answer | None, decision: Decision) -> None:
    """A person decided what comes next: the model's move was wrong, if that is the move they overrode."""
    if answer is None:
        return
    between = reader.facts(decision.thread, after=answer.decision.seq, until=decision.seq)
    for one in between:
        if not isinstance(one, Recorded):
            return
        if isinstance(one.fact, RunOverridden) and one.seq == decision.seq:
            answer.overridden = one.fact.text
            return
        if isinstance(one.fact, TurnCompleted | Submitted) and not isinstance(one.fact, DecisionLabelled):
            return


def _found(reader: JournalReader, answers: Iterable[_Answer], asked: dict[str, int]) -> Found:
    found = nothing()
    for answer in answers:
        found.answers[answer.signature] += 1
        if answer.word is None and not answer.overridden:
            continue
        receipt = _receipt(reader, answer, asked.get(answer.question))
        if receipt is not None:
            found.receipts[answer.signature].append(receipt)
    return found


def _receipt(reader: JournalReader, answer: _Answer, asked: int | None) -> Receipt | None:
    """None if the question or the answer can no longer be read."""
    decision, word = answer.decision, answer.word
    if asked is None:
        return None
    effects = reader.effects(decision.thread, after=asked - 1, until=asked)
    stored = next((one for one in effects if isinstance(one, StoredEffect) and one.id == answer.question), None)
    fact = next(
        (
            one.fact
            for one in reader.facts(decision.thread, after=decision.seq - 1, until=decision.seq)
            if isinstance(one, Recorded)
        ),
        None,
    )
    if stored is None or not isinstance(stored.effect, AskModel) or not isinstance(fact, ModelAnswered):
        return None
    if stored.effect.signature != answer.signature or not isinstance(fact.opinion, SHAPES[answer.signature]):
        return None
    receipt = Receipt(
        id=decision.id, question=stored.effect, opinion=fact.opinion, label="bad", implied=True, at=decision.at
    )
    if word is None:
        return replace(receipt, note=answer.overridden)
    return replace(receipt, label=word.label, note=word.note, implied=False)

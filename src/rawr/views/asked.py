"""What a model was asked and what it answered, for decisions about it."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from rawr.core.text import head
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered, Recorded
from rawr.core.vocabulary.opinions import SHAPES
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect
from rawr.views.labelled import follows

MAX_LINES = 40
MAX_LINE = 500
_OF_QUESTION = "signature", "inputs", "models", "instructions"
_OF_ANSWER = "opinion", "code", "problem", "raw", "model", "diagnostics", "attempts", "tokens", "duration_ms"
_SETTLED = frozenset({Reason.MODEL_ANSWERED_OPINION, Reason.MODEL_FAILED_OPINION, Reason.IGNORED_STALE_OPINION})


class Exchange(Struct, frozen=True):
    """A recorded question with its answer; None for what is missing, or can no longer be read."""

    effect: str
    question: AskModel | None
    answer: ModelAnswered | None

    def as_json(self) -> dict[str, object]:
        told: dict[str, object] = {"question_effect": self.effect}
        asked, answer = self.question, self.answer
        if asked is not None:
            told["question"] = {name: getattr(asked, name) for name in _OF_QUESTION}
        if answer is not None:
            told["answer"] = {name: getattr(answer, name) for name in _OF_ANSWER}
        return told

    def in_words(self, amount: Callable[[int], str] = str) -> Iterator[str]:
        """``amount``: how the surface writes a number of tokens."""
        asked, answer = self.question, self.answer
        if asked is not None:
            yield f"rawr asked {', '.join(asked.models) or 'nobody'} for {asked.signature}:"
            for name, text in {"instructions": asked.instructions, **asked.inputs}.items():
                yield from _field(name, text)
        if answer is None:
            yield "No answer is on record."
            return
        cost = f"{amount(answer.tokens)} tokens, {answer.duration_ms / 1000:.1f} s"
        yield f"Answer from {answer.model or 'nobody'} ({cost}):"
        if answer.opinion is None:
            yield from _field("no usable answer", f"{answer.code}: {answer.problem}")
        else:
            for name in answer.opinion.__struct_fields__:
                value = getattr(answer.opinion, name)
                yield from _field(name, value if isinstance(value, str) else msgspec.json.encode(value).decode())
        yield from _field("the raw reply", answer.raw)
        yield from _field("on the way", "\n".join(answer.diagnostics))


def exchange(reader: JournalReader, row: Decision) -> Exchange | None:
    """The exchange that this decision is about, if it is about a model's answer or asks for one."""
    if row.record.reason is Reason.MODEL_ASKED_QUESTION:
        effect = str(row.record.evidence.get("question"))
        answers = (_answer(one) for one in reader.facts(row.thread, after=row.seq))
        answer = next((one for one in answers if one is not None and one.effect == effect), None)
    else:
        led = (_answer(one) for one in reader.facts(row.thread, after=row.seq - 1, until=row.seq))
        answer = next(led, None)
        if answer is None and row.record.reason not in _SETTLED:
            return None
        effect = answer.effect if answer is not None else str(row.record.evidence.get("question"))
    stored = (one for one in reader.effects(row.thread, until=row.seq) if isinstance(one, StoredEffect))
    asked = next((one.effect for one in stored if one.id == effect), None)
    return Exchange(effect, asked if isinstance(asked, AskModel) else None, answer)


def questions(decided: Iterable[Decision]) -> dict[str, str]:
    """The effect that asked, by the decisions about it."""
    decided = tuple(decided)
    settled = {one.seq: _question(one) for one in decided if one.record.reason in _SETTLED}
    own = {one.id: _question(one) for one in decided if one.record.reason is Reason.MODEL_ASKED_QUESTION}
    return {one.id: settled[one.seq] for one in decided if one.seq in settled} | own


def uncounted(decided: Sequence[Decision], row: Decision) -> str:
    """Why ``rawr tune`` learns nothing from a label on this decision, and what to label; empty if it does learn."""
    said = [one for one in decided if one.record.reason is Reason.MODEL_ANSWERED_OPINION]
    if row.record.reason is Reason.MODEL_ASKED_QUESTION:
        answer = next((one for one in said if _question(one) == _question(row)), None)
    else:
        answer = next((one for one in said if one.seq == row.seq), None)
    if answer is None:
        return "`rawr tune` learns nothing from it: no usable model answer led to this decision."
    if _counts(answer, row):
        return ""
    return f"`rawr tune` learns nothing from it. To teach the model, label its answer: {short(answer.id)}"


def short(name: str) -> str:
    """The end of a thread's id, and the unique part of the decision's."""
    thread, _, rest = name.rpartition(":")
    return f"{thread[-4:]}:{rest}"


def _counts(answer: Decision, row: Decision) -> bool:
    if row.id == answer.id:
        return True
    signature = next((name for name in SHAPES if name == answer.record.evidence.get("signature")), None)
    return signature is not None and row.seq == answer.seq and follows(signature, row)


def _question(row: Decision) -> str:
    return str(row.record.evidence.get("question"))


def _answer(row: object) -> ModelAnswered | None:
    return row.fact if isinstance(row, Recorded) and isinstance(row.fact, ModelAnswered) else None


def _field(name: str, text: str) -> Iterator[str]:
    lines = text.strip().splitlines()
    title = f"  {name.replace('_', ' ')}:"
    if not lines:
        return
    if len(lines) == 1 and len(lines[0]) < MAX_LINE // 4:
        yield f"{title} {lines[0]}"
        return
    yield title
    for line in lines[:MAX_LINES]:
        yield f"    {head(line, MAX_LINE)}"
    if len(lines) > MAX_LINES:
        yield f"    ({len(lines) - MAX_LINES} more lines; --json prints all)"

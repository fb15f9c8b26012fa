"""Put a question to a model, and take its answer (A18, C3, C4, C17).

At most one question of a kind at a time on a thread, each identified by the effect that asked it; an answer to another
question is dropped, with a record. Every question ends: with an answer, a failure, or its deadline. The module that
asked decides what follows from an answer.
"""

from collections.abc import Mapping

from rawr.core.draft import ThreadDraft
from rawr.core.events import OpinionGiven
from rawr.core.state.thread import Asking
from rawr.core.text import head
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import SHAPES, NoOpinion, SignatureName
from rawr.core.vocabulary.reasons import Reason

DEADLINE = "model:"
GRACE = 5
"""Seconds beyond the question's own time limit: the code that asks has a deadline too, and reports more."""
SHOWN = 500


def ask(
    draft: ThreadDraft,
    signature: SignatureName,
    inputs: Mapping[str, str],
    *,
    instructions: str = "",
    models: tuple[str, ...] = (),
) -> str:
    """Ask, and return the effect that does; empty if the same question is already open. ``models`` are the policy's,
    unless others are given."""
    if in_flight(draft, signature):
        draft.note(Reason.MODEL_SKIPPED_ASKED, signature=signature)
        return ""
    policy = draft.policy.models
    models = models or policy.order
    question = AskModel(
        signature=signature,
        inputs=dict(inputs),
        instructions=instructions,
        models=models,
        attempts=policy.attempts,
        seconds=policy.seconds,
    )
    effect = draft.do(question)
    draft.change(asking=(*draft.state.asking, Asking(effect, signature, draft.at)))
    draft.set_deadline(DEADLINE + signature, policy.seconds + GRACE)
    draft.note(Reason.MODEL_ASKED_QUESTION, signature=signature, question=effect, models=list(models))
    return effect


def in_flight(draft: ThreadDraft, signature: SignatureName) -> bool:
    return any(one.signature == signature for one in draft.state.asking)


def drop(draft: ThreadDraft, signature: SignatureName) -> None:
    """The answer is no longer useful; if it comes, it is recorded and dropped."""
    draft.change(asking=tuple(one for one in draft.state.asking if one.signature != signature))
    draft.cancel_deadline(DEADLINE + signature)


def answered(draft: ThreadDraft, fact: ModelAnswered) -> None:
    asked = next((one for one in draft.state.asking if one.effect == fact.effect), None)
    if asked is None or asked.signature != fact.signature:
        draft.note(
            Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature, raw=head(fact.raw, SHOWN)
        )
        return
    drop(draft, asked.signature)
    opinion = fact.opinion
    if opinion is not None and not isinstance(opinion, SHAPES[asked.signature]):
        fact = _none(asked, "unreadable", f"an answer of another kind: {type(opinion).__name__}")
    draft.note(
        Reason.MODEL_ANSWERED_OPINION if fact.opinion is not None else Reason.MODEL_FAILED_OPINION,
        signature=fact.signature,
        question=asked.effect,
        model=fact.model,
        code=fact.code,
        problem=head(fact.problem, SHOWN),
        raw=head(fact.raw, SHOWN),
        diagnostics=[head(one, SHOWN) for one in fact.diagnostics],
        attempts=fact.attempts,
        tokens=fact.tokens,
        duration_ms=fact.duration_ms,
    )
    draft.emit(OpinionGiven(fact))


def lost(draft: ThreadDraft, effect: str, problem: str) -> bool:
    """The question failed: rawr was away, or could not ask it at all."""
    asked = next((one for one in draft.state.asking if one.effect == effect), None)
    if asked is None:
        return False
    answered(draft, _none(asked, "lost", problem))
    return True


def deadline_passed(draft: ThreadDraft, signature: str) -> None:
    asked = next((one for one in draft.state.asking if one.signature == signature), None)
    if asked is not None:
        answered(draft, _none(asked, "timed_out", "no answer came in time"))


def _none(asked: Asking, code: NoOpinion, problem: str) -> ModelAnswered:
    return ModelAnswered(effect=asked.effect, signature=asked.signature, code=code, problem=problem)

"""A model's judgment before a compaction: requested, awaited, and acted on or skipped (A18).

The model is asked if everything else says yes, and never in an emergency. It can only say no: whatever it answers, the
moment is assessed again then, and the guards of that moment win. It is not asked about a vetoed boundary again. The
thread is idle while rawr waits, so nothing is cut off by giving up: anything else that happens goes first.
"""

from msgspec.structs import replace

from rawr.core.compaction import decision, judgment_context, path, sequence
from rawr.core.compaction.assessment import Assessment, assess
from rawr.core.compaction.precompact import selected
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.events import JudgmentDue, JudgmentOver, ThreadShut, TurnSeen, UserSpoke
from rawr.core.policy.tiers import TIERS, Tier
from rawr.core.state.sequence import Phase, Sequence, Verdict
from rawr.core.state.thread import ThreadState
from rawr.core.text import head
from rawr.core.thread import asking
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import ModelAnswered, ThreadJoined
from rawr.core.vocabulary.opinions import CompactionJudgment, SignatureName
from rawr.core.vocabulary.reasons import Reason

QUESTION: SignatureName = "compaction_judgment"
MAX_REASON = 500


def awaited(state: ThreadState) -> bool:
    return state.sequence is not None and state.sequence.phase is Phase.AWAITING_JUDGMENT


def wanted(draft: ThreadDraft, answer: Assessment) -> bool:
    """Return True if the tier asks a model before it compacts."""
    return answer.tier is not None and "judgment" in selected(draft.policy.compaction, answer.tier)


def ask(draft: ThreadDraft, answer: Assessment, *, held: bool = False) -> None:
    """Everything says yes: does a model too? ``held``: a user's message waits for the answer."""
    state, compaction = draft.state, draft.policy.compaction
    tier = answer.tier or "asap"
    rules = compaction.tier(tier)
    if not state.online or rules is None:
        decision.record(draft, answer, Reason.COMPACT_DEFERRED_OFFLINE, outcome="deferred")
        return
    context = judgment_context.write(draft.policy.prompts.judgment_context, state, answer)
    asking.ask(draft, QUESTION, {"context": context}, instructions=rules.decision_prompt)
    ended = sequence.what_ended(state.signals)
    waits = Sequence(
        id=f"c{draft.seq}",
        phase=path.entered(draft, Move.JUDGMENT_ASKED),
        since=draft.at,
        tier=tier,
        percent=answer.percent or 0,
        boundaries=state.signals,
        ended=ended,
        reason=answer.reason.value,
        requests=selected(compaction, tier),
        held=held,
    )
    draft.change(sequence=waits)
    decision.record(draft, answer, Reason.JUDGMENT_ASKED_MODEL, outcome="asked")
    most = draft.policy.models.seconds + asking.GRACE
    text = f"[rawr] auto-compaction judgment: asking a model at {answer.percent} % left: {ended}"
    if held:
        text += f"; your message waits for it, {most} s at most"
    draft.do(Notify(level="status", text=text))


# -- the answer --------------------------------------------------------------------------------------------------------


def judged(draft: ThreadDraft, fact: ModelAnswered) -> None:
    """The model has answered, or never will."""
    waiting = draft.state.sequence
    if waiting is None or not awaited(draft.state):
        draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
        return
    opinion = fact.opinion
    verdict: Verdict
    if isinstance(opinion, CompactionJudgment):
        verdict = "approve" if opinion.should_compact else "veto"
        why = _line(opinion.reason) or "it did not say why"
        words = f"{'compact' if opinion.should_compact else 'do not compact'}, {fact.model or 'a model'} says: {why}"
    else:
        verdict, words = "none", f"none ({fact.code}): {_line(fact.problem)}"
    draft.change(sequence=replace(waiting, verdict=verdict, judgment=words))
    _act(draft)


def _act(draft: ThreadDraft) -> None:
    """Act on the current assessment. The one at the time of the question may be out of date."""
    waiting = draft.state.sequence
    if waiting is None or not waiting.verdict or not draft.state.online:
        return  # ``joined`` leads back here
    draft.emit(JudgmentDue())
    if not awaited(draft.state):
        return
    if draft.state.busy:
        drop(draft, Reason.JUDGMENT_DROPPED_TURN)
        return
    answer = _assess(draft, waiting)
    if answer.compact and (answer.tier == "emergency" or waiting.verdict == "approve"):
        _go_on(draft, waiting, answer)
        _tell(draft, waiting)
    elif waiting.verdict == "veto":
        _veto(draft, waiting, answer)
    elif not answer.compact:
        decision.record(draft, answer, answer.reason, judgment=waiting.judgment)
        _leave(draft)
        _tell(draft, waiting, f"not now: {answer.reason.meaning}")
    elif _compacts_without(draft, answer.tier):
        decision.record(draft, answer, Reason.JUDGMENT_WAIVED_ERROR, judgment=waiting.judgment)
        _go_on(draft, waiting, answer)
        _tell(draft, waiting, "compacting without one")
    else:
        decision.record(draft, answer, Reason.JUDGMENT_DEFERRED_ERROR, judgment=waiting.judgment, outcome="deferred")
        _tell(draft, waiting, "not compacting for now")
        _leave(draft)


def _tell(draft: ThreadDraft, waiting: Sequence, then: str = "") -> None:
    """Always, and always a line that stays (A21): what the model said, why, and what follows if it did not decide."""
    more = f"; {then}" if then else ""
    draft.do(Notify(level="info", text=f"[rawr] auto-compaction judgment: {waiting.judgment}{more}"))


def _assess(draft: ThreadDraft, waiting: Sequence) -> Assessment:
    """As if nothing waited; the held message is what waits for this."""
    state = replace(draft.state, sequence=None, queue=() if waiting.held else draft.state.queue)
    return assess(state, draft.policy.compaction, now=draft.at)


def _go_on(draft: ThreadDraft, waiting: Sequence, answer: Assessment) -> None:
    decision.carry_out(draft, answer, judgment=waiting.judgment)
    if awaited(draft.state):
        # It was marked or recommended, not begun.
        _leave(draft)


def _veto(draft: ThreadDraft, waiting: Sequence, answer: Assessment) -> None:
    """Remember the veto for the boundaries that were judged. The model may be asked about later ones."""
    decision.record(draft, answer, Reason.JUDGMENT_VETOED_MODEL, judgment=waiting.judgment, outcome="vetoed")
    _tell(draft, waiting)
    vetoed = tuple(one.id for one in waiting.boundaries)
    draft.change(since=replace(draft.state.since, vetoed=vetoed))
    fresh = _assess(draft, waiting)
    if fresh.compact and wanted(draft, fresh):
        path.move(draft, Move.DECIDED_NO)
        ask(draft, fresh, held=waiting.held)
    else:
        _leave(draft)


def _compacts_without(draft: ThreadDraft, tier: Tier | None) -> bool:
    match draft.policy.models.judgment_on_error:
        case "compact":
            return True
        case "defer":
            return False
        case "tier":
            return tier is not None and TIERS.index(tier) >= TIERS.index("asap")


def _leave(draft: ThreadDraft) -> None:
    """Back to idle. The caller sends what waits; a run continues by itself."""
    path.move(draft, Move.DECIDED_NO)
    draft.emit(JudgmentOver())


# -- what happens meanwhile --------------------------------------------------------------------------------------------


def drop(draft: ThreadDraft, reason: Reason) -> None:
    """Stop waiting for the answer. If it comes, it is recorded and dropped."""
    waiting = draft.state.sequence
    if waiting is None or not awaited(draft.state):
        return
    asking.drop(draft, QUESTION)
    draft.note(reason, sequence=waiting.id, tier=waiting.tier, judgment=waiting.judgment or None)
    path.move(draft, Move.OVERTAKEN)


def turn_seen(draft: ThreadDraft, _event: TurnSeen) -> None:
    """A thread is idle while a model is asked about it, so a turn makes the question moot."""
    drop(draft, Reason.JUDGMENT_DROPPED_TURN)


def thread_shut(draft: ThreadDraft, _event: ThreadShut) -> None:
    drop(draft, Reason.JUDGMENT_DROPPED_CLOSED)


def give_way(draft: ThreadDraft, _event: UserSpoke) -> None:
    """A person says something. A waiting message prevents a compaction, so the question is moot."""
    waiting = draft.state.sequence
    if waiting is not None and awaited(draft.state) and not waiting.held:
        drop(draft, Reason.JUDGMENT_DROPPED_MESSAGE)
        draft.emit(JudgmentOver())


def usage_changed(draft: ThreadDraft) -> None:
    """In an emergency rawr asks no model, and waits for none."""
    waiting = draft.state.sequence
    if waiting is None or not awaited(draft.state) or draft.state.busy or not draft.state.online:
        return
    answer = _assess(draft, waiting)
    if answer.tier == "emergency" and answer.compact:
        drop(draft, Reason.JUDGMENT_DROPPED_EMERGENCY)
        decision.carry_out(draft, answer)
        if draft.state.sequence is None:
            draft.emit(JudgmentOver())


def joined(draft: ThreadDraft, fact: ThreadJoined) -> None:
    """The thread is joined again. An answer that came in the meantime is about the state before."""
    if not awaited(draft.state):
        return
    last = draft.state.last_turn
    if draft.state.turn is not None or (last is not None and fact.last_turn not in ("", last.id)):
        drop(draft, Reason.JUDGMENT_DROPPED_TURN)
    else:
        _act(draft)


def _line(text: str) -> str:
    return head(" ".join(text.split()), MAX_REASON)

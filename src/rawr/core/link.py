"""The connection as one thread sees it: lost, back, joined again; and what became of the effects that were sent."""

from rawr.core import answering, compaction, delivery, turns
from rawr.core.draft import ThreadDraft
from rawr.core.effects import Notify, ResumeThread
from rawr.core.facts import EffectFailed, EffectSucceeded, ThreadJoined, TurnStatus
from rawr.core.reasons import Reason

_SEEN: dict[str, TurnStatus] = {"completed": "completed", "failed": "failed", "interrupted": "interrupted"}


def server_connected(draft: ThreadDraft) -> None:
    state = draft.state
    if not state.closed and not state.ephemeral and (state.ours or state.wanted):
        draft.note(Reason.THREAD_RESUMED_RECONNECT)
        draft.change(online=False, resuming=draft.do(ResumeThread()))


def connection_lost(draft: ThreadDraft) -> None:
    """The server died, or the connection to it did, or rawr was away.

    The running turn stays as it is until the thread is joined again: over a socket it may well have gone on.
    """
    answering.connection_lost(draft)
    delivery.connection_lost(draft)
    state = draft.state
    draft.change(online=False, resuming="", wanted=state.wanted or state.online)


def thread_joined(draft: ThreadDraft, fact: ThreadJoined) -> None:
    state = draft.state
    draft.change(
        cwd=fact.cwd or state.cwd,
        model=fact.model or state.model,
        ephemeral=fact.ephemeral,
        online=True,
        wanted=True,
        closed=False,
    )
    turn = draft.state.turn
    if turn is not None and (fact.idle or (fact.last_turn and fact.last_turn != turn.id)):
        status = _SEEN.get(fact.last_status, "interrupted") if fact.last_turn == turn.id else "interrupted"
        turns.end(draft, turn, status, lost=True)
    if fact.idle:
        compaction.found_idle(draft)
    delivery.look_for_doubted(draft)
    turns.advance(draft)


def effect_succeeded(draft: ThreadDraft, fact: EffectSucceeded) -> None:
    if fact.effect == draft.state.resuming:
        draft.change(resuming="")
    elif not delivery.effect_succeeded(draft, fact):
        answering.effect_ended(draft, fact.effect)
    turns.advance(draft)


def effect_failed(draft: ThreadDraft, fact: EffectFailed) -> None:
    if fact.effect == draft.state.resuming:
        draft.change(resuming="")
        if fact.code == "refused":
            draft.change(closed=True)
            draft.note(Reason.THREAD_FAILED_REFUSED, problem=fact.problem)
            draft.do(Notify(level="error", text=f"Codex cannot go on with this thread: {fact.problem}"))
    elif not delivery.effect_failed(draft, fact):
        compaction.effect_failed(draft, fact)
        answering.effect_ended(draft, fact.effect)
    turns.advance(draft)

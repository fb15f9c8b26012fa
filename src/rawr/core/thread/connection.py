"""The connection as one thread sees it: lost, back, joined again, closed."""

from typing import Literal, assert_never

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.events import ThreadGone, ThreadShut
from rawr.core.state import ledger
from rawr.core.state.turn import MAX_ENDED, ActiveTurn
from rawr.core.thread import joining, limiting, replacing, turns
from rawr.core.vocabulary.effects import Notify, SetDeadline
from rawr.core.vocabulary.facts import (
    EffectFailed,
    EffectSucceeded,
    RuntimeStarted,
    ThreadAdopted,
    ThreadClosed,
    ThreadJoined,
    ThreadReached,
    ThreadStatusChanged,
    TurnStatus,
)
from rawr.core.vocabulary.reasons import Reason

REFUSED = frozenset({"refused", "moot", "gone", "archived", "missing"})
"""Why joining failed, where another try would fail as well."""
_SEEN: dict[str, TurnStatus] = {"completed": "completed", "failed": "failed", "interrupted": "interrupted"}


def reached(draft: ThreadDraft, fact: ThreadReached) -> None:
    """Another of rawr's connections reaches it now. On the one before, nothing is under way any more."""
    if draft.state.link != fact.link:
        draft.change(link=fact.link, online=False, certain=False, resuming="", replacing="")
        if fact.moved:
            # The connection may be open already. Whoever has something for the thread joins it.
            draft.change(wanted=False)


def server_connected(draft: ThreadDraft) -> None:
    state = draft.state
    if state.closed or not state.wanted:
        return
    if state.ephemeral:
        # Codex keeps no history of it to join.
        closed(draft)
        return
    if state.unborn:
        replacing.attempt(draft)
        return
    draft.note(Reason.THREAD_RESUMED_RECONNECT)
    draft.change(online=False, certain=False)
    limiting.resume(draft)


def connection_lost(draft: ThreadDraft) -> None:
    """The server died, the connection to it was lost, or rawr was away.

    The running turn stays as it is until the thread is joined again: over a socket it may have continued.
    """
    state = draft.state
    draft.change(online=False, certain=False, resuming="", replacing="", wanted=state.wanted or state.online)


def runtime_started(draft: ThreadDraft, _fact: RuntimeStarted) -> None:
    """rawr was away, and its timers are gone: set the remaining deadlines again."""
    if draft.state.left_alone:
        draft.change(wanted=False)
    else:
        _set_deadlines(draft)


def _set_deadlines(draft: ThreadDraft) -> None:
    for deadline in draft.state.deadlines:
        draft.do(SetDeadline(name=deadline.name, at=deadline.at))


def wake(draft: ThreadDraft) -> None:
    """Join a thread that was left alone, because there is something to do there now."""
    state = draft.state
    if state.unborn:
        replacing.attempt(draft)
        return
    if state.wanted or state.online or state.resuming or state.closed or state.ephemeral or not state.ours:
        return
    draft.change(wanted=True)
    _set_deadlines(draft)
    limiting.resume(draft)


def adopted(draft: ThreadDraft, fact: ThreadAdopted) -> None:
    """From here on rawr drives it, knowing what the user said there before."""
    limiting.adopted(draft, fact)
    state = draft.state
    if not state.wanted:
        _set_deadlines(draft)
    draft.change(wanted=True, closed=False)
    if not state.online and not state.resuming:
        limiting.resume(draft, history=True, take_goal=fact.take_goal)


def reopened(draft: ThreadDraft) -> None:
    """Codex closed it, and somebody takes it up again. Codex decides if that is possible."""
    if draft.state.closed:
        draft.change(closed=False, wanted=False)


def status_changed(draft: ThreadDraft, fact: ThreadStatusChanged) -> None:
    if fact.status == "active" and joining.wanted(draft):
        # It was archived, for example, and now somebody has it open again.
        reopened(draft)
    if fact.status in ("active", "idle"):
        joining.attempt(draft)


def thread_closed(draft: ThreadDraft, fact: ThreadClosed) -> None:
    """Codex closed it, or another client made it do so. A run can be resumed, unless the thread is deleted."""
    match fact.how:
        case "closed":
            draft.emit(ThreadGone(Reason.RUN_PAUSED_CLOSED))
        case "archived":
            _put_away(draft, "archived")
        case "deleted":
            _put_away(draft, "deleted")
        case _ as never:
            assert_never(never)
    closed(draft)


def _put_away(draft: ThreadDraft, how: Literal["archived", "deleted"]) -> None:
    """Somebody did it in Codex, or did so while rawr was away. Where a run ends with it, the run says so."""
    running = draft.state.run is not None and draft.state.run.active
    if how == "archived":
        way_out = f"`codex unarchive {draft.state.id}` brings it back"
        draft.emit(ThreadGone(Reason.RUN_PAUSED_ARCHIVED, way_out))
        said = f"[rawr] The thread was archived in Codex; {way_out}."
    else:
        draft.emit(ThreadGone(Reason.RUN_FAILED_DELETED))
        said = "[rawr] The thread was deleted in Codex."
    if not running and draft.state.put_away != how:
        draft.do(Notify(level="info", text=said))
    draft.change(put_away=how)


def closed(draft: ThreadDraft) -> None:
    """Nothing more will come from this thread; notify everything that waits for it. The run first: it must not continue
    from anything that ends here."""
    draft.change(closed=True, online=False, resuming="")
    draft.emit(ThreadGone(Reason.RUN_FAILED_THREAD))
    turn = draft.state.turn
    if turn is not None:
        turns.end(draft, turn, "interrupted", lost=True)
    draft.emit(ThreadShut())


def fresh(draft: ThreadDraft, fact: ThreadJoined) -> ThreadJoined:
    """The same fact, ``fresh`` if another server holds the thread now: no request to the earlier one is under way."""
    state = draft.state
    return replace(fact, fresh=True) if state.server and fact.server not in ("", state.server) else fact


def thread_joined(draft: ThreadDraft, fact: ThreadJoined) -> bool:
    """Return True if the turn that we knew of has ended in the meantime: then it is judged like any other."""
    state = draft.state
    draft.change(
        server=fact.server,
        session_id=fact.session_id or state.session_id,
        cwd=fact.cwd or state.cwd,
        model=fact.model or state.model,
        ephemeral=fact.ephemeral,
        online=True,
        wanted=True,
        closed=False,
        put_away="",
        # Whatever else joining was meant to find out, this is it.
        resuming="",
        stirred=False,
        token_budget=fact.token_budget,
        native=fact.native or state.native,
        shared=fact.shared,
    )
    _hear(draft, fact)
    if fact.in_force is not None:
        limiting.told_of(draft, fact.in_force)
    ended = _take_up(draft, fact) if not draft.state.certain else False
    limiting.end_turn(draft)
    return ended


def _hear(draft: ThreadDraft, fact: ThreadJoined) -> None:
    """What the user said before we joined: from here on, the goal and the standing directives are pinned (D3)."""
    if draft.state.ledger.goal:
        return
    kept = draft.state.ledger
    for text in fact.messages:
        kept = ledger.add_message(kept, text, at=draft.at)
    draft.change(ledger=kept)


def _take_up(draft: ThreadDraft, fact: ThreadJoined) -> bool:
    """Which turn is running, according to Codex. Its list may not have the running turn yet.

    Return True if the turn that we knew of has ended in the meantime: then it is judged like any other.
    """
    state = draft.state
    turn = state.turn
    over = False
    seen = _SEEN.get(fact.last_status)
    running = fact.last_turn if seen is None else ""
    if turn is not None and (fact.idle or (turn.id != running and (running or turn.id in ("", fact.last_turn)))):
        if turn.id:
            status = seen if seen is not None and fact.last_turn == turn.id else "interrupted"
            over = True
            said = fact.last_said if status == "completed" and fact.last_said else turn.agent_text
            turns.end(draft, replace(turn, agent_text=said), status, lost=True)
        turn = None
        draft.change(turn=None)
    if turn is None and fact.idle and seen is not None and state.sent and fact.last_turn not in draft.state.ended:
        # It began and ended while we were away. The message found in it shows whose it was. If something is still
        # running, it may be this turn: then its end is still to be reported.
        missed = ActiveTurn(fact.last_turn, draft.at, agent_text=fact.last_said, midway=True)
        turns.end(draft, missed, seen, lost=True)
    if turn is None and fact.idle:
        # Over, according to Codex itself: later facts about them do not start them again.
        told = (*(one.turn for one in fact.missed), *((fact.last_turn,) if seen is not None else ()))
        over_too = tuple(one for one in dict.fromkeys(told) if one and one not in draft.state.ended)
        draft.change(ended=(*draft.state.ended, *over_too)[-MAX_ENDED:])
    if turn is None and not fact.idle:
        # A late fact from an earlier connection may have marked it as over.
        known = tuple(one for one in draft.state.ended if one != running)
        draft.change(turn=ActiveTurn(running, draft.at, midway=True), ended=known)
    # If the list does not have it, the next fact about a turn shows which one is running.
    draft.change(certain=fact.idle or bool(running))
    return over


# -- the outcome of joining -------------------------------------------------------------------------------------------


def effect_succeeded(draft: ThreadDraft, fact: EffectSucceeded) -> bool:
    """Return True if it was about this thread as a whole: joining it, or replacing it."""
    if fact.effect == draft.state.replacing:
        replacing.succeeded(draft, fact.result)
    elif fact.effect == draft.state.resuming:
        draft.change(resuming="")
        joining.ended(draft)
    else:
        return False
    return True


def effect_failed(draft: ThreadDraft, fact: EffectFailed) -> bool:
    if fact.effect == draft.state.replacing:
        draft.change(replacing="")
        if fact.code not in ("unsent", "lost"):
            # Without a connection it is tried again on the next one; this is another failure.
            _given_up(draft, fact)
    elif fact.effect == draft.state.resuming:
        _not_resumed(draft, fact)
    else:
        return False
    return True


def _not_resumed(draft: ThreadDraft, fact: EffectFailed) -> None:
    draft.change(resuming="")
    # A thread of another client that had no turn yet has nothing to join: Codex has none of that name, either.
    known = {"archived", "missing"} if draft.state.turns else {"archived"}
    if fact.code == "timed_out":
        limiting.resume(draft)
    elif fact.code in REFUSED - known and not draft.state.ours and draft.policy.joins(draft.state.link):
        draft.note(Reason.THREAD_DEFERRED_UNBORN, problem=fact.problem)
        joining.ended(draft)
    elif fact.code in REFUSED - {"gone"} and replacing.possible(draft.state):
        replacing.lost(draft)
    elif fact.code in ("archived", "missing"):
        draft.note(Reason.THREAD_FAILED_REFUSED, problem=fact.problem)
        _put_away(draft, "archived" if fact.code == "archived" else "deleted")
        closed(draft)
    elif fact.code in REFUSED:
        _given_up(draft, fact)


def _given_up(draft: ThreadDraft, fact: EffectFailed) -> None:
    draft.note(Reason.THREAD_FAILED_REFUSED, problem=fact.problem)
    draft.do(Notify(level="error", text=f"Codex cannot continue this thread: {fact.problem}"))
    draft.emit(ThreadGone(Reason.RUN_FAILED_THREAD, fact.problem))
    closed(draft)

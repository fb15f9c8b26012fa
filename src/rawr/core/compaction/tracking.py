"""Follows a compaction from its start to its end, whoever started it.

Done means two signals in either order: the compaction item completed, and its turn completed (A13). Codex's own
compaction in the middle of a turn has only the first.
"""

from typing import Literal

from msgspec.structs import replace

from rawr.core.compaction import storm, work
from rawr.core.draft import ThreadDraft
from rawr.core.events import (
    CompactedUpstream,
    CompactionEnded,
    CompactionMoot,
    ThreadShut,
    TurnBegan,
    TurnLost,
    UserCutOff,
)
from rawr.core.policy.tiers import Tier, percent_remaining, tier_of
from rawr.core.state import since
from rawr.core.state.sequence import (
    MAX_COMPACTIONS,
    CompactionPast,
    CompactionRun,
    Compactor,
    CutOff,
    LastCompaction,
    Phase,
)
from rawr.core.state.thread import ThreadState
from rawr.core.thread import quiet
from rawr.core.vocabulary.effects import FindSaid, Notify, StartCompaction
from rawr.core.vocabulary.facts import EffectFailed, MissedTurn, ThreadJoined, TurnCompleted
from rawr.core.vocabulary.items import Compaction, UserMessage
from rawr.core.vocabulary.payloads import ContextCompacted
from rawr.core.vocabulary.reasons import Reason

DEADLINE = "compaction"
SOON = 5
"""Seconds in which a live server begins a request from before the connection was lost, or one that replaced a turn."""
AT_ONCE = 10_000
"""Milliseconds after a request is written down in which a turn's interruption may be its doing: usually it takes a few.
Later ones are a person's, and so is one that no compaction follows."""
BEGUN = 500
"""The same for a turn that had begun to compact: a person's own ``/compact``, perhaps."""


def possible(draft: ThreadDraft) -> bool:
    """Return True if a compaction that a person requests can begin now; if not, tell them why."""
    state = draft.state
    if state.closed:
        draft.note(Reason.IGNORED_CLOSED_THREAD)
    elif not state.online:
        draft.note(Reason.COMPACT_DEFERRED_OFFLINE)
        draft.do(Notify(level="warning", text="Codex is away; nothing was compacted."))
    elif state.busy:
        # Codex would interrupt the running turn to compact.
        draft.note(Reason.COMPACT_DEFERRED_BUSY)
        draft.do(Notify(level="warning", text="A turn is running; nothing was compacted."))
    else:
        return True
    return False


def start(draft: ThreadDraft, *, again: bool = False) -> None:
    effect = draft.do(StartCompaction())
    begun = CompactionRun("rawr", draft.at, effect=effect, tokens_before=tokens(draft), again=again)
    draft.change(compacting=begun)
    draft.set_deadline(DEADLINE, draft.policy.limits.compaction)


def effect_failed(draft: ThreadDraft, fact: EffectFailed) -> bool:
    """Without an answer it may have begun anyway: then events, a new connection or the deadline will tell."""
    run = draft.state.compacting
    if run is None or run.effect != fact.effect:
        return False
    if fact.code in ("lost", "timed_out"):
        return True
    if fact.code == "moot":
        _overtaken(draft)
        return True
    if fact.code == "unsent" and draft.state.sequence is not None:
        # Codex has not received it. It begins again when the thread is joined again.
        draft.change(compacting=replace(run, doubted=True))
        return True
    draft.note(Reason.COMPACT_FAILED_REFUSED, problem=fact.problem)
    _end(draft, ok=False, by_chance=fact.code == "unsent")
    return True


def _overtaken(draft: ThreadDraft) -> None:
    """Somebody's turn had begun when the request was about to go out."""
    draft.change(compacting=None)
    draft.cancel_deadline(DEADLINE)
    if draft.state.sequence is not None:
        draft.emit(CompactionMoot())
    else:
        draft.note(Reason.COMPACT_DEFERRED_BUSY)
        draft.do(Notify(level="warning", text="A turn is running; nothing was compacted."))


def turn_began(draft: ThreadDraft, event: TurnBegan) -> None:
    run = draft.state.compacting
    if run is not None and run.by == "rawr" and not run.turn:
        draft.change(compacting=replace(run, turn=event.turn))


def user_spoke(draft: ThreadDraft, item: UserMessage, turn: str) -> None:
    """A compaction's turn has no message. This is another client's turn that came first, or one in which Codex began by
    compacting."""
    run = draft.state.compacting
    if run is not None and any(one.turn == turn and one.what == "unseen" for one in run.cut):
        cut = tuple(CutOff(turn, item.text, "message") if one.turn == turn else one for one in run.cut)
        draft.change(compacting=replace(run, cut=cut))
        return
    if run is None or turn not in (run.turn, run.spoke):
        return
    if run.turn != turn:
        draft.change(compacting=replace(run, said=f"{run.said}\n\n{item.text}"))
    elif run.by == "other":
        draft.change(compacting=replace(run, by="upstream"))
        if run.item_done:
            _upstream(draft)
    elif run.by == "rawr" and not run.item_done and run.doubted:
        # It was unknown whether ours was still to come. A user's turn is running, so it is not.
        _failed(draft, "a user's turn runs in its place", by_chance=True)
    elif run.by == "rawr" and not run.item_done:
        draft.change(compacting=replace(run, turn="", spoke=turn, said=item.text))
    elif run.by == "rawr":
        draft.change(compacting=replace(run, native=True))


def item_started(draft: ThreadDraft, turn: str) -> None:
    run = _run_of(draft, turn)
    if run is not None:
        draft.change(compacting=replace(run, turn=turn, begun=True))
        if run.replaced:
            draft.set_deadline(DEADLINE, draft.policy.limits.compaction)
        return
    if _known(draft, turn):
        return
    _failed(draft, "another one began")
    active = draft.state.turn
    in_the_middle = active is not None and active.items > 0
    draft.change(
        compacting=CompactionRun(
            "upstream" if in_the_middle else "other", draft.at, turn=turn, tokens_before=tokens(draft)
        )
    )
    draft.set_deadline(DEADLINE, draft.policy.limits.compaction)


def item_completed(draft: ThreadDraft, _item: Compaction | None, turn: str) -> None:
    run = _run_of(draft, turn)
    if run is None:
        # The item's start was not seen: rawr joined late, or an older server sends only the notice.
        if _known(draft, turn):
            return
        _failed(draft, "another one began")
        active = draft.state.turn
        in_the_middle = active is not None and active.items > 1
        run = CompactionRun("upstream" if in_the_middle else "other", draft.at, turn=turn, tokens_before=tokens(draft))
        draft.set_deadline(DEADLINE, draft.policy.limits.compaction_item)
    run = replace(run, turn=turn, item_done=True)
    draft.change(compacting=run)
    if run.by == "upstream":
        _upstream(draft)
    elif run.turn_done or turn in draft.state.ended:
        _both(draft)


def turn_completed(draft: ThreadDraft, fact: TurnCompleted) -> None:
    run = draft.state.compacting
    if run is None or _replaced(draft, run, fact):
        return
    if run.spoke == fact.turn:
        run = replace(run, spoke="", said="")
        draft.change(compacting=run)
    if run.turn != fact.turn:
        return
    if run.item_done:
        # The item says what happened; a turn that was cut off after it has compacted anyway.
        _both(draft)
    elif fact.status != "completed":
        _failed(draft, fact.status, by_chance=fact.status == "interrupted")
    else:
        draft.change(compacting=replace(run, turn_done=True))
        draft.set_deadline(DEADLINE, draft.policy.limits.compaction_item)


def _replaced(draft: ThreadDraft, run: CompactionRun, fact: TurnCompleted) -> bool:
    """Codex takes a compaction also when somebody's turn has just begun, and ends that turn for it (measured). Return
    True if that is what happened: ours is still to come."""
    if run.by != "rawr" or run.item_done or not quiet.is_shared(draft.state):
        return False
    # A review's turn begins with its first item.
    other = bool(run.turn or run.spoke) and fact.turn not in (run.turn, run.spoke)
    if fact.status != "interrupted" or other:
        return False
    compacted = run.begun and run.turn == fact.turn
    if draft.at - run.since > (BEGUN if compacted else AT_ONCE):
        return False
    # Their own ``/compact`` is answered by ours.
    cut = run.cut if compacted else (*run.cut, _cut_off(draft, run, fact.turn))
    if cut and cut[-1].turn == fact.turn and cut[-1].what == "unseen":
        # Codex may have written it down all the same (measured).
        draft.do(FindSaid(turn=fact.turn))
    draft.change(compacting=replace(run, turn="", begun=False, spoke="", said="", replaced=True, cut=cut))
    draft.set_deadline(DEADLINE, SOON)
    return True


def _cut_off(draft: ThreadDraft, run: CompactionRun, turn: str) -> CutOff:
    last = draft.state.last_turn
    if last is None or last.id != turn:
        return CutOff(turn)
    if last.review:
        return CutOff(turn, what="review")
    if run.spoke == turn:
        return CutOff(turn, run.said, "message")
    return CutOff(turn, what="command" if last.commands or last.left_open else "unseen")


def deadline_passed(draft: ThreadDraft) -> None:
    run = draft.state.compacting
    if run is not None and run.doubted and _may_begin_again(draft, run):
        _begin_again(draft, run)
    else:
        ended = run is not None and run.replaced and not run.begun
        by_chance = ended or (run is not None and run.doubted)
        _failed(draft, "interrupted" if ended else "timed out", by_chance=by_chance)


def connection_lost(draft: ThreadDraft) -> None:
    """Codex's history tells how it ended, when the thread is joined again."""
    run = draft.state.compacting
    if run is not None:
        draft.change(compacting=replace(run, doubted=True))


def joined(draft: ThreadDraft, fact: ThreadJoined) -> None:
    """Joined again. Compactions in the meantime are in Codex's history, whoever died, and whatever came after them."""
    run = draft.state.compacting
    done = [one for one in fact.missed if one.compacted and not _recorded(draft, one.turn)]
    if run is not None and run.doubted:
        # Ours has its own turn. If that did not come, and Codex compacted by itself in a user's turn instead, the
        # context is compacted anyway, and the packet belongs into it.
        mine = next((one for one in done if not one.spoken), done[0] if done else None)
        if mine is not None:
            # The content of the context is not known now: the recorded count is from before.
            native = run.by == "rawr" and mine.spoken
            draft.change(compacting=replace(run, turn=mine.turn, item_done=True, native=native), usage=None)
            (_upstream if run.by == "upstream" else _both)(draft)
            done = [one for one in done if one is not mine]
        else:
            _still_to_come(draft, run, fact)
    if done and draft.state.compacting is None:
        _missed(draft, done)


def _still_to_come(draft: ThreadDraft, run: CompactionRun, fact: ThreadJoined) -> None:
    """It is not in the history. A running turn that is nobody's may be it; a live server may not have begun yet."""
    turn = draft.state.turn
    users = {one.turn for one in fact.missed if one.spoken}
    if run.item_done:
        _both(draft)
    elif turn is None and fact.fresh and _may_begin_again(draft, run):
        _begin_again(draft, run)
    elif turn is None and fact.fresh:
        _failed(draft, "Codex or rawr ended before it was done", by_chance=True)
    elif turn is None or not turn.id:
        draft.set_deadline(DEADLINE, SOON)
    elif turn.id in users or turn.messages:
        _failed(draft, "a user's turn runs in its place", by_chance=True)
    else:
        draft.change(compacting=replace(run, turn=turn.id))


def _may_begin_again(draft: ThreadDraft, run: CompactionRun) -> bool:
    """It was ours, there is a packet for it, nothing is running, and it is the first time."""
    sequence = draft.state.sequence
    ours = run.by == "rawr" and sequence is not None and sequence.phase is Phase.COMPACTING
    return ours and draft.state.online and draft.state.turn is None and not run.again


def _begin_again(draft: ThreadDraft, run: CompactionRun) -> None:
    draft.note(Reason.COMPACT_STARTED_AGAIN, turn=run.turn)
    start(draft, again=True)


def _missed(draft: ThreadDraft, done: list[MissedTurn]) -> None:
    """Nobody saw it happen. One in the middle of a turn was Codex's own, and the agent gets the record (A19)."""
    newest = done[-1]
    by: Compactor = "upstream" if newest.spoken else "other"
    draft.change(compacting=CompactionRun(by, draft.at, turn=newest.turn, item_done=True), usage=None)
    (_upstream if by == "upstream" else _both)(draft)


def turn_lost(draft: ThreadDraft, event: TurnLost) -> None:
    run = draft.state.compacting
    if run is not None and run.turn == event.turn and not run.turn_done and not (run.doubted and draft.state.resuming):
        _failed(draft, "its end was not seen", by_chance=True)


def thread_shut(draft: ThreadDraft, _event: ThreadShut) -> None:
    _failed(draft, "thread closed", by_chance=True)


def _run_of(draft: ThreadDraft, turn: str) -> CompactionRun | None:
    """The current compaction, if it belongs to that turn. Ours takes the first turn that shows one."""
    run = draft.state.compacting
    if run is None or run.turn == turn:
        return run
    return run if not run.turn and turn not in draft.state.ended else None


def _known(draft: ThreadDraft, turn: str) -> bool:
    """The turn's compaction is already on record. Codex's own do not count: a turn can have several."""
    return any(past.turn == turn and past.by != "upstream" for past in draft.state.compactions)


def _recorded(draft: ThreadDraft, turn: str) -> bool:
    """A successful compaction in that turn is already on record, whoever started it."""
    return any(past.turn == turn and past.ok for past in draft.state.compactions)


def _failed(draft: ThreadDraft, status: str, *, by_chance: bool = False) -> None:
    """``by_chance``: something cut it off, which says nothing about the gain of the next one."""
    run = draft.state.compacting
    if run is not None:
        draft.note(Reason.COMPACT_FAILED_TURN, turn=run.turn, status=status)
        _end(draft, ok=False, by_chance=by_chance)


def _upstream(draft: ThreadDraft) -> None:
    run = draft.state.compacting
    draft.note(Reason.COMPACT_SEEN_UPSTREAM, turn=run.turn if run else "")
    _end(draft, ok=True)
    if storm.rages(draft):
        audit(draft)
    else:
        draft.emit(CompactedUpstream())


def _both(draft: ThreadDraft) -> None:
    run = draft.state.compacting
    draft.note(
        Reason.COMPACT_DONE_BOTH,
        turn=run.turn if run else "",
        tokens_before=run.tokens_before if run else None,
        tokens_after=tokens(draft),
    )
    _end(draft, ok=True)
    if run is not None and run.by == "other" and draft.state.sequence is not None:
        # A person did what the sequence was for.
        draft.emit(CompactedUpstream())


def _end(draft: ThreadDraft, *, ok: bool, by_chance: bool = False) -> None:
    run = draft.state.compacting
    if run is None:
        return
    past = CompactionPast(
        "upstream" if run.native else run.by,
        run.turn,
        draft.at,
        ok,
        run.tokens_before,
        tokens(draft) if ok else None,
        draft.at - run.since,
    )
    draft.change(
        compacting=None,
        compactions=(*draft.state.compactions, past)[-MAX_COMPACTIONS:],
        compaction_count=draft.state.compaction_count + ok,
        reasoning=0 if ok else draft.state.reasoning,
    )
    draft.cancel_deadline(DEADLINE)
    if ok or run.begun:
        # Otherwise none followed, and it was a person who ended that turn.
        for cut in run.cut:
            draft.emit(UserCutOff(cut))
    if ok:
        work.compacted(draft, past.by)
    if run.by == "rawr" and draft.state.sequence is not None:
        draft.emit(CompactionEnded(ok, by_chance))
    elif not ok or not (run.by == "upstream" or (run.by == "other" and draft.state.sequence is not None)):
        # Otherwise the caller tells of it, and who hears of it knows which audit it gets.
        audit(draft)


def audit(draft: ThreadDraft) -> None:
    """A compaction outside the golden path leaves a record too (A23), with percent and tier as they were before it."""
    past = draft.state.compactions[-1]
    trigger = {"rawr": "submitted", "other": "another client", "upstream": "Codex itself"}[past.by]
    percent, tier = _room_before(draft, past)
    if past.ok:
        remember(draft, "", tier, trigger)
    draft.note(
        Reason.COMPACT_AUDITED_OUTSIDE,
        trigger=trigger,
        tier=tier or None,
        percent=percent,
        tokens_before=past.tokens_before,
        tokens_after=past.tokens_after,
        duration_ms=past.duration_ms,
        outcome="compacted" if past.ok else "failed",
    )


def _room_before(draft: ThreadDraft, past: CompactionPast) -> tuple[int | None, Tier | Literal[""]]:
    usage = draft.state.usage
    if past.tokens_before is None or usage is None or usage.window is None:
        return None, ""
    percent = percent_remaining(in_context=past.tokens_before, window=usage.window)
    return percent, tier_of(percent or 0, draft.policy.compaction.thresholds)


def remember(draft: ThreadDraft, name: str, tier: str, reason: str, *, judgment: str = "") -> None:
    """A compaction has taken place, whoever started it: the cooldown starts here (A7, B3)."""
    past = draft.state.compactions[-1] if draft.state.compactions else None
    draft.change(
        last_compaction=LastCompaction(draft.at, draft.state.work_turns, name, tier, reason, judgment),
        since=since.after_compaction(draft.state.ledger),
        suggested="",
    )
    compacted = ContextCompacted(reason, tier=tier, sequence=name)
    draft.signal("compaction_completed", compacted, source="rawr", turn=past.turn if past is not None else "")


def tokens(draft: ThreadDraft) -> int | None:
    return draft.state.usage.in_context if draft.state.usage is not None else None


def compacts(state: ThreadState, turn: str) -> bool:
    """Return True if a turn belongs to a compaction, which is nobody's work (C1)."""
    known = [(one.turn, one.by) for one in (*state.compactions, state.compacting) if one is not None]
    return bool(turn) and any(name == turn and by != "upstream" for name, by in known)

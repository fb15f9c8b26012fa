"""Following a compaction from its start to its end, whoever started it.

Done means two signals in either order: the compaction item completed, and its turn completed (A13). Codex's own
compaction in the middle of a turn has only the first.
"""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.effects import Notify, StartCompaction
from rawr.core.facts import CompactionSubmitted, EffectFailed, TurnCompleted
from rawr.core.reasons import Reason
from rawr.core.state import MAX_COMPACTIONS, CompactionPast, CompactionRun

DEADLINE = "compaction"


def submitted(draft: ThreadDraft, _fact: CompactionSubmitted) -> None:
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
        effect = draft.do(StartCompaction())
        draft.change(compacting=CompactionRun("rawr", draft.at, effect=effect, tokens_before=_tokens(draft)))
        draft.set_deadline(DEADLINE, draft.policy.limits.compaction)
        draft.note(Reason.COMPACT_STARTED_SUBMITTED, tokens_before=_tokens(draft))


def effect_failed(draft: ThreadDraft, fact: EffectFailed) -> None:
    run = draft.state.compacting
    if run is not None and run.effect == fact.effect:
        draft.note(Reason.COMPACT_FAILED_REFUSED, problem=fact.problem)
        _end(draft, ok=False)


def turn_started(draft: ThreadDraft, turn: str) -> None:
    run = draft.state.compacting
    if run is not None and run.by == "rawr" and not run.turn:
        draft.change(compacting=replace(run, turn=turn))


def user_spoke(draft: ThreadDraft, turn: str) -> None:
    """A compaction's turn holds no message. The turn we took for ours is another client's that came first."""
    run = draft.state.compacting
    if run is not None and run.turn == turn and run.by == "rawr" and not run.item_done:
        draft.change(compacting=replace(run, turn=""))


def item_started(draft: ThreadDraft, turn: str) -> None:
    run = draft.state.compacting
    if run is not None and run.turn in ("", turn):
        draft.change(compacting=replace(run, turn=turn))
        return
    active = draft.state.turn
    in_the_middle = active is not None and active.items > 0
    draft.change(
        compacting=CompactionRun(
            "upstream" if in_the_middle else "other", draft.at, turn=turn, tokens_before=_tokens(draft)
        )
    )
    draft.set_deadline(DEADLINE, draft.policy.limits.compaction)


def item_completed(draft: ThreadDraft, turn: str) -> None:
    run = draft.state.compacting
    if run is None or run.turn not in ("", turn):
        # The item's start was not seen: joined late, or an older server that sends only the notice.
        active = draft.state.turn
        in_the_middle = active is not None and active.items > 1
        run = CompactionRun("upstream" if in_the_middle else "other", draft.at, turn=turn, tokens_before=_tokens(draft))
    run = replace(run, turn=turn, item_done=True)
    draft.change(compacting=run)
    if run.by == "upstream":
        draft.note(Reason.COMPACT_SEEN_UPSTREAM, turn=turn)
        _end(draft, ok=True)
    elif run.turn_done or (draft.state.last_turn is not None and draft.state.last_turn.id == turn):
        _both(draft)


def turn_completed(draft: ThreadDraft, fact: TurnCompleted) -> None:
    run = draft.state.compacting
    if run is None or run.turn != fact.turn:
        return
    if fact.status != "completed":
        draft.note(Reason.COMPACT_FAILED_TURN, turn=fact.turn, status=fact.status)
        _end(draft, ok=False)
    elif run.item_done:
        _both(draft)
    else:
        draft.change(compacting=replace(run, turn_done=True))
        draft.set_deadline(DEADLINE, draft.policy.limits.compaction_item)


def deadline_passed(draft: ThreadDraft) -> None:
    run = draft.state.compacting
    if run is not None:
        draft.note(Reason.COMPACT_FAILED_TURN, turn=run.turn, status="timed out")
        _end(draft, ok=False)


def found_idle(draft: ThreadDraft) -> None:
    """Joined again, and the thread is idle: whatever was under way is over, and its end was not seen."""
    run = draft.state.compacting
    if run is not None:
        draft.note(Reason.COMPACT_FAILED_TURN, turn=run.turn, status="connection lost")
        _end(draft, ok=False)


def _both(draft: ThreadDraft) -> None:
    run = draft.state.compacting
    draft.note(
        Reason.COMPACT_DONE_BOTH,
        turn=run.turn if run else "",
        tokens_before=run.tokens_before if run else None,
        tokens_after=_tokens(draft),
    )
    _end(draft, ok=True)


def _end(draft: ThreadDraft, *, ok: bool) -> None:
    run = draft.state.compacting
    if run is None:
        return
    past = CompactionPast(
        run.by,
        run.turn,
        draft.at,
        ok,
        run.tokens_before,
        _tokens(draft) if ok else None,
        draft.at - run.since,
    )
    draft.change(
        compacting=None,
        compactions=(*draft.state.compactions, past)[-MAX_COMPACTIONS:],
        compaction_count=draft.state.compaction_count + ok,
    )
    draft.cancel_deadline(DEADLINE)


def _tokens(draft: ThreadDraft) -> int | None:
    return draft.state.usage.in_context if draft.state.usage is not None else None

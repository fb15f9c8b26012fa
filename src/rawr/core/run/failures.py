"""A turn of a run goes wrong, a limit is reached, a budget is used up, or nobody answers (C5, C12)."""

from msgspec.structs import replace

from rawr.core.compaction import sequence, veto
from rawr.core.compaction.table import Move as PathMove
from rawr.core.draft import ThreadDraft
from rawr.core.events import CompactionStorm, LimitsWidened, RequestExpired, TurnWedged
from rawr.core.run import checks, ending, going_on, guards
from rawr.core.run.cutting_short import cut_if_asked, cut_short
from rawr.core.run.resuming import EACH_LOST
from rawr.core.run.table import Move
from rawr.core.run.trouble import pause_seconds, trouble
from rawr.core.state.host import FULL
from rawr.core.state.turn import TurnOutcome
from rawr.core.thread import cutting
from rawr.core.vocabulary.effects import InterruptTurn, Notify
from rawr.core.vocabulary.facts import ModelAnswered, Problem, RateLimitsUpdated, UsageUpdated
from rawr.core.vocabulary.reasons import Reason

AGAIN_SECONDS = 60
AT_WORK = frozenset({"Command", "ToolCall", "SubAgent"})
"""Items that may take any amount of time."""


# -- turns that did not finish ----------------------------------------------------------------------------------------


def failed(draft: ThreadDraft, turn: TurnOutcome) -> None:
    run, policy, compaction = ending.run_of(draft), draft.policy.full_auto, draft.policy.compaction
    said = turn.problem.message if turn.problem is not None else "it did not say why"
    kind = trouble(turn.problem)
    if kind == "full" and run.retries == 0 and compaction.enabled and compaction.mode == "auto":
        ending.move(draft, Move.COMPACTING, retries=1)
        draft.note(Reason.COMPACT_DECIDED_FULL, problem=said)
        sequence.begin(draft, PathMove.FULL, tier="emergency", percent=0, reason=Reason.COMPACT_DECIDED_FULL)
    elif ending.rests_over_budget(draft):
        pass
    elif kind in ("lasting", "full"):
        ending.fail(draft, Reason.RUN_FAILED_TURN, said)
    elif run.retries >= policy.retries:
        ending.fail(draft, Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; the last one: {said}")
    elif kind == "limit" and draft.state.limited_until > draft.at:
        going_on.wait_for_limit(draft, draft.state.limited_until, said)
    else:
        seconds = pause_seconds(run.retries, first=policy.retry_seconds, most=policy.retry_most_seconds)
        draft.note(Reason.RUN_RETRIED_PASSING, run=run.id, attempt=run.retries + 1, seconds=seconds, problem=said)
        draft.do(Notify(level="warning", text=f"[rawr] retrying in {seconds} s: {said}"))
        ending.move(draft, Move.RETRYING, retries=run.retries + 1)
        draft.set_deadline(ending.RETRY, seconds)


def interrupted(draft: ThreadDraft, turn: TurnOutcome, *, was_resumed: bool) -> None:
    """A turn that was cut off with the connection, or resumed before it ended, continues. Otherwise a person
    interrupted it, and must resume it."""
    run = ending.run_of(draft)
    if ending.rests_over_budget(draft):
        pass
    elif run.stalled:
        ending.change(draft, stalled=False)
        seconds = draft.policy.full_auto.stall_seconds
        failed(draft, replace(turn, problem=Problem(f"nothing happened for {seconds} s", code="stalled")))
    elif turn.lost and run.retries >= draft.policy.full_auto.retries:
        ending.stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; {EACH_LOST}")
    elif turn.lost or was_resumed:
        draft.note(Reason.RUN_CONTINUED_LOST if turn.lost else Reason.RUN_CONTINUED_RESUMED, run=run.id)
        ending.move(draft, Move.CUT_OFF, retries=run.retries + turn.lost)
    else:
        ending.interrupted(draft, "the turn was interrupted by a person")


# -- time -------------------------------------------------------------------------------------------------------------


def time_up(draft: ThreadDraft) -> None:
    """The budget of minutes is used up."""
    if not _runs(draft):
        return
    _over_budget(draft)
    if ending.run_of(draft).active:
        # Anything that could not be ended now is tried again.
        draft.set_deadline(ending.TIME, AGAIN_SECONDS)


def retry_due(draft: ThreadDraft) -> None:
    """The wait is over: for a retry, a limit, or a review that does not come."""
    run = draft.state.run
    if run is None or not run.active:
        return
    if run.waiting == "review":
        checks.review_late(draft)
    elif run.waiting in ("retry", "limit"):
        draft.note(Reason.RUN_CONTINUED_RETRY, run=run.id)
        going_on.go_on_or_deliver(draft)


def quiet(draft: ThreadDraft) -> None:
    """Is the turn still alive? A silent model would hold the run up forever."""
    if not _runs(draft):
        return
    run, state, most = ending.run_of(draft), draft.state, draft.policy.full_auto.stall_seconds
    turn = state.turn
    # A message that was accepted and then led to nothing is a turn that hangs, too.
    name = turn.id if turn is not None else cutting.on_its_way(state)
    if not name or state.sequence is not None or state.compacting is not None:
        draft.set_deadline(ending.STALL, most)
        return
    at_work = bool(state.requests) or (turn is not None and any(one.kind in AT_WORK for one in turn.open_items))
    left = most - (draft.at - max(run.heard, turn.started_at if turn is not None else 0)) // 1000
    if at_work or left > 0:
        draft.set_deadline(ending.STALL, most if at_work else left)
        return
    draft.note(Reason.RUN_INTERRUPTED_STALL, run=run.id, turn=name, seconds=most)
    ending.change(draft, stalled=True)
    cutting.cut(draft, name)
    draft.set_deadline(ending.STALL, most)


def heard(draft: ThreadDraft) -> None:
    """Something happened in a turn: it does not hang."""
    if draft.state.run is not None and draft.state.run.active:
        ending.change(draft, heard=draft.at)


# -- usage ------------------------------------------------------------------------------------------------------------


def limits_updated(draft: ThreadDraft, fact: RateLimitsUpdated) -> None:
    """For threads with a run, when a limit is reached: a wait then ends when it resets."""
    if fact.resets_at is None:
        return
    known, until = draft.state.limited_until, fact.resets_at * 1000
    if until == known or (known > draft.at and fact.used_percent < FULL):
        # Windows are reported one by one, and each says that a limit is reached.
        return
    draft.change(limited_until=until)
    run = draft.state.run
    if run is not None and run.active and run.waiting in ("retry", "slot", "limit") and until > draft.at:
        going_on.wait_for_limit(draft, until, "the account's limit is reached")


def usage_updated(draft: ThreadDraft, fact: UsageUpdated) -> None:
    """Tokens and money are counted with every model call; a budget ends the run even in the middle of a turn."""
    run, usage = draft.state.run, draft.state.usage
    if run is None or usage is None or usage.spent == run.spent:
        return
    prices = draft.policy.full_auto
    fresh = max(usage.in_context - fact.cached_input - fact.output, 0)
    cost = prices.cost(fresh=fresh, cached=fact.cached_input, output=fact.output)
    more = max(usage.spent - run.spent, 0)
    ending.change(draft, spent=usage.spent, tokens=run.tokens + more, cost=run.cost + cost)
    if not run.active or draft.state.turn is None:
        return
    if run.stop_asked:
        cut_if_asked(draft)
    else:
        _over_budget(draft)


def model_asked(draft: ThreadDraft, fact: ModelAnswered) -> None:
    """The cost of a question counts against the budget of the run on its thread."""
    run, prices = draft.state.run, draft.policy.full_auto
    if run is None or not fact.tokens:
        return
    cost = prices.cost(fresh=max(fact.tokens - fact.output_tokens, 0), output=fact.output_tokens)
    ending.change(draft, tokens=run.tokens + fact.tokens, cost=run.cost + cost)


def _over_budget(draft: ThreadDraft) -> None:
    """End the turn; its end ends the run. Usage from before the turn does not count against it here."""
    run, state = ending.run_of(draft), draft.state
    hard = [one for one in guards.budgets(run, now=draft.at) if one.name != "turns" and one.hit]
    if not hard:
        return
    idle = (state.sequence is None or veto.awaited(state)) and run.waiting not in ("check", "review") and not state.busy
    if state.turn is not None:
        if not run.stop_asked and cut_short(draft):
            draft.note(hard[0].reason, run=run.id, detail=hard[0].detail, action="interrupt")
    elif idle:
        ending.rests_over_budget(draft)


# -- events from elsewhere --------------------------------------------------------------------------------------------


def request_expired(draft: ThreadDraft, event: RequestExpired) -> None:
    """Nobody answered an approval or a question in time: pause the run and end its turn (C5, C11)."""
    if not _runs(draft):
        return
    turn = draft.state.turn
    ending.pause_within_turn(draft, Reason.RUN_PAUSED_UNANSWERED, event.what)
    if turn is not None and turn.id:
        cutting.cut(draft, turn.id)


def turn_wedged(draft: ThreadDraft, _event: TurnWedged) -> None:
    """A turn ignores an interrupt: the run rests. It was a turn of the run, though its end is not seen."""
    if _runs(draft):
        ending.change(draft, turns=ending.run_of(draft).turns + 1, stalled=False)
        ending.stop(draft, "paused", Reason.RUN_PAUSED_WEDGED, "")


def limits_widened(draft: ThreadDraft, event: LimitsWidened) -> None:
    if _runs(draft):
        ending.pause_within_turn(draft, Reason.RUN_PAUSED_LIMITS, event.detail)


def compaction_storm(draft: ThreadDraft, event: CompactionStorm) -> None:
    """Codex compacts by itself again and again: end its turn."""
    if not _runs(draft):
        return
    turn = draft.state.turn
    ending.pause_within_turn(draft, Reason.RUN_PAUSED_STORM, event.words)
    if turn is not None and turn.id:
        draft.do(InterruptTurn(turn=turn.id))


def _runs(draft: ThreadDraft) -> bool:
    return draft.state.run is not None and draft.state.run.active

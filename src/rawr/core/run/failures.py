"""When a turn of a run goes wrong, a limit is reached, a budget is used up, or nobody answers (C5, C12)."""

from msgspec.structs import replace

from rawr.core.compaction import sequence
from rawr.core.compaction import veto as judging
from rawr.core.draft import ThreadDraft
from rawr.core.run import checks as run_checks
from rawr.core.run import commands as run_words
from rawr.core.run import ending as run_rest
from rawr.core.run import guards as run_guards
from rawr.core.run import turn_end as fullauto
from rawr.core.run.schedule import FULL
from rawr.core.run.trouble import pause_seconds, trouble
from rawr.core.state.turn import WORK, Purpose, TurnOutcome
from rawr.core.thread import cutting, turns
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import Problem, RateLimitsUpdated
from rawr.core.vocabulary.reasons import Reason

AGAIN_SECONDS = 60
AT_WORK = frozenset({"Command", "ToolCall", "SubAgent"})
"""Items that may take as long as they take."""
EACH_LOST = "each time the connection was lost"


def failed(draft: ThreadDraft, turn: TurnOutcome) -> None:
    run, policy, compaction = run_rest.run_of(draft), draft.policy.full_auto, draft.policy.compaction
    said = turn.problem.message if turn.problem is not None else "it did not say why"
    kind = trouble(turn.problem)
    if kind == "full" and run.retries == 0 and compaction.enabled and compaction.mode == "auto":
        run_rest.change(draft, retries=1, waiting="sequence")
        draft.note(Reason.COMPACT_DECIDED_FULL, problem=said)
        sequence.begin(draft, tier="emergency", percent=0, reason=Reason.COMPACT_DECIDED_FULL)
        return
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if over is not None:
        run_rest.stop(draft, "stopped", over.reason, over.detail)
    elif kind in ("lasting", "full"):
        run_rest.stop(draft, "failed", Reason.RUN_FAILED_TURN, said)
    elif run.retries >= policy.retries:
        run_rest.stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; the last one: {said}")
    elif kind == "limit" and draft.state.limited_until > draft.at:
        wait_for_limit(draft, draft.state.limited_until, said)
    else:
        seconds = pause_seconds(run.retries, first=policy.retry_seconds, most=policy.retry_most_seconds)
        draft.note(Reason.RUN_RETRIED_PASSING, run=run.id, attempt=run.retries + 1, seconds=seconds, problem=said)
        draft.do(Notify(level="warning", text=f"[rawr] trying again in {seconds} s: {said}"))
        run_rest.change(draft, retries=run.retries + 1, waiting="retry")
        draft.set_deadline(run_rest.RETRY, seconds)


def wait_for_limit(draft: ThreadDraft, until: int, said: str) -> None:
    run = run_rest.run_of(draft)
    seconds = max((until - draft.at) // 1000 + 1, 1)
    if seconds > draft.policy.full_auto.limit_wait_seconds:
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_LIMIT, f"the limit resets in {seconds} s: {said}")
        return
    draft.note(Reason.RUN_WAITS_LIMIT, run=run.id, seconds=seconds, problem=said)
    draft.do(Notify(level="warning", text=f"[rawr] rate limit: going on in {seconds} s, when it resets."))
    run_rest.change(draft, waiting="limit")
    draft.set_deadline(run_rest.RETRY, seconds)


def limits_updated(draft: ThreadDraft, fact: RateLimitsUpdated) -> None:
    """Told to threads with a run when a limit is reached: a wait then ends when it resets."""
    if fact.resets_at is not None:
        known, until = draft.state.limited_until, fact.resets_at * 1000
        if until == known or (known > draft.at and fact.used_percent < FULL):
            # Windows are told one by one, and all of them say that a limit is reached.
            return
        draft.change(limited_until=until)
        run = draft.state.run
        if run is not None and run.active and run.waiting in ("retry", "slot", "limit") and until > draft.at:
            wait_for_limit(draft, until, "the account's limit is reached")
            turns.advance(draft)


def interrupted(draft: ThreadDraft, turn: TurnOutcome, *, was_resumed: bool) -> None:
    """Cut off with the connection, or resumed before it had ended, it is taken up again. Otherwise a person did it, and
    it is theirs to go on."""
    run = run_rest.run_of(draft)
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if over is not None:
        run_rest.stop(draft, "stopped", over.reason, over.detail)
    elif run.stalled:
        run_rest.change(draft, stalled=False)
        seconds = draft.policy.full_auto.stall_seconds
        failed(draft, replace(turn, problem=Problem(f"nothing happened for {seconds} s")))
    elif turn.lost and run.retries >= draft.policy.full_auto.retries:
        run_rest.stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; {EACH_LOST}")
    elif turn.lost or was_resumed:
        draft.note(Reason.RUN_CONTINUED_LOST if turn.lost else Reason.RUN_CONTINUED_RESUMED, run=run.id)
        run_rest.change(draft, waiting="resume", retries=run.retries + turn.lost)
        fullauto.go_on_after_absence(draft)
    else:
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_INTERRUPTED, "the turn was interrupted by a person")


def deadline_passed(draft: ThreadDraft, name: str) -> None:
    run = draft.state.run
    if run is None or not run.active:
        return
    if name == run_rest.TIME:
        _over_budget(draft)
        if run_rest.run_of(draft).active:
            # Whatever could not be ended now is tried again.
            draft.set_deadline(run_rest.TIME, AGAIN_SECONDS)
    elif name == run_rest.STALL:
        _quiet(draft)
    elif run.waiting == "review":
        run_checks.review_late(draft)
    elif run.waiting in ("retry", "limit"):
        draft.note(Reason.RUN_CONTINUED_RETRY, run=run.id)
        if any(one.purpose in WORK for one in draft.state.queue):
            fullauto.queue_up(draft)
        else:
            fullauto.go_on(draft)
    turns.advance(draft)


def heard(draft: ThreadDraft) -> None:
    """Something happened in a turn: it does not hang."""
    if draft.state.run is not None and draft.state.run.active:
        run_rest.change(draft, heard=draft.at)


def _quiet(draft: ThreadDraft) -> None:
    """Is the turn still alive? A model that says nothing, without end, would hold the run up for ever."""
    run, state, most = run_rest.run_of(draft), draft.state, draft.policy.full_auto.stall_seconds
    turn = state.turn
    # A message that was taken, and of which nothing more is heard, is a turn that hangs as well.
    name = turn.id if turn is not None else cutting.on_its_way(state)
    if not name or state.sequence is not None or state.compacting is not None:
        draft.set_deadline(run_rest.STALL, most)
        return
    at_work = bool(state.requests) or (turn is not None and any(one.kind in AT_WORK for one in turn.open_items))
    left = most - (draft.at - max(run.heard, turn.started_at if turn is not None else 0)) // 1000
    if at_work or left > 0:
        draft.set_deadline(run_rest.STALL, most if at_work else left)
        return
    draft.note(Reason.RUN_INTERRUPTED_STALL, run=run.id, turn=name, seconds=most)
    run_rest.change(draft, stalled=True)
    cutting.cut(draft, name)
    draft.set_deadline(run_rest.STALL, most)


def usage_updated(draft: ThreadDraft, *, output: int, cached: int) -> None:
    """Tokens and money are counted with every model call; a budget ends the run in the middle of a turn."""
    run, usage = draft.state.run, draft.state.usage
    if run is None or usage is None or usage.spent == run.spent:
        return
    prices = draft.policy.full_auto
    fresh = max(usage.in_context - cached - output, 0)
    cost = prices.cost(fresh=fresh, cached=cached, output=output)
    more = max(usage.spent - run.spent, 0)
    run_rest.change(draft, spent=usage.spent, tokens=run.tokens + more, cost=run.cost + cost)
    if not run.active or draft.state.turn is None:
        return
    if run.stop_asked:
        run_words.cut_if_asked(draft)
    else:
        _over_budget(draft)


def _over_budget(draft: ThreadDraft) -> None:
    """Ends the turn; its end ends the run. What was used before the turn began does not count against it here."""
    run, state = run_rest.run_of(draft), draft.state
    hard = [one for one in run_guards.budgets(run, now=draft.at) if one.name != "turns" and one.hit]
    if not hard:
        return
    if state.turn is not None:
        if not run.stop_asked and run_words.cut_short(draft):
            draft.note(hard[0].reason, run=run.id, detail=hard[0].detail, action="interrupt")
    elif (
        (state.sequence is None or judging.awaited(state)) and run.waiting not in ("check", "review") and not state.busy
    ):
        run_rest.stop(draft, "stopped", hard[0].reason, hard[0].detail)


def unanswered(draft: ThreadDraft, what: str) -> None:
    """Nobody answered an approval or a question in time: the run is paused, with its turn ended (C5, C11)."""
    run = draft.state.run
    if run is None or not run.active:
        return
    turn = draft.state.turn
    # Its end comes when the run rests already; it was a turn of the run all the same.
    run_rest.change(draft, turns=run.turns + (turn is not None))
    run_rest.stop(draft, "paused", Reason.RUN_PAUSED_UNANSWERED, what)
    if turn is not None and turn.id:
        cutting.cut(draft, turn.id)


def undelivered(draft: ThreadDraft, purpose: Purpose, problem: str) -> None:
    """Codex did not take the run's message. What it takes next time nobody knows, so a person is asked."""
    run = draft.state.run
    if run is None or not run.active:
        return
    if purpose == "handoff":
        fullauto.sequence_over(draft)
    elif purpose not in WORK:
        return
    elif run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif run.waiting == "turn":
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_REFUSED, problem)

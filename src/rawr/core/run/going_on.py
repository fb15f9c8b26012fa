"""Continue a run: its next message, the slot that it waits for, and what goes before it (C8, C12, C14)."""

from operator import attrgetter

from rawr.core.compaction import moment
from rawr.core.draft import ThreadDraft
from rawr.core.events import GuidanceWanted
from rawr.core.run import ending, instructions
from rawr.core.run.guards import Guard
from rawr.core.run.table import Move
from rawr.core.run.trouble import pause_seconds
from rawr.core.state.messages import Queued
from rawr.core.state.run import Status
from rawr.core.thread import outbox
from rawr.core.vocabulary.effects import ClearGoal, Notify
from rawr.core.vocabulary.reasons import Reason


def by_rules(draft: ThreadDraft, guards: tuple[Guard, ...]) -> None:
    ending.note(draft, Reason.RUN_CONTINUED_POLICY, "continue", guards=guards)
    after_moment(draft)


def after_moment(draft: ThreadDraft) -> None:
    """Continue, unless this is a moment to compact: then the agent continues from the handoff."""
    moment.weigh(draft)
    if draft.state.sequence is not None and not ending.run_of(draft).note:
        ending.move(draft, Move.COMPACTING)
    else:
        go_on(draft)


def go_on(draft: ThreadDraft) -> None:
    """Send the next message; a guided run works it out first."""
    if ending.run_of(draft).guidance is not None:
        draft.emit(GuidanceWanted("next"))
    else:
        say_go_on(draft)


def say_go_on(draft: ThreadDraft) -> None:
    run = ending.run_of(draft)
    text = instructions.go_on(run, draft.state.ledger, draft.state.plan)
    ending.remark(draft)
    send(draft, Queued.own(draft.seq, text, "continue"))


def send(draft: ThreadDraft, message: Queued) -> None:
    """Send it next, unless Codex drives the thread itself (C14)."""
    if not give_way(draft):
        outbox.put(draft, message)
        queue_up(draft)


def send_first(draft: ThreadDraft, message: Queued) -> None:
    """The same for the first message of the run, which guidance has examined."""
    if not give_way(draft):
        put_first(draft, message)
        queue_up(draft)


def put_first(draft: ThreadDraft, message: Queued) -> None:
    """It was submitted with the run's order, so it goes before anything submitted since."""
    draft.change(queue=tuple(sorted((message, *draft.state.queue), key=attrgetter("seq"))))


def give_way(draft: ThreadDraft, status: Status = "paused") -> bool:
    """Return True if Codex drives the thread itself, so that the run rests, unless it takes over (C14)."""
    goal = draft.state.goal
    if goal is None or goal.status != "active":
        return False
    if ending.run_of(draft).order.take_goal:
        draft.do(ClearGoal())
        return False
    detail = f"{goal.objective}; with --take-goal rawr takes over from it"
    ending.stop(draft, status, Reason.RUN_REFUSED_GOAL, f"Codex itself pursues a goal here: {detail}")
    return True


def goal_came_up(draft: ThreadDraft) -> None:
    """Codex was given a goal, or reports one only now. A running turn finishes first."""
    run = draft.state.run
    if run is not None and run.active and draft.state.turn is None:
        give_way(draft)


# -- the slot ---------------------------------------------------------------------------------------------------------


def queue_up(draft: ThreadDraft) -> None:
    """Wait for the slot, or for the account's limit if that is known to be reached."""
    ending.move(draft, Move.READY, ready=draft.seq)
    _cool_down(draft)
    if draft.state.limited_until > draft.at:
        wait_for_limit(draft, draft.state.limited_until, "the account's limit is reached")


COOL_SECONDS = 2
COOL_MOST = 60


def _cool_down(draft: ThreadDraft) -> None:
    """Turns that end at once and do nothing are not repeated as fast as they come: twice as long a wait each time."""
    run = ending.run_of(draft)
    if not draft.policy.pace_runs or not run.wasted:
        return
    seconds = pause_seconds(run.wasted - 1, first=COOL_SECONDS, most=COOL_MOST)
    draft.note(Reason.RUN_WAITS_COOLDOWN, run=run.id, turns=run.wasted, seconds=seconds)
    ending.change(draft, cools_until=draft.at + seconds * 1000)
    draft.set_deadline(ending.COOL, seconds)


def cooled(draft: ThreadDraft) -> None:
    """The wait is over; whose turn it is among the runs is decided after each batch of facts."""
    run = draft.state.run
    if run is not None and run.cools_until:
        ending.change(draft, cools_until=0)


def granted(draft: ThreadDraft) -> None:
    """This run has its slot among the others."""
    run = draft.state.run
    if run is None or not run.active or run.waiting != "slot":
        return
    if not ending.rests_as_asked(draft):
        ending.move(draft, Move.GRANTED, heard=draft.at, granted_at=draft.at)
        draft.set_deadline(ending.STALL, draft.policy.full_auto.stall_seconds)


def wait_for_limit(draft: ThreadDraft, until: int, said: str) -> None:
    run = ending.run_of(draft)
    seconds = max((until - draft.at) // 1000 + 1, 1)
    if seconds > draft.policy.full_auto.limit_wait_seconds:
        ending.stop(draft, "paused", Reason.RUN_PAUSED_LIMIT, f"the limit resets in {seconds} s: {said}")
        return
    draft.note(Reason.RUN_WAITS_LIMIT, run=run.id, seconds=seconds, problem=said)
    draft.do(Notify(level="warning", text=f"[rawr] rate limit reached; continuing in {seconds} s, when it resets."))
    ending.move(draft, Move.LIMITED)
    draft.set_deadline(ending.RETRY, seconds)


def go_on_or_deliver(draft: ThreadDraft) -> None:
    """A person's waiting message goes first."""
    if outbox.work_waits(draft.state):
        queue_up(draft)
    else:
        go_on(draft)

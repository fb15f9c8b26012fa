"""What a person tells a run: begin, pause, stop, continue, do this instead (C5, C13, C14)."""

from typing import TypeGuard

from msgspec.structs import replace

from rawr.core.compaction import storm, veto
from rawr.core.compaction.tracking import compacts
from rawr.core.draft import ThreadDraft
from rawr.core.events import GuidanceOverridden, GuidanceWanted
from rawr.core.run import ending, going_on, resuming
from rawr.core.run.cutting_short import cut_short
from rawr.core.run.table import Move
from rawr.core.state.messages import Queued
from rawr.core.state.run import Run
from rawr.core.state.turn import WORK
from rawr.core.text import head
from rawr.core.thread import connection, cutting, limiting, outbox, spoken
from rawr.core.vocabulary.effects import NameThread
from rawr.core.vocabulary.facts import RunOverridden, RunPauseSubmitted, RunResumed, RunSubmitted, ThreadTookOver
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason

MAX_NAME = 80
"""How many characters of the goal become the name of a thread."""


def submitted(draft: ThreadDraft, fact: RunSubmitted) -> None:
    state = draft.state
    if state.run is not None and state.run.active:
        draft.note(Reason.IGNORED_RUN_ACTIVE, run=state.run.id)
        return
    if state.closed:
        draft.note(Reason.IGNORED_CLOSED_THREAD)
        return
    if fact.drop:
        drop_held(draft)
    # An earlier run's unsent messages are out of date. What a person said to it is theirs, and goes out with this one.
    draft.change(queue=tuple(one for one in draft.state.queue if not spoken.of_run(one, state.run)))
    begin(draft, fact.order, number=draft.seq)
    connection.wake(draft)


def drop_held(draft: ThreadDraft) -> None:
    """The person does not want it sent any more."""
    waiting = spoken.held_back(draft.state)
    for one in waiting:
        draft.note(Reason.TURN_DROPPED_RUN, message=one.seq, text=head(one.text, 500))
    queue = tuple(one for one in draft.state.queue if one not in waiting)
    draft.change(queue=queue, sent=tuple(one for one in draft.state.sent if one.message not in waiting))


def begin(draft: ThreadDraft, order: Order, *, number: int) -> None:
    state, name = draft.state, f"r{number}"
    spent = state.usage.spent if state.usage is not None else 0
    draft.change(run=Run(name, order, "running", draft.at, draft.at, spent=spent))
    if going_on.give_way(draft, "stopped"):
        return
    draft.note(Reason.RUN_STARTED_SUBMITTED, run=name, goal=head(order.goal, 500), done=order.done)
    ending.clock(draft)
    if state.online and state.turn is None and not state.ended:
        # Codex keeps a thread from its first turn on, or once it has a name. So a run that is cut off before that can
        # still be resumed.
        draft.do(NameThread(name=head(" ".join(order.goal.split()), MAX_NAME)))
    if state.beyond:
        limiting.rest(draft)
    elif order.guidance:
        draft.emit(GuidanceWanted("begin"))
    else:
        first = Queued.of_user(number, order.goal)
        (going_on.send if number == draft.seq else going_on.send_first)(draft, first)


def pause_submitted(draft: ThreadDraft, fact: RunPauseSubmitted) -> None:
    run = ending.running(draft)
    if run is None:
        return
    if fact.leaving:
        # The next start shows what became of a turn that this cuts off.
        ending.pause_within_turn(draft, Reason.RUN_PAUSED_LEAVING, "")
        return
    ending.change(draft, pause_asked=True, cut_asked=run.cut_asked or fact.now)
    _end_turn_or_settle(draft, interrupt=fact.now)


def stop_submitted(draft: ThreadDraft) -> None:
    run = draft.state.run
    if run is None or run.status in ("stopped", "done"):
        draft.note(Reason.IGNORED_NO_RUN)
        return
    if not run.active:
        ending.stop(draft, "stopped", Reason.RUN_STOPPED_PERSON, "")
        return
    ending.change(draft, stop_asked=True, cut_asked=True)
    _end_turn_or_settle(draft, interrupt=True)


def _end_turn_or_settle(draft: ThreadDraft, *, interrupt: bool) -> None:
    """If something is under way, its end settles it. A sequence is not cut in two."""
    state, run = draft.state, ending.run_of(draft)
    if not state.online:
        # Nothing can be ended from here, and rawr searches for messages on their way before it sends anything else.
        ending.rests_as_asked(draft)
    elif state.sequence is not None and not veto.awaited(state):
        if run.stop_asked:
            cut_short(draft)
    elif state.turn is not None and not compacts(state, state.turn.id):
        if interrupt:
            cut_short(draft)
    elif run.waiting != "review" and not any(one.message.purpose in WORK for one in state.sent):
        ending.rests_as_asked(draft)
    elif interrupt and state.turn is None and run.waiting != "review":
        cutting.cut(draft, cutting.on_its_way(state))


def may_resume(run: Run | None) -> TypeGuard[Run]:
    return run is not None and not run.active and run.status != "done"


def resumed(draft: ThreadDraft, fact: RunResumed) -> None:
    limiting.reassert(draft)
    storm.over(draft)
    run = draft.state.run
    if run is not None and run.active and run.pause_asked and not run.cut_asked:
        # It was about to pause, and a person has thought better of it.
        ending.change(draft, pause_asked=False)
        draft.note(Reason.RUN_RESUMED_SUBMITTED, run=run.id, was="about to pause", stop="")
        return
    if not may_resume(run):
        draft.note(Reason.IGNORED_NO_RUN)
        _wake(draft)
        return
    connection.reopened(draft)
    if fact.drop:
        drop_held(draft)
    order = replace(
        run.order, budgets=fact.budgets or run.order.budgets, take_goal=run.order.take_goal or fact.take_goal
    )
    draft.note(Reason.RUN_RESUMED_SUBMITTED, run=run.id, was=run.status, stop=run.stop.reason if run.stop else "")
    ending.move(
        draft,
        Move.RESUMED,
        order=order,
        status="running",
        stretch=draft.at,
        stop=None,
        retries=0,
        wasted=0,
        cools_until=0,
        # A person may have finished the job in the meantime.
        unchecked=run.unchecked or run.order.tree,
        judged=-1,
        history=run.history[-1:],
        pause_asked=False,
        stop_asked=False,
        cut_asked=False,
    )
    ending.clock(draft)
    resuming.go_on_after_absence(draft)
    _wake(draft)


def _wake(draft: ThreadDraft) -> None:
    if draft.state.run is not None and draft.state.run.active:
        connection.wake(draft)


def overridden(draft: ThreadDraft, fact: RunOverridden) -> None:
    """A person decides what comes next, instead of the policy. This resumes a run that is not running."""
    limiting.reassert(draft)
    storm.over(draft)
    run = draft.state.run
    if run is None or not fact.text.strip():
        draft.note(Reason.IGNORED_NO_RUN)
        _wake(draft)
        return
    connection.reopened(draft)
    draft.note(Reason.RUN_OVERRIDDEN_PERSON, run=run.id, text=head(fact.text, 500))
    # A check or a review, running or passed, is about earlier work.
    ending.remark(draft)
    ending.change(draft, check="", last=None, review="", claimed=False, done="no")
    ending.change(draft, pause_asked=False, stop_asked=False, cut_asked=False)
    draft.emit(GuidanceOverridden())
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose != "continue"))
    if not run.active:
        ending.change(draft, status="running", stretch=draft.at, stop=None, retries=0, history=run.history[-1:])
        ending.clock(draft)
    draft.cancel_deadline(ending.RETRY)
    ending.drop_questions(draft)
    message = Queued.of_user(draft.seq, fact.text)
    if run.active and run.waiting == "turn" and draft.state.turn is not None:
        # It goes out when the turn has ended; until then the run waits for nothing else.
        outbox.put(draft, message)
    else:
        going_on.send(draft, message)
    _wake(draft)


def took_over(draft: ThreadDraft, fact: ThreadTookOver) -> None:
    """This thread does the work of another, of which Codex has kept nothing (``thread.replacing``)."""
    run = draft.state.run
    if run is not None and run.active:
        draft.note(Reason.IGNORED_RUN_ACTIVE, run=run.id)
        return
    if fact.order is not None:
        begin(draft, fact.order, number=fact.run)
    for text in fact.messages:
        outbox.put(draft, Queued.of_user(draft.seq, text))

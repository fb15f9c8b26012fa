"""What a person says to a run: begin, pause, stop, go on, do this instead (C5, C13, C14)."""

from typing import TypeGuard

from msgspec.structs import replace

from rawr.core.compaction import veto as judging
from rawr.core.draft import ThreadDraft
from rawr.core.guidance import pipeline as guidance
from rawr.core.run import ending as run_rest
from rawr.core.run import turn_end as fullauto
from rawr.core.state.messages import Queued
from rawr.core.state.run import Run
from rawr.core.state.sequence import Phase
from rawr.core.state.turn import WORK
from rawr.core.text import head
from rawr.core.thread import asking, cutting, limiting, turns
from rawr.core.thread import connection as link
from rawr.core.vocabulary.effects import NameThread
from rawr.core.vocabulary.facts import RunOverridden, RunPauseSubmitted, RunResumed, RunSubmitted
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason

MAX_NAME = 80
"""Characters of the goal that a thread is called by."""
_CANCELLABLE = frozenset({Phase.HEADS_UP_INJECTED, Phase.AWAITING_SCRATCH, Phase.AWAITING_PACKET})
"""Until there is a packet nothing is lost by giving a sequence up. After that it is brought to its end."""


def submitted(draft: ThreadDraft, fact: RunSubmitted) -> None:
    state = draft.state
    if state.run is not None and state.run.active:
        draft.note(Reason.IGNORED_RUN_ACTIVE, run=state.run.id)
        return
    if state.closed:
        draft.note(Reason.IGNORED_CLOSED_THREAD)
        return
    # What an earlier run still wanted to say is out of date.
    draft.change(queue=tuple(one for one in state.queue if not fullauto.of_run(one, state.run)))
    begin(draft, fact.order, number=draft.seq)
    link.wake(draft)


def begin(draft: ThreadDraft, order: Order, *, number: int) -> None:
    state, name = draft.state, f"r{number}"
    spent = state.usage.spent if state.usage is not None else 0
    draft.change(run=Run(name, order, "running", draft.at, draft.at, spent=spent))
    if fullauto.give_way(draft, "stopped"):
        return
    draft.note(Reason.RUN_STARTED_SUBMITTED, run=name, goal=head(order.goal, 500), done=order.done)
    run_rest.clock(draft)
    if state.online and state.turn is None and not state.ended:
        # Codex keeps a thread from its first turn on, or once it has a name. So a run that is cut off before that can
        # still be resumed.
        draft.do(NameThread(name=head(" ".join(order.goal.split()), MAX_NAME)))
    if state.beyond:
        limiting.rest(draft)
    elif order.guidance:
        guidance.begin(draft)
    else:
        first = Queued.of_user(number, order.goal)
        (fullauto.send if number == draft.seq else fullauto.send_first)(draft, first)


def pause_submitted(draft: ThreadDraft, fact: RunPauseSubmitted) -> None:
    run = run_rest.running(draft)
    if run is None:
        return
    if fact.leaving:
        # A turn that is cut off by it was a turn of the run all the same. What became of it is told by the next start.
        run_rest.change(draft, turns=run.turns + (draft.state.turn is not None))
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_LEAVING, "")
        return
    run_rest.change(draft, pause_asked=True, cut_asked=run.cut_asked or fact.now)
    _end_turn_or_settle(draft, interrupt=fact.now)
    turns.advance(draft)


def stop_submitted(draft: ThreadDraft) -> None:
    run = draft.state.run
    if run is None or run.status in ("stopped", "done"):
        draft.note(Reason.IGNORED_NO_RUN)
        return
    if not run.active:
        run_rest.stop(draft, "stopped", Reason.RUN_STOPPED_PERSON, "")
        return
    run_rest.change(draft, stop_asked=True, cut_asked=True)
    _end_turn_or_settle(draft, interrupt=True)
    turns.advance(draft)


def _end_turn_or_settle(draft: ThreadDraft, *, interrupt: bool) -> None:
    """Where something is under way its end settles it. A sequence is not cut in two."""
    state, run = draft.state, run_rest.run_of(draft)
    if not state.online:
        # Nothing can be ended from here, and what is on its way is looked for before anything else is said.
        run_rest.settle(draft)
    elif state.sequence is not None and not judging.awaited(state):
        if run.stop_asked:
            cut_short(draft)
    elif state.turn is not None and not fullauto.compacts(state, state.turn.id):
        if interrupt:
            cut_short(draft)
    elif run.waiting != "review" and not any(one.message.purpose in WORK for one in state.sent):
        run_rest.settle(draft)
    elif interrupt and state.turn is None and run.waiting != "review":
        cutting.cut(draft, cutting.on_its_way(state))


def cut_short(draft: ThreadDraft) -> bool:
    """Interrupt the running turn, if that cuts nothing in two."""
    state = draft.state
    if state.turn is None or not state.turn.id or state.compacting is not None:
        return False
    if state.sequence is not None and state.sequence.phase not in _CANCELLABLE:
        return False
    cutting.cut(draft, state.turn.id)
    if state.run is not None:
        run_rest.change(draft, cut_asked=False)
    return True


def cut_if_asked(draft: ThreadDraft) -> None:
    """It was asked for while the turn was on its way, or while a sequence had to come to its end."""
    state, run = draft.state, draft.state.run
    if run is not None and run.active and run.cut_asked and (run.stop_asked or state.sequence is None):
        cut_short(draft)


def may_resume(run: Run | None) -> TypeGuard[Run]:
    return run is not None and not run.active and run.status != "done"


def resumed(draft: ThreadDraft, fact: RunResumed) -> None:
    run = draft.state.run
    if not may_resume(run):
        draft.note(Reason.IGNORED_NO_RUN)
        return
    order = replace(
        run.order, budgets=fact.budgets or run.order.budgets, take_goal=run.order.take_goal or fact.take_goal
    )
    draft.note(Reason.RUN_RESUMED_SUBMITTED, run=run.id, was=run.status, stop=run.stop.reason if run.stop else "")
    run_rest.change(
        draft,
        order=order,
        status="running",
        stretch=draft.at,
        stop=None,
        retries=0,
        history=run.history[-1:],
        pause_asked=False,
        stop_asked=False,
        cut_asked=False,
        waiting="resume",
    )
    run_rest.clock(draft)
    fullauto.go_on_after_absence(draft)


def overridden(draft: ThreadDraft, fact: RunOverridden) -> None:
    """A person says what comes next, in the policy's place. A run that does not run is resumed by it."""
    run = draft.state.run
    if run is None or not fact.text.strip():
        draft.note(Reason.IGNORED_NO_RUN)
        return
    draft.note(Reason.RUN_OVERRIDDEN_PERSON, run=run.id, text=head(fact.text, 500))
    # A check or a review, still under way or passed, is about what came before.
    run_rest.remark(draft)
    run_rest.change(draft, check="", review="", claimed=False, done="no")
    run_rest.change(draft, pause_asked=False, stop_asked=False, cut_asked=False)
    guidance.overridden(draft)
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose != "continue"))
    if not run.active:
        run_rest.change(draft, status="running", stretch=draft.at, stop=None, retries=0, history=run.history[-1:])
        run_rest.clock(draft)
    draft.cancel_deadline(run_rest.RETRY)
    asking.drop(draft, "full_auto_decision")
    fullauto.send(draft, Queued.of_user(draft.seq, fact.text))

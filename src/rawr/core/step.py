"""The arbiter: one pure function from a state, a fact and a policy to the next state, effects and reasons (B1).

It is total. A fact that makes no sense leaves the state as it is and a record ``ignored.*``. Facts are matched with the
frequent ones first; what to do about each is decided in the module that the case delegates to.
"""

from typing import assert_never

from rawr.core import (
    answering,
    compaction,
    facts,
    guards,
    host,
    joining,
    link,
    observations,
    repository,
    sequence,
    turns,
)
from rawr.core.draft import Draft, HostDraft, Step, ThreadDraft
from rawr.core.policy import Policy
from rawr.core.reasons import Reason
from rawr.core.state import HostState, ThreadState


def step(state: ThreadState, recorded: facts.Recorded, policy: Policy) -> Step[ThreadState]:  # noqa: C901 - one table
    """What one fact means for one thread."""
    draft: ThreadDraft = Draft(state, recorded.seq, recorded.at, policy)
    match recorded.fact:
        case facts.ItemCompleted() as fact:
            turns.item_completed(draft, fact)
        case facts.ItemStarted() as fact:
            turns.item_started(draft, fact)
        case facts.UsageUpdated() as fact:
            observations.usage_updated(draft, fact)
        case facts.TurnStarted() as fact:
            turns.turn_started(draft, fact)
        case facts.TurnCompleted() as fact:
            turns.turn_completed(draft, fact)
        case facts.PlanUpdated() as fact:
            observations.plan_updated(draft, fact)
        case facts.DiffUpdated() as fact:
            observations.diff_updated(draft, fact)
        case facts.ThreadStatusChanged(status="active"):
            joining.attempt(draft)
        case facts.ThreadStatusChanged() | facts.WarningReported():
            pass  # known, recorded, and of no consequence for a thread's state
        case facts.CommandObserved() as fact:
            repository.observed(draft, fact)
        case facts.RequestReceived() as fact:
            answering.received(draft, fact)
        case facts.RequestResolved() as fact:
            answering.closed(draft, fact.request)
        case facts.AnswerSubmitted() as fact:
            answering.submitted(draft, fact)
        case facts.EffectSucceeded() as fact:
            link.effect_succeeded(draft, fact)
        case facts.EffectFailed() as fact:
            link.effect_failed(draft, fact)
        case facts.UserSubmitted() as fact:
            turns.user_submitted(draft, fact)
        case facts.SteerSubmitted() as fact:
            turns.steer_submitted(draft, fact)
        case facts.InterruptSubmitted() as fact:
            turns.interrupt_submitted(draft, fact)
        case facts.CompactionSubmitted(bare=bare):
            if bare:
                compaction.submitted(draft)
            else:
                sequence.submitted(draft)
        case facts.HoldSubmitted() as fact:
            guards.hold_submitted(draft, fact)
        case facts.HoldReleased():
            guards.hold_released(draft)
        case facts.PhaseSubmitted() as fact:
            guards.phase_submitted(draft, fact)
            if not draft.state.busy:
                sequence.weigh(draft)
        case facts.PinSubmitted() as fact:
            guards.pin_submitted(draft, fact)
        case facts.ContextCompacted() as fact:
            compaction.item_completed(draft, fact.turn)
            turns.advance(draft)
        case facts.ErrorReported() as fact:
            observations.error_reported(draft, fact)
        case facts.ThreadOpened() as fact:
            observations.thread_opened(draft, fact)
            turns.advance(draft)
        case facts.ThreadJoined() as fact:
            link.thread_joined(draft, fact)
        case facts.ThreadClosed():
            link.closed(draft)
        case facts.GoalUpdated() as fact:
            observations.goal_updated(draft, fact)
        case facts.GoalCleared():
            draft.change(goal=None)
        case facts.DeadlinePassed() as fact:
            _deadline_passed(draft, fact)
        case facts.ServerConnected():
            link.server_connected(draft)
        case facts.ServerLost():
            link.connection_lost(draft)
        case facts.RuntimeStarted():
            link.runtime_started(draft)
        case (
            facts.RequestRefused()
            | facts.FaultRecorded()
            | facts.NotificationPassed()
            | facts.RateLimitsUpdated()
            | facts.ThreadRequested()
            | facts.PolicyAdopted()
            | facts.RuntimeStopped()
        ):
            pass  # likewise
        case _ as never:
            assert_never(never)
    return draft.finish()


def step_host(state: HostState, recorded: facts.Recorded, policy: Policy) -> Step[HostState]:
    """What a fact of no thread means for rawr as a whole."""
    draft: HostDraft = Draft(state, recorded.seq, recorded.at, policy)
    match recorded.fact:
        case facts.NotificationPassed() | facts.WarningReported():
            pass  # the most frequent ones
        case facts.ServerConnected() as fact:
            host.server_connected(draft, fact)
        case facts.ServerLost() as fact:
            host.server_lost(draft, fact)
        case facts.RuntimeStarted():
            draft.change(online=False)
        case facts.ThreadRequested() as fact:
            host.thread_requested(draft, fact)
        case facts.EffectSucceeded() as fact:
            host.effect_succeeded(draft, fact)
        case facts.EffectFailed() as fact:
            host.effect_failed(draft, fact)
        case facts.RateLimitsUpdated() as fact:
            host.rate_limits_updated(draft, fact)
        case facts.FaultRecorded():
            draft.change(faults=draft.state.faults + 1)
        case _:
            pass  # a thread's facts never come here; the rest is recorded and changes nothing
    return draft.finish()


def _deadline_passed(draft: ThreadDraft, fact: facts.DeadlinePassed) -> None:
    deadline = next((one for one in draft.state.deadlines if one.name == fact.name), None)
    if deadline is None or deadline.at > draft.at:
        draft.note(Reason.IGNORED_STALE_DEADLINE, name=fact.name)
        return
    draft.change(deadlines=tuple(one for one in draft.state.deadlines if one is not deadline))
    if fact.name == compaction.DEADLINE:
        compaction.deadline_passed(draft)
        turns.advance(draft)
    elif fact.name == sequence.DEADLINE:
        sequence.deadline_passed(draft)
    elif fact.name.startswith(answering.DEADLINE):
        answering.deadline_passed(draft, fact.name.removeprefix(answering.DEADLINE))

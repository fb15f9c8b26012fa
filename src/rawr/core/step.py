"""The arbiter: one pure function from a state, a fact and a policy to the next state, effects and reasons (B1).

It is total. A fact that makes no sense leaves the state as it is and a record ``ignored.*``. The two tables at the end
say which module decides about which fact.
"""

from collections.abc import Callable
from typing import Any

from rawr.core.compaction import decision as deciding
from rawr.core.compaction import holds as guards
from rawr.core.compaction import sequence
from rawr.core.compaction import tracking as compaction
from rawr.core.draft import Draft, HostDraft, Step, ThreadDraft
from rawr.core.guidance import pipeline as guidance
from rawr.core.policy.policy import Policy
from rawr.core.requests import answering
from rawr.core.run import checks as run_checks
from rawr.core.run import commands as run_words
from rawr.core.run import ending as run_rest
from rawr.core.run import failures as run_trouble
from rawr.core.run import turn_end as fullauto
from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.thread import (
    asking,
    cutting,
    delivery,
    host,
    joining,
    jumps,
    limiting,
    observations,
    replacing,
    repository,
    turns,
)
from rawr.core.thread import connection as link
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.reasons import Reason


def step(state: ThreadState, recorded: facts.Recorded, policy: Policy) -> Step[ThreadState]:
    """What one fact means for one thread."""
    return drafted(state, recorded, policy).finish()


def drafted(state: ThreadState, recorded: facts.Recorded, policy: Policy) -> ThreadDraft:
    """The same before it is given out, for whoever takes it apart at once."""
    draft: ThreadDraft = Draft(state, recorded.seq, recorded.at, policy)
    _THREAD[type(recorded.fact)](draft, recorded.fact)
    return draft


def step_host(state: HostState, recorded: facts.Recorded, policy: Policy) -> Step[HostState]:
    """What a fact of no thread means for rawr as a whole. A thread's own facts never come here."""
    draft: HostDraft = Draft(state, recorded.seq, recorded.at, policy)
    handler = _HOST.get(type(recorded.fact))
    if handler is not None:
        handler(draft, recorded.fact)
    return draft.finish()


# -- what takes more than one module ----------------------------------------------------------------------------


def _nothing(_draft: Any, _fact: Any) -> None:
    """Known, recorded, and of no consequence."""


def _only(handler: Callable[[ThreadDraft], None]) -> Callable[[ThreadDraft, Any], None]:
    """For facts of which it matters only that they happened."""
    return lambda draft, _fact: handler(draft)


def _status_changed(draft: ThreadDraft, fact: facts.ThreadStatusChanged) -> None:
    if fact.status == "active" and joining.wanted(draft):
        # Archived, say, and now somebody has it open again.
        link.reopened(draft)
    if fact.status in ("active", "idle"):
        joining.attempt(draft)


def _compaction_submitted(draft: ThreadDraft, fact: facts.CompactionSubmitted) -> None:
    if fact.bare:
        compaction.submitted(draft)
    else:
        deciding.submitted(draft)


def _phase_submitted(draft: ThreadDraft, fact: facts.PhaseSubmitted) -> None:
    guards.phase_submitted(draft, fact)
    if not draft.state.busy:
        deciding.weigh(draft)


def _context_compacted(draft: ThreadDraft, fact: facts.ContextCompacted) -> None:
    compaction.item_completed(draft, fact.turn)
    turns.advance(draft)


def _thread_opened(draft: ThreadDraft, fact: facts.ThreadOpened) -> None:
    observations.thread_opened(draft, fact)
    turns.advance(draft)


def _deadline_passed(draft: ThreadDraft, fact: facts.DeadlinePassed) -> None:
    deadline = next((one for one in draft.state.deadlines if one.name == fact.name), None)
    if deadline is None or deadline.at > draft.at:
        draft.note(Reason.IGNORED_STALE_DEADLINE, name=fact.name)
        return
    draft.change(deadlines=tuple(one for one in draft.state.deadlines if one is not deadline))
    if fact.name == compaction.DEADLINE:
        compaction.deadline_passed(draft)
        turns.advance(draft)
    elif fact.name == sequence.SETTLING:
        sequence.settled(draft)
    elif fact.name == sequence.DEADLINE:
        sequence.deadline_passed(draft)
    elif fact.name == cutting.DEADLINE:
        cutting.deadline_passed(draft)
        turns.advance(draft)
    elif fact.name in (run_rest.RETRY, run_rest.TIME, run_rest.STALL):
        run_trouble.deadline_passed(draft, fact.name)
    elif fact.name == guidance.RESEARCH:
        guidance.research_late(draft)
        turns.advance(draft)
    elif fact.name.startswith(asking.DEADLINE):
        asking.deadline_passed(draft, fact.name.removeprefix(asking.DEADLINE))
        turns.advance(draft)
    elif fact.name.startswith(answering.DEADLINE):
        answering.deadline_passed(draft, fact.name.removeprefix(answering.DEADLINE))


def _model_answered(draft: ThreadDraft, fact: facts.ModelAnswered) -> None:
    asking.answered(draft, fact)
    turns.advance(draft)


def _fault_recorded(draft: HostDraft, fact: facts.FaultRecorded) -> None:
    draft.change(faults=draft.state.faults + 1)
    if fact.where == "greeting":
        # Somebody waits for a Codex that does not come up.
        draft.do(Notify(level="warning", text=fact.problem))


# -- the tables -------------------------------------------------------------------------------------------------

_THREAD: dict[type[facts.Fact], Callable[[ThreadDraft, Any], None]] = {
    # what Codex tells of a turn
    facts.TurnStarted: turns.turn_started,
    facts.ItemStarted: turns.item_started,
    facts.ItemCompleted: turns.item_completed,
    facts.TurnCompleted: turns.turn_completed,
    facts.PlanUpdated: observations.plan_updated,
    facts.DiffUpdated: observations.diff_updated,
    facts.UsageUpdated: observations.usage_updated,
    facts.ErrorReported: observations.error_reported,
    facts.ContextCompacted: _context_compacted,
    facts.RequestReceived: answering.received,
    facts.RequestResolved: lambda draft, fact: answering.closed(draft, fact.request),
    # what it tells of a thread
    facts.ThreadOpened: _thread_opened,
    facts.ThreadJoined: link.thread_joined,
    facts.SettingsUpdated: limiting.settings_updated,
    facts.ThreadTookOver: replacing.took_over,
    facts.ThreadStatusChanged: _status_changed,
    facts.ThreadClosed: link.thread_closed,
    facts.GoalUpdated: observations.goal_updated,
    facts.GoalCleared: lambda draft, _fact: draft.change(goal=None),
    # what a person submits
    facts.UserSubmitted: turns.user_submitted,
    facts.SteerSubmitted: turns.steer_submitted,
    facts.InterruptSubmitted: turns.interrupt_submitted,
    facts.AnswerSubmitted: answering.submitted,
    facts.ThreadAdopted: link.adopted,
    facts.RunSubmitted: run_words.submitted,
    facts.RunPauseSubmitted: run_words.pause_submitted,
    facts.RunStopSubmitted: _only(run_words.stop_submitted),
    facts.RunResumed: link.run_resumed,
    facts.RunOverridden: link.run_overridden,
    facts.CompactionSubmitted: _compaction_submitted,
    facts.HoldSubmitted: guards.hold_submitted,
    facts.HoldReleased: _only(guards.hold_released),
    facts.PhaseSubmitted: _phase_submitted,
    facts.PinSubmitted: guards.pin_submitted,
    facts.PinRemoved: guards.pin_removed,
    # what became of what rawr did, and what it saw
    facts.EffectSucceeded: link.effect_succeeded,
    facts.EffectFailed: link.effect_failed,
    facts.MessageFound: delivery.found,
    facts.CommandObserved: repository.observed,
    facts.DoneChecked: run_checks.checked,
    facts.ApprovalJudged: answering.judged,
    facts.ModelAnswered: _model_answered,
    facts.RepositoryResearched: guidance.researched,
    facts.SlotGranted: _only(fullauto.granted),
    facts.RateLimitsUpdated: run_trouble.limits_updated,
    facts.SubAgentTurn: turns.sub_agent_turn,
    facts.DeadlinePassed: _deadline_passed,
    facts.ServerConnected: _only(link.server_connected),
    facts.ServerLost: _only(link.connection_lost),
    facts.RuntimeStarted: link.runtime_started,
    facts.ClockJumped: jumps.jumped,
    **dict.fromkeys(
        (
            facts.WarningReported,
            facts.RequestRefused,
            facts.FaultRecorded,
            facts.NotificationPassed,
            facts.ThreadRequested,
            facts.PolicyAdopted,
            facts.RuntimeStopped,
            facts.DecisionLabelled,
        ),
        _nothing,
    ),
}
"""Complete: a test holds it against the union of all facts."""

_HOST: dict[type[facts.Fact], Callable[[HostDraft, Any], None]] = {
    facts.ServerConnected: host.server_connected,
    facts.ServerLost: host.server_lost,
    facts.RuntimeStarted: host.runtime_started,
    facts.ClockJumped: jumps.host_jumped,
    facts.DeadlinePassed: host.deadline_passed,
    facts.ThreadRequested: host.thread_requested,
    facts.EffectSucceeded: host.effect_succeeded,
    facts.EffectFailed: host.effect_failed,
    facts.RateLimitsUpdated: host.rate_limits_updated,
    facts.FaultRecorded: _fault_recorded,
}

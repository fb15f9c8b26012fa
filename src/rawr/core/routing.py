"""Which handler gets what: all of the core's routing, as tables.

A fact goes to the handlers in its row, in order. A handler that has to notify a module above it emits an event, which
goes at once to the handlers in its own row. There are four smaller tables: what an item brings, whose an effect's
outcome is, what a deadline is for, and who asked a model. The end of a turn is a function, because what follows depends
on the state.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from rawr.core import events, jumps
from rawr.core.compaction import (
    agent_tools,
    endings,
    held,
    holds,
    idle,
    landing,
    moment,
    need,
    packet_turn,
    recovering,
    sequence,
    storm,
    topic,
    tracking,
    veto,
    work,
)
from rawr.core.compaction import checks as a_check
from rawr.core.draft import HostDraft, ThreadDraft
from rawr.core.guidance import pipeline as guidance
from rawr.core.requests import answering
from rawr.core.run import advice, checks, commands, ending, failures, going_on, next_move, resuming, turn_end
from rawr.core.run.cutting_short import cut_if_asked
from rawr.core.thread import (
    asking,
    connection,
    cutting,
    delivery,
    found,
    host,
    limiting,
    observations,
    outbox,
    quiet,
    repository,
    session,
    submissions,
    turns,
)
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.opinions import SignatureName
from rawr.core.vocabulary.payloads import TurnOver
from rawr.core.vocabulary.reasons import Reason

Handler = Callable[[ThreadDraft, Any], None]


def hand_on(draft: ThreadDraft, event: events.Event) -> None:
    """Pass an event to the handlers above."""
    for handler in EVENTS[type(event)]:
        handler(draft, event)


def advance(draft: ThreadDraft) -> None:
    """The last thing in a step: start the turn of the oldest waiting message, if nothing prevents it."""
    if outbox.start_own(draft):
        return
    message = outbox.next_message(draft.state)
    if message is None:
        return
    if draft.state.preflight and not message.text.startswith("!"):
        if draft.policy.look_up_claims and held.corrects(draft.state, message.text):
            draft.note(Reason.COMPACT_DEFERRED_CORRECTION, message=message.seq)
            draft.change(preflight=False)
        else:
            moment.preflight(draft)
        advance(draft)
    elif message.purpose == "user" and topic.before_turn(draft, message):
        moment.topic_opened(draft)
        advance(draft)
    else:
        outbox.start(draft, message)


# -- the end of a turn ------------------------------------------------------------------------------------------------


def turn_over(draft: ThreadDraft) -> None:
    """A turn has ended: it is a step of the sequence, or the run decides, or it may be the moment to begin one."""
    turn = draft.state.last_turn
    if turn is None:
        return
    files_matter = turn_end.files_matter(draft)
    repository.looks_at_tree(draft, turn, matters=files_matter)
    report_matters = files_matter or turn_end.report_matters(draft, turn)
    reading = draft.state.session is not None and not tracking.compacts(draft.state, turn.id)
    if reading:
        reading = session.due(draft, turn, matters=report_matters)
    if reading or (draft.state.observing and draft.state.sequence is None):
        # What Codex did not report of the turn, or the effect of the last commands on the repository, is not known yet;
        # it takes milliseconds.
        draft.change(unweighed=True)
        return
    if draft.state.unweighed:
        draft.change(unweighed=False)
    draft.signal("turn_completed", TurnOver(turn.status), source="turn", turn=turn.id, gates=False)
    running = draft.state.sequence
    if running is not None:
        if not turn.id or turn.id != running.after:
            sequence.turn_ended(draft, turn)
        return
    joined_midway = turn.midway and bool(turn.agent_text)
    if turn.synthetic or turn.status != "completed" or not (turn.messages or joined_midway):
        turn_end.turn_ended(draft, turn)
        return
    guards = holds.after_turn(draft) if draft.state.guards else ()
    draft.state = replace(draft.state, work_turns=draft.state.work_turns + 1, guards=guards)
    need.turn_ended(draft, turn)
    did_work = bool(turn.commands or turn.tools or turn.files)
    if did_work:
        for kind, payload, source in endings.signals(turn, draft.policy.compaction):
            draft.signal(kind, payload, source=source, turn=turn.id)
    draft.signal("turn_complete", source="turn", turn=turn.id)
    if not turn_end.turn_ended(draft, turn):
        moment.weigh(draft)
        idle.wait(draft)
    if draft.state.turn is not None:
        turns.forget_signals_before(draft, draft.state.turn)


def _resume(draft: ThreadDraft) -> None:
    """Continue a run for which nothing is under way. A turn that starts at the end of this step counts as under way."""
    if draft.state.run is not None and not outbox.about_to_start(draft.state):
        resuming.go_on_after_absence(draft)


# -- facts that need more than a row ----------------------------------------------------------------------------------


def _item_started(draft: ThreadDraft, fact: facts.ItemStarted) -> None:
    if draft.state.session is not None and not session.is_news(draft, fact):
        return
    if turns.item_started(draft, fact) and draft.state.run is not None:
        failures.heard(draft)
    if type(fact.item) is items.Compaction:
        tracking.item_started(draft, fact.turn)


def _item_completed(draft: ThreadDraft, fact: facts.ItemCompleted) -> None:
    if draft.state.session is not None and not session.is_news(draft, fact):
        return
    if fact.found is not None:
        found.item_found(draft, fact, fact.found)
        if isinstance(fact.item, items.ToolCall):
            agent_tools.called(draft, fact.item, fact.turn)
        return
    turns.item_completed(draft, fact)
    if draft.state.run is not None:
        failures.heard(draft)
    for handler in ITEMS.get(type(fact.item), ()):
        handler(draft, fact.item, fact.turn)
    if draft.state.run is not None and draft.state.run.cut_asked:
        cut_if_asked(draft)


def _user_spoke(draft: ThreadDraft, item: items.UserMessage, turn: str) -> None:
    topic.spoken(draft, item)
    turns.user_spoke(draft, item, turn)
    if draft.state.recovering is not None:
        recovering.recover(draft)


def _usage_updated(draft: ThreadDraft, fact: facts.UsageUpdated) -> None:
    before = draft.state.usage
    observations.usage_updated(draft, fact)
    if draft.state.barren:
        storm.usage_updated(draft)
    if draft.state.run is not None:
        failures.usage_updated(draft, fact)
    if draft.state.sequence is not None:
        veto.usage_changed(draft)
    if draft.state.turn is not None:
        landing.usage_updated(draft, before)


def _turn_completed(draft: ThreadDraft, fact: facts.TurnCompleted) -> None:
    if turns.turn_completed(draft, fact):
        tracking.turn_completed(draft, fact)
        turn_over(draft)


def _thread_joined(draft: ThreadDraft, fact: facts.ThreadJoined) -> None:
    fact = connection.fresh(draft, fact)
    running = draft.state.turn
    ended = connection.thread_joined(draft, fact)
    tracking.joined(draft, fact)
    if draft.policy.watch_files:
        # Before the look at the end of a turn that ended meanwhile: what it wrote since it began is its own.
        repository.watch(draft, began=running.started_at if running is not None and running.id else 0)
    if ended or (draft.state.unweighed and draft.state.turn is None):
        turn_over(draft)
    veto.joined(draft, fact)
    checks.joined(draft, fact)
    cutting.joined(draft)
    if not draft.policy.watch_files:
        repository.watch(draft)
    session.joined(draft, fact)
    hand_on(draft, events.FoundIdle())
    moment.pause_over(draft)
    idle.wait(draft)


def _phase_submitted(draft: ThreadDraft, fact: facts.PhaseSubmitted) -> None:
    holds.phase_submitted(draft, fact)
    if not fact.phase:
        return
    if not draft.state.busy and not draft.state.closed:
        moment.weigh(draft)


def _idle(draft: ThreadDraft) -> None:
    """The user stayed away: a moment like any other."""
    if idle.passed(draft):
        moment.weigh(draft)


def _pause_over(draft: ThreadDraft) -> None:
    """Nobody typed right after the turn's end. A message of rawr's own that waited goes out at the end of this step."""
    moment.pause_over(draft)
    idle.wait(draft)
    sequence.settled(draft)


def _effect_succeeded(draft: ThreadDraft, fact: facts.EffectSucceeded) -> None:
    for owner in SUCCEEDED:
        if owner(draft, fact):
            break
    _resume(draft)


def _effect_failed(draft: ThreadDraft, fact: facts.EffectFailed) -> None:
    for owner in FAILED:
        if owner(draft, fact):
            break
    if fact.code == "unsent":
        # The message waits for the connection: news of its loss is about to arrive.
        draft.held = True
    else:
        _resume(draft)


def _session_read(draft: ThreadDraft, fact: facts.EffectSucceeded | facts.EffectFailed) -> bool:
    """The session file was read, or could not be. Judge the turn that waited for it."""
    if not session.effect_ended(draft, fact):
        return False
    if not draft.state.reading:
        _weigh_late(draft)
    return True


def _weigh_late(draft: ThreadDraft) -> None:
    """Judge the turn that waited. While rawr is not in the thread, it waits on: what follows could not be done, and
    the thread may have gone on."""
    if draft.state.unweighed and draft.state.online:
        turn_over(draft)


def _looked(draft: ThreadDraft, fact: facts.EffectSucceeded | facts.EffectFailed) -> bool:
    """A look at the repository is back, or failed. Go on with what waited for it: a record, the judging of a turn."""
    if not repository.effect_ended(draft, fact.effect):
        return False
    recovering.recover(draft)
    if not draft.state.observing:
        _weigh_late(draft)
    return True


def _deadline_passed(draft: ThreadDraft, fact: facts.DeadlinePassed) -> None:
    deadline = next((one for one in draft.state.deadlines if one.name == fact.name), None)
    if deadline is None or deadline.at > draft.at:
        draft.note(Reason.IGNORED_STALE_DEADLINE, name=fact.name)
        return
    draft.change(deadlines=tuple(one for one in draft.state.deadlines if one is not deadline))
    if fact.name in DEADLINES:
        DEADLINES[fact.name](draft)
        return
    for prefix, handler in DEADLINES_OF.items():
        if fact.name.startswith(prefix):
            handler(draft, fact.name.removeprefix(prefix))
            return


def _opinion_given(draft: ThreadDraft, event: events.OpinionGiven) -> None:
    ASKED[event.answer.signature](draft, event.answer)


def _only(handler: Callable[[ThreadDraft], None]) -> Handler:
    """For facts of which only the occurrence matters."""
    return lambda draft, _fact: handler(draft)


# -- the tables -------------------------------------------------------------------------------------------------------

LOST: tuple[Handler, ...] = (
    _only(answering.connection_lost),
    _only(cutting.connection_lost),
    _only(delivery.connection_lost),
    _only(tracking.connection_lost),
    _only(connection.connection_lost),
)

FACTS: Mapping[type[facts.Fact], tuple[Handler, ...]] = {
    # what Codex reports about a turn
    facts.TurnStarted: (turns.turn_started, repository.turn_began, _only(session.owed_read), _only(idle.over)),
    facts.ItemStarted: (_item_started,),
    facts.ItemCompleted: (_item_completed,),
    facts.TurnCompleted: (_turn_completed,),
    facts.PlanUpdated: (observations.plan_updated, work.plan_updated),
    facts.DiffUpdated: (observations.diff_updated,),
    facts.UsageUpdated: (_usage_updated,),
    facts.ReasoningKept: (observations.reasoning_kept,),
    facts.ErrorReported: (observations.error_reported,),
    facts.ContextCompacted: (lambda draft, fact: tracking.item_completed(draft, None, fact.turn),),
    facts.RequestReceived: (answering.received,),
    facts.RequestResolved: (answering.resolved,),
    # what it reports about a thread
    facts.ThreadOpened: (observations.thread_opened,),
    facts.ThreadJoined: (_thread_joined,),
    facts.ThreadReached: (connection.reached,),
    facts.SettingsUpdated: (limiting.settings_updated,),
    facts.ThreadTookOver: (commands.took_over,),
    facts.ThreadStatusChanged: (connection.status_changed,),
    facts.ThreadClosed: (connection.thread_closed,),
    facts.GoalUpdated: (observations.goal_updated, _only(going_on.goal_came_up)),
    facts.GoalCleared: (observations.goal_cleared,),
    # what a person submits
    facts.UserSubmitted: (submissions.user_submitted,),
    facts.SteerSubmitted: (submissions.steer_submitted,),
    facts.MessageWithdrawn: (submissions.message_withdrawn,),
    facts.InterruptSubmitted: (submissions.interrupt_submitted,),
    facts.AnswerSubmitted: (answering.submitted,),
    facts.OrderRefused: (answering.order_refused,),
    facts.ThreadAdopted: (connection.adopted,),
    facts.RunSubmitted: (commands.submitted,),
    facts.RunPauseSubmitted: (commands.pause_submitted,),
    facts.RunStopSubmitted: (_only(commands.stop_submitted),),
    facts.RunResumed: (commands.resumed,),
    facts.RunOverridden: (commands.overridden,),
    facts.CompactionSubmitted: (moment.submitted,),
    facts.HoldSubmitted: (holds.hold_submitted,),
    facts.HoldReleased: (_only(holds.hold_released),),
    facts.PhaseSubmitted: (_phase_submitted,),
    facts.PinSubmitted: (holds.pin_submitted,),
    facts.PinRemoved: (holds.pin_removed,),
    # outcomes of rawr's effects, and rawr's observations
    facts.EffectSucceeded: (_effect_succeeded,),
    facts.EffectFailed: (_effect_failed,),
    facts.MessageFound: (delivery.found,),
    facts.CommandObserved: (repository.observed, work.observed),
    facts.TreeSeen: (repository.tree_seen, work.tree_seen, turn_end.tree_seen),
    facts.SessionRead: (turn_end.session_read, session.read),
    facts.DoneChecked: (checks.checked,),
    facts.ApprovalJudged: (answering.judged,),
    facts.ModelAnswered: (failures.model_asked, asking.answered),
    facts.RepositoryResearched: (guidance.researched,),
    facts.ClaimsLookedUp: (packet_turn.looked_up,),
    facts.SlotGranted: (_only(going_on.granted),),
    facts.RateLimitsUpdated: (failures.limits_updated,),
    facts.SubAgentTurn: (turns.sub_agent_turn,),
    facts.DeadlinePassed: (_deadline_passed,),
    facts.ServerConnected: (_only(connection.server_connected),),
    facts.ServerLost: LOST,
    facts.RuntimeStarted: (*LOST, _only(cutting.restarted), resuming.absent, connection.runtime_started),
    facts.ClockJumped: (jumps.jumped,),
    # known, recorded, and without consequence
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
        (),
    ),
}
"""Complete: a test compares it with the union of all facts."""

ITEMS: Mapping[type[items.Item], tuple[Callable[[ThreadDraft, Any, str], None], ...]] = {
    items.Command: (
        turns.command_ended,
        work.command_ended,
        repository.command_ended,
        observations.acted,
        a_check.command_ended,
    ),
    items.FileChange: (turns.files_changed, work.files_changed, observations.acted),
    items.UserMessage: (tracking.user_spoke, _user_spoke),
    items.Compaction: (tracking.item_completed,),
    items.ToolCall: (turns.tool_called, repository.tool_ended, observations.acted, agent_tools.called),
    items.SubAgent: (turns.agent_spawned,),
    items.ReviewEntered: (turns.review_entered,),
    items.ReviewExited: (turns.review_exited,),
}
"""What a completed item brings. For the others it matters only that the turn has counted them."""

EVENTS: Mapping[type[events.Event], tuple[Handler, ...]] = {
    events.TurnSeen: (veto.turn_seen,),
    events.TurnBegan: (tracking.turn_began,),
    events.TurnLost: (tracking.turn_lost,),
    events.FoundIdle: (_only(delivery.look_for_doubted), _only(sequence.found_idle), _only(_resume)),
    events.UserSpoke: (veto.give_way,),
    events.UserCutIn: (sequence.user_cut_in,),
    events.UserCutOff: (sequence.user_cut_off,),
    events.OwnMessageShown: (sequence.shown,),
    events.RecordUnread: (recovering.record_unread,),
    events.TurnFound: (sequence.turn_found,),
    events.Undelivered: (sequence.undelivered, resuming.undelivered),
    events.TurnWedged: (sequence.turn_wedged, failures.turn_wedged),
    events.LimitsWidened: (failures.limits_widened,),
    events.ThreadGone: (ending.thread_gone,),
    events.ThreadShut: (
        _only(answering.connection_lost),
        tracking.thread_shut,
        veto.thread_shut,
        sequence.thread_shut,
        _only(delivery.closed),
    ),
    events.OpinionGiven: (_opinion_given,),
    events.RequestExpired: (failures.request_expired,),
    events.CompactionEnded: (sequence.compaction_ended,),
    events.CompactionMoot: (sequence.compaction_moot,),
    events.CompactedUpstream: (recovering.compacted_upstream,),
    events.CompactionStorm: (failures.compaction_storm,),
    events.SequenceOver: (_only(resuming.sequence_over),),
    events.SequenceCancelled: (_only(resuming.sequence_cancelled),),
    events.JudgmentDue: (resuming.judgment_due,),
    events.JudgmentOver: (resuming.judgment_over,),
    events.LastCheckDue: (_only(checks.last_check_due),),
    events.NotDone: (_only(next_move.not_done),),
    events.RunRested: (_only(guidance.put_down), _only(repository.owed_look), _only(session.owed_read)),
    events.GuidanceWanted: (guidance.wanted,),
    events.GuidanceOvertaken: (guidance.overtaken,),
    events.GuidanceOverridden: (guidance.overridden,),
}
"""Complete: a test compares it with all events."""

SUCCEEDED: tuple[Callable[[ThreadDraft, facts.EffectSucceeded], bool], ...] = (
    connection.effect_succeeded,
    _session_read,
    _looked,
    cutting.effect_succeeded,
    delivery.effect_succeeded,
    lambda draft, fact: sequence.effect_ended(draft, fact.effect),
    lambda draft, fact: answering.effect_ended(draft, fact.effect),
)
"""Whose effect it was: the first that knows it takes the outcome."""

FAILED: tuple[Callable[[ThreadDraft, facts.EffectFailed], bool], ...] = (
    connection.effect_failed,
    _session_read,
    _looked,
    checks.check_lost,
    checks.review_failed,
    lambda draft, fact: asking.lost(draft, fact.effect, fact.problem),
    delivery.effect_failed,
    lambda draft, fact: sequence.effect_ended(draft, fact.effect),
    tracking.effect_failed,
    lambda draft, fact: answering.effect_ended(draft, fact.effect),
)

DEADLINES: Mapping[str, Callable[[ThreadDraft], None]] = {
    tracking.DEADLINE: tracking.deadline_passed,
    sequence.SETTLING: sequence.settled,
    quiet.DEADLINE: _pause_over,
    packet_turn.DEADLINE: sequence.deadline_passed,
    cutting.DEADLINE: cutting.deadline_passed,
    ending.RETRY: failures.retry_due,
    ending.TIME: failures.time_up,
    ending.STALL: failures.quiet,
    ending.COOL: going_on.cooled,
    ending.CLOSING: ending.not_closed,
    idle.DEADLINE: _idle,
    guidance.RESEARCH: guidance.research_late,
}
DEADLINES_OF: Mapping[str, Callable[[ThreadDraft, str], None]] = {
    asking.DEADLINE: asking.deadline_passed,
    answering.DEADLINE: answering.deadline_passed,
}
"""Deadlines of which there are many, by prefix: a signature follows, or a request."""

ASKED: Mapping[SignatureName, Callable[[ThreadDraft, facts.ModelAnswered], None]] = {
    "compaction_judgment": veto.judged,
    "full_auto_decision": advice.decided,
    "tool_input": answering.opined,
    "guidance_router": guidance.answered,
    "task_understanding": guidance.answered,
    "planning": guidance.answered,
    "guidance_directive": guidance.answered,
    "guidance_decision": guidance.answered,
}
"""Who asked a model. Complete: a test compares it with the list of signatures."""

HOST: Mapping[type[facts.Fact], tuple[Callable[[HostDraft, Any], None], ...]] = {
    facts.ServerConnected: (host.server_connected,),
    facts.ServerLost: (host.server_lost,),
    facts.RuntimeStarted: (host.runtime_started,),
    facts.ClockJumped: (jumps.host_jumped,),
    facts.DeadlinePassed: (host.deadline_passed,),
    facts.ThreadRequested: (host.thread_requested,),
    facts.EffectSucceeded: (host.effect_succeeded,),
    facts.EffectFailed: (host.effect_failed,),
    facts.RateLimitsUpdated: (host.rate_limits_updated,),
    facts.FaultRecorded: (host.fault_recorded,),
    facts.OrderRefused: (answering.order_refused,),
}
"""For rawr as a whole. Facts that are not here belong to a thread."""

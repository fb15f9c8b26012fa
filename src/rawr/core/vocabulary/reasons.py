"""The closed list of reason codes, ``area.outcome.cause``, each with one line of meaning.

Codes are written into journals: a code is never renamed, and its meaning changes only together with ``LOGIC``.
"""

from enum import StrEnum
from typing import Self

LOGIC = 11
"""The version of the deciding logic. Every decision has it, so that an old journal is replayed by its own rules, or
this number explains the differences."""


class Reason(StrEnum):
    """A reason code; ``meaning`` is its line in the reference."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    @classmethod
    def named(cls, code: str) -> "Reason":
        return next(one for one in cls if one.value == code)

    TURN_DROPPED_RUN = "turn.dropped.run", "A message that waited for a stopped run was dropped."
    TURN_WITHDRAWN_SUBMITTED = "turn.withdrawn.submitted", "A person withdrew a message before it was sent."
    TURN_STARTED_INPUT = "turn.started.input", "A message was waiting and the thread was free."
    TURN_STARTED_RUN = "turn.started.run", "The run continues: its next message starts a turn."
    TURN_STARTED_SEQUENCE = "turn.started.sequence", "The golden path has a message for the agent."
    TURN_QUEUED_BUSY = (
        "turn.queued.busy",
        "A message arrived while the thread was busy; it waits its turn, unchanged.",
    )
    TURN_QUEUED_OFFLINE = "turn.queued.offline", "A message arrived while Codex was disconnected; it waits, unchanged."
    TURN_REQUEUED_UNSENT = (
        "turn.requeued.unsent",
        "A message never reached Codex; it is first in the queue again.",
    )
    TURN_DOUBTED_LOST = "turn.doubted.lost", "It is not known whether Codex received a message; its history will show."
    TURN_CONFIRMED_HISTORY = "turn.confirmed.history", "A message in doubt was found in Codex's own history."
    TURN_FAILED_UNCONFIRMED = (
        "turn.failed.unconfirmed",
        "Codex never confirmed a message, and it is not in Codex's history.",
    )
    TURN_FAILED_REFUSED = (
        "turn.failed.refused",
        "Codex refused to start the turn; its words are in the evidence.",
    )
    TURN_FAILED_CLOSED = (
        "turn.failed.closed",
        "The thread was closed before Codex confirmed the message.",
    )
    TURN_FAILED_PROBLEM = "turn.failed.problem", "The turn ended with an error from Codex or the model."
    TURN_INTERRUPTED_SUBMITTED = "turn.interrupted.submitted", "A person asked to interrupt the running turn."

    TURN_INTERRUPTED_AGAIN = (
        "turn.interrupted.again",
        "The turn did not end when interrupted; rawr interrupts it again.",
    )
    TURN_FAILED_WEDGED = "turn.failed.wedged", "The turn did not end after two interrupts; rawr restarts Codex."
    TURN_INTERRUPTED_LOST = "turn.interrupted.lost", "The running turn was cut off while rawr was not connected."

    SESSION_FOUND_UNREPORTED = (
        "session.found.unreported",
        "Codex's session file has calls that Codex did not report; they are on record now.",
    )
    SESSION_DOUBTED_FILE = (
        "session.doubted.file",
        "Codex's session file is missing, or not what it was; calls that Codex did not report may be missing.",
    )
    SESSION_FAILED_READ = "session.failed.read", "Codex's session file could not be read in time."

    STEER_SENT_SUBMITTED = "steer.sent.submitted", "A message was added to the running turn."
    STEER_QUEUED_REFUSED = (
        "steer.queued.refused",
        "The running turn could not be steered; the message starts a turn instead.",
    )
    STEER_QUEUED_IDLE = (
        "steer.queued.idle",
        "No turn is running to steer; the message starts a turn instead.",
    )

    COMPACT_OVERTAKEN_TURN = (
        "compact.overtaken.turn",
        "Somebody's turn began first, so the compaction was not asked for; it waits for the end of that turn.",
    )
    COMPACT_CUT_MESSAGE = (
        "compact.cut.message",
        "A user's turn began in the same moment and was cut off; their message goes out again with what follows.",
    )
    COMPACT_CUT_UNSEEN = (
        "compact.cut.unseen",
        "A turn began in the same moment and was cut off, and Codex kept no message of it; the user is told.",
    )
    COMPACT_STARTED_AGAIN = "compact.started.again", "The compaction was cut off before it was done, and starts again."
    COMPACT_STARTED_SUBMITTED = (
        "compact.started.submitted",
        "A person asked for a compaction and the thread was idle.",
    )
    COMPACT_DEFERRED_CORRECTION = (
        "compact.deferred.correction",
        "The user's next message corrects what was just done: its details are still needed.",
    )
    COMPACT_DEFERRED_BUSY = "compact.deferred.busy", "A turn is running; compacting now would cut it off."
    COMPACT_DEFERRED_OFFLINE = "compact.deferred.offline", "Codex is disconnected; nothing can be compacted."
    COMPACT_DONE_BOTH = "compact.done.both_signals", "The compaction item and its turn have both completed."
    COMPACT_FAILED_TURN = (
        "compact.failed.turn",
        "The compaction's turn failed or produced no compaction item, or rawr did not see it end.",
    )
    COMPACT_FAILED_REFUSED = "compact.failed.refused", "Codex refused to start the compaction."
    COMPACT_SEEN_UPSTREAM = "compact.seen.upstream", "Codex compacted by itself, inside a turn."
    COMPACT_SEEN_ALONG = (
        "compact.seen.along",
        "It was compacted without rawr when the packet was there: the path goes on.",
    )

    COMPACT_SEEN_STORM = "compact.seen.storm", "Codex keeps compacting by itself and gains nothing by it."

    COMPACT_SKIPPED_DISABLED = "compact.skipped.disabled", "Auto-compaction is switched off."
    COMPACT_SKIPPED_SEQUENCE = "compact.skipped.sequence", "A sequence is already running."
    COMPACT_SKIPPED_REVIEW = "compact.skipped.review", "The thread is in review mode."
    COMPACT_SKIPPED_GOAL = "compact.skipped.goal", "Codex is pursuing a goal of its own on this thread."
    COMPACT_SKIPPED_TOKEN_BUDGET = "compact.skipped.token_budget", "Codex's token budget is on."
    COMPACT_SKIPPED_IN_REACH = (
        "compact.skipped.in_reach",
        "The agent of this thread can write what rawr obeys, such as its home.",
    )
    COMPACT_SKIPPED_USAGE = "compact.skipped.usage", "Token usage or window size is not known."
    COMPACT_SKIPPED_SYNTHETIC = "compact.skipped.synthetic", "The turn that ended was rawr's own."
    COMPACT_SKIPPED_ROOMY = "compact.skipped.roomy", "There is enough room."
    COMPACT_SKIPPED_NO_BOUNDARY = "compact.skipped.no_boundary", "rawr saw none of the boundaries this tier requires."
    COMPACT_DEFERRED_COOLDOWN = (
        "compact.deferred.cooldown",
        "Too little has happened since the last compaction: too few turns, and too little time.",
    )
    COMPACT_DEFERRED_COOLDOWN_TURNS = (
        "compact.deferred.cooldown_turns",
        "Too few turns since the last compaction. Not since LOGIC 11.",
    )
    COMPACT_DEFERRED_COOLDOWN_SECONDS = (
        "compact.deferred.cooldown_seconds",
        "Too little time since the last one. Not since LOGIC 11.",
    )
    COMPACT_DEFERRED_WEAK_BOUNDARY = "compact.deferred.weak_boundary", "A plan update alone is not a boundary."
    COMPACT_DEFERRED_PLAN_ONLY = "compact.deferred.plan_only", "Plan signals alone are not enough in this tier."
    COMPACT_DEFERRED_NOT_PACKET_WORTHY = "compact.deferred.not_packet_worthy", "There is nothing to hand over yet."
    COMPACT_DEFERRED_COMMAND_RUNNING = "compact.deferred.command_running", "A command or tool is still running."
    COMPACT_DEFERRED_REQUEST_OPEN = "compact.deferred.request_open", "A question or approval is open."
    COMPACT_DEFERRED_SUBAGENT_BUSY = "compact.deferred.subagent_busy", "A sub-agent is at work."
    COMPACT_DEFERRED_REPLY_UNFINISHED = "compact.deferred.reply_unfinished", "The agent is in the middle of a reply."
    COMPACT_DEFERRED_INPUT_QUEUED = "compact.deferred.input_queued", "A message from the user is waiting."
    COMPACT_DEFERRED_GUARD = "compact.deferred.guard", "Someone asked not to compact yet."
    COMPACT_DEFERRED_NO_NEED = (
        "compact.deferred.no_need",
        "The next turn still fits, even if it is like the largest of the newest ones.",
    )
    COMPACT_DEFERRED_UNSETTLED = (
        "compact.deferred.unsettled",
        "The agent is done, but its result is in the conversation alone, or is for the user to try.",
    )
    COMPACT_DEFERRED_LITTLE_GAIN = "compact.deferred.little_gain", "A compaction would free too little."
    COMPACT_DEFERRED_BREAKER = (
        "compact.deferred.breaker",
        "The last compaction gained too little; it is too soon for another.",
    )
    COMPACT_STOPPED_BREAKER = (
        "compact.stopped.breaker",
        "Two compactions in a row gained nothing; no more on this thread.",
    )
    COMPACT_DECIDED_BOUNDARY = "compact.decided.boundary", "A boundary that the tier asks for was reached."
    COMPACT_DECIDED_LAST_RESORT = (
        "compact.decided.last_resort",
        "A turn ended without a boundary, and the next one would soon reach Codex's own compaction.",
    )
    COMPACT_DECIDED_EMERGENCY = "compact.decided.emergency", "The context is almost full."
    COMPACT_DECIDED_SUBMITTED = "compact.decided.submitted", "A person asked for the golden path."
    COMPACT_DECIDED_LANDING = "compact.decided.landing", "The running turn would run into Codex's own compaction."
    COMPACT_DECIDED_CHECKPOINT = (
        "compact.decided.checkpoint",
        "The running turn has got something done, and would soon run into Codex's own compaction. Not since LOGIC 11.",
    )
    COMPACT_SKIPPED_OVERRUN = (
        "compact.skipped.overrun",
        "One model call took the running turn past the limit at which Codex compacts by itself: too late to land it.",
    )
    LANDING_MISSED_TURN = (
        "landing.missed.turn",
        "The turn ended before the request to stop reached it; the sequence goes on between turns.",
    )
    COMPACT_TAGGED_BOUNDARY = "compact.tagged.boundary", "This would have been the moment; the mode is tag."
    COMPACT_SUGGESTED_BOUNDARY = "compact.suggested.boundary", "This is the moment; the mode is suggest."
    COMPACT_HELD_PREFLIGHT = "compact.held.preflight", "The sequence waits for the user's next message."
    COMPACT_CANCELLED_PERSON = "compact.cancelled.person", "A person interrupted the sequence."
    COMPACT_CANCELLED_WEDGED = (
        "compact.cancelled.wedged",
        "The turn of the sequence does not end, so rawr gives up the sequence.",
    )
    COMPACT_CANCELLED_UPSTREAM = (
        "compact.cancelled.upstream",
        "Codex or a person compacted before the sequence got there.",
    )
    COMPACT_AUDITED_SEQUENCE = "compact.audited.sequence", "A sequence is over; this is its audit."
    JUDGMENT_ASKED_MODEL = "judgment.asked.model", "rawr asks a model whether this is the moment to compact."
    JUDGMENT_VETOED_MODEL = "judgment.vetoed.model", "A model says that this is not the moment to compact."
    JUDGMENT_VETOED_BOUNDARY = "judgment.vetoed.boundary", "A model said no to this boundary; a new one is needed."
    JUDGMENT_DEFERRED_ERROR = (
        "judgment.deferred.error",
        "No judgment came; not compacting now, perhaps at the end of the next turn.",
    )
    JUDGMENT_WAIVED_ERROR = "judgment.waived.error", "No judgment came; compacting anyway."
    JUDGMENT_DROPPED_TURN = (
        "judgment.dropped.turn",
        "A turn has started or is about to; rawr no longer waits for a judgment.",
    )
    JUDGMENT_DROPPED_MESSAGE = "judgment.dropped.message", "A message from the user takes precedence over the judgment."
    JUDGMENT_DROPPED_PERSON = "judgment.dropped.person", "A person asked to compact; no judgment is needed."
    JUDGMENT_DROPPED_RUN = "judgment.dropped.run", "The run that the judgment was for has paused or ended."
    JUDGMENT_DROPPED_EMERGENCY = "judgment.dropped.emergency", "The context is almost full; no judgment is needed."
    JUDGMENT_DROPPED_CLOSED = "judgment.dropped.closed", "The thread was closed while rawr waited for a judgment."
    PACKET_TAKEN_AGENT = "packet.taken.agent", "The agent's packet is complete and agrees with the record."
    PACKET_TAKEN_INCOMPLETE = (
        "packet.taken.incomplete",
        "The agent's packet was accepted; the record adds what it lacks.",
    )
    PACKET_JOINED_USER = (
        "packet.joined.user",
        "The user's words came into a request's turn; they are kept for the handoff, and the turn is not cut short.",
    )
    PACKET_ASKED_AGAIN = (
        "packet.asked.again",
        "The user's words came in between, and the turn brought no packet; it is asked for once more.",
    )
    PACKET_RETURNED_CHECK = "packet.returned.check", "The packet lacks or contradicts something; sent back once."
    PACKET_WRITTEN_WATCHER = "packet.written.watcher", "rawr wrote the packet from its record."
    COMPACT_DECIDED_FULL = "compact.decided.full", "The window is full; nothing more fits before a compaction."
    COMPACT_AUDITED_OUTSIDE = (
        "compact.audited.outside",
        "A compaction outside the golden path is over; this is its audit.",
    )
    HANDOFF_FAILED_UNDELIVERED = (
        "handoff.failed.undelivered",
        "Codex did not accept the handoff; held-back messages go out.",
    )
    HEADS_UP_FAILED_DEADLINE = "headsup.failed.deadline", "The agent took too long to answer the heads-up."
    SCRATCH_FAILED_DEADLINE = "scratch.failed.deadline", "The agent took too long to write its notes."
    PACKET_FAILED_DEADLINE = "packet.failed.deadline", "The agent took too long to write the packet."
    PACKET_FAILED_TURN = "packet.failed.turn", "The packet's turn failed or produced nothing usable."
    HANDOFF_SENT_COMPACTED = "handoff.sent.compacted", "The packet goes back to the agent."
    HANDOFF_SENT_RECOVERY = "handoff.sent.recovery", "Codex compacted by itself; the record goes to the agent."
    HANDOFF_HELD_RECOVERY = (
        "handoff.held.recovery",
        "No turn is there that could still read the record; it goes along with the user's next message.",
    )
    HANDOFF_AWAITED_RECOVERY = (
        "handoff.awaited.recovery",
        "Codex compacted by itself again; the record that is on its way follows this compaction too.",
    )
    GAIN_OPENED_BREAKER = "gain.opened.breaker", "The compaction gained too little, or no work led to it."
    COMMIT_DOUBTED_SOURCES = "commit.doubted.sources", "The command and the repository disagree."
    HOLD_SET_SUBMITTED = "hold.set.submitted", "A person asked not to compact for now."
    HOLD_RELEASED_SUBMITTED = "hold.released.submitted", "A person lifted all holds."
    HOLD_RELEASED_TURNS = "hold.released.turns", "The turns of a hold have passed."
    HOLD_SET_AGENT = "hold.set.agent", "The agent asked not to compact for a few turns."
    HOLD_REFUSED_AGENT = (
        "hold.refused.agent",
        "The agent has used up its turns of hold; the next compaction renews them.",
    )
    HOLD_REFUSED_ARGUMENTS = "hold.refused.arguments", "The agent called hold with unusable arguments."
    HOLD_RELEASED_AGENT = "hold.released.agent", "The agent lifted its own hold."
    MODE_SET_USER = "mode.set.user", "A person said what kind of work comes now."
    PHASE_MARKED_USER = "phase.marked.user", "A person marked the end of a phase."
    DIRECTIVE_REFUSED_LENGTH = "directive.refused.length", "The directive is too long to repeat in every handoff."
    DIRECTIVE_UNPINNED_SUBMITTED = "directive.unpinned.submitted", "A person unpinned a directive."
    DIRECTIVE_PINNED_SUBMITTED = "directive.pinned.submitted", "A person pinned a directive."

    REQUEST_ANSWERED_PERSON = "request.answered.person", "A person answered."
    REQUEST_ANSWERED_POLICY = "request.answered.policy", "The answer follows from policy alone."
    REQUEST_DECLINED_DEADLINE = (
        "request.declined.deadline",
        "Nobody answered in time; declined, so that the turn can continue.",
    )
    REQUEST_DECLINED_CROWDED = (
        "request.declined.crowded",
        "Too many questions are already open; declined, so that the turn can continue.",
    )
    REQUEST_REFUSED_UNABLE = (
        "request.refused.unable",
        "rawr cannot answer this kind of question and said so at once.",
    )
    REQUEST_LEFT_OTHERS = (
        "request.left.others",
        "The thread belongs to someone else, who answers its questions.",
    )
    ORDER_REFUSED_AGENT = (
        "order.refused.agent",
        "An agent tried to give an order that only a person may give; nothing was done.",
    )
    REQUEST_WAITS_PERSON = "request.waits.person", "The question waits for a person, with a deadline."

    THREAD_STARTED_SUBMITTED = "thread.started.submitted", "A person asked for a new thread."
    CLOCK_NOTED_JUMP = "clock.noted.jump", "The system clock was set, or the machine slept."
    THREAD_DEFERRED_LOST = "thread.deferred.lost", "Codex died before the thread existed; rawr requests it again."
    THREAD_DEFERRED_OFFLINE = "thread.deferred.offline", "Codex is disconnected; the thread starts once it is back."
    THREAD_FAILED_REFUSED = "thread.failed.refused", "Codex could not start the thread."
    THREAD_JOINED_WATCH = "thread.joined.watch", "rawr is watching, so it joins another client's thread."
    THREAD_DEFERRED_UNBORN = "thread.deferred.unborn", "The thread has had no turn yet; rawr joins it at its first."
    THREAD_RESUMED_RECONNECT = (
        "thread.resumed.reconnect",
        "The connection is back; rawr rejoins the thread.",
    )

    THREAD_REPLACED_UNBORN = (
        "thread.replaced.unborn",
        "Codex saved nothing of the thread; a new one replaces it, under the same limits.",
    )
    LIMITS_WIDER_CODEX = "limits.wider.codex", "Codex allows more than was ordered; rawr starts nothing."
    LIMITS_NARROWER_CODEX = "limits.narrower.codex", "Codex allows less than was ordered; that is fine."

    PHASE_MARKED_TOOL = "phase.marked.tool", "The agent called phase_complete."
    PHASE_REFUSED_ARGUMENTS = (
        "phase.refused.arguments",
        "The agent called phase_complete with unusable arguments.",
    )

    RUN_STARTED_SUBMITTED = "run.started.submitted", "A person ordered a run."
    RUN_REFUSED_GOAL = "run.refused.goal", "Codex is pursuing a goal of its own on this thread."
    RUN_RESUMED_SUBMITTED = "run.resumed.submitted", "A person resumed the run."
    RUN_OVERRIDDEN_PERSON = "run.overridden.person", "A person decided what comes next."
    RUN_CONTINUED_POLICY = "run.continued.policy", "The job is not done, and no guard objects."
    RUN_CONTINUED_MODEL = "run.continued.model", "A model says to continue, and no guard objects."
    RUN_PAUSED_MODEL = "run.paused.model", "A model says that a person should look at it."
    RUN_PAUSED_UNSURE = "run.paused.unsure", "The model is not sure enough of what comes next."
    RUN_PAUSED_REPLY = "run.paused.reply", "The model gave no usable answer."
    RUN_STOPPED_MODEL = "run.stopped.model", "A model says that the run should end."
    RUN_CONTINUED_MESSAGE = "run.continued.message", "The check passed, but a message waits: the agent gets it first."
    RUN_CONTINUED_CHECK = "run.continued.check", "The agent says it is done, but the check says no."
    RUN_CONTINUED_REVIEW = "run.continued.review", "The findings of the review go to the agent."
    RUN_CONTINUED_RETRY = "run.continued.retry", "The wait is over; rawr retries the turn."
    RUN_CONTINUED_LOST = "run.continued.lost", "The connection was lost in the middle of a turn; the work resumes."
    RUN_CONTINUED_RESUMED = "run.continued.resumed", "The run continues where it stopped."
    RUN_CONTINUED_SEQUENCE = "run.continued.sequence", "The compaction did not happen; the work continues."
    RUN_CHECKED_CLAIM = "run.checked.claim", "The agent says it is done; the check runs."
    RUN_CHECKED_WORK = "run.checked.work", "Something was done since the last check; the check runs."
    RUN_CHECKED_LAST = "run.checked.last", "The run is about to be stopped; the check runs first."
    RUN_PASSED_CHECK = "run.passed.check", "The done check exited with code 0."
    RUN_FAILED_CHECK = "run.failed.check", "The done check says that the job is not done."
    RUN_REVIEWED_POLICY = "run.reviewed.policy", "Codex reviews the changes."
    RUN_SKIPPED_REVIEW = "run.skipped.review", "The review could not start."
    RUN_RETRIED_PASSING = "run.retried.passing", "The turn failed for a reason that may pass."
    RUN_INTERRUPTED_STALL = "run.interrupted.stall", "Nothing happens in the turn; rawr ends and retries it."
    RUN_WAITS_COOLDOWN = "run.waits.cooldown", "The last turns ended at once and did nothing; the run waits a little."
    RUN_WAITS_LIMIT = "run.waits.limit", "The account's limit is reached; the run waits until it resets."
    RUN_DONE_CHECKED = "run.done.checked", "The job is done: the check passed."
    RUN_DONE_REPORTED = "run.done.reported", "The agent says the job is done; nothing checked it."
    RUN_PAUSED_PERSON = "run.paused.person", "A person paused it."
    RUN_PAUSED_INTERRUPTED = "run.paused.interrupted", "A person interrupted the turn."
    RUN_PAUSED_UNANSWERED = "run.paused.unanswered", "Nobody answered in time."
    RUN_PAUSED_LIMIT = "run.paused.limit", "The account's limit is reached and resets too late to wait for."
    RUN_PAUSED_LIMITS = "run.paused.limits", "Codex works under wider limits than the run was ordered under."
    RUN_PAUSED_STORM = "run.paused.storm", "Codex keeps compacting by itself and gains nothing by it."
    RUN_PAUSED_AWAY = "run.paused.away", "rawr exited while the run was under way."
    RUN_PAUSED_GONE = "run.paused.gone", "The done check held a secret that rawr no longer has: order the run again."
    RUN_PAUSED_LEAVING = "run.paused.leaving", "rawr was told to exit, and what was running did not end in time."
    RUN_PAUSED_WEDGED = "run.paused.wedged", "Codex did not end the turn after two interrupts."
    RUN_PAUSED_CLOSED = "run.paused.closed", "Codex closed the thread."
    RUN_PAUSED_ARCHIVED = "run.paused.archived", "The thread was archived in Codex."
    RUN_PAUSED_CHECK = "run.paused.check", "The done check cannot be run."
    RUN_PAUSED_REFUSED = "run.paused.refused", "Codex did not accept the next message."
    RUN_STOPPED_PERSON = "run.stopped.person", "A person stopped it."
    RUN_STOPPED_TURNS = "run.stopped.turns", "The turn budget is used up."
    RUN_STOPPED_TOKENS = "run.stopped.tokens", "The token budget is used up."
    RUN_STOPPED_TIME = "run.stopped.time", "The time budget is used up."
    RUN_STOPPED_COST = "run.stopped.cost", "The cost budget is used up."
    RUN_STOPPED_PROGRESS = "run.stopped.progress", "No progress: the plan, the diff and the commits did not change."
    RUN_STOPPED_CHURN = "run.stopped.churn", "Going in circles: the same actions again, and no progress."
    RUN_STOPPED_ERROR = "run.stopped.error", "The same error keeps coming back."
    RUN_STOPPED_COMPACTIONS = "run.stopped.compactions", "The context is compacted too often."
    RUN_FAILED_TURN = "run.failed.turn", "A turn failed for a reason that will not pass."
    RUN_FAILED_RETRIES = "run.failed.retries", "A turn kept failing."
    RUN_FAILED_DELETED = "run.failed.deleted", "The thread was deleted in Codex."
    RUN_FAILED_THREAD = "run.failed.thread", "Codex cannot continue the thread."

    REQUEST_JUDGED_SAFE = "request.judged.safe", "The request is provably safe."
    REQUEST_JUDGED_UNSAFE = "request.judged.unsafe", "The request is not provably safe."
    REQUEST_DECLINED_UNSAFE = (
        "request.declined.unsafe",
        "The request is not provably safe, and the run declines such requests.",
    )

    REQUEST_ANSWERED_MODEL = "request.answered.model", "A model is sure of the answer, and it fits the question."
    REQUEST_UNSURE_MODEL = "request.unsure.model", "A model has no usable answer; the question goes to a person."

    MODEL_ASKED_QUESTION = "model.asked.question", "A typed question goes to a model."
    MODEL_SKIPPED_ASKED = "model.skipped.asked", "The same question is already under way."
    MODEL_ANSWERED_OPINION = "model.answered.opinion", "The model's answer has the required shape."
    MODEL_FAILED_OPINION = "model.failed.opinion", "There is no usable answer."

    GUIDANCE_STARTED_MESSAGE = (
        "guidance.started.message",
        "Guidance looks at the user's message before the agent gets it.",
    )
    GUIDANCE_STARTED_SUPER = "guidance.started.super", "The user only says to go: research, a plan, then the agent."
    GUIDANCE_ROUTED_MESSAGE = "guidance.routed.message", "Guidance chose a route for the user's message."
    GUIDANCE_RESEARCHED_REPOSITORY = (
        "guidance.researched.repository",
        "Guidance looked at the repository; nothing was run.",
    )
    GUIDANCE_UNDERSTOOD_TASK = "guidance.understood.task", "Guidance worked out what the user asks for."
    GUIDANCE_PLANNED_WORK = "guidance.planned.work", "Guidance made a plan to start with."
    GUIDANCE_DIRECTED_AGENT = "guidance.directed.agent", "Guidance chose the agent's next directive."
    GUIDANCE_DECIDED_TURN = "guidance.decided.turn", "Guidance decided what follows the turn."
    GUIDANCE_REFUSED_RESPONSE = "guidance.refused.response", "The model's response to the user is not one sentence."
    GUIDANCE_REFUSED_DIRECTIVE = "guidance.refused.directive", "The model's directive is not fit to send to an agent."

    IGNORED_STALE_RESEARCH = "ignored.stale_research", "Findings about a repository that nothing is waiting for."
    IGNORED_STALE_LOOK = "ignored.stale_look", "A look at what a packet names came back that nothing is waiting for."
    IGNORED_STALE_OPINION = "ignored.stale_opinion", "An answer to a question that is no longer asked."
    IGNORED_RUN_ACTIVE = "ignored.run_active", "A run is already under way on this thread."
    IGNORED_NO_RUN = "ignored.no_run", "There is no run for this to apply to."
    IGNORED_STALE_CHECK = "ignored.stale_check", "The result of a check that nothing is waiting for."
    IGNORED_UNKNOWN_REQUEST = (
        "ignored.unknown_request",
        "An answer or notice about a request that is not open.",
    )
    IGNORED_UNKNOWN_TURN = "ignored.unknown_turn", "A fact about a turn that is not the running one."
    IGNORED_UNKNOWN_EFFECT = "ignored.unknown_effect", "The outcome of an effect that is not in flight."
    IGNORED_NO_TURN = "ignored.no_turn", "There is no turn to interrupt."
    IGNORED_KNOWN_CALL = (
        "ignored.known.call",
        "A call was on record already: Codex reported it, and its session file has it too.",
    )
    IGNORED_KNOWN_PHASE = "ignored.known.phase", "The agent marked the same phase twice in one turn."
    IGNORED_STALE_SESSION = "ignored.stale.session", "A read of the session file came back that nobody waits for."
    IGNORED_STALE_DEADLINE = (
        "ignored.stale_deadline",
        "A deadline passed after it had been moved or cancelled.",
    )
    IGNORED_UNKNOWN_MESSAGE = "ignored.unknown_message", "The message is not waiting: it was sent, or withdrawn."
    IGNORED_EMPTY_INPUT = "ignored.empty_input", "The message contained no text."
    IGNORED_WRONG_ANSWER = (
        "ignored.wrong_answer",
        "The answer does not fit the question; the question stays open.",
    )
    IGNORED_UNKNOWN_PIN = "ignored.unknown_pin", "No pinned directive begins with these words."
    IGNORED_CLOSED_THREAD = "ignored.closed_thread", "The thread is closed."

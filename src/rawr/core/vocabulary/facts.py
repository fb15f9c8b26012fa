"""What happened, in the past tense. Everything the core ever learns comes in as one of these.

A fact carries no time and no number of its own: ``Recorded`` adds both when the fact is taken into the journal. A fact
is about one thread, or about rawr as a whole (``thread == ""``). What a person
submits is a fact too.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.items import AnyItem
from rawr.core.vocabulary.limits import InForce, Limits
from rawr.core.vocabulary.opinions import AnyOpinion, NoOpinion, SignatureName
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.requests import Answer, Decider, Question

TurnStatus = Literal["completed", "interrupted", "failed"]
StepStatus = Literal["pending", "in_progress", "completed"]
Approvals = Literal["untrusted", "on-request", "never"]
Sandbox = Literal["read-only", "workspace-write", "danger-full-access"]
FailureCode = Literal["refused", "unsent", "lost", "timed_out", "moot", "gone"]
"""``refused``: the server said no. ``unsent``: it never left. ``lost`` and ``timed_out``: it left, and what became of
it is not known. ``moot``: nothing is left to do it to. ``gone``: a secret that it needs is not known any more."""
Level = Literal["debug", "status", "info", "warning", "error"]


class Fact(Struct, frozen=True, gc=False, kw_only=True, tag_field="fact", tag=True, omit_defaults=True):
    """Base of all facts. ``gc=False``, here and elsewhere: a tree of values needs no garbage collector."""


# -- the server -------------------------------------------------------------------------------------------------


class ServerConnected(Fact, frozen=True):
    """A connection to an app-server stands. ``epoch`` counts them, because request ids start again with each."""

    epoch: int
    user_agent: str
    codex_home: str
    transport: str


class ServerLost(Fact, frozen=True):
    epoch: int
    problem: str
    exit_code: int | None = None
    stderr_tail: tuple[str, ...] = ()
    by_us: bool = False
    """rawr itself closed the connection."""


class FaultRecorded(Fact, frozen=True):
    """The other side sent something that could not be used. ``sample`` is its start, bounded."""

    where: str
    problem: str
    sample: str = ""
    size: int = 0


class NotificationPassed(Fact, frozen=True):
    """A notification that this version has no use for; kept so that nothing is dropped unseen."""

    method: str
    size: int


class RateLimitsUpdated(Fact, frozen=True):
    limit: str
    used_percent: int
    resets_at: int | None = None
    reached: bool = False


# -- threads and turns ------------------------------------------------------------------------------------------


class ThreadOpened(Fact, frozen=True):
    """A thread is there: ours because we started it, or somebody else's that we saw begin."""

    cwd: str
    model: str = ""
    ephemeral: bool = False
    parent: str = ""
    ours: bool = False
    token_budget: bool = False
    """Codex's feature of this name is on for the thread."""
    limits: Limits | None = None
    """What it was ordered under, if we started it."""
    in_force: InForce | None = None
    server: str = ""
    """The process that has it, if we started it."""


class MissedTurn(Struct, frozen=True, gc=False, omit_defaults=True):
    """A turn of which rawr has not seen the end, as Codex's own history has it."""

    turn: str
    compacted: bool = False
    """The context was compacted in it, whatever its status says: a Codex whose client has gone finishes a compaction
    and calls its turn interrupted (measured)."""
    spoken: bool = False
    """A user's message is in it, so it is no compaction's own turn."""


class ThreadJoined(Fact, frozen=True):
    """The thread's events reach us, from here on. What Codex's own history says of its newest turn comes along."""

    cwd: str
    model: str = ""
    ephemeral: bool = False
    idle: bool = True
    last_turn: str = ""
    last_status: str = ""
    missed: tuple[MissedTurn, ...] = ()
    """The turns after the last one whose end was seen, oldest first."""
    fresh: bool = False
    """The server had not opened it: nothing that was asked of an earlier one is still under way."""
    server: str = ""
    """The process that has it now."""
    last_said: str = ""
    """The agent's last words in the newest turn."""
    messages: tuple[str, ...] = ()
    """What the user had said before we came, if it was asked for: the first message and the newest ones, in order."""
    token_budget: bool = False
    in_force: InForce | None = None


class SettingsUpdated(Fact, frozen=True):
    """Codex says that a thread works under other settings from here on, whoever changed them."""

    in_force: InForce


class ThreadTookOver(Fact, frozen=True):
    """This thread stands in for one of which Codex has kept nothing; what was to be done there is done here."""

    origin: str
    run: int = 0
    """The number of the run there: it is the same run."""
    order: Order | None = None
    messages: tuple[str, ...] = ()
    """What a person had submitted there beside the order, in order."""


class ThreadStatusChanged(Fact, frozen=True):
    status: Literal["not_loaded", "idle", "active", "system_error"]
    waiting_on: tuple[str, ...] = ()


class ThreadClosed(Fact, frozen=True):
    """Codex has let go of the thread: nothing more will come of it, unless somebody opens it again."""

    how: Literal["closed", "archived", "deleted"] = "closed"


class TurnStarted(Fact, frozen=True):
    turn: str
    root: str = ""
    """The turn on whose behalf it runs, where that is another one. Of a review everything else is told under that."""


class Problem(Struct, frozen=True, gc=False, omit_defaults=True):
    """Why a turn failed, in the server's words and in its code."""

    message: str
    code: str = "other"
    http_status: int | None = None
    details: str = ""


class TurnCompleted(Fact, frozen=True):
    turn: str
    status: TurnStatus
    problem: Problem | None = None
    duration_ms: int | None = None


class ItemStarted(Fact, frozen=True):
    turn: str
    item: AnyItem


class ItemCompleted(Fact, frozen=True):
    turn: str
    item: AnyItem


class PlanStep(Struct, frozen=True, gc=False):
    step: str
    status: StepStatus


class PlanUpdated(Fact, frozen=True):
    turn: str
    steps: tuple[PlanStep, ...]
    explanation: str = ""


class FileDelta(Struct, frozen=True, gc=False):
    path: str
    added: int
    removed: int


class DiffUpdated(Fact, frozen=True):
    """The diff of the turn so far, by its shape: what changed, how much, and a digest to tell two diffs apart."""

    turn: str
    digest: str
    files: tuple[FileDelta, ...]
    files_omitted: int = 0


class UsageUpdated(Fact, frozen=True):
    """``in_context`` is what the model's context holds now; ``spent`` is all that the thread has used so far."""

    turn: str
    in_context: int
    spent: int
    window: int | None = None
    cached_input: int = 0
    output: int = 0
    reasoning: int = 0


class ErrorReported(Fact, frozen=True):
    turn: str
    problem: Problem
    will_retry: bool = False


class WarningReported(Fact, frozen=True):
    message: str


class ContextCompacted(Fact, frozen=True):
    """The compaction notice of older servers; newer ones send only the item."""

    turn: str


class GoalUpdated(Fact, frozen=True):
    objective: str
    status: str


class GoalCleared(Fact, frozen=True):
    pass


class CommitSeen(Struct, frozen=True, gc=False):
    sha: str
    subject: str
    amends: str = ""


class CommandObserved(Fact, frozen=True):
    """What a command did to the repository, by the repository's own word, beside what its line set out to do (B6)."""

    turn: str
    item: str
    root: str = ""
    branch: str = ""
    head: str = ""
    commits: tuple[CommitSeen, ...] = ()
    switched_to: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    """Branches that are new."""
    stack: tuple[str, ...] = ()
    """Graphite's stack around the current branch, from the trunk up; empty where it is not used."""
    pull_request: tuple[str, ...] = ()
    url: str = ""
    agreed: bool = True
    why: str = ""


# -- what the server asks ---------------------------------------------------------------------------------------


class SubAgentTurn(Fact, frozen=True):
    """A sub-agent of this thread begins or ends a turn in a thread of its own, which may outlive ours."""

    thread: str
    running: bool


class RequestReceived(Fact, frozen=True):
    """The server waits for an answer. ``request`` names it across reconnects: ``"{epoch}/{wire id}"``."""

    request: str
    question: Question
    turn: str = ""
    item: str = ""


class RequestResolved(Fact, frozen=True):
    """The server has its answer, from whichever client came first."""

    request: str


class RequestRefused(Fact, frozen=True):
    """A request of a kind that nobody here knows got an error at once, so that the turn does not hang."""

    request: str
    method: str


# -- what a person, or a program on a person's behalf, submitted ------------------------------------------------


class ThreadRequested(Fact, frozen=True):
    """Start a thread. ``ticket`` lets the asker recognise the thread that comes of it."""

    ticket: str
    cwd: str
    model: str = ""
    approvals: Approvals = "on-request"
    sandbox: Sandbox = "workspace-write"
    ephemeral: bool = False


class UserSubmitted(Fact, frozen=True):
    """A message for the agent. It starts a turn as soon as the thread is free."""

    text: str


class SteerSubmitted(Fact, frozen=True):
    """A message for the turn that runs now."""

    text: str


class InterruptSubmitted(Fact, frozen=True):
    pass


class CompactionSubmitted(Fact, frozen=True):
    """Compact now: on the golden path, or, ``bare``, with nothing around it."""

    bare: bool = False


class HoldSubmitted(Fact, frozen=True):
    """Do not compact until somebody releases it, or so many turns have ended."""

    until: str
    turns: int | None = None


class HoldReleased(Fact, frozen=True):
    pass


class PhaseSubmitted(Fact, frozen=True):
    """A person says that a phase is over."""

    phase: str


class PinSubmitted(Fact, frozen=True):
    """A standing directive of the user, to be in every handoff verbatim."""

    text: str


class ThreadAdopted(Fact, frozen=True):
    """A person puts a thread that Codex has into rawr's hands, to drive it. It keeps the limits that it has, except for
    those that are given here."""

    sandbox: Sandbox | Literal[""] = ""
    approvals: Approvals | Literal[""] = ""


class RunSubmitted(Fact, frozen=True):
    """Work on this thread turn after turn until the order is done, or something stops it (C1)."""

    order: Order


class RunPauseSubmitted(Fact, frozen=True):
    """Pause at the end of the running turn; ``now``: the turn is interrupted."""

    now: bool = False
    leaving: bool = False
    """rawr ends: nothing is waited for any more, whatever is under way."""


class RunStopSubmitted(Fact, frozen=True):
    """End the run. The running turn is interrupted."""


class RunResumed(Fact, frozen=True):
    """Go on with a run that is paused or stopped. Budgets that are given take the place of the old ones."""

    budgets: Budgets | None = None
    take_goal: bool = False
    """Take over from a goal that Codex has itself."""


class RunOverridden(Fact, frozen=True):
    """A person decides in the policy's place: what the agent is told next."""

    text: str


class DecisionLabelled(Fact, frozen=True):
    """A person says whether a decision was right. Nothing follows from it; ``rawr tune`` learns from it."""

    decision: str
    label: Literal["good", "bad"]
    note: str = ""


class PinRemoved(Fact, frozen=True):
    """Pinned directives that begin with this text hold no longer."""

    text: str


class AnswerSubmitted(Fact, frozen=True):
    request: str
    answer: Answer
    by: Decider = "person"


# -- rawr itself ------------------------------------------------------------------------------------------------


class RuntimeStarted(Fact, frozen=True):
    version: str
    policy: str
    last_at: int = 0
    """When the rawr before this one last wrote something: what came after that is nobody's working time."""


MOST_MS = 10**13
"""Some three hundred years."""


class ClockJumped(Fact, frozen=True):
    """The system's clock was set, or the machine slept; by so many milliseconds, back is less than nothing."""

    ms: Annotated[int, Meta(ge=-MOST_MS, le=MOST_MS)]


class PolicyAdopted(Fact, frozen=True):
    """The rules that hold from here on, whole: a replay needs no file of that day."""

    policy: Policy


class RuntimeStopped(Fact, frozen=True):
    reason: str


class EffectSucceeded(Fact, frozen=True):
    effect: str
    result: str = ""
    """What the effect brought: the id of the thread or of the turn; for ``FindMessage``, empty if it is nowhere."""


class MessageFound(Fact, frozen=True):
    """A message whose fate was not known is in a turn that is over, by Codex's own history."""

    message: str
    """The effect that carried it."""
    turn: str
    completed: bool
    said: str = ""
    """The agent's last words in that turn."""


class EffectFailed(Fact, frozen=True):
    effect: str
    problem: str
    code: FailureCode


class DoneChecked(Fact, frozen=True):
    """The done check ran: only exit code 0 means done (C7). ``output`` is its end, bounded."""

    effect: str
    exit_code: int | None
    output: str = ""
    timed_out: bool = False
    duration_ms: int = 0


class ApprovalJudged(Fact, frozen=True):
    """What the approval policy says of a request, with a digest of exactly what was looked at (C10)."""

    request: str
    safe: bool
    reasons: tuple[str, ...] = ()
    digest: str = ""


class ModelAnswered(Fact, frozen=True):
    """What a model said to a typed question, raw and as what it was taken for. A replay asks nobody (C17)."""

    effect: str
    """The question, by the effect that asked it."""
    signature: SignatureName
    opinion: AnyOpinion | None = None
    """None: there is no usable answer, and ``code`` and ``problem`` say why."""
    code: NoOpinion | Literal[""] = ""
    problem: str = ""
    raw: str = ""
    """The last reply as it came, bounded."""
    diagnostics: tuple[str, ...] = ()
    """What was wrong with each reply that could not be used, and which models could not be reached."""
    model: str = ""
    attempts: int = 0
    tokens: int = 0
    """All that it cost, in and out, over all attempts."""
    output_tokens: int = 0
    duration_ms: int = 0


class RepositoryResearched(Fact, frozen=True):
    """What a look around in a workspace showed: text for a model, bounded (C15)."""

    effect: str
    text: str = ""
    problem: str = ""
    """Why there is none."""
    duration_ms: int = 0


class SlotGranted(Fact, frozen=True):
    """A run may start its next turn: it was its turn among the others (C12)."""


class DeadlinePassed(Fact, frozen=True):
    name: str


AnyFact = (
    ServerConnected
    | ServerLost
    | FaultRecorded
    | NotificationPassed
    | RateLimitsUpdated
    | ThreadOpened
    | ThreadJoined
    | SettingsUpdated
    | ThreadTookOver
    | ThreadStatusChanged
    | ThreadClosed
    | TurnStarted
    | TurnCompleted
    | ItemStarted
    | ItemCompleted
    | PlanUpdated
    | DiffUpdated
    | UsageUpdated
    | ErrorReported
    | WarningReported
    | ContextCompacted
    | GoalUpdated
    | GoalCleared
    | CommandObserved
    | SubAgentTurn
    | RequestReceived
    | RequestResolved
    | RequestRefused
    | ThreadRequested
    | UserSubmitted
    | SteerSubmitted
    | InterruptSubmitted
    | CompactionSubmitted
    | HoldSubmitted
    | HoldReleased
    | PhaseSubmitted
    | PinSubmitted
    | ThreadAdopted
    | RunSubmitted
    | RunPauseSubmitted
    | RunStopSubmitted
    | RunResumed
    | RunOverridden
    | PinRemoved
    | DecisionLabelled
    | ClockJumped
    | AnswerSubmitted
    | RuntimeStarted
    | PolicyAdopted
    | RuntimeStopped
    | EffectSucceeded
    | MessageFound
    | EffectFailed
    | DoneChecked
    | ApprovalJudged
    | ModelAnswered
    | RepositoryResearched
    | SlotGranted
    | DeadlinePassed
)


class Recorded(Struct, frozen=True, gc=False):
    """A fact with its place in the journal: its number, when it was taken in (ms since the epoch) and its thread."""

    seq: int
    at: int
    thread: str
    fact: AnyFact

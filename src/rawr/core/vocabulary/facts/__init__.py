"""What happened, in the past tense. Everything that the core learns comes in as one of these.

A fact carries no time and no number: ``Recorded`` adds both when the fact enters the journal. A fact is about one
thread, or about rawr as a whole (``thread == ""``). Facts are grouped by who reports them, and all of them are names of
this package: ``facts.TurnStarted``.
"""

from msgspec import Struct

from rawr.core.vocabulary.facts.base import AskPolicy, Fact, FailureCode, Level, Sandbox, StepStatus, TurnStatus
from rawr.core.vocabulary.facts.outcomes import (
    ApprovalJudged,
    ClaimsLookedUp,
    CommandObserved,
    CommitSeen,
    DoneChecked,
    EffectFailed,
    EffectSucceeded,
    MessageFound,
    ModelAnswered,
    RepositoryResearched,
    SessionRead,
    TreeSeen,
)
from rawr.core.vocabulary.facts.own import (
    MOST_MS,
    ClockJumped,
    DeadlinePassed,
    PolicyAdopted,
    RuntimeStarted,
    RuntimeStopped,
    SlotGranted,
    SubAgentTurn,
)
from rawr.core.vocabulary.facts.server import (
    FaultRecorded,
    NotificationPassed,
    RateLimitsUpdated,
    RequestReceived,
    RequestRefused,
    RequestResolved,
    ServerConnected,
    ServerLost,
    WarningReported,
)
from rawr.core.vocabulary.facts.submitted import (
    AnswerSubmitted,
    CompactionSubmitted,
    DecisionLabelled,
    HoldReleased,
    HoldSubmitted,
    InterruptSubmitted,
    MessageWithdrawn,
    OrderRefused,
    Origin,
    PhaseSubmitted,
    PinRemoved,
    PinSubmitted,
    RunOverridden,
    RunPauseSubmitted,
    RunResumed,
    RunStopSubmitted,
    RunSubmitted,
    SteerSubmitted,
    Submitted,
    ThreadAdopted,
    ThreadRequested,
    UserSubmitted,
)
from rawr.core.vocabulary.facts.threads import (
    GoalCleared,
    GoalUpdated,
    MissedTurn,
    SettingsUpdated,
    ThreadClosed,
    ThreadJoined,
    ThreadOpened,
    ThreadReached,
    ThreadStatusChanged,
    ThreadTookOver,
)
from rawr.core.vocabulary.facts.turns import (
    ContextCompacted,
    DiffUpdated,
    ErrorReported,
    FileDelta,
    ItemCompleted,
    ItemStarted,
    PlanStep,
    PlanUpdated,
    Problem,
    ReasoningKept,
    TurnCompleted,
    TurnStarted,
    UsageUpdated,
)

AnyFact = (
    ServerConnected
    | ServerLost
    | FaultRecorded
    | NotificationPassed
    | RateLimitsUpdated
    | ThreadOpened
    | ThreadJoined
    | ThreadReached
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
    | ReasoningKept
    | ErrorReported
    | WarningReported
    | ContextCompacted
    | GoalUpdated
    | GoalCleared
    | CommandObserved
    | TreeSeen
    | SessionRead
    | SubAgentTurn
    | RequestReceived
    | RequestResolved
    | RequestRefused
    | OrderRefused
    | ThreadRequested
    | UserSubmitted
    | SteerSubmitted
    | MessageWithdrawn
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
    | ClaimsLookedUp
    | SlotGranted
    | DeadlinePassed
)


class Recorded(Struct, frozen=True, gc=False):
    """A fact with its place in the journal: its number, its time (ms since the epoch) and its thread."""

    seq: int
    at: int
    thread: str
    fact: AnyFact

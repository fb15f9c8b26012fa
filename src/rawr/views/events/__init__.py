"""What happens, as a closed list of events with stable names: what a surface shows, and all it needs to know.

They are grouped by subject, and all of them are names of this package: ``events.TurnEnded``. A tag, once published, is
never renamed, and a field never changes its meaning.

Texts are as written: with placeholders for their secrets. The real text, by which a person decides, comes from
``Supervisor.waiting``.
"""

from rawr.views.events.base import Decided, Event
from rawr.views.events.context import (
    AgentAsked,
    CompactionAudited,
    CompactionBegan,
    CompactionCancelled,
    CompactionDecided,
    CompactionDeferred,
    CompactionEnded,
    CompactionHeld,
    CompactionMarked,
    ContextCompacted,
    ContextUsed,
    HandoffSent,
    PacketReady,
)
from rawr.views.events.requests import (
    AnswerRefused,
    RequestAnswered,
    RequestApproved,
    RequestAsked,
    RequestDeclined,
    RequestEvent,
    RequestGone,
    RequestPut,
    SteerTaken,
)
from rawr.views.events.runs import (
    RunChecked,
    RunChecking,
    RunContinued,
    RunDone,
    RunEvent,
    RunFailed,
    RunOverridden,
    RunPaused,
    RunRefused,
    RunResumed,
    RunRetrying,
    RunReviewing,
    RunStalled,
    RunStarted,
    RunStopped,
    RunWaiting,
)
from rawr.views.events.threads import (
    BoundarySeen,
    CodexConnected,
    CodexLost,
    Notice,
    PhaseEnded,
    ThreadClosed,
    ThreadJoined,
    ThreadReplaced,
    TurnBegan,
    TurnEnded,
)
from rawr.views.events.turns import (
    AgentSaid,
    CommandBegan,
    CommandRan,
    DiffChanged,
    ErrorSeen,
    FilesChanged,
    PlanChanged,
    Purpose,
    UserSaid,
)

AnyEvent = (
    CodexConnected
    | CodexLost
    | Notice
    | ThreadJoined
    | ThreadReplaced
    | ThreadClosed
    | TurnBegan
    | TurnEnded
    | BoundarySeen
    | PhaseEnded
    | UserSaid
    | AgentSaid
    | CommandBegan
    | CommandRan
    | FilesChanged
    | PlanChanged
    | DiffChanged
    | ErrorSeen
    | ContextUsed
    | CompactionDeferred
    | CompactionDecided
    | CompactionMarked
    | CompactionHeld
    | AgentAsked
    | CompactionBegan
    | ContextCompacted
    | CompactionEnded
    | CompactionAudited
    | CompactionCancelled
    | PacketReady
    | HandoffSent
    | RunStarted
    | RunResumed
    | RunOverridden
    | RunContinued
    | RunChecking
    | RunChecked
    | RunReviewing
    | RunRetrying
    | RunWaiting
    | RunStalled
    | RunDone
    | RunPaused
    | RunStopped
    | RunFailed
    | RunRefused
    | RequestAsked
    | RequestPut
    | RequestApproved
    | RequestAnswered
    | RequestDeclined
    | RequestGone
    | AnswerRefused
    | SteerTaken
)

__all__ = [
    "AgentAsked",
    "AgentSaid",
    "AnswerRefused",
    "AnyEvent",
    "BoundarySeen",
    "CodexConnected",
    "CodexLost",
    "CommandBegan",
    "CommandRan",
    "CompactionAudited",
    "CompactionBegan",
    "CompactionCancelled",
    "CompactionDecided",
    "CompactionDeferred",
    "CompactionEnded",
    "CompactionHeld",
    "CompactionMarked",
    "ContextCompacted",
    "ContextUsed",
    "Decided",
    "DiffChanged",
    "ErrorSeen",
    "Event",
    "FilesChanged",
    "HandoffSent",
    "Notice",
    "PacketReady",
    "PhaseEnded",
    "PlanChanged",
    "Purpose",
    "RequestAnswered",
    "RequestApproved",
    "RequestAsked",
    "RequestDeclined",
    "RequestEvent",
    "RequestGone",
    "RequestPut",
    "RunChecked",
    "RunChecking",
    "RunContinued",
    "RunDone",
    "RunEvent",
    "RunFailed",
    "RunOverridden",
    "RunPaused",
    "RunRefused",
    "RunResumed",
    "RunRetrying",
    "RunReviewing",
    "RunStalled",
    "RunStarted",
    "RunStopped",
    "RunWaiting",
    "SteerTaken",
    "ThreadClosed",
    "ThreadJoined",
    "ThreadReplaced",
    "TurnBegan",
    "TurnEnded",
    "UserSaid",
]

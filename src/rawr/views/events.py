"""What happens, as a closed list of events with stable names: what a surface shows, and all it needs to know.

A tag, once published, is never renamed, and a field never changes its meaning. Texts are as they were written: their
secrets are placeholders. What a person decides by is the real thing, and comes from ``Supervisor.waiting``.
"""

import re
from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.facts import Level, PlanStep, TurnStatus
from rawr.core.vocabulary.items import Change, Status
from rawr.core.vocabulary.requests import Question

Purpose = Literal[
    "heads_up", "scratch", "packet", "correction", "handoff", "recovery", "landing", "continue", "declined"
]
"""Why rawr speaks to the agent."""
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


def _tag(name: str) -> str:
    return _WORD.sub("_", name).lower()


class Event(Struct, frozen=True, kw_only=True, tag_field="type", tag=_tag):
    """Base of all events: where and when. ``seq`` is the fact in the journal that it comes from."""

    thread: str = ""
    """Empty: it is about rawr as a whole."""
    seq: int = 0
    at: int = 0
    """In milliseconds since the epoch."""


class Decided(Event, frozen=True, kw_only=True):
    """Base of the events that rawr's own decisions make. ``reason`` is for the record; ``why`` says it in words."""

    reason: str = ""
    why: str = ""


# -- the connection ---------------------------------------------------------------------------------------------------


class CodexConnected(Event, frozen=True, kw_only=True):
    version: str
    transport: str


class CodexLost(Event, frozen=True, kw_only=True):
    problem: str


class Notice(Event, frozen=True, kw_only=True):
    """A sentence of rawr's own to the person."""

    level: Level
    text: str


# -- threads and turns ------------------------------------------------------------------------------------------------


class ThreadJoined(Event, frozen=True, kw_only=True):
    cwd: str


class ThreadReplaced(Event, frozen=True, kw_only=True):
    """The work of ``origin``, of which Codex has kept nothing, goes on in this thread."""

    origin: str


class ThreadClosed(Event, frozen=True, kw_only=True):
    how: Literal["closed", "archived", "deleted"]


class TurnBegan(Event, frozen=True, kw_only=True):
    turn: str


class TurnEnded(Event, frozen=True, kw_only=True):
    turn: str
    status: TurnStatus
    duration_ms: int | None
    failed: bool
    problem: str
    """What was wrong, in Codex's words."""


class BoundarySeen(Event, frozen=True, kw_only=True):
    """A place where the work could be parted; ``turn_completed`` once rawr has made up its mind about a turn."""

    kind: str
    source: str
    detail: str


class PhaseEnded(Event, frozen=True, kw_only=True):
    phase: str
    by: Literal["agent", "person"]


# -- what is said and done in a turn ----------------------------------------------------------------------------------


class UserSaid(Event, frozen=True, kw_only=True):
    """A message to the agent: the user's own, or, with a ``purpose``, rawr's."""

    text: str
    purpose: Purpose | Literal[""] = ""


class AgentSaid(Event, frozen=True, kw_only=True):
    text: str


class CommandBegan(Event, frozen=True, kw_only=True):
    command: str


class CommandRan(Event, frozen=True, kw_only=True):
    command: str
    status: Status
    exit_code: int | None
    output: str
    """The end of it."""


class FilesChanged(Event, frozen=True, kw_only=True):
    changes: tuple[Change, ...]
    status: Status


class PlanChanged(Event, frozen=True, kw_only=True):
    """The agent's plan; the run's own is in ``runs``."""

    steps: tuple[PlanStep, ...]


class DiffChanged(Event, frozen=True, kw_only=True):
    """What the turn has changed so far."""

    files: int
    added: int
    removed: int


class ErrorSeen(Event, frozen=True, kw_only=True):
    message: str
    will_retry: bool


# -- the context ------------------------------------------------------------------------------------------------------


class ContextUsed(Event, frozen=True, kw_only=True):
    tokens: int
    window: int | None
    percent_left: int | None


class CompactionDeferred(Decided, frozen=True, kw_only=True):
    """It could be compacted, and is not yet."""

    by: Literal["rules", "model"]


class CompactionDecided(Decided, frozen=True, kw_only=True):
    """It is time. ``only_suggested``: rawr says so, and leaves it to the person."""

    only_suggested: bool


class CompactionBegan(Event, frozen=True, kw_only=True):
    pass


class ContextCompacted(Event, frozen=True, kw_only=True):
    """Codex's own word that the context is compacted. ``CompactionEnded`` follows when its turn is over too."""


class CompactionEnded(Decided, frozen=True, kw_only=True):
    ok: bool
    by_codex: bool
    """Codex compacted by itself, in the middle of a turn."""
    tokens_before: int | None
    tokens_after: int | None


class CompactionCancelled(Decided, frozen=True, kw_only=True):
    pass


class PacketReady(Decided, frozen=True, kw_only=True):
    """What survives the compaction is written."""

    author: Literal["agent", "rawr"]
    complete: bool


class HandoffSent(Decided, frozen=True, kw_only=True):
    """What survived goes back to the agent."""


# -- runs -------------------------------------------------------------------------------------------------------------


class RunEvent(Decided, frozen=True, kw_only=True):
    """Base of the events of a run, by its id. ``detail`` is what the decision adds to its reason, in words."""

    run: str = ""
    detail: str = ""


class RunStarted(RunEvent, frozen=True, kw_only=True):
    goal: str


class RunResumed(RunEvent, frozen=True, kw_only=True):
    pass


class RunOverridden(RunEvent, frozen=True, kw_only=True):
    """A person decided what comes next."""

    text: str


class RunContinued(RunEvent, frozen=True, kw_only=True):
    pass


class RunChecking(RunEvent, frozen=True, kw_only=True):
    """The agent says that it is done, and the done check is run."""


class RunChecked(RunEvent, frozen=True, kw_only=True):
    passed: bool


class RunReviewing(RunEvent, frozen=True, kw_only=True):
    pass


class RunRetrying(RunEvent, frozen=True, kw_only=True):
    """The turn failed for a reason that may pass."""

    seconds: int
    """Until it is tried again."""


class RunWaiting(RunEvent, frozen=True, kw_only=True):
    """For the account's limit to reset."""

    seconds: int


class RunStalled(RunEvent, frozen=True, kw_only=True):
    """Nothing happens in its turn, which is interrupted for that."""


class RunDone(RunEvent, frozen=True, kw_only=True):
    checked: bool
    """Otherwise the agent's own word counts."""


class RunPaused(RunEvent, frozen=True, kw_only=True):
    pass


class RunStopped(RunEvent, frozen=True, kw_only=True):
    pass


class RunFailed(RunEvent, frozen=True, kw_only=True):
    pass


class RunRefused(RunEvent, frozen=True, kw_only=True):
    """Codex pursues a goal of its own on the thread."""


# -- questions and approvals ------------------------------------------------------------------------------------------


class RequestAsked(Event, frozen=True, kw_only=True):
    """Codex waits for an answer, from whomever."""

    request: str
    question: Question


class RequestPut(Event, frozen=True, kw_only=True):
    """It waits for a person."""

    request: str
    question: Question
    seconds: int
    """Until it is declined."""
    notices: tuple[str, ...]
    """Notices that say the same, for a surface that shows the question itself."""


class RequestEvent(Decided, frozen=True, kw_only=True):
    """Base of what is decided about a request."""

    request: str = ""


class RequestApproved(RequestEvent, frozen=True, kw_only=True):
    """By rule: nobody was asked."""

    what: str


class RequestAnswered(RequestEvent, frozen=True, kw_only=True):
    by: Literal["person", "policy", "model"]
    words: str = ""
    """A person's answer; empty where it is secret, or nobody's in particular."""
    secret: bool = False


class RequestDeclined(RequestEvent, frozen=True, kw_only=True):
    """Nobody answered: for lack of time, because it is not provably safe, or because there are too many."""

    by: Literal["deadline", "rules", "crowd"]


class RequestGone(Event, frozen=True, kw_only=True):
    """Codex does not ask any more, whoever settled it."""

    request: str


class AnswerRefused(RequestEvent, frozen=True, kw_only=True):
    """A person's answer changed nothing: it came too late, or, ``unfit``, it was none to this question."""

    unfit: bool


class SteerTaken(Decided, frozen=True, kw_only=True):
    """What became of a person's word to the running turn."""

    text: str


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
    | CompactionBegan
    | ContextCompacted
    | CompactionEnded
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

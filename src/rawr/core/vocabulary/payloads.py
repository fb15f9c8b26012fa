"""What a boundary event is about (B2): a type for each kind, and the words for people that follow from it."""

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from rawr.core.vocabulary.facts import TurnStatus

TAG = "payload"


class Payload(Struct, frozen=True, gc=False, omit_defaults=True, tag_field=TAG, tag=str.lower):
    @property
    def words(self) -> str:
        """In a few words, for people."""
        return ""


class CommitMade(Payload, frozen=True):
    sha: str
    subject: str = ""
    branch: str = ""
    amends: str = ""

    @property
    def words(self) -> str:
        return f"{self.sha[:10]} {self.subject}"


class PlanChanged(Payload, frozen=True):
    """How far the plan is now."""

    steps: int
    completed: int = 0
    current: str = ""
    """The step in progress."""


class PlanMade(Payload, frozen=True):
    first: str
    steps: int

    @property
    def words(self) -> str:
        return self.first


class StepsCompleted(Payload, frozen=True):
    """Steps that moved to completed together."""

    steps: tuple[str, ...]
    completed: int
    of: int
    actions: int = 0
    """How many commands, patches and tools it took since the step before."""

    @property
    def words(self) -> str:
        return self.steps[-1] if self.steps else ""


class BranchNamed(Payload, frozen=True):
    branch: str

    @property
    def words(self) -> str:
        return self.branch


class StackNow(Payload, frozen=True):
    branches: tuple[str, ...]

    @property
    def words(self) -> str:
        return " > ".join(self.branches)


class PullRequest(Payload, frozen=True):
    done: str
    url: str = ""

    @property
    def words(self) -> str:
        return self.url or self.done


class PullRequests(Payload, frozen=True):
    """Everything that one command did to a pull request."""

    done: tuple[str, ...]
    url: str = ""

    @property
    def words(self) -> str:
        return ", ".join((*self.done, *filter(None, (self.url,))))


class PhaseOver(Payload, frozen=True):
    phase: str
    summary: str = ""
    next_phase: str = ""
    artifacts: tuple[str, ...] = ()
    by: Literal["agent", "user"] = "agent"

    @property
    def words(self) -> str:
        return self.phase


class PhraseSaid(Payload, frozen=True):
    """Words of the agent that sound like an end."""

    phrase: str

    @property
    def words(self) -> str:
        return self.phrase


class WorkFinished(Payload, frozen=True):
    """The shape of a turn says that what was asked for is done."""

    evidence: tuple[str, ...]

    @property
    def words(self) -> str:
        return ", ".join(self.evidence)


class TopicOpened(Payload, frozen=True):
    """The user's next message is about something else."""

    evidence: tuple[str, ...]

    @property
    def words(self) -> str:
        return ", ".join(self.evidence)


class StayedAway(Payload, frozen=True):
    """Nobody said anything after a finished turn."""

    seconds: int

    @property
    def words(self) -> str:
        return f"nobody there for {self.seconds // 60} min"


class TurnOver(Payload, frozen=True):
    status: TurnStatus

    @property
    def words(self) -> str:
        return self.status


class ToolUsed(Payload, frozen=True):
    tool: str
    server: str = ""

    @property
    def words(self) -> str:
        return f"{self.server}/{self.tool}" if self.server else self.tool


class UserSaid(Payload, frozen=True):
    text: str
    """The beginning of it."""

    @property
    def words(self) -> str:
        return self.text


class ContextCompacted(Payload, frozen=True):
    reason: str
    tier: str = ""
    sequence: str = ""

    @property
    def words(self) -> str:
        return self.reason


AnyPayload = (
    CommitMade
    | PlanChanged
    | PlanMade
    | StepsCompleted
    | BranchNamed
    | StackNow
    | PullRequest
    | PullRequests
    | PhaseOver
    | PhraseSaid
    | WorkFinished
    | TopicOpened
    | StayedAway
    | TurnOver
    | ToolUsed
    | UserSaid
    | ContextCompacted
)

OF_KIND: Mapping[str, type[Payload] | tuple[type[Payload], ...] | None] = {
    "commit": CommitMade,
    "pr_checkpoint": PullRequests,
    "plan_update": PlanChanged,
    "plan_checkpoint": StepsCompleted,
    "phase_boundary": PhaseOver,
    "agent_done": (WorkFinished, PhraseSaid),
    "topic_shift": (TopicOpened, PhraseSaid),
    "concluding": (WorkFinished, PhraseSaid),
    "idle": StayedAway,
    "turn_complete": None,
    "plan_created": PlanMade,
    "plan_step_completed": StepsCompleted,
    "branch_created": BranchNamed,
    "branch_switched": BranchNamed,
    "pr_opened": PullRequest,
    "pr_updated": PullRequest,
    "pr_merged": PullRequest,
    "stack_changed": StackNow,
    "turn_started": None,
    "turn_completed": TurnOver,
    "tool_milestone": ToolUsed,
    "user_directive": UserSaid,
    "compaction_completed": ContextCompacted,
}
"""By kind; None: the kind says everything."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AnyPayload).decode
_BEGINS = f'{{"{TAG}":'


def written(payload: AnyPayload | None) -> str:
    """As the journal has it; nothing for none."""
    return _encode(payload).decode() if payload is not None else ""


def read(text: str) -> AnyPayload | None:
    """None for the words that journals had before, and for what a later version wrote."""
    if not text.startswith(_BEGINS):
        return None
    try:
        payload: AnyPayload = _decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    return payload

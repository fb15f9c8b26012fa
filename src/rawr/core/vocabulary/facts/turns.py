"""What Codex reports about a turn."""

from msgspec import Struct

from rawr.core.vocabulary.facts.base import Fact, StepStatus, TurnStatus
from rawr.core.vocabulary.items import AnyItem
from rawr.core.vocabulary.session import Found


class TurnStarted(Fact, frozen=True):
    turn: str
    root: str = ""
    """The turn on whose behalf it runs, if another. Everything else about a review is reported under that turn."""


class Problem(Struct, frozen=True, gc=False, omit_defaults=True):
    """Why a turn failed, in the server's words and in its code."""

    message: str
    code: str = "other"
    http_status: int | None = None
    details: str = ""


class TurnCompleted(Fact, frozen=True):
    """A turn ended, and how."""

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
    found: Found | None = None
    """Codex did not report it, for example because its sandbox denied the command; its session file has it."""


class PlanStep(Struct, frozen=True, gc=False):
    step: str
    status: StepStatus


class PlanUpdated(Fact, frozen=True):
    """The agent made or changed its plan."""

    turn: str
    steps: tuple[PlanStep, ...]
    explanation: str = ""
    found: Found | None = None
    """Codex did not report it to us, for example because it was made before we joined; its session file has it."""


class FileDelta(Struct, frozen=True, gc=False):
    path: str
    added: int
    removed: int


class DiffUpdated(Fact, frozen=True):
    """The diff of the turn so far, by its shape: what changed, how much, and a digest to compare two diffs."""

    turn: str
    digest: str
    files: tuple[FileDelta, ...]
    files_omitted: int = 0


class UsageUpdated(Fact, frozen=True):
    """``in_context`` is what the model's context holds now; ``spent`` is everything the thread has used so far."""

    turn: str
    in_context: int
    spent: int
    window: int | None = None
    cached_input: int = 0
    output: int = 0
    reasoning: int = 0


class ReasoningKept(Fact, frozen=True):
    """Encrypted reasoning in the context, by Codex's own estimate: it counts that before it compacts by itself, and
    reports it nowhere. It is in the session file."""

    tokens: int
    anew: bool = False
    """That is all of it; else it comes on top of what there was."""


class ErrorReported(Fact, frozen=True):
    turn: str
    problem: Problem
    will_retry: bool = False


class ContextCompacted(Fact, frozen=True):
    """The compaction notice of older servers; newer ones send only the item."""

    turn: str

"""What a model may be asked, and the answers that it may give, typed (A18, C3, C11, C15).

An opinion is advice. It has one of a closed list of shapes, strictly checked before it gets here; an unreadable reply
is not an opinion. Other modules decide what follows from one, among the moves that the guards leave open.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

SignatureName = Literal[
    "compaction_judgment",
    "full_auto_decision",
    "tool_input",
    "guidance_router",
    "task_understanding",
    "planning",
    "guidance_directive",
    "guidance_decision",
]

Confidence = Annotated[float, Meta(ge=0, le=1)]

Move = Literal["continue", "pause", "stop", "review"]
Route = Literal["respond", "understand", "plan"]


class Opinion(Struct, frozen=True, kw_only=True, tag_field="opinion", tag=True):
    """Base of all opinions. The fields are the outputs of the signature of the same name."""


class CompactionJudgment(Opinion, frozen=True):
    should_compact: bool
    reason: str


class FullAutoDecision(Opinion, frozen=True):
    action: Move
    next_input: str
    """What to say next, besides the goal; only for ``continue``."""
    reason: str
    confidence: Confidence


class InputAnswer(Struct, frozen=True):
    id: str
    answer: str


class ToolInput(Opinion, frozen=True):
    answers: tuple[InputAnswer, ...]
    """One for each question, by its id."""
    reason: str
    confidence: Confidence


class GuidanceRouter(Opinion, frozen=True):
    route: Route
    response: str
    """One sentence to show to the user."""


class TaskUnderstanding(Opinion, frozen=True):
    requirements: tuple[str, ...]
    open_questions: tuple[str, ...]
    scope: Literal["small", "medium", "large"]
    confidence: Confidence


class Planning(Opinion, frozen=True):
    steps: tuple[str, ...]
    files: tuple[str, ...]
    """Files that will probably change; paths inside the workspace."""
    checks: tuple[str, ...]
    """How to see that each piece is done."""
    confidence: Confidence


class GuidanceDirective(Opinion, frozen=True):
    directive: str
    """What to tell the agent to do next."""
    reason: str
    confidence: Confidence


class GuidanceDecision(Opinion, frozen=True):
    action: Literal["continue", "pause", "stop", "review", "complete"]
    next_input: str
    reason: str
    confidence: Confidence


AnyOpinion = (
    CompactionJudgment
    | FullAutoDecision
    | ToolInput
    | GuidanceRouter
    | TaskUnderstanding
    | Planning
    | GuidanceDirective
    | GuidanceDecision
)

SHAPES: dict[SignatureName, type[AnyOpinion]] = {
    "compaction_judgment": CompactionJudgment,
    "full_auto_decision": FullAutoDecision,
    "tool_input": ToolInput,
    "guidance_router": GuidanceRouter,
    "task_understanding": TaskUnderstanding,
    "planning": Planning,
    "guidance_directive": GuidanceDirective,
    "guidance_decision": GuidanceDecision,
}
"""The shape that answers each signature."""

MAX_SAID = 8_000
MAX_LISTED = 50
_NEEDED = frozenset({"response", "directive", "steps", "answers"})
"""Fields that must not be empty."""


def flaw(opinion: AnyOpinion) -> str:
    """What is wrong with an answer of the right shape: too much, or nothing where something is needed."""
    for name, value in msgspec.structs.asdict(opinion).items():
        listed = value if isinstance(value, tuple) else (value,)
        texts = [one.answer if isinstance(one, InputAnswer) else one for one in listed]
        empty = [one for one in texts if isinstance(one, str) and not one.strip()]
        if name in _NEEDED and (not texts or empty):
            return f"“{name}” is empty"
        if len(texts) > MAX_LISTED:
            return f"“{name}” has more than {MAX_LISTED} entries"
        if any(isinstance(one, str) and len(one) > MAX_SAID for one in texts):
            return f"“{name}” is longer than {MAX_SAID} characters"
    return ""


NoOpinion = Literal["unavailable", "timed_out", "unreadable", "refused", "lost"]
"""Why there is none: no model could be reached, none answered in time, the reply does not have the shape, the model
declined to answer, or rawr was away when it did."""

"""Facts as boundary events: typed, with a source, each one usable once (B2, A5, A8).

Structured signals come first: the plan tool, the repository, the phase tool. Words come last, and only from turns that
did work. Turns that rawr itself started contribute nothing.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.compaction.phrases import Markers, stated
from rawr.core.policy.compaction import BoundaryKind

Source = Literal["plan_tool", "repository", "phase_tool", "user", "text", "turn", "rawr"]

EventKind = (
    BoundaryKind
    | Literal[
        "plan_created",
        "plan_step_completed",
        "branch_created",
        "branch_switched",
        "pr_opened",
        "pr_updated",
        "pr_merged",
        "stack_changed",
        "turn_started",
        "turn_completed",
        "tool_milestone",
        "user_directive",
        "compaction_completed",
    ]
)
"""What is recorded. Only the kinds of ``BoundaryKind`` gate a compaction."""

GATING: frozenset[str] = frozenset(
    {
        "commit",
        "pr_checkpoint",
        "plan_update",
        "plan_checkpoint",
        "phase_boundary",
        "agent_done",
        "topic_shift",
        "concluding",
        "turn_complete",
    }
)
SEMANTIC: frozenset[str] = frozenset({"agent_done", "topic_shift", "concluding", "phase_boundary"})
"""Signs that the subject changes, beside which a plan signal counts."""
PLAN: frozenset[str] = frozenset({"plan_update", "plan_checkpoint"})


OPENING, CLOSING = 500, 1_500
"""An agent says what it has finished, or turns to, where its message begins or ends; the middle is about the work."""


class BoundaryEvent(Struct, frozen=True, gc=False, omit_defaults=True):
    """One signal. ``detail`` is for people: the commit's subject, the step, the phrase."""

    id: str
    at: int
    thread: str
    turn: str
    kind: str
    source: Source
    detail: str = ""


def words(text: str, markers: Markers) -> list[tuple[BoundaryKind, str]]:
    """The word signals in an agent's message, each with the phrase that was found."""
    if len(text) > OPENING + CLOSING:
        text = f"{text[:OPENING]}\n{text[-CLOSING:]}"
    found: list[tuple[BoundaryKind, str]] = [
        ("agent_done", stated(text, markers.agent_done)),
        ("topic_shift", stated(text, markers.topic_shift)),
        ("concluding", stated(text, markers.concluding)),
    ]
    return [(kind, phrase) for kind, phrase in found if phrase]

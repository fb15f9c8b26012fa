"""Facts as boundary events: typed, with a source, each one usable once (B2, A5, A8).

Structured signals come first: the plan tool, the repository, the phase tool. Words come last, and only from turns that
did work. Turns that rawr itself started contribute nothing.
"""

from typing import Literal, get_args

from msgspec import Struct

from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.vocabulary.payloads import AnyPayload

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
"""The recorded kinds. Only the kinds of ``BoundaryKind`` gate a compaction."""

GATING: frozenset[str] = frozenset(get_args(BoundaryKind))


class BoundaryEvent(Struct, frozen=True, gc=False, omit_defaults=True):
    """One signal. ``detail`` is for people: the commit's subject, the step, the phrase. ``payload`` has all of it, by
    kind (``payloads.OF_KIND``)."""

    id: str
    at: int
    thread: str
    turn: str
    kind: str
    source: Source
    detail: str = ""
    payload: AnyPayload | None = None
    """None for a kind that says everything, and for events from before there were any."""

    @property
    def opens_topic(self) -> bool:
        """Return True if the user turned to something else; a phrase of the agent's is no such thing."""
        return self.kind == "topic_shift" and self.source == "user"

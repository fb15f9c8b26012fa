"""The kinds of boundary that a tier may require: one list, from which every other is derived."""

from typing import Literal

BoundaryKind = Literal[
    "commit",
    "pr_checkpoint",
    "plan_update",
    "plan_checkpoint",
    "phase_boundary",
    "agent_done",
    "topic_shift",
    "concluding",
    "idle",
    "turn_complete",
]
"""The kinds that a tier may require. ``plan_update`` is weak: it needs another kind beside it."""

"""What a person orders when a run begins. A run that is resumed is still the same order, unless told otherwise."""

from typing import Annotated

from msgspec import Meta, Struct

from rawr.core.policy.full_auto import ApprovalMode, ReviewMode, Unsafe

Turns = Annotated[int, Meta(ge=1, le=100_000)]
Amount = Annotated[int, Meta(ge=0)]


class Budgets(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a run may use, zero meaning no limit. Money is in millionths of the currency the prices are in."""

    turns: Turns = 200
    tokens: Amount = 0
    minutes: Amount = 0
    cost: Amount = 0


class Order(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a person asked for. The goal is carried verbatim, from the first turn to the last (C8)."""

    goal: str
    done: str = ""
    """A command; only its exit code 0 ends the run as done (C7)."""
    budgets: Budgets = Budgets()
    approvals: ApprovalMode = "policy"
    unsafe: Unsafe = "wait"
    """What becomes of a request that is not provably safe: it waits for a person, or is declined."""
    review: ReviewMode = "never"
    take_goal: bool = False
    """An active goal of Codex's own is taken over; otherwise the run is refused (C14)."""
    guidance: bool = False
    """The first message, and each turn's end, go through guidance (C15)."""
    prompt: str = ""
    """What a guided run is told first, where that is not the goal itself: “go”."""
    models: tuple[str, ...] = ()
    """Whom guidance asks, in place of the models of the settings."""

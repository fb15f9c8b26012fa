"""What a person orders when a run begins. A resumed run keeps its order, unless the person changes it."""

from typing import Annotated

from msgspec import Meta, Struct

from rawr.core.policy.full_auto import ApprovalMode, CheckMode, ReviewMode, Unsafe

Turns = Annotated[int, Meta(ge=1, le=100_000)]
Amount = Annotated[int, Meta(ge=0)]


class Budgets(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a run may use; zero means no limit. Money is in millionths of the currency of the prices."""

    turns: Turns = 200
    tokens: Amount = 0
    minutes: Amount = 0
    cost: Amount = 0


class Order(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a person asked for. The goal is carried verbatim, from the first turn to the last (C8)."""

    goal: str
    done: str = ""
    """A command; only its exit code 0 ends the run as done (C7)."""
    check: CheckMode = "on-claim"
    """When it is run. The default is that of orders from before there was a choice."""
    tree: bool = False
    """Look at the working tree after each turn that did something. Older orders have no such look."""
    budgets: Budgets = Budgets()
    approvals: ApprovalMode = "policy"
    allow: tuple[str, ...] = ()
    """Commands that are approved besides the provably safe ones and those that the settings allow."""
    unsafe: Unsafe = "wait"
    """What happens to a request that is not provably safe: it waits for a person, or is declined."""
    review: ReviewMode = "never"
    take_goal: bool = False
    """Take over an active goal of Codex's own; otherwise rawr refuses the run (C14)."""
    guidance: bool = False
    """The first message, and the end of each turn, go through guidance (C15)."""
    prompt: str = ""
    """The first message of a guided run, if that is not the goal itself: “go”."""
    models: tuple[str, ...] = ()
    """The models that guidance asks, instead of those in the settings."""

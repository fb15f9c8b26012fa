"""What a person submitted, or a program on a person's behalf. These exist nowhere else when they are recorded."""

from typing import Literal

from rawr.core.vocabulary.facts.base import AskPolicy, Fact, Sandbox
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.requests import Answer, Decider


class Submitted(Fact, frozen=True):
    """Base of these: they are on the disk before anything follows from them."""


class ThreadRequested(Submitted, frozen=True):
    """Start a thread. ``ticket`` lets the asker recognise the thread that comes of it."""

    ticket: str
    cwd: str
    model: str = ""
    approvals: AskPolicy = "on-request"
    sandbox: Sandbox = "workspace-write"
    ephemeral: bool = False


class ThreadAdopted(Submitted, frozen=True):
    """A person puts a thread that Codex has into rawr's hands, to drive it. It keeps the limits that it has, except for
    those that are given here."""

    sandbox: Sandbox | Literal[""] = ""
    approvals: AskPolicy | Literal[""] = ""


class UserSubmitted(Submitted, frozen=True):
    """A message for the agent. It starts a turn as soon as the thread is free."""

    text: str


class SteerSubmitted(Submitted, frozen=True):
    """A message for the turn that runs now."""

    text: str


class InterruptSubmitted(Submitted, frozen=True):
    pass


class AnswerSubmitted(Submitted, frozen=True):
    request: str
    answer: Answer
    by: Decider = "person"


class RunSubmitted(Submitted, frozen=True):
    """Work on this thread turn after turn until the order is done, or something stops it (C1)."""

    order: Order


class RunPauseSubmitted(Submitted, frozen=True):
    """Pause at the end of the running turn; ``now``: the turn is interrupted."""

    now: bool = False
    leaving: bool = False
    """rawr ends: nothing is waited for any more, whatever is under way."""


class RunStopSubmitted(Submitted, frozen=True):
    """End the run. The running turn is interrupted."""


class RunResumed(Submitted, frozen=True):
    """Go on with a run that is paused or stopped. Budgets that are given take the place of the old ones."""

    budgets: Budgets | None = None
    take_goal: bool = False
    """Take over from a goal that Codex has itself."""


class RunOverridden(Submitted, frozen=True):
    """A person decides in the policy's place: what the agent is told next."""

    text: str


class CompactionSubmitted(Submitted, frozen=True):
    """Compact now: on the golden path, or, ``bare``, with nothing around it."""

    bare: bool = False


class HoldSubmitted(Submitted, frozen=True):
    """Do not compact until somebody releases the hold, or until ``turns`` turns have ended."""

    until: str
    turns: int | None = None


class HoldReleased(Submitted, frozen=True):
    pass


class PhaseSubmitted(Submitted, frozen=True):
    """A person says that a phase is over."""

    phase: str


class PinSubmitted(Submitted, frozen=True):
    """A standing directive of the user, to be in every handoff verbatim."""

    text: str


class PinRemoved(Submitted, frozen=True):
    """Pinned directives that begin with this text hold no longer."""

    text: str


class DecisionLabelled(Submitted, frozen=True):
    """A person says whether a decision was right. Nothing follows from it; ``rawr tune`` learns from it."""

    decision: str
    label: Literal["good", "bad"]
    note: str = ""

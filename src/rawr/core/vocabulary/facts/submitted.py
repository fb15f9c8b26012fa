"""What a person submitted, or a program on a person's behalf. When recorded, these exist nowhere else."""

from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.facts.base import AskPolicy, Fact, Sandbox
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.requests import Answer, Decider


class Origin(Struct, frozen=True, omit_defaults=True):
    """Where a person's word came from. rawr asks the system; whoever submits it does not get to say."""

    surface: str = ""
    """``cli``, ``tui`` or another client of the host, as it calls itself; ``foreground``: rawr's own terminal."""
    pid: int = 0
    program: str = ""
    terminal: str = ""

    @property
    def in_words(self) -> str:
        process = f"{self.program or 'process'} {self.pid}" if self.pid else "an unknown process"
        return f"{self.surface or 'a client'}, {process}{f' on {self.terminal}' if self.terminal else ''}"


class Submitted(Fact, frozen=True):
    """Base of submissions: they are on the disk before anything follows from them."""


class ThreadRequested(Submitted, frozen=True):
    """Start a thread. ``ticket`` lets the requester recognise the resulting thread."""

    ticket: str
    cwd: str
    model: str = ""
    approvals: AskPolicy = "on-request"
    sandbox: Sandbox = "workspace-write"
    ephemeral: bool = False
    unattended: bool = False
    """For a run: the agent is told from the start how to say that everything is finished."""
    link: str = ""
    """The connection to start it on."""


class ThreadAdopted(Submitted, frozen=True):
    """A person gives rawr an existing Codex thread to drive. It keeps its limits, except for those given here."""

    sandbox: Sandbox | Literal[""] = ""
    approvals: AskPolicy | Literal[""] = ""
    take_goal: bool = False
    """Clear a goal of Codex's own before anything else."""


class UserSubmitted(Submitted, frozen=True):
    """A message for the agent. It starts a turn as soon as the thread is free."""

    text: str


class SteerSubmitted(Submitted, frozen=True):
    """A message for the running turn."""

    text: str


class MessageWithdrawn(Submitted, frozen=True):
    """A message that waits is not to be sent. ``message`` is the number of the fact that brought it."""

    message: int


class InterruptSubmitted(Submitted, frozen=True):
    pass


class AnswerSubmitted(Submitted, frozen=True):
    request: str
    answer: Answer
    by: Decider = "person"
    who: str = ""
    """The user of this machine who answered."""
    digest: str = ""
    """The hash of exactly what they answered. rawr fills in both when it records the answer (C10)."""
    origin: Origin | None = None


class RunSubmitted(Submitted, frozen=True):
    """Work on this thread turn after turn until the order is done, or something stops it (C1)."""

    order: Order
    drop: bool = False
    """Messages that waited for the run before this one are dropped, instead of sent with it."""


class RunPauseSubmitted(Submitted, frozen=True):
    """Pause at the end of the running turn; ``now``: the turn is interrupted."""

    now: bool = False
    leaving: bool = False
    """rawr exits: it waits for nothing more, whatever is under way."""


class RunStopSubmitted(Submitted, frozen=True):
    """End the run and interrupt the running turn."""


class RunResumed(Submitted, frozen=True):
    """Continue a paused or stopped run. Budgets given here replace the old ones."""

    budgets: Budgets | None = None
    take_goal: bool = False
    """Take over from a goal that Codex itself has."""
    drop: bool = False
    """Drop the messages that wait for it."""


class RunOverridden(Submitted, frozen=True):
    """A person decides instead of the policy: what to tell the agent next."""

    text: str
    origin: Origin | None = None


class CompactionSubmitted(Submitted, frozen=True):
    """Compact now: on the golden path or, if ``bare``, without anything around it."""

    bare: bool = False


class HoldSubmitted(Submitted, frozen=True):
    """Do not compact until somebody releases the hold, or until ``turns`` turns have ended."""

    until: str
    turns: int | None = None


class HoldReleased(Submitted, frozen=True):
    pass


class PhaseSubmitted(Submitted, frozen=True):
    """A person declares that a phase is over, or says what kind of work comes now, or both."""

    phase: str
    origin: Origin | None = None
    mode: Literal["", "research", "implement", "test", "release"] = ""


class PinSubmitted(Submitted, frozen=True):
    """A standing directive of the user, verbatim in every handoff."""

    text: str
    origin: Origin | None = None


class PinRemoved(Submitted, frozen=True):
    """Pinned directives that begin with this text no longer apply."""

    text: str


class DecisionLabelled(Submitted, frozen=True):
    """A person labels a decision right or wrong. Nothing follows from it; ``rawr tune`` learns from it."""

    decision: str
    label: Literal["good", "bad"]
    note: str = ""


class OrderRefused(Fact, frozen=True):
    """Something that only a person may order came from an agent's process, or from one that nobody can see (C10).
    rawr did nothing of it."""

    order: str
    """The fact or the call that it would have been."""
    why: str
    """Completes "the command comes from …"."""
    request: str = ""
    """The request that it would have answered."""
    origin: Origin | None = None

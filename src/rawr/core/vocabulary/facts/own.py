"""What rawr reports about itself: its start and end, time, and whose turn it is."""

from typing import Annotated

from msgspec import Meta

from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.facts.base import Fact


class RuntimeStarted(Fact, frozen=True):
    version: str
    policy: str
    last_at: int = 0
    """When the previous rawr last wrote something: the time after that is nobody's working time."""


class RuntimeStopped(Fact, frozen=True):
    reason: str


class PolicyAdopted(Fact, frozen=True):
    """The complete rules from here on: a replay needs no file of that day."""

    policy: Policy


MOST_MS = 10**13
"""About three hundred years."""


class ClockJumped(Fact, frozen=True):
    """The system's clock was set, or the machine slept. ``ms`` is negative if the clock went back."""

    ms: Annotated[int, Meta(ge=-MOST_MS, le=MOST_MS)]


class DeadlinePassed(Fact, frozen=True):
    name: str


class SlotGranted(Fact, frozen=True):
    """A run may start its next turn: it has its slot among the others (C12)."""


class SubAgentTurn(Fact, frozen=True):
    """A sub-agent of this thread begins or ends a turn in its own thread, which may outlive ours."""

    thread: str
    running: bool

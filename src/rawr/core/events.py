"""What one part of the core tells the parts above it, within a step.

A lower module never calls a higher one: it emits one of these, and ``routing`` hands it on at once, in the order that
its table gives. Facts come from outside and are recorded; these come from inside and are not.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.state.turn import Purpose, TurnOutcome
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.reasons import Reason


class Event(Struct, frozen=True, gc=False):
    """Base of all events."""


# -- from the thread -------------------------------------------------------------------------------------------------


class TurnSeen(Event, frozen=True):
    """A turn runs, or ran unseen: what was asked about an idle thread is out of date."""


class TurnBegan(Event, frozen=True):
    turn: str


class TurnLost(Event, frozen=True):
    """Another turn runs, so this one is over, and its end was not seen."""

    turn: str


class FoundIdle(Event, frozen=True):
    """No turn runs, though one was thought to; or the thread was joined. What was held up goes on."""


class UserSpoke(Event, frozen=True):
    """A person's message waits."""


class OwnMessageShown(Event, frozen=True):
    """A message of rawr's own is in the thread."""

    purpose: Purpose


class TurnFound(Event, frozen=True):
    """A turn that was started by a message of rawr's is in Codex's history; its end was not seen."""

    turn: TurnOutcome


class Undelivered(Event, frozen=True):
    """Codex did not take a message, or nobody knows whether it did."""

    purpose: Purpose
    problem: str


class TurnWedged(Event, frozen=True):
    """Codex does not end a turn, though asked twice."""


class LimitsWidened(Event, frozen=True):
    """Codex works under wider limits than were ordered, while a run is under way."""

    detail: str


class ThreadGone(Event, frozen=True):
    """Nothing more will come of the thread. A run ends with it, for this reason."""

    reason: Reason
    detail: str = ""


class ThreadShut(Event, frozen=True):
    """The thread is closed, and its last turn is over: whatever still waits there ends."""


class OpinionGiven(Event, frozen=True):
    """A model answered a question, or never will."""

    answer: ModelAnswered


# -- from requests ---------------------------------------------------------------------------------------------------


class RequestExpired(Event, frozen=True):
    """Nobody answered in time."""

    what: str


# -- from compaction -------------------------------------------------------------------------------------------------


class CompactionEnded(Event, frozen=True):
    """A compaction of rawr's own is over."""

    ok: bool
    by_chance: bool = False
    """Something cut it off, which says nothing about whether the next one will gain anything."""


class CompactedUpstream(Event, frozen=True):
    """Codex compacted by itself in the middle of a turn."""


class CompactionStorm(Event, frozen=True):
    """Codex compacts by itself again and again."""

    words: str


class SequenceOver(Event, frozen=True):
    """The golden path ended without a handoff, so nobody has sent the agent on."""


class SequenceCancelled(Event, frozen=True):
    """Its turn was interrupted."""


class JudgmentDue(Event, frozen=True):
    """A judgment is about to be acted upon. A run that must rest does so first, and drops it."""


class JudgmentOver(Event, frozen=True):
    """Nothing is compacted after all."""


# -- from a run ------------------------------------------------------------------------------------------------------


class RunRested(Event, frozen=True):
    """A run has come to rest; nobody waits for what guides it."""


class GuidanceWanted(Event, frozen=True):
    """A guided run needs its next word: what it begins with, what follows a turn, or what the agent is told next."""

    what: Literal["begin", "opening", "decision", "next"]


class GuidanceOvertaken(Event, frozen=True):
    """A turn ended while something was asked about the one before it."""


class GuidanceOverridden(Event, frozen=True):
    """A person says what comes next."""

"""What one part of the core reports to the parts above it, within a step.

A lower module never calls a higher one: it emits one of these, and ``routing`` passes it on at once, in the order of
its table. Facts come from outside and are recorded; events come from inside and are not.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.state.sequence import CutOff
from rawr.core.state.turn import Purpose, TurnOutcome
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.reasons import Reason


class Event(Struct, frozen=True, gc=False):
    """Base of all events."""


# -- from the thread -------------------------------------------------------------------------------------------------


class TurnSeen(Event, frozen=True):
    """A turn is running, or ran unseen: questions about an idle thread are out of date."""


class TurnBegan(Event, frozen=True):
    turn: str


class TurnLost(Event, frozen=True):
    """Another turn is running, so this one is over, and its end was not seen."""

    turn: str


class FoundIdle(Event, frozen=True):
    """No turn is running, though rawr assumed one; or the thread was joined. Whatever was held up continues."""


class UserSpoke(Event, frozen=True):
    """A person's message is waiting."""


class UserCutIn(Event, frozen=True):
    """A person's words are in a turn that rawr's own message began."""

    text: str


class OwnMessageShown(Event, frozen=True):
    """One of rawr's own messages is in the thread."""

    purpose: Purpose


class RecordUnread(Event, frozen=True):
    """A record did not get into the turn that it was for: Codex refused it, or does not have it."""

    effect: str


class TurnFound(Event, frozen=True):
    """A turn that a message of rawr's started is in Codex's history; its end was not seen."""

    turn: TurnOutcome


class Undelivered(Event, frozen=True):
    """Codex did not accept a message, or that is unknown."""

    purpose: Purpose
    problem: str


class TurnWedged(Event, frozen=True):
    """Codex does not end a turn, after two requests."""


class LimitsWidened(Event, frozen=True):
    """Codex is working under wider limits than ordered, during a run."""

    detail: str


class ThreadGone(Event, frozen=True):
    """The thread will produce nothing more. Its run ends, for this reason."""

    reason: Reason
    detail: str = ""


class ThreadShut(Event, frozen=True):
    """The thread is closed, and its last turn is over: everything still waiting there ends."""


class OpinionGiven(Event, frozen=True):
    """A model answered a question, or never will."""

    answer: ModelAnswered


# -- from requests ---------------------------------------------------------------------------------------------------


class RequestExpired(Event, frozen=True):
    """Nobody answered in time."""

    what: str


# -- from compaction -------------------------------------------------------------------------------------------------


class CompactionEnded(Event, frozen=True):
    """One of rawr's own compactions is over."""

    ok: bool
    by_chance: bool = False
    """Something cut it off, which says nothing about the gain of the next one."""


class CompactionMoot(Event, frozen=True):
    """One of rawr's own compactions was not begun, because somebody else's turn was running by then."""


class UserCutOff(Event, frozen=True):
    """One of rawr's own compactions replaced a turn that began in the same moment. It comes before the end of the
    compaction is told."""

    cut: CutOff


class CompactedUpstream(Event, frozen=True):
    """Codex compacted by itself in the middle of a turn, or a person did while a sequence was on its way there."""


class CompactionStorm(Event, frozen=True):
    """Codex compacts by itself again and again."""

    words: str


class SequenceOver(Event, frozen=True):
    """The golden path ended without a handoff, so the agent has no next instruction."""


class SequenceCancelled(Event, frozen=True):
    """Its turn was interrupted."""


class JudgmentDue(Event, frozen=True):
    """rawr is about to act on a judgment. A run that must rest does so first, and drops it."""


class JudgmentOver(Event, frozen=True):
    """No compaction will follow."""


# -- from a run ------------------------------------------------------------------------------------------------------


class LastCheckDue(Event, frozen=True):
    """A guard or a budget is about to stop a run, and the job may be done all the same."""


class NotDone(Event, frozen=True):
    """The done check failed, and nobody had said that it would pass: the run goes by its rules."""


class RunRested(Event, frozen=True):
    """A run has come to rest; nobody is waiting for its guidance."""


class GuidanceWanted(Event, frozen=True):
    """A guided run needs its next step: how it begins, what follows a turn, or what to tell the agent next."""

    what: Literal["begin", "opening", "decision", "next"]


class GuidanceOvertaken(Event, frozen=True):
    """A turn ended while a question about the previous one was open."""


class GuidanceOverridden(Event, frozen=True):
    """A person decides what comes next."""

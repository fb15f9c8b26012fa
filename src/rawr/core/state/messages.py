"""A message, while it waits and while it is on its way."""

from typing import Literal, Self

from msgspec import Struct

from rawr.core.speech import Own
from rawr.core.state.turn import OwnPurpose, Purpose
from rawr.core.vocabulary.effects import Carried


class Queued(Struct, frozen=True, gc=False):
    """A message that waits for the thread to be free. ``seq`` is the fact that brought it.

    Create it with one of the two methods below, so that only what rawr says is sent as rawr's.
    """

    seq: int
    text: str
    purpose: Purpose = "user"
    carries: tuple[Carried, ...] = ()
    """A user's message that was cut off. It goes out behind the text; if that is the user's too, in its place."""

    @classmethod
    def of_user(cls, seq: int, text: str) -> Self:
        """A person's own words, verbatim."""
        return cls(seq, text)

    @classmethod
    def own(cls, seq: int, text: Own, purpose: OwnPurpose, *, carries: tuple[Carried, ...] = ()) -> Self:
        """rawr's own words."""
        return cls(seq, text, purpose, carries)

    @classmethod
    def once_more(cls, seq: int, carried: Carried) -> Self:
        """A person's message that was cut off before it was answered."""
        return cls(seq, carried.text, "user", (carried,))

    @property
    def whole(self) -> str:
        """The text as Codex's history has it."""
        if self.purpose == "user":
            return self.text
        return "\n".join((self.text, *(one.text for one in self.carries)))


Doubt = Literal["", "lost", "timed_out"]


class Sent(Struct, frozen=True, gc=False, omit_defaults=True):
    """A message on its way. Codex has it for good only once the turn that shows it has ended."""

    effect: str
    message: Queued
    steer: bool = False
    """It goes into the running turn; otherwise it starts one."""
    turn: str = ""
    shown: bool = False
    """Codex showed it in the thread. A server that dies now may not have written it down (measured)."""
    doubt: Doubt = ""
    """The connection was lost, or no answer came: only Codex's history can tell."""
    finding: str = ""
    """The effect that searches for it there."""
    lookups: int = 0
    """How often rawr searched for it on this connection."""
    ended: Literal["", "completed", "interrupted"] = ""
    """How the turn in which it was found ended."""
    said: str = ""
    """The agent's last words there."""

"""What the user's newest orders were about, as little of it as shows that the next one is about something else."""

from msgspec import Struct

MAX_ORDERS = 6
MAX_UNITS = 8


class Unit(Struct, frozen=True, gc=False):
    """A numbered piece of work that a message names: phase 3, tasks T12 to T20, UC-7."""

    series: str
    first: int
    last: int


class Order(Struct, frozen=True, gc=False, omit_defaults=True):
    """A message that says what to do: the pieces that it names, and checksums of how a long one begins and ends."""

    units: tuple[Unit, ...] = ()
    head: int = 0
    tail: int = 0


class Topic(Struct, frozen=True, gc=False, omit_defaults=True):
    orders: tuple[Order, ...] = ()
    """The newest."""
    looked_at: int = 0
    """The message, by the fact that brought it, that was last looked at for a new topic before it was delivered."""

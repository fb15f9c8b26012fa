"""Who may come in: room for persons that no agent can take, and none for connections that say nothing.

A connection that has not greeted costs its client nothing, so their number says nothing of how busy the host is: when
there are too many, the oldest of them makes room. Those of agents and of persons are counted apart.
"""

from collections.abc import Sequence
from typing import Protocol

MAX_CLIENTS = 64
MAX_AGENTS = 8
MAX_SILENT = 32
"""Connections of each kind that have not greeted yet."""


class Guest(Protocol):
    greeted: bool

    @property
    def is_person(self) -> bool: ...

    def abort(self) -> None: ...


def most(*, person: bool) -> int:
    return MAX_CLIENTS if person else MAX_AGENTS


def is_full(guests: Sequence[Guest], *, person: bool) -> bool:
    """Return True if as many of this kind have greeted as there is room for."""
    return sum(one.greeted and one.is_person == person for one in guests) >= most(person=person)


def make_room(guests: Sequence[Guest], *, person: bool) -> None:
    """End the oldest silent ones of this kind, so that one more can come in. ``guests`` are in the order they came."""
    silent = [one for one in guests if not one.greeted and one.is_person == person]
    for one in silent[: max(len(silent) - MAX_SILENT + 1, 0)]:
        one.abort()

"""What a person sees, and how commands and facts get in."""

import asyncio
from typing import Protocol

from rawr.core.kernel import Taken
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.facts import AnyFact, Level


class Surface(Protocol):
    """Shows things to a person. It decides nothing and must not block."""

    def notify(self, thread: str, level: Level, text: str) -> None: ...

    def taken(self, taken: Taken) -> None:
        """A fact is in the journal, with the decisions about it."""
        ...


class Commands(Protocol):
    """Takes commands from outside."""

    def find_thread(self, name: str) -> str:
        """Find a thread by its id or the end of it; unnamed, the newest. Empty if there is none."""
        ...

    def record(self, thread: str, fact: AnyFact) -> "asyncio.Future[Taken]": ...

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        """The thread's open requests that a person must decide, unredacted."""
        ...


class Tell(Protocol):
    """How a fact gets into the loop, from anywhere."""

    def __call__(self, thread: str, fact: AnyFact) -> None: ...

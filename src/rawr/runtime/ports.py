"""What the runtime needs of the world, on one screen. Everything else in this package is written against these."""

from concurrent.futures import Future
from typing import Protocol

from rawr.codex.driver import CodexEffect, Done, Undone
from rawr.core.facts import AnyFact, Level
from rawr.core.kernel import Taken
from rawr.journal.batch import Batch


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def now_ms(self) -> int: ...

    async def sleep_until(self, at_ms: int) -> None: ...


class Codex(Protocol):
    """Carries out one effect. It does not raise for what goes wrong on the other side."""

    async def carry_out(self, name: str, thread: str, effect: CodexEffect) -> Done | Undone: ...


class Memory(Protocol):
    """Where facts, decisions and intentions go before anything is done about them."""

    def append(self, batch: Batch) -> "Future[None]": ...


class Surface(Protocol):
    """Shows things to a person. It decides nothing and must not block."""

    def notify(self, thread: str, level: Level, text: str) -> None: ...

    def taken(self, taken: Taken) -> None:
        """A fact is in the journal, with what was decided about it."""
        ...


class Tell(Protocol):
    """How a fact gets into the loop, from anywhere."""

    def __call__(self, thread: str, fact: AnyFact) -> None: ...

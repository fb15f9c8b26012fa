"""What the runtime needs of the world, on one screen. Everything else in this package is written against these.

Whoever acts takes a ``Real`` effect, never one as it stands in the journal (D12).
"""

import asyncio
from concurrent.futures import Future
from typing import Protocol

from rawr.codex.outcome import CodexEffect, Done, Undone
from rawr.core.kernel import Taken
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.effects import AskModel, JudgeApproval, ObserveCommand, WatchRepository
from rawr.core.vocabulary.facts import AnyFact, ApprovalJudged, CommandObserved, Level, ModelAnswered
from rawr.journal.batch import Batch


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def now_ms(self) -> int:
        """The date in milliseconds since the epoch, except that it never runs backwards."""
        ...

    def start_after(self, at_ms: int) -> None:
        """Something of this time is on record: nothing is earlier from here on."""
        ...

    def jumped(self) -> int:
        """By how many milliseconds the date jumped since this was last asked; back is less than nothing."""
        ...

    def on_timeline(self, date_ms: int) -> int:
        """A date that somebody else gave, in the time of ``now_ms``."""
        ...

    async def sleep_until(self, at_ms: int) -> None: ...


class Codex(Protocol):
    """Carries out one effect. It does not raise for what goes wrong on the other side."""

    async def carry_out(self, name: str, thread: str, real: Real[CodexEffect], /) -> Done | Undone: ...


class Observer(Protocol):
    """Says what commands did to repositories. It blocks, and is called in a thread of its own."""

    def look(self, effect: Real[WatchRepository | ObserveCommand], /) -> CommandObserved | None: ...


class Approvals(Protocol):
    """Says whether what is asked for is provably safe. It blocks, and is called in a thread of its own."""

    def __call__(self, effect: Real[JudgeApproval], /) -> ApprovalJudged: ...


class Models(Protocol):
    """Puts a typed question to a model. It does not raise: what goes wrong is in the answer."""

    async def ask(self, name: str, real: Real[AskModel], /) -> ModelAnswered:
        """``name`` is the effect that asks; the answer carries it."""
        ...


class Memory(Protocol):
    """Where facts, decisions and intentions go before anything is done about them."""

    def append(self, batch: Batch) -> "Future[None]": ...


class Surface(Protocol):
    """Shows things to a person. It decides nothing and must not block."""

    def notify(self, thread: str, level: Level, text: str) -> None: ...

    def taken(self, taken: Taken) -> None:
        """A fact is in the journal, with what was decided about it."""
        ...


class Commands(Protocol):
    """What commands from outside are told to."""

    def find_thread(self, name: str) -> str:
        """The thread that a person means: by its id, the end of its id, or, unnamed, the newest. Empty: none."""
        ...

    def record(self, thread: str, fact: AnyFact) -> "asyncio.Future[Taken]": ...

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        """What a person is to decide there, as it really is."""
        ...


class Tell(Protocol):
    """How a fact gets into the loop, from anywhere."""

    def __call__(self, thread: str, fact: AnyFact) -> None: ...

"""The program that runs the agent, as the runtime sees it: facts come out, effects go in.

``rawr.codex`` is the only harness. The runtime and the core know this port and nothing of Codex's protocol.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts
from rawr.ports.surface import Delta, Tell

Told = tuple[str, facts.AnyFact]
"""A fact and the thread it is about; an empty thread means all of them."""


class Done(Struct, frozen=True):
    """An effect was carried out: its result, and the other facts learned from it."""

    result: str = ""
    told: tuple[Told, ...] = ()


class Undone(Struct, frozen=True):
    """An effect was not carried out, as far as rawr knows; ``code`` says how far it may have got."""

    problem: str
    code: facts.FailureCode


HarnessEffect = (
    effects.StartThread
    | effects.ListThreads
    | effects.LookAtThread
    | effects.ResumeThread
    | effects.FindMessage
    | effects.FindSaid
    | effects.StartTurn
    | effects.SteerTurn
    | effects.InterruptTurn
    | effects.RestartCodex
    | effects.InjectPacket
    | effects.StartCompaction
    | effects.StartReview
    | effects.NameThread
    | effects.ClearGoal
    | effects.AnswerRequest
    | effects.ReadSession
)


class Driver(Protocol):
    """Carries out one effect. It does not raise for failures on the other side."""

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done | Undone: ...


class Listener(Struct, frozen=True):
    """How a harness tells rawr what happens. Neither call blocks."""

    tell: Tell
    """A fact, and the thread that it is about. ``ServerConnected`` and ``ServerLost`` are about none; tell the second
    at the end of every connection, also when ``run`` is cancelled.

    For a thread that rawr started, ``ThreadOpened`` says which ``limits`` it started with and what is ``in_force``;
    ``ThreadJoined`` says what is ``in_force`` now. Without the first, nothing guards the limits; without the second,
    rawr starts no turn on a thread that has them.
    """
    keep_frame: Callable[[Literal["in", "out"], str, bytes], None]
    """A raw message for the journal: its direction, method and bytes."""
    show: Callable[[Delta], None] = lambda _delta: None
    """Text as it is being written, for surfaces; called only while somebody reads it."""
    is_read: Callable[[], bool] = lambda: False


class Connection(Driver, Protocol):
    """The connection to a harness while rawr runs, remade as often as it is lost."""

    @property
    def problem(self) -> str:
        """Why the last connection ended, for a person to read."""
        ...

    async def run(self, *, reconnect: bool = True) -> None:
        """Connect and listen until cancelled; without ``reconnect``, until the first connection ends."""
        ...

    async def wait_connected(self, deadline: float) -> None:
        """Wait for the connection. Raises ``TimeoutError`` after ``deadline`` seconds."""
        ...


class Harness(Protocol):
    """Makes the connection for a supervisor."""

    def connection(
        self, listener: Listener, *, home: Path, epochs: Iterator[int], patient: bool, name: str
    ) -> Connection:
        """Make a connection, without starting it.

        ``home`` is rawr's own folder, for what must survive a crash. ``epochs`` numbers the connections: each one that
        is made, here or beside it, takes the next. ``patient``: the server need not be running yet, so keep trying.
        ``name``: which of rawr's connections it is, where there are several.
        """
        ...

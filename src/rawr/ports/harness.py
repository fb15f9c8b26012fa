"""The program that runs the agent, as the runtime sees it: facts come out, effects go in.

``rawr.codex`` is the harness that there is. The runtime and the core know this port and nothing of Codex's protocol.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts
from rawr.ports.surface import Tell

Told = tuple[str, facts.AnyFact]
"""A fact and the thread it is about; an empty thread means all of them."""


class Done(Struct, frozen=True):
    """An effect was carried out: what it brought, and what else it taught us."""

    result: str = ""
    told: tuple[Told, ...] = ()


class Undone(Struct, frozen=True):
    """An effect was not carried out, as far as is known; ``code`` says how far it may have got."""

    problem: str
    code: facts.FailureCode


HarnessEffect = (
    effects.StartThread
    | effects.ListThreads
    | effects.LookAtThread
    | effects.ResumeThread
    | effects.FindMessage
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
)


class Driver(Protocol):
    """Carries out one effect. It does not raise for what goes wrong on the other side."""

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done | Undone: ...


class Listener(Struct, frozen=True):
    """How a harness tells rawr what happens. Neither call blocks."""

    tell: Tell
    """A fact, and the thread that it is about. ``ServerConnected`` and ``ServerLost`` are about none; the second is
    told at the end of every connection, also when ``run`` is cancelled.

    ``ThreadOpened`` for a thread that rawr started says under which ``limits`` it was started and what is ``in_force``;
    ``ThreadJoined`` says what is ``in_force`` now. Without the first nothing guards the limits, and without the second
    rawr starts no turn on a thread that has them.
    """
    keep_frame: Callable[[Literal["in", "out"], str, bytes], None]
    """A raw message, for the journal: its direction, its method and its bytes."""


class Connection(Driver, Protocol):
    """A harness while rawr runs beside it: lost and made again, as often as it takes."""

    @property
    def problem(self) -> str:
        """Why the last connection ended, in a person's words."""
        ...

    async def run(self, *, reconnect: bool = True) -> None:
        """Connect and listen until cancelled; without ``reconnect``, until the first connection ends."""
        ...

    async def wait_connected(self, deadline: float) -> None:
        """Raises ``TimeoutError`` after that many seconds."""
        ...


class Harness(Protocol):
    """What a supervisor is made with."""

    def connection(self, listener: Listener, *, home: Path, first_epoch: int, patient: bool) -> Connection:
        """A connection that has not begun yet.

        ``home`` is rawr's own folder, for what must outlive a crash. ``first_epoch`` numbers the first connection; each
        one after it has the next number. ``patient``: nobody need be there yet, so keep trying.
        """
        ...

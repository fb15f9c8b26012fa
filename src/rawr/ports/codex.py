"""What can be asked of Codex, and what comes of it: all that those who ask need to know of the driver."""

from typing import Protocol

from msgspec import Struct

from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts

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


CodexEffect = (
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


class Codex(Protocol):
    """Carries out one effect. It does not raise for what goes wrong on the other side."""

    async def carry_out(self, name: str, thread: str, real: Real[CodexEffect], /) -> Done | Undone: ...

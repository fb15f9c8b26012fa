"""What can be asked of Codex, and what comes of it: all that those who ask need to know of the driver."""

from msgspec import Struct

from rawr.core.vocabulary import effects, facts

Told = tuple[str, facts.AnyFact]
"""A fact and the thread it is about; an empty thread means all of them."""


class Done(Struct, frozen=True):
    """An effect was carried out: what it brought, and what else it taught us."""

    result: str = ""
    told: tuple[Told, ...] = ()


class Undone(Struct, frozen=True):
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

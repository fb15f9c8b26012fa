"""Two Codexes behind the runtime's port: one that waits for the test's word, one that has a memory of its own."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts, items
from rawr.core.vocabulary.limits import InForce
from rawr.ports.harness import Done, HarnessEffect, Undone
from rawr.ports.surface import Tell

THREAD = "t"
E = TypeVar("E", bound=effects.Effect)


class Call:
    """One effect that the runtime has begun to carry out."""

    def __init__(self, name: str, thread: str, effect: HarnessEffect) -> None:
        self.name = name
        self.thread = thread
        self.effect = effect
        self.outcome: asyncio.Future[Done | Undone] = asyncio.get_running_loop().create_future()

    def done(self, result: str = "", *told: tuple[str, facts.AnyFact]) -> None:
        self.outcome.set_result(Done(result, told))

    def undone(self, code: facts.FailureCode, problem: str = "no") -> None:
        self.outcome.set_result(Undone(problem, code))


class PatientCodex:
    """Every call waits until the test answers it."""

    def __init__(self, on_call: Callable[[Call], None] = lambda _: None) -> None:
        self.calls: list[Call] = []
        self._on_call = on_call

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done | Undone:
        effect = real.thing
        call = Call(name, thread, effect)
        self.calls.append(call)
        self._on_call(call)
        return await call.outcome

    def asked(self) -> list[HarnessEffect]:
        return [call.effect for call in self.calls]

    def last(self, kind: type[E]) -> Call:
        """The newest call of a kind."""
        return next(call for call in reversed(self.calls) if isinstance(call.effect, kind))


class RememberingCodex:
    """Takes every message at once, keeps it in its history, and outlives the rawr that talks to it."""

    def __init__(self) -> None:
        self.history: list[tuple[str, str]] = []
        self.turns = 0
        self.in_force: InForce | None = None
        self.tell: Tell

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done | Undone:
        effect = real.thing
        match effect:
            case effects.StartThread(cwd=cwd, limits=limits):
                self.in_force = InForce(cwd=cwd, sandbox=limits.sandbox, approvals=limits.approvals)
                opened = facts.ThreadOpened(cwd=cwd, ours=True, limits=limits, in_force=self.in_force)
                return Done(THREAD, ((THREAD, opened),))
            case effects.ResumeThread():
                turn = f"T{self.turns}" if self.turns else ""
                joined = facts.ThreadJoined(
                    cwd="/project",
                    last_turn=turn,
                    last_status="completed" if turn else "",
                    in_force=self.in_force,
                )
                return Done(thread, ((thread, joined),))
            case effects.FindMessage(message=message):
                turns = [f"T{number}" for number, (client, _) in enumerate(self.history, 1) if client == message]
                return Done(turns[0] if turns else "")
            case effects.StartTurn(text=text):
                return Done(self._turn(thread, name, text))
            case _:
                return Undone("not in this story", "refused")

    def _turn(self, thread: str, client: str, text: str) -> str:
        self.history.append((client, text))
        self.turns += 1
        turn = f"T{self.turns}"
        self.tell(thread, facts.TurnStarted(turn=turn))
        message = items.UserMessage(id=f"u{self.turns}", text=text, client_id=client)
        self.tell(thread, facts.ItemCompleted(turn=turn, item=message))
        self.tell(thread, facts.TurnCompleted(turn=turn, status="completed"))
        return turn

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self.history]

"""A prompter at a real terminal, and rawr's side of it."""

import asyncio
import os
import pty
import sys
from collections.abc import Callable

import pytest

from rawr.cli.terminal.answering import Prompter
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.run_screen import RunScreen
from rawr.core.kernel import Kernel, Taken
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import Answer, Question
from tests.cli.terminal.questions import COMMAND
from tests.cli.terminal.test_conversation import Kept
from tests.core.runs import RULES


class Told(Kept):
    """A printer that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def show(self, line: Line) -> None:
        super().show(line)
        self.changed.set()

    def status(self, text: str) -> None:
        super().status(text)
        self.changed.set()


class Desk:
    """A prompter at a real terminal, on a kernel that is told what happens."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *,
        begun: bool = True,
        is_mine: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.kernel = Kernel(RULES)
        self._follower: Callable[[Taken], None] = lambda _: None
        self.keys, side = pty.openpty()
        self._stdin = os.fdopen(side)
        monkeypatch.setattr(sys, "stdin", self._stdin)
        self.printer = Told()
        self.screen = RunScreen(self.printer, symbols=True)
        self.screen.states = self.threads
        self.answers: list[tuple[str, str, Answer]] = []
        self.told: list[tuple[str, facts.AnyFact]] = []
        self.prompter = Prompter(self, is_mine)
        self.prompter.attach(self.screen)
        if begun:
            self.prompter.begin()

    def close(self) -> None:
        self.prompter._keyboard.close()
        self._stdin.close()
        os.close(self.keys)

    # -- what the prompter sees of rawr

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        state = self.kernel.threads.get(thread)
        return tuple(map(Real, state.requests)) if state is not None else ()

    @property
    def threads(self) -> dict[str, ThreadState]:
        return self.kernel.threads

    def follow(self, follower: Callable[[Taken], None]) -> None:
        self._follower = follower

    def answer(self, thread: str, request: str, answer: Answer) -> None:
        self.answers.append((thread, request, answer))
        self.tell(thread, facts.AnswerSubmitted(request=request, answer=answer))

    def tell(self, thread: str, fact: facts.AnyFact) -> None:
        self.told.append((thread, fact))
        asyncio.get_running_loop().call_soon(self.happens, thread, fact)

    # -- what the test says

    def happens(self, thread: str, *story: facts.AnyFact) -> None:
        for fact in story:
            taken = self.kernel.take(thread, fact, at=1_000)
            self.screen.taken(taken)
            self._follower(taken)

    def runs(self, thread: str, *, approvals: str = "ask") -> None:
        order = Order(goal=f"job {thread}", approvals="policy" if approvals == "policy" else "ask")
        opened = facts.ThreadOpened(cwd="/p", ours=True)
        self.happens(thread, opened, facts.RunSubmitted(order=order), facts.TurnStarted(turn="T"))

    def asks(self, thread: str, request: str, question: Question = COMMAND, *, item: str = "") -> None:
        self.happens(thread, facts.RequestReceived(request=request, question=question, turn="T", item=item))

    async def types(self, line: str, *, then: str = "", deadline: float = 10.0) -> None:
        """Type it, and wait until the screen shows what comes of it."""
        before = len(self.printer.lines)
        os.write(self.keys, f"{line}\r".encode())
        async with asyncio.timeout(deadline):
            while not any(then in text for text in self.printer.texts[before:]):
                self.printer.changed.clear()
                await self.printer.changed.wait()

    async def keyed(self, keys: str, *, shows: str, deadline: float = 10.0) -> None:
        """Press them, and wait until the last line has this in it."""
        os.write(self.keys, keys.encode())
        async with asyncio.timeout(deadline):
            while shows not in self.printer.statuses[-1]:
                self.printer.changed.clear()
                await self.printer.changed.wait()

    @property
    def asked(self) -> list[str]:
        """The questions that were put, in short."""
        return [line.text.split("\n")[0] for line in self.printer.lines if line.who == "asks"]

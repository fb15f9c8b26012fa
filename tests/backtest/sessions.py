"""Small sessions, and what a policy makes of them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rawr.backtest.result import SessionResult
from rawr.backtest.session import Backtest
from rawr.backtest.threshold import Candidate
from rawr.config.load import load_policy
from rawr.core.policy.policy import Policy
from tests.history.rollouts import (
    PATCH,
    agent,
    at,
    began,
    context,
    custom,
    ended,
    item,
    meta,
    planned,
    ran,
    returned,
    used,
    user,
)

WINDOW = 258_400
SAYS = "What matters of it is in the notes now. Which of the two parts should come first?"
"""No end of anything: the sessions say by other signs what is finished."""


def policy(**changes: Any) -> Policy:
    """The policy as it is shipped, with some of it changed."""
    shipped = load_policy(Path("/nonexistent")).policy
    return replace(shipped, compaction=replace(shipped.compaction, **changes))


def backtest(lines: Iterable[bytes], rules: Candidate | None = None) -> SessionResult:
    session = Backtest(rules or policy())
    session.feed(lines)
    return session.over()


class Session:
    """Lines, turn by turn, a minute for each step of the agent."""

    def __init__(self, **about: Any) -> None:
        self.lines = at(0, meta(**about))
        self.seconds = 0
        self.turn = 0
        self.calls = 0

    def add(self, *written: bytes, seconds: int = 60) -> "Session":
        self.seconds += seconds
        self.lines += at(self.seconds, *written)
        return self

    def begin(self, text: str = "Go on.") -> "Session":
        self.turn += 1
        return self.add(began(f"T{self.turn}"), context(f"T{self.turn}"), user(text))

    def end(self, text: str = SAYS) -> "Session":
        return self.add(agent(text), ended(f"T{self.turn}"))

    def work(self, tokens: int, *more: bytes, cached: int = 0) -> "Session":
        """A command, and what the context holds after it."""
        self.calls += 1
        return self.add(*ran("make", call=f"make_{self.calls}"), *more, used(tokens, cached=cached))

    def reason(self, characters: int) -> "Session":
        """The model thinks, in so many characters that nobody can read."""
        return self.add(item({"type": "reasoning", "summary": [], "encrypted_content": "A" * characters}))

    def run(self, command: str, *, code: int = 0) -> "Session":
        self.calls += 1
        return self.add(*ran(command, code=code, call=f"run_{self.calls}"))

    def patch(self) -> "Session":
        self.calls += 1
        name = f"patch_{self.calls}"
        return self.add(custom("apply_patch", PATCH, call=name), returned("Success.", call=name, custom=True))

    def commit(self, subject: str) -> "Session":
        self.calls += 1
        output = f"[main {self.calls:07x}] {subject}\n 1 file changed\n"
        return self.add(*ran(f"git commit -am '{subject}'", output=output, call=f"commit_{self.calls}"))

    def plan(self, *steps: str) -> "Session":
        self.calls += 1
        return self.add(*planned(*steps, call=f"plan_{self.calls}"))

    def turn_of(self, *tokens: int, commit: str = "", says: str = SAYS) -> "Session":
        self.begin()
        for one in tokens:
            self.work(one)
        if commit:
            self.commit(commit)
        return self.end(says)

    def tested(self, rules: Policy | None = None) -> SessionResult:
        return backtest(self.lines, rules)

    @property
    def line(self) -> int:
        """The number of the newest line."""
        return len(self.lines)

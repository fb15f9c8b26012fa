"""What a person sees, and how commands and facts get in."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.state.host import HostState
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary.facts import AnyFact, AskPolicy, Level, Sandbox
from rawr.core.vocabulary.requests import Answer

DeltaKind = Literal["message", "plan", "output", "reasoning"]


class Delta(Struct, frozen=True, gc=False):
    """A piece of text that the agent, or a command, is writing. It is shown and not recorded: all of it comes again,
    whole, with its item."""

    thread: str
    turn: str
    item: str
    kind: DeltaKind
    text: str


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


class Rawr(Commands, Protocol):
    """rawr as a surface sees it, in this process or in the host that owns the home."""

    home: Path

    @property
    def journal(self) -> Path: ...

    @property
    def host(self) -> HostState: ...

    @property
    def threads(self) -> dict[str, ThreadState]:
        """The newest state of every thread in memory. Do not change it."""
        ...

    @property
    def policy(self) -> Policy: ...

    def state(self, thread: str) -> ThreadState: ...

    def tell(self, thread: str, fact: AnyFact) -> None: ...

    def answer(self, thread: str, request: str, answer: Answer) -> None: ...

    def follow(self, follower: Callable[[Taken], None]) -> None:
        """Call ``follower`` for every fact taken from now on."""
        ...

    def follow_deltas(self, follower: Callable[[Delta], None]) -> None:
        """Call ``follower`` for text as it is being written. It must not block."""
        ...

    async def start_thread(
        self,
        cwd: Path,
        *,
        model: str = "",
        approvals: AskPolicy = "on-request",
        sandbox: Sandbox = "workspace-write",
        unattended: bool = False,
    ) -> str: ...

    async def adopt(
        self,
        thread: str,
        *,
        sandbox: Sandbox | Literal[""] = "",
        approvals: AskPolicy | Literal[""] = "",
        take_goal: bool = False,
    ) -> None: ...

    async def take_up(self, thread: str) -> None:
        """Continue a thread with this surface's Codex, unless it is at work with another."""
        ...

    async def shown(self) -> None:
        """Wait briefly until everything told so far is written and shown."""
        ...

    async def ended(self) -> None:
        """Wait until rawr cannot continue, and raise the reason."""
        ...


class Tell(Protocol):
    """How a fact gets into the loop, from anywhere."""

    def __call__(self, thread: str, fact: AnyFact) -> None: ...

"""A rawr without a Codex: the real core decides, the real journal keeps it, and a test tells what happens."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import msgspec
from msgspec.structs import replace

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.real import Real, Redacted
from rawr.core.state.host import HostState
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartCompaction, StartTurn, SteerTurn
from rawr.core.vocabulary.requests import Answer
from rawr.errors import OutsideError
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from rawr.ports.surface import Delta
from tests.core.samples import AT, IDLE, WINDOW

encode = msgspec.json.encode
POLICY = Policy(watch_repositories=False)


class ToldRawr:
    """What the terminal program needs of rawr, in this process."""

    def __init__(self, home: Path, *, policy: Policy = POLICY) -> None:
        self.home = home
        self._journal = Journal.open(home)
        self.kernel = Kernel(policy, after=self._journal.last_seq())
        self.at = AT
        self.followers: list[Callable[[Taken], None]] = []
        self.readers: list[Callable[[Delta], None]] = []
        self.effects: dict[str, list[tuple[str, object]]] = {}
        self.answered: list[tuple[str, str, Answer]] = []
        self.started: list[Path] = []
        self.taken_up: list[str] = []
        self.gone = asyncio.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journal.close()

    # -- what the program uses --------------------------------------------------------------------------------------

    @property
    def journal(self) -> Path:
        return self._journal.path

    @property
    def host(self) -> HostState:
        return self.kernel.host

    @property
    def threads(self) -> dict[str, ThreadState]:
        return self.kernel.threads

    @property
    def policy(self) -> Policy:
        return self.kernel.policy

    def state(self, thread: str) -> ThreadState:
        return self.kernel.threads.get(thread) or ThreadState(thread)

    def now(self) -> int:
        return self.at

    def tell(self, thread: str, fact: facts.AnyFact) -> None:
        self.take(thread, fact)

    def record(self, thread: str, fact: facts.AnyFact) -> "asyncio.Future[Taken]":
        future: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        future.set_result(self.take(thread, fact))
        return future

    def answer(self, thread: str, request: str, answer: Answer) -> None:
        self.answered.append((thread, request, answer))
        self.take(thread, facts.AnswerSubmitted(request=request, answer=answer))

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        return tuple(Real(one) for one in self.state(thread).requests if not one.answer)

    def find_thread(self, name: str) -> str:
        return next((one for one in self.threads if one.endswith(name)), "")

    def follow(self, follower: Callable[[Taken], None]) -> None:
        self.followers.append(follower)

    def follow_deltas(self, follower: Callable[[Delta], None]) -> None:
        self.readers.append(follower)

    async def start_thread(
        self,
        cwd: Path,
        *,
        model: str = "",
        approvals: facts.AskPolicy = "on-request",
        sandbox: facts.Sandbox = "workspace-write",
        unattended: bool = False,
    ) -> str:
        self.started.append(cwd)
        name = f"started-{len(self.started)}"
        self.begin_thread(name, cwd=str(cwd))
        self.take(name, facts.ThreadOpened(cwd=str(cwd), ours=True))
        return name

    async def adopt(
        self,
        thread: str,
        *,
        sandbox: facts.Sandbox | Literal[""] = "",
        approvals: facts.AskPolicy | Literal[""] = "",
        take_goal: bool = False,
    ) -> None:
        raise NotImplementedError

    async def take_up(self, thread: str) -> None:
        self.taken_up.append(thread)
        self.begin_thread(thread)

    async def shown(self) -> None:
        self._journal.flush()

    async def ended(self) -> None:
        await self.gone.wait()
        raise OutsideError("The host is gone: it was killed.")

    # -- what a test tells ------------------------------------------------------------------------------------------

    def connects(self) -> None:
        self.take("", facts.ServerConnected(epoch=1, user_agent="rawr/0.163.0", codex_home="/c", transport="stdio"))

    def begin_thread(self, thread: str, *, cwd: str = "/project", model: str = "gpt-5") -> None:
        self.kernel.threads[thread] = replace(IDLE, id=thread, cwd=cwd, model=model)

    def take(self, thread: str, fact: facts.AnyFact, *, after: int = 1_000) -> Taken:
        """One fact, so many ms after the one before, and the slots that it makes free."""
        if thread and thread not in self.kernel.threads:
            self.begin_thread(thread)
        self.at += after
        taken = self._take(thread, fact)
        for name in self.kernel.due(now=self.at):
            self._take(name, facts.SlotGranted())
        return taken

    def _take(self, thread: str, fact: facts.AnyFact) -> Taken:
        taken = self.kernel.take(thread, fact, at=self.at)
        batch = Batch()
        batch.add_fact(taken.recorded, Redacted(encode(fact)))
        for decision in taken.decisions:
            batch.add_decision(decision, Redacted(encode(decision.record.evidence)))
        for intended in taken.effects:
            batch.add_effect(intended, Redacted(encode(intended.effect)), seq=taken.recorded.seq)
            self.effects.setdefault(intended.thread, []).append((intended.id, intended.effect))
        for boundary in taken.boundaries:
            batch.add_boundary(boundary, seq=taken.recorded.seq)
        self._journal.append(batch)
        for follower in self.followers:
            follower(taken)
        return taken

    def flush(self) -> None:
        self._journal.flush()

    def writes(self, thread: str, item: str, text: str, *, kind: Literal["message", "output", "reasoning"]) -> None:
        for reader in self.readers:
            reader(Delta(thread, "T", item, kind, text))

    # -- turns --------------------------------------------------------------------------------------------------

    def sent(self, thread: str) -> tuple[str, str]:
        """The newest message to the agent: its effect and its text."""
        return next(
            (name, one.text) for name, one in reversed(self.effects[thread]) if isinstance(one, StartTurn | SteerTurn)
        )

    def begins(self, thread: str, turn: str, text: str = "") -> None:
        """A turn begins with the newest message that was sent; or with another client's ``text``."""
        client, words = ("", text) if text else self.sent(thread)
        self.take(thread, facts.TurnStarted(turn=turn))
        self.item(thread, turn, items.UserMessage(id=f"{turn}-u", text=words, client_id=client))

    def item(self, thread: str, turn: str, item: items.AnyItem, *, began: bool = False) -> None:
        fact = facts.ItemStarted(turn=turn, item=item) if began else facts.ItemCompleted(turn=turn, item=item)
        self.take(thread, fact)

    def says(self, thread: str, turn: str, text: str, *, item: str = "") -> None:
        self.item(thread, turn, items.AgentMessage(id=item or f"{turn}-a{self.kernel.seq}", text=text))

    def runs(self, thread: str, turn: str, command: str, *, code: int | None = 0, output: str = "") -> None:
        status: items.Status = "completed" if code == 0 else "failed"
        name = f"{turn}-c{self.kernel.seq}"
        begun = items.Command(id=name, command=command, cwd="/project", status="running")
        self.item(thread, turn, begun, began=True)
        self.item(thread, turn, replace(begun, status=status, exit_code=code, output_tail=output))

    def uses(self, thread: str, turn: str, tokens: int) -> None:
        self.take(thread, facts.UsageUpdated(turn=turn, in_context=tokens, spent=tokens, window=WINDOW))

    def ends(self, thread: str, turn: str, status: facts.TurnStatus = "completed") -> None:
        self.take(thread, facts.TurnCompleted(turn=turn, status=status))

    def compacts(self, thread: str, turn: str = "C", *, tokens: int = 20_000) -> None:
        """Codex carries out the compaction that was asked for."""
        asked = next(name for name, one in reversed(self.effects[thread]) if isinstance(one, StartCompaction))
        item = items.Compaction(id=f"{turn}-c")
        self.take(thread, facts.EffectSucceeded(effect=asked))
        self.take(thread, facts.TurnStarted(turn=turn))
        self.item(thread, turn, item, began=True)
        self.item(thread, turn, item)
        self.uses(thread, turn, tokens)
        self.ends(thread, turn)

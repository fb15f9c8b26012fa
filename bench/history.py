"""A journal with a past: as many turns as one asks for, in runs of Full Auto, each on a thread and in a session of its
own.

The loop, the kernel, the redactor and the journal's writer are the real ones. Codex's part is played fact by fact,
without waiting for anything, and a turn is as short as turns get: what is measured afterwards is how it is read.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from bench import work
from rawr import __version__
from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import effects, facts, items
from rawr.core.vocabulary.order import Budgets, Order
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from rawr.runtime.loop import Loop
from rawr.runtime.recovery import Recollection
from rawr.runtime.supervisor import Silent

RUN = 100
"""Turns of a run."""
TURN_MS = 60_000
IN_CONTEXT = 20_000
BATCH = 2_000
"""Rows."""


def make(home: Path, *, turns: int, run: int = RUN, policy: Policy | None = None) -> Path:
    """Gives the home. The past ends now, so that nothing in it is too old to be kept."""
    with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
        past = _Past(journal, reader, policy or Policy())
        for number, first in enumerate(range(0, turns, run)):
            past.session(number, min(run, turns - first))
    return home


class _Clock:
    def __init__(self) -> None:
        self.now = work.NOON

    def now_ms(self) -> int:
        return self.now

    def start_after(self, at_ms: int) -> None:
        pass

    def jumped(self) -> int:
        return 0

    def on_timeline(self, date_ms: int) -> int:
        return date_ms

    async def sleep_until(self, at_ms: int) -> None:
        pass


class _Past:
    def __init__(self, journal: Journal, reader: JournalReader, policy: Policy) -> None:
        self._journal = journal
        self._kernel = Kernel(policy, after=journal.last_seq())
        self._clock = _Clock()
        self._turns = 0
        self._batch = Batch()
        self._recollection = Recollection(reader, policy=policy, version=__version__)

    def session(self, number: int, turns: int) -> None:
        """rawr starts, one run goes on until its turns are used up, and rawr stops."""
        self._loop = Loop(
            self._kernel,
            self._journal,
            clock=self._clock,
            redactor=Redactor(),
            surface=Silent(),
            recollection=self._recollection,
        )
        thread = f"0198c0de-0000-7000-a000-{number:012x}"
        order = Order(goal=f"Write the parts of book {number} one by one.", budgets=Budgets(turns=turns))
        self._tell("", facts.PolicyAdopted(policy=self._kernel.policy))
        self._tell("", facts.RuntimeStarted(version=__version__, policy=self._kernel.policy_hash))
        # What the last session left behind has heard of it, and is left alone from here on.
        self._kernel.threads.clear()
        self._tell("", facts.ServerConnected(epoch=number + 1, user_agent="codex", codex_home="/c", transport="stdio"))
        self._tell(thread, facts.ThreadOpened(cwd="/project", model="scripted", ours=True))
        self._tell(thread, facts.RunSubmitted(order=order))
        run = self._kernel.threads[thread].run
        assert run is not None
        assert (run.active, run.turns) == (False, turns), run
        self._tell("", facts.ServerLost(epoch=number + 1, problem="closed"))
        self._tell("", facts.RuntimeStopped(reason="closed"))
        self._write()
        asyncio.run(self._loop.save())
        self._recollection.touched = [thread]

    def _tell(self, thread: str, fact: facts.AnyFact) -> None:
        """Tell the loop, and play what follows to its end."""
        self._loop.tell(thread, fact)
        while self._loop._inbox:  # noqa: SLF001 - the loop's own steps, without its waiting
            taken, _ = self._loop._drain(self._batch)  # noqa: SLF001
            self._loop._touch(self._batch, {one.recorded.thread for one in taken})  # noqa: SLF001
            for one in taken:
                self._answer(one)
            if self._batch.rows > BATCH:
                self._write()

    def _write(self) -> None:
        # Nobody acts on it, so nobody has to wait for the disk.
        self._batch.durable = False
        self._journal.append(self._batch).result()
        self._batch = Batch()

    def _answer(self, taken: Taken) -> None:
        for intended in taken.effects:
            for fact in self._played(intended):
                self._loop.tell(intended.thread, fact)

    def _played(self, intended: effects.Intended) -> Iterator[facts.AnyFact]:
        match intended.effect:
            case effects.SetDeadline() | effects.CancelDeadline() | effects.Notify():
                return
            case effects.StartTurn(text=text):
                self._turns += 1
                self._clock.now += TURN_MS
                yield facts.EffectSucceeded(effect=intended.id, result=work.turn_id(self._turns))
                yield from _turn(self._turns, client_id=intended.id, text=text)
            case effects.ObserveTree(turn=turn):
                yield facts.TreeSeen(turn=turn, digest=turn[-12:], files=1)
                yield facts.EffectSucceeded(effect=intended.id)
            case _:
                yield facts.EffectSucceeded(effect=intended.id)


def _turn(number: int, *, client_id: str, text: str) -> Iterator[facts.AnyFact]:
    name = work.turn_id(number)
    line = f"make part-{number}"
    yield facts.TurnStarted(turn=name)
    yield facts.ItemCompleted(turn=name, item=items.UserMessage(id=f"{name}-u", text=text, client_id=client_id))
    ended = items.Command(
        id=f"{name}-c",
        command=line,
        cwd="/project",
        status="completed",
        exit_code=0,
        output_tail=f"part {number} written\n",
        reads_only=True,
    )
    yield facts.ItemCompleted(turn=name, item=ended)
    yield work.usage(name, IN_CONTEXT)
    yield facts.ItemCompleted(turn=name, item=items.AgentMessage(id=f"{name}-a", text=f"Part {number} is written."))
    yield facts.TurnCompleted(turn=name, status="completed", duration_ms=1_234)

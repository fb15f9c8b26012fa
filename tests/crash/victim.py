"""The real ``rawr`` in a process that knows when it is to die.

``python -m tests.crash.victim ARGUMENTS`` is ``rawr ARGUMENTS`` with a trap around its ports: the journal, the
executor, the connection. Whatever passes there is a named point (``tests.crash.points``). At the one that it was told,
it kills itself, its Codex, or both, with SIGKILL, in the middle of the step that it is in. rawr knows nothing of this.

Where the work is done by a host, the trap is in there, and the command in the terminal is only its client: the one that
starts the host starts this victim instead. Then the client can be killed at such a point too, or its terminal.
"""

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from rawr.codex.client import CodexClient
from rawr.codex.driver import CodexDriver
from rawr.codex.stdio import StdioDialer, StdioLink
from rawr.codex.unix_socket import UnixLink
from rawr.core.kernel import Kernel, Taken
from rawr.core.real import Real
from rawr.core.state.sequence import Phase, Sequence
from rawr.core.vocabulary import effects, facts
from rawr.core.vocabulary.opinions import CompactionJudgment
from rawr.host import starting
from rawr.host.client import HostClient
from rawr.host.ending import Ending
from rawr.host.messages import Watch
from rawr.journal.store import Journal
from rawr.models.desk import ModelDesk
from rawr.ports.harness import Done, HarnessEffect, Undone
from rawr.ports.memory import Batch
from rawr.runtime.executor import Executor
from rawr.runtime.loop import Loop
from tests.crash.living import sign, signed
from tests.crash.points import LOCAL

ORDERS = "RAWR_CRASH_ORDERS"
TAG = "RAWR_CRASH_CASE"
"""In the environment of every process of a case, so that none is overlooked at the end, and no other is hit."""
Kill = Literal["rawr", "host", "codex", "both", "client", "terminal", "all"]
"""``both`` is Codex and the rawr that works with it; ``all`` is the host's client as well."""
IN_FOREGROUND: tuple[Kill, ...] = ("rawr", "codex", "both")
IN_HOST: tuple[Kill, ...] = ("host", "codex", "both", "client", "terminal", "all")
OF_RAWR: frozenset[Kill] = frozenset({"rawr", "host", "both", "all"})
"""Those after which nobody does the work."""
OF_CODEX: frozenset[Kill] = frozenset({"codex", "both", "all"})
LINGER = 0.3
"""Seconds without anything to do after which a host exits here, so that every case sees it exit."""


class Orders(Struct, frozen=True):
    """What the victim is told before it begins. Without a point it lives on, and only says what it passed."""

    trace: str
    """The file in which each point is noted as it is passed."""
    kill: Kill = "rawr"
    point: str = ""
    """A point and which of its passings: ``sent:StartTurn#2``; or ``any#57``, the 57th of all."""
    delay_ms: int = 0
    """Die so long after it, wherever that is."""
    vetoed: bool = False
    """A judgment is no, and not yes."""
    codex_pid: str = ""
    """The file with the process id of a Codex that is not rawr's child."""
    hosted: bool = False
    """The work is done by a host."""
    client: str = ""
    """The file that the host's client signs when it begins."""
    watching: str = ""
    """The file that it signs when it watches."""
    terminal: str = ""
    """The file that the terminal signs in which that client is; empty: it is in none."""
    overtaken: str = ""
    """The file that is there once the user has spoken: a compaction waits for their turn, as a slow one would. Empty:
    none waits."""


class Passed(Struct, frozen=True):
    """A line of the trace."""

    point: str
    nth: int
    number: int
    inside: bool
    """A compaction is under way: from its start to the end of the turn that hands over."""
    at_ms: int
    killed: str = ""


class Trap:
    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._counts: Counter[str] = Counter()
        self._lock = threading.RLock()
        self._file = os.open(orders.trace, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._sprung = False
        self._total = 0
        self.child = 0
        self.inside = False
        self._handing_over = False

    def passes(self, point: str) -> None:
        """Something is at this point now. Any thread may say so; what it does next may not happen any more."""
        with self._lock:
            self._counts[point] += 1
            self._total += 1
            nth, total = self._counts[point], self._total
            meant = self._orders.point in (f"{point}#{nth}", f"any#{total}") and not self._sprung
            self._sprung = self._sprung or meant
            killed = self._orders.kill if meant and self._targets() else ""
            line = Passed(point, nth, total, self.inside, time.time_ns() // 1_000_000, killed)
            os.write(self._file, msgspec.json.encode(line) + b"\n")
            if meant and not self._orders.delay_ms:
                self._kill()
        if meant and self._orders.delay_ms:
            threading.Timer(self._orders.delay_ms / 1000, self._kill).start()

    def _kill(self) -> None:
        for pid in self._targets():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _targets(self) -> list[int]:
        """Those of the victims that live; this process comes last."""
        orders, found = self._orders, list[int]()
        if orders.kill in OF_CODEX:
            pid = int(Path(orders.codex_pid).read_text()) if orders.codex_pid else self.child
            found += [pid] if pid and _is_of_this_case(pid) else []
        if orders.kill == "terminal":
            found.append(signed(Path(orders.terminal)))
        if orders.kill in ("client", "all"):
            found.append(signed(Path(orders.client)))
        if orders.kill in OF_RAWR:
            found.append(os.getpid())
        return [pid for pid in found if pid]

    def begin(self) -> None:
        """A compaction goes out."""
        self.inside, self._handing_over = True, False

    def follow(self, taken: Taken, before: Phase, after: Phase) -> None:
        """Know when a compaction is over: it failed, or the turn that hands over has ended."""
        if self.inside and before is Phase.COMPACTING and after is Phase.IDLE:
            self.inside = False
        elif self.inside and before is Phase.COMPACTING and after is Phase.AWAITING_PACKET:
            self.inside = False  # somebody's turn came first
        elif self.inside and before is Phase.HANDOFF_PENDING and after is Phase.IDLE:
            self._handing_over = True
        elif self.inside and self._handing_over and isinstance(taken.recorded.fact, facts.TurnCompleted):
            self.inside = self._handing_over = False


def _is_of_this_case(pid: int) -> bool:
    """The number of a process that has ended may be another's by now."""
    try:
        held = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{TAG}={os.environ[TAG]}".encode() in held


def install(trap: Trap) -> None:
    """Put the trap around the ports of whatever rawr is made in this process from here on."""
    kinds: dict[str, str] = {}
    waiting: list[str] = []
    live: list[Kernel] = []
    doing: ContextVar[str] = ContextVar("doing", default="")
    _around_kernel(trap, kinds, waiting, live)
    _around_journal(trap, waiting)
    _around_executor(trap, doing)
    _around_loop(trap, kinds, live)
    _around_links(trap, doing)


def _around_kernel(trap: Trap, kinds: dict[str, str], waiting: list[str], live: list[Kernel]) -> None:
    take = Kernel.take

    def taking(self: Kernel, thread: str, fact: facts.AnyFact, **more: Any) -> Taken:
        before = _phase(self, thread)
        taken = take(self, thread, fact, **more)
        if self in live:
            after = _phase(self, thread)
            waiting.append(f"told:{type(taken.recorded.fact).__name__}")
            for intended in taken.effects:
                kinds[intended.id] = type(intended.effect).__name__
                waiting.append(f"writing:{type(intended.effect).__name__}")
            if isinstance(fact, facts.EffectSucceeded | facts.EffectFailed) and fact.effect in kinds:
                waiting.append(f"recorded:{kinds[fact.effect]}")
            if before != after:
                waiting.append(f"entering:{before[0].value}>{after[0].value}")
            trap.follow(taken, before[0], after[0])
        return taken

    Kernel.take = taking  # type: ignore[method-assign]


def _phase(kernel: Kernel, thread: str) -> tuple[Phase, int]:
    state = kernel.threads.get(thread)
    sequence: Sequence | None = state.sequence if state is not None else None
    return (sequence.phase, sequence.corrections) if sequence is not None else (Phase.IDLE, 0)


def _around_journal(trap: Trap, waiting: list[str]) -> None:
    append = Journal.append
    later = {"told": "kept", "entering": "phase", "recorded": "recorded"}

    def appending(self: Journal, batch: Batch) -> "Future[None]":
        mine = [*waiting]
        waiting.clear()
        for point in mine:
            if not point.startswith("recorded:"):
                trap.passes(point)
        future = append(self, batch)

        def written(_: "Future[None]") -> None:
            for point in mine:
                stage, what = point.split(":", 1)
                if stage in later:
                    trap.passes(f"{later[stage]}:{what}")

        future.add_done_callback(written)
        return future

    Journal.append = appending  # type: ignore[method-assign]


def _around_executor(trap: Trap, doing: ContextVar[str]) -> None:
    start, carry_out = Executor.start, CodexDriver.carry_out

    def starting(self: Executor, intended: effects.Intended, **more: Any) -> None:
        kind = type(intended.effect)
        trap.passes(f"before:{kind.__name__}")
        if kind is effects.StartCompaction:
            trap.begin()
        start(self, intended, **more)
        if kind in LOCAL:
            trap.passes(f"sent:{kind.__name__}")
        elif kind.__name__ not in _CODEX:
            # One round of the loop later its task has begun.
            asyncio.get_running_loop().call_soon(trap.passes, f"sent:{kind.__name__}")

    async def carrying_out(self: CodexDriver, name: str, thread: str, real: Real[HarnessEffect]) -> Done | Undone:
        doing.set(type(real.thing).__name__)
        return await carry_out(self, name, thread, real)

    Executor.start = starting  # type: ignore[method-assign]
    CodexDriver.carry_out = carrying_out  # type: ignore[method-assign]


_CODEX = frozenset(kind.__name__ for kind in get_args(HarnessEffect) if kind is not effects.ReadSession)
"""What goes over the connection."""


def _around_loop(trap: Trap, kinds: dict[str, str], live: list[Kernel]) -> None:
    tell, attach = Loop.tell, Loop.attach

    def telling(self: Loop, thread: str, fact: facts.AnyFact) -> None:
        if isinstance(fact, facts.EffectSucceeded | facts.EffectFailed) and fact.effect in kinds:
            trap.passes(f"answered:{kinds[fact.effect]}")
        tell(self, thread, fact)

    def attaching(self: Loop, executor: Executor) -> None:
        live.append(self._kernel)
        attach(self, executor)

    Loop.tell = telling  # type: ignore[method-assign]
    Loop.attach = attaching  # type: ignore[method-assign]


def _around_links(trap: Trap, doing: ContextVar[str]) -> None:
    dial = StdioDialer.dial

    async def dialling(self: StdioDialer) -> StdioLink:
        link = await dial(self)
        trap.child = link.pid
        return link

    StdioDialer.dial = dialling  # type: ignore[method-assign]
    for link in (StdioLink, UnixLink):
        _around_send(link, trap, doing)


def _around_send(link: type[StdioLink] | type[UnixLink], trap: Trap, doing: ContextVar[str]) -> None:
    send = link.send

    async def sending(self: Any, frame: bytes) -> None:
        await send(self, frame)
        if doing.get():
            trap.passes(f"sent:{doing.get()}")
            # What is sent after it, for the same effect, is no new point.
            doing.set("")

    link.send = sending  # type: ignore[method-assign]


def _instead_of_models(*, vetoed: bool) -> None:
    """A judgment is always the same, at once; to anything else there is no answer, and the rules decide."""

    async def ask(self: ModelDesk, name: str, real: Real[effects.AskModel]) -> facts.ModelAnswered:
        question = real.thing
        signature = question.signature
        if signature != "compaction_judgment":
            return facts.ModelAnswered(effect=name, signature=signature, code="unavailable", problem="nobody there")
        opinion = CompactionJudgment(should_compact=not vetoed, reason="It is the end of a phase.")
        return facts.ModelAnswered(effect=name, signature=signature, opinion=opinion, model="scripted")

    ModelDesk.ask = ask  # type: ignore[assignment, method-assign]


def _let_them_speak(has_spoken: Callable[[], bool]) -> None:
    """The first compaction goes out when rawr's connection knows of the user's turn, and its core perhaps does not."""
    carry_out = CodexDriver.carry_out

    async def carrying_out(self: CodexDriver, name: str, thread: str, real: Real[HarnessEffect]) -> Done | Undone:
        if isinstance(real.thing, effects.StartCompaction) and not has_spoken():
            await _turn(self._client, thread)
        return await carry_out(self, name, thread, real)

    CodexDriver.carry_out = carrying_out  # type: ignore[method-assign]


async def _turn(client: CodexClient, thread: str) -> None:
    """Until one runs there, or the connection is lost, of which nobody tells."""
    link = client.link
    while True:
        if client.runs(thread) or client.link is not link:
            return
        await asyncio.sleep(0.005)


def _be_a_client(orders: Orders) -> None:
    """A command that leaves the work to a host; if it starts one, that is a victim."""
    sign(Path(orders.client))
    watch = HostClient.watch

    async def watching(self: HostClient, wanted: Watch) -> None:
        await watch(self, wanted)
        sign(Path(orders.watching))

    HostClient.watch = watching  # type: ignore[method-assign]
    starting.COMMAND = (sys.executable, "-m", "tests.crash.victim", "host", "serve")


def main() -> None:
    from rawr.cli.main import main as rawr

    # Whoever started the matrix in the background of a script does not hear Ctrl-C, and neither do their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    orders = msgspec.json.decode(os.environ[ORDERS], type=Orders)
    if orders.hosted and sys.argv[1:3] != ["host", "serve"]:
        _be_a_client(orders)
    else:
        install(Trap(orders))
        _instead_of_models(vetoed=orders.vetoed)
        if orders.overtaken:
            _let_them_speak(Path(orders.overtaken).exists)
        assert Ending.__init__.__kwdefaults__ is not None
        Ending.__init__.__kwdefaults__["linger"] = LINGER
    rawr()


if __name__ == "__main__":
    main()

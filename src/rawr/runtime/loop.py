"""The one loop. Facts come in from anywhere. The loop redacts each fact, hands it to the kernel, writes it and all that
follows from it in one transaction, and only then acts.

Facts that arrive during a commit go into the next one together, so a burst costs few commits and never holds up the
reader that told them.
"""

import asyncio
from collections import deque
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from rawr.core.kernel import Kernel, Taken, worth_keeping
from rawr.core.policy.policy import Policy
from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import CancelDeadline, Intended, Notify, SetDeadline
from rawr.journal.kept import KeptSecrets
from rawr.journal.redact import Redactor
from rawr.ports.clock import Clock
from rawr.ports.memory import Batch, Direction, Memory
from rawr.ports.surface import Surface
from rawr.runtime.executor import Executor
from rawr.runtime.recovery import Distrust, Recollection, ThreadDistrusted, host_shape, thread_shape

SNAPSHOT_EVERY = 500
"""Facts of one thread between two snapshots of its state. A start reads at most about this many facts per thread."""
SAVED_FROM = 20
"""Facts of one thread since its last snapshot that are worth another when rawr stops."""
BURST = 2_000
"""The most facts per transaction, so that a flood does not delay its first effect."""

FRAMES_WAITING = 500
"""Raw frames that a durable batch may leave waiting. With many threads, all batches may be durable for a while."""

_encode = msgspec.json.Encoder().encode
_decode_fact = msgspec.json.Decoder(facts.AnyFact).decode
_Waiter = tuple["asyncio.Future[Taken]", Taken]
_LOCAL = SetDeadline | CancelDeadline | Notify
_NEVER_SENT = facts.AnswerSubmitted | facts.DecisionLabelled
"""After a restart, rawr may have to send or run anything else that a person said. An answer is asked for again."""


class Loop:
    def __init__(
        self,
        kernel: Kernel,
        memory: Memory,
        *,
        clock: Clock,
        redactor: Redactor,
        surface: Surface,
        recollection: Recollection,
        policy: Callable[[], Policy] | None = None,
        kept: KeptSecrets | None = None,
    ) -> None:
        self._kept = kept
        self._to_keep: dict[str, str] = {}
        self._kernel = kernel
        self._memory = memory
        self._clock = clock
        self._redactor = redactor
        self._surface = surface
        self._recollection = recollection
        self._policy = policy
        self._inbox: deque[tuple[str, facts.AnyFact, asyncio.Future[Taken] | None, bool]] = deque()
        self._frames: deque[tuple[Direction, str, bytes, int]] = deque()
        self._wake = asyncio.Event()
        self._since_snapshot = recollection.since_snapshot
        self._touched = set(recollection.touched)
        self._reconciled = False
        self._executor: Executor | None = None
        self._connections: dict[str, facts.ServerConnected] = {}
        """The open ones, by name."""
        self._failure: Exception | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    def attach(self, executor: Executor) -> None:
        """Set the executor. It and the loop need each other, so one of them has to come second."""
        self._executor = executor

    # -- in -----------------------------------------------------------------------------------------------------

    def tell(self, thread: str, fact: facts.AnyFact) -> None:
        """Queue a fact. Returns at once."""
        self._inbox.append((thread, fact, None, False))
        self._stir()

    def record(self, thread: str, fact: facts.AnyFact, *, hidden: bool = False) -> "asyncio.Future[Taken]":
        """Queue a fact; the future resolves once it is in the journal, for a caller that must not lose it.

        ``hidden``: placeholders already replace its secrets.
        """
        recorded: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        if self._failure is not None:
            recorded.set_exception(self._failure)
            recorded.exception()  # No warning if nobody awaits it.
            return recorded
        self._inbox.append((thread, fact, recorded, hidden))
        self._stir()
        return recorded

    def keep_frame(self, direction: Direction, method: str, frame: bytes) -> None:
        self._frames.append((direction, method, frame, self._clock.now_ms()))
        self._stir()

    def _stir(self) -> None:
        if self._failure is None:
            self._idle.clear()
            self._wake.set()

    async def drained(self) -> None:
        """Return when everything told so far is in the journal and its effects have been started.

        If the loop has failed, raise its error.
        """
        await self._idle.wait()
        if self._failure is not None:
            raise self._failure

    # -- the loop -----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Run until cancelled or until the journal fails: rawr does nothing without a record."""
        try:
            while True:
                if not self._inbox and not self._frames:
                    self._idle.set()
                    await self._wake.wait()
                self._wake.clear()
                await self._turn()
        except Exception as error:
            self._failure = error
            self._idle.set()
            raise

    async def _turn(self) -> None:
        batch = Batch()
        taken, waiters = self._drain(batch)
        self._touch(batch, {one.recorded.thread for one in taken})
        # Effects wait for this commit; raw frames can wait for the next one, up to a point.
        waits = FRAMES_WAITING if batch.durable else 0
        while len(self._frames) > waits:
            direction, method, frame, at = self._frames.popleft()
            batch.add_frame(direction, self._redactor.foreign(frame), at=at, method=method, size=len(frame))
        if self._to_keep and self._kept is not None:
            kept, self._to_keep = self._to_keep, {}
            await asyncio.to_thread(self._kept.add, kept, at=self._clock.now_ms())
        await self._commit(batch, waiters)
        # Start effects before showing anything: a screen can be slow. Notices keep their place in what a person sees.
        for intended in [intended for one in taken for intended in one.effects]:
            if not isinstance(intended.effect, Notify):
                self._start(intended)
        await asyncio.sleep(0)
        for one in taken:
            self._surface.taken(one)
            for intended in one.effects:
                if isinstance(intended.effect, Notify):
                    self._start(intended)
        for thread in {one.recorded.thread for one in taken}:
            self._kernel.forget(thread)

    def _drain(self, batch: Batch) -> tuple[list[Taken], list[_Waiter]]:
        """Take facts from the inbox, up to a burst."""
        taken: list[Taken] = []
        waiters: list[_Waiter] = []
        while self._inbox and len(taken) < BURST:
            thread, fact, waiting, hidden = self._inbox.popleft()
            taken += self._jumps(batch)
            if isinstance(fact, facts.TurnCompleted):
                taken += self._reread(batch)
            if thread and thread not in self._kernel.threads:
                taken += self._recall(batch, thread)
                if thread in self._recollection.distrusted:
                    # Drop it, as if rawr were away. When the thread is back, rawr reads what it missed from Codex.
                    if waiting is not None and not waiting.done():
                        waiting.set_exception(ThreadDistrusted(self._recollection.distrusted[thread]))
                        waiting.exception()  # No warning if nobody awaits it.
                    continue
            taken.append(self._take(batch, thread, fact, hidden=hidden))
            if waiting is not None:
                waiters.append((waiting, taken[-1]))
            if thread:
                taken += [self._take(batch, one, told) for one, told in self._kernel.kin(thread, fact)]
            else:
                taken += [self._take(batch, one, fact, hidden=hidden) for one in self._kernel.concerns(fact)]
        if taken:
            # Grant slots to runs once per batch, whatever was in it (C12).
            due = self._kernel.due(now=self._clock.now_ms())
            taken += [self._take(batch, one, facts.SlotGranted()) for one in due]
        return taken, waiters

    def _jumps(self, batch: Batch) -> list[Taken]:
        """Record a jump of the date before any fact stamped with the new date."""
        self._clock.now_ms()
        ms = self._clock.jumped()
        if not ms:
            return []
        fact = facts.ClockJumped(ms=max(min(ms, facts.MOST_MS), -facts.MOST_MS))
        host = self._take(batch, "", fact)
        return [host, *(self._take(batch, one, fact) for one in self._kernel.concerns(fact))]

    def _reread(self, batch: Batch) -> list[Taken]:
        """Reread the settings at the end of each turn, before deciding anything about it (A22)."""
        policy = self._policy() if self._policy is not None else self._kernel.policy
        if policy is self._kernel.policy or policy == self._kernel.policy:
            return []
        return [self._take(batch, "", facts.PolicyAdopted(policy=policy))]

    async def _commit(self, batch: Batch, waiters: list[_Waiter]) -> None:
        try:
            await asyncio.wrap_future(self._memory.append(batch))
        except Exception as error:
            for waiting, _ in waiters:
                if not waiting.done():
                    waiting.set_exception(error)
                    waiting.exception()  # No warning if nobody awaits it.
            raise
        for waiting, one in waiters:
            if not waiting.done():
                waiting.set_result(one)

    def _take(self, batch: Batch, thread: str, fact: facts.AnyFact, *, hidden: bool = False) -> Taken:
        body = _encode(fact)
        clean = self._redactor.json(body) if hidden else self._redactor.foreign(body)
        if clean is not body:
            # The core works on what is written, so that a replay decides the same. Code that acts resolves the
            # placeholders.
            fact = _decode_fact(clean)
            if isinstance(fact, facts.Submitted) and not isinstance(fact, _NEVER_SENT):
                self._keep(self._redactor.originals(clean))
        taken = self._kernel.take(thread, fact, at=self._clock.now_ms())
        seq = taken.recorded.seq
        batch.add_fact(taken.recorded, clean)
        for decision in taken.decisions:
            batch.add_decision(decision, self._redactor.json(_encode(decision.record.evidence)))
        for event in taken.boundaries:
            batch.add_boundary(event, seq=seq)
        for intended in taken.effects:
            batch.add_effect(intended, self._redactor.json(_encode(intended.effect)), seq=seq)
            if isinstance(intended.effect, _LOCAL):
                batch.add_outcome(intended.id, "done", seq=seq)
        match fact:
            case facts.ServerConnected(link=link):
                self._connections[link] = fact
            case facts.ServerLost(link=link):
                self._connections.pop(link, None)
            case facts.EffectSucceeded(effect=effect, result=result):
                batch.add_outcome(effect, "done", seq=seq, detail=result)
            case facts.EffectFailed(effect=effect, code=code):
                batch.add_outcome(effect, "failed", seq=seq, detail=code)
            case _:
                pass
        self._snapshot(batch, taken.recorded)
        return taken

    def _keep(self, originals: dict[str, str]) -> None:
        """Keep originals for good in this process and, before the fact is written, on disk for the next one."""
        self._redactor.recall(originals)
        self._to_keep |= originals

    def _recall(self, batch: Batch, thread: str) -> list[Taken]:
        """Restore a thread that is in the journal but not in memory; it continues where it stopped (B10)."""
        known = thread in self._recollection.distrusted
        state = self._recollection.thread(thread)
        if state is None:
            if not known and thread in self._recollection.distrusted:
                self.tell_of(self._recollection.distrusted[thread])
            return []
        self._kernel.threads[thread] = state
        missed: list[facts.AnyFact] = [self._recollection.return_of()]
        if state.link in self._connections:
            missed.append(self._connections[state.link])
        return [self._take(batch, thread, fact) for fact in missed]

    def _touch(self, batch: Batch, changed: set[str]) -> None:
        """Record which threads the next start concerns, wherever that has changed."""
        if not self._reconciled:
            # What was closed or replaced in the meantime was not restored, so no fact will come to say so.
            self._reconciled = True
            changed = changed | (self._touched - self._recollection.distrusted.keys())
        for thread in changed - {""}:
            state = self._kernel.threads.get(thread)
            touched = state is not None and state.in_touch and worth_keeping(state)
            if touched != (thread in self._touched):
                batch.add_touch(thread, touched=touched)
                (self._touched.add if touched else self._touched.discard)(thread)

    async def save(self) -> None:
        """Write the states down, so that the next start, and whoever reads meanwhile, need not fold many facts. Nor
        does the next start concern a thread on which nothing is left to do."""
        batch = Batch()
        for thread in sorted(self._touched):
            state = self._kernel.threads.get(thread)
            if state is not None and state.left_alone and not replace(state, wanted=False).in_touch:
                batch.add_touch(thread, touched=False)
                self._touched.discard(thread)
        at = self._clock.now_ms()
        for thread, count in self._since_snapshot.items():
            if count >= SAVED_FROM:
                self._add_snapshot(batch, thread, seq=self._kernel.seq, at=at)
        if (batch.snapshots or batch.touches) and self._failure is None:
            await asyncio.wrap_future(self._memory.append(batch))

    def tell_of(self, why: Distrust) -> None:
        """Tell the user that rawr leaves a thread alone, and what they can do about it."""
        self._surface.notify(why.thread, "warning", str(ThreadDistrusted(why)))

    def _snapshot(self, batch: Batch, recorded: facts.Recorded) -> None:
        count = self._since_snapshot.get(recorded.thread, 0) + 1
        if count < SNAPSHOT_EVERY:
            self._since_snapshot[recorded.thread] = count
            return
        self._add_snapshot(batch, recorded.thread, seq=recorded.seq, at=recorded.at)

    def _add_snapshot(self, batch: Batch, thread: str, *, seq: int, at: int) -> None:
        self._since_snapshot[thread] = 0
        state: ThreadState | HostState | None = self._kernel.threads.get(thread) if thread else self._kernel.host
        if state is not None:
            shape = thread_shape() if thread else host_shape()
            body = self._redactor.json(_encode(state))
            batch.add_snapshot(thread, body, seq=seq, at=at, shape=shape)

    def _start(self, intended: Intended) -> None:
        assert self._executor is not None, "attach() comes before run()"  # noqa: S101
        self._executor.start(intended)

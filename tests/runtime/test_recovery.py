"""Going on where the last run stopped: nothing is lost and nothing is said twice (B10, C13, D5)."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import msgspec
import pytest

from rawr.core.kernel import Kernel
from rawr.core.real import Redacted
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import FindMessage, ResumeThread, StartCompaction, StartThread, StartTurn
from rawr.core.vocabulary.limits import Limits, Sandboxing
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from rawr.runtime import loop as loop_module
from rawr.runtime.recovery import Recollection, host_shape, restore, thread_shape
from rawr.testing import VirtualClock
from tests.core.samples import QUIET
from tests.runtime.codex import PatientCodex, RememberingCodex
from tests.runtime.rig import BEGIN, CONNECTED, VERSION, rawr, replayed

JOINED = facts.ThreadJoined(cwd="/project")
LIMITS = Limits(sandbox=Sandboxing("workspace-write"), approvals="on-request", reviewer="user")


# -- killed at every point --------------------------------------------------------------------------------------------


class Killed(Exception):
    pass


def mortal(*, at: int, written: bool) -> "Callable[[Journal], Mortal]":
    return lambda journal: Mortal(journal, at=at, written=written)


class Mortal:
    """A memory that ends the run at one of its writes: before it, or after it and before anything is done about it."""

    def __init__(self, journal: Journal, *, at: int, written: bool) -> None:
        self._journal = journal
        self._left = at
        self._written = written

    def append(self, batch: Batch) -> "Future[None]":
        self._left -= 1
        if self._left > 0:
            return self._journal.append(batch)
        if self._written and self._left == 0:
            self._journal.append(batch).result()
        killed: Future[None] = Future()
        killed.set_exception(Killed())
        return killed


@pytest.mark.parametrize("written", [True, False], ids=["after the write", "before the write"])
@pytest.mark.parametrize("at", range(1, 13))
async def test_killed_at_any_write_every_message_arrives_once_and_in_order(
    tmp_path: Path, at: int, written: bool
) -> None:
    """D5, A15: whatever was written is delivered, exactly once, by this run or by the next."""
    codex = RememberingCodex()
    texts = ["one", "two", "three"]
    async with rawr(tmp_path, codex, memory=mortal(at=at, written=written)) as it:
        with contextlib.suppress(Killed):
            await it.opened()
            for text in texts:
                await it.told(facts.UserSubmitted(text=text))
    with JournalReader.open(tmp_path) as reader:
        rows = [row.fact for row in reader.facts() if isinstance(row, facts.Recorded)]
    submitted = [fact.text for fact in rows if isinstance(fact, facts.UserSubmitted)]
    was_open = any(isinstance(fact, facts.ThreadOpened) for fact in rows)
    for _ in range(2):
        async with rawr(tmp_path, codex) as it:
            await it.told(CONNECTED, thread="")
            if was_open:
                assert (it.state().queue, it.state().sent) == ((), ())
    assert codex.texts == submitted
    replayed(tmp_path)


async def test_killed_again_and_again(tmp_path: Path) -> None:
    """D5: each run gets one write further than the last, over and over."""
    codex = RememberingCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
    for number in range(1, 16):
        async with rawr(tmp_path, codex, memory=mortal(at=number, written=True)) as it:
            with contextlib.suppress(Killed):
                it.tell(facts.UserSubmitted(text=str(number)))
                await it.told(CONNECTED, thread="")
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
    with JournalReader.open(tmp_path) as reader:
        rows = [row.fact for row in reader.facts() if isinstance(row, facts.Recorded)]
    assert codex.texts == [fact.text for fact in rows if isinstance(fact, facts.UserSubmitted)]
    replayed(tmp_path)


# -- each effect that can be left without an outcome ------------------------------------------------------------------


async def cut_off(home: Path, *story: facts.AnyFact, thread: str = "t") -> PatientCodex:
    """A run that ends while its calls are under way."""
    codex = PatientCodex()
    async with rawr(home, codex) as it:
        await it.opened()
        await it.told(*story, thread=thread)
    return codex


@pytest.mark.parametrize("found", ["T1", ""])
async def test_a_message_under_way_is_looked_up(tmp_path: Path, found: str) -> None:
    """D5: confirmed if Codex has it, sent if it has not; never sent before it was looked for."""
    await cut_off(tmp_path, facts.UserSubmitted(text="precious"))
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.rest()
        lost = facts.EffectFailed(effect="t:4.0", problem="rawr ended before the outcome was known", code="lost")
        assert it.facts(facts.EffectFailed) == [lost]
        await it.told(CONNECTED, thread="")
        assert codex.asked() == [ResumeThread()]
        codex.calls[0].done("t", ("t", JOINED))
        await it.rest()
        assert codex.asked()[1:] == [FindMessage(message="t:4.0", text="precious")]
        codex.calls[1].done(found)
        await it.rest()
        assert codex.asked()[2:] == ([] if found else [StartTurn(text="precious")])
        assert ("turn.confirmed.history" in it.reasons()) == bool(found)
    replayed(tmp_path)


async def test_a_search_under_way_is_made_again(tmp_path: Path) -> None:
    await cut_off(tmp_path, facts.UserSubmitted(text="precious"))
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        codex.last(ResumeThread).done("t", ("t", JOINED))
        await it.rest()
        assert isinstance(codex.asked()[-1], FindMessage)
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        codex.last(ResumeThread).done("t", ("t", JOINED))
        await it.rest()
        codex.last(FindMessage).done("T1")
        await it.rest()
        assert it.state().sent == ()
        assert [type(effect) for effect in codex.asked()] == [ResumeThread, FindMessage]
    replayed(tmp_path)


async def test_joining_under_way_is_done_again(tmp_path: Path) -> None:
    await cut_off(tmp_path, facts.UserSubmitted(text="hello"))
    for _ in range(2):
        codex = PatientCodex()
        async with rawr(tmp_path, codex) as it:
            await it.told(CONNECTED, thread="")
            assert codex.asked() == [ResumeThread()]


async def test_a_thread_with_nothing_under_way_is_left_alone_until_somebody_speaks(tmp_path: Path) -> None:
    """A home may know hundreds of threads; a new Codex need not load them all."""
    await cut_off(tmp_path)
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        assert codex.asked() == []
        await it.told(facts.UserSubmitted(text="hello"))
        assert codex.asked() == [ResumeThread()]


async def test_a_thread_that_a_rawr_now_gone_had_asked_for_is_not_started(tmp_path: Path) -> None:
    """Nobody waits for it any more: it would stand in Codex's list without a purpose."""
    asked = facts.ThreadRequested(ticket="k", cwd="/project")
    before = await cut_off(tmp_path, asked, thread="")
    assert isinstance(before.asked()[-1], StartThread)
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        assert not any(isinstance(effect, StartThread) for effect in codex.asked())
        assert it.kernel.host.wanted == ()
    replayed(tmp_path)


async def test_a_compaction_under_way_is_not_started_again(tmp_path: Path) -> None:
    """A13: found idle, it has failed, and the record says so."""
    await cut_off(tmp_path, facts.CompactionSubmitted(bare=True))
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        codex.last(ResumeThread).done("t", ("t", facts.ThreadJoined(cwd="/project", fresh=True)))
        await it.rest()
        assert not any(isinstance(effect, StartCompaction) for effect in codex.asked())
        assert [past.ok for past in it.state().compactions] == [False]
        assert (it.state().compacting, it.state().deadlines) == (None, ())
    replayed(tmp_path)


async def test_every_unfinished_effect_gets_an_outcome(tmp_path: Path) -> None:
    """Written by a run that never came to carry them out."""
    kernel = Kernel(QUIET)
    with Journal.open(tmp_path) as journal:
        batch = Batch()
        story: list[tuple[str, facts.AnyFact]] = [
            ("", CONNECTED),
            ("t", facts.ThreadOpened(cwd="/project", ours=True)),
            ("t", facts.UserSubmitted(text="one")),
            ("", facts.ThreadRequested(ticket="k", cwd="/project")),
        ]
        for thread, fact in story:
            taken = kernel.take(thread, fact, at=BEGIN)
            batch.add_fact(taken.recorded, Redacted(msgspec.json.encode(fact)))
            for decision in taken.decisions:
                batch.add_decision(decision, Redacted(msgspec.json.encode(decision.record.evidence)))
            for intended in taken.effects:
                batch.add_effect(intended, Redacted(msgspec.json.encode(intended.effect)), seq=taken.recorded.seq)
        journal.append(batch).result()
    with JournalReader.open(tmp_path) as reader:
        assert [type(row.effect) for row in reader.unfinished_effects() if isinstance(row, StoredEffect)] == [
            StartTurn,
            StartThread,
        ]
    codex = RememberingCodex()
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        assert codex.texts == ["one"]
    with JournalReader.open(tmp_path) as reader:
        assert reader.unfinished_effects() == []
    replayed(tmp_path)


# -- states -----------------------------------------------------------------------------------------------------------


async def test_a_cold_start_knows_what_the_last_run_knew(tmp_path: Path) -> None:
    """B10."""
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened()
        plan = facts.PlanUpdated(turn="T1", steps=(facts.PlanStep("a", "completed"),))
        usage = facts.UsageUpdated(turn="T1", in_context=5, spent=6, window=70_000)
        await it.told(facts.TurnStarted(turn="T1"), plan, usage, facts.UserSubmitted(text="waits"))
        before, host = it.state(), it.kernel.host
    with JournalReader.open(tmp_path) as reader:
        recollection = Recollection(reader, policy=QUIET, version=VERSION)
        kernel = Kernel(QUIET)
        told = restore(kernel, reader, recollection)
        assert (kernel.threads, kernel.host, kernel.seq) == ({"t": before}, host, reader.last_seq())
        assert told == [("", facts.RuntimeStarted(version=VERSION, policy=QUIET.hash, last_at=reader.last_at()))]
        assert recollection.thread("nobody") is None


async def test_a_snapshot_and_the_facts_since_then_are_the_whole_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B10: and a snapshot is made, however short the runs are."""
    monkeypatch.setattr(loop_module, "SNAPSHOT_EVERY", 7)
    for run in range(6):
        async with rawr(tmp_path, PatientCodex()) as it:
            await it.told(facts.ThreadOpened(cwd="/project", ours=True))
            turn = f"T{run}"
            await it.told(facts.TurnStarted(turn=turn), facts.TurnCompleted(turn=turn, status="completed"))
            live = it.state()
    with JournalReader.open(tmp_path) as reader:
        snapshot = reader.latest_snapshot("t", thread_shape())
        assert snapshot is not None
        assert reader.last_seq() - snapshot.seq < 2 * 7
        assert reader.latest_snapshot("", host_shape()) is None
        recollection = Recollection(reader, policy=QUIET, version=VERSION)
        assert recollection.thread("t") == live
        assert recollection.since_snapshot["t"] < 7
        whole = Kernel(QUIET)
        for recorded in reader.facts("t"):
            assert isinstance(recorded, facts.Recorded)
            whole.seq = recorded.seq - 1
            whole.take("t", recorded.fact, at=recorded.at)
        assert whole.threads["t"] == live
    replayed(tmp_path)


async def test_a_snapshot_of_another_shape_is_passed_over(tmp_path: Path) -> None:
    """Another version wrote it: the facts are folded instead."""
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened()
        await it.told(facts.TurnCompleted(turn="T1", status="completed"))
        live, seq = it.state(), it.kernel.seq
    wrong = msgspec.json.encode(ThreadState("t", turns=99))
    with Journal.open(tmp_path) as journal:
        batch = Batch()
        batch.add_snapshot("t", Redacted(wrong), seq=seq, at=BEGIN, shape="another shape")
        batch.add_snapshot("", Redacted(b"{}"), seq=seq, at=BEGIN, shape="another shape")
        journal.append(batch).result()
    with JournalReader.open(tmp_path) as reader:
        recollection = Recollection(reader, policy=QUIET, version=VERSION)
        assert recollection.thread("t") == live
        assert recollection.host() == it.kernel.host
    with Journal.open(tmp_path) as journal:
        batch = Batch()
        batch.add_snapshot("t", Redacted(wrong), seq=seq + 1, at=BEGIN, shape=thread_shape())
        journal.append(batch).result()
    with JournalReader.open(tmp_path) as reader:
        right = Recollection(reader, policy=QUIET, version=VERSION).thread("t")
        assert right is not None
        assert right.turns == 99, "one of this shape is believed"


async def test_deadlines_are_armed_again(tmp_path: Path) -> None:
    """C13, A13: also one that passed while nobody was there."""
    clock = VirtualClock(BEGIN)
    async with rawr(tmp_path, PatientCodex(), clock=clock) as it:
        await it.opened()
        await it.told(facts.CompactionSubmitted(bare=True))
        [deadline] = it.state().deadlines
    clock = VirtualClock(BEGIN + 1_000)
    async with rawr(tmp_path, PatientCodex(), clock=clock) as it:
        await it.rest()
        await clock.advance_to(deadline.at - 1)
        await it.rest()
        assert it.state().deadlines == (deadline,)
    async with rawr(tmp_path, PatientCodex(), clock=VirtualClock(deadline.at + 5)) as it:
        await it.rest()
        await asyncio.sleep(0)
        await it.rest()
        assert it.facts(facts.DeadlinePassed) == [facts.DeadlinePassed(name="compaction")]
        assert (it.state().compacting, it.state().deadlines) == (None, ())
    replayed(tmp_path)


async def test_a_recalled_threads_deadlines_are_armed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rawr.runtime.recovery.LIVE_THREADS", 1)
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened("old")
        await it.told(facts.CompactionSubmitted(bare=True), thread="old")
        codex.last(StartCompaction).done()
        await it.rest()
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread="new")
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.told(facts.WarningReported(message="hm"), thread="old")
        assert it.clock.next_at_ms == it.state("old").deadlines[0].at


async def test_closed_threads_stay_on_disk(tmp_path: Path) -> None:
    await cut_off(tmp_path, facts.ThreadClosed())
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.told(CONNECTED, thread="")
        assert it.kernel.threads == {}
        assert {one.recorded.thread for one in it.screen.seen} == {""}


async def test_a_fact_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Folding on without it would lead to another state without anybody knowing."""
    await cut_off(tmp_path)
    with Journal.open(tmp_path) as journal:
        batch = Batch()
        recorded = facts.Recorded(journal.last_seq() + 1, BEGIN, "t", facts.ThreadClosed())
        batch.add_fact(recorded, Redacted(b'{"fact":"FromTheFuture"}'))
        journal.append(batch).result()
    kernel = Kernel(QUIET)
    with JournalReader.open(tmp_path) as reader:
        recollection = Recollection(reader, policy=QUIET, version=VERSION)
        restore(kernel, reader, recollection)
    why = recollection.distrusted["t"]
    assert (why.seq, why.damaged) == (4, False)
    assert why.sentence.startswith(
        "The record of thread t is not intact: fact 4 (ThreadClosed) cannot be read: Invalid"
    )
    assert why.way_out.startswith("Use the rawr that wrote it")
    assert kernel.threads == {}


async def test_numbers_go_on(tmp_path: Path) -> None:
    for _ in range(3):
        async with rawr(tmp_path, PatientCodex()) as it:
            await it.opened()
            await it.told(facts.UserSubmitted(text="go"))
    with JournalReader.open(tmp_path) as reader:
        numbers = [row.seq for row in reader.facts()]
        names = [row.id for row in reader.effects() if isinstance(row, StoredEffect)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(set(names)) == len(names)

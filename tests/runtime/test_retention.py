"""What goes from the record, and what stays: never what somebody may come back to."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Budgets, Order
from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from rawr.journal.vacuum import compact, size_of
from rawr.ports.memory import Batch, Pruning
from rawr.runtime import retention
from rawr.runtime.recovery import Recollection
from rawr.runtime.supervisor import Supervisor
from rawr.testing import VirtualClock
from tests.core.samples import QUIET
from tests.runtime.codex import RememberingCodex
from tests.runtime.rig import BEGIN, CONNECTED, LOST, VERSION, rawr, replayed
from tests.runtime.test_harness import LoopbackHarness

DAY = retention.DAY_MS
Kind = Literal["talk", "run", "pinned", "closed", "long", "cut off"]
KINDS: tuple[Kind, ...] = ("talk", "run", "pinned", "closed", "long", "cut off")
NEEDED: dict[Kind, retention.Needed | None] = {
    "talk": None,
    "closed": None,
    "long": None,
    "run": "run",
    "pinned": "pins",
    "cut off": "in touch",
}


async def session(home: Path, day: int, kind: Kind) -> None:
    """One start of rawr, one thread, and what becomes of it."""
    thread = f"day-{day}-{kind.replace(' ', '-')}"
    async with rawr(home, RememberingCodex(), clock=VirtualClock(BEGIN + day * DAY), adopts=True) as it:
        it.tell(replace(CONNECTED, epoch=day + 1), "")
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread=thread)
        match kind:
            case "run":
                order = Order(goal="Write it.", budgets=Budgets(turns=1))
                await it.told(facts.RunSubmitted(order=order), thread=thread)
            case "pinned":
                await it.told(facts.PinSubmitted(text="Never push."), thread=thread)
            case "closed":
                await it.told(facts.ThreadClosed(), thread=thread)
            case "cut off":
                # rawr is killed while the thread is online, and never comes back to it.
                await it.told(facts.TurnStarted(turn="T1"), thread=thread)
                return
            case _:
                for number in range(9 if kind == "long" else 1):
                    await it.told(facts.UserSubmitted(text=f"message {number} " + "x" * 700), thread=thread)
        await it.told(LOST, thread="")
        await it.loop.save()


def lived(home: Path, kinds: list[Kind]) -> None:
    """A session a day; then one more, in which only rawr itself has something to say."""

    async def live() -> None:
        for day, kind in enumerate(kinds):
            await session(home, day, kind)
        async with rawr(home, RememberingCodex(), clock=VirtualClock(BEGIN + len(kinds) * DAY), adopts=True) as it:
            await it.told(replace(CONNECTED, epoch=len(kinds) + 1), thread="")
            await it.told(LOST, thread="")

    asyncio.run(live())


def states(home: Path) -> dict[str, ThreadState]:
    with JournalReader.open(home) as reader:
        recollection = Recollection(reader, policy=QUIET, version=VERSION)
        found = {one.thread: recollection.thread(one.thread) for one in reader.threads() if one.thread}
        assert recollection.distrusted == {}
        return {name: state for name, state in found.items() if state is not None}


def pruned(home: Path, *, keep_days: int, now: int) -> retention.Retention:
    with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
        recollection = Recollection(reader, policy=QUIET, version=VERSION)
        found = retention.plan(reader, recollection, keep_days=keep_days, now=now)
        retention.carry_out(journal, found)
    return found


def rows(home: Path, thread: str) -> int:
    tables = ("facts", "decisions", "effects", "boundaries", "snapshots", "threads", "touched")
    with closing(sqlite3.connect(home / "journal.db")) as db:
        found = [db.execute(f"SELECT count(*) FROM {one} WHERE thread = ?", (thread,)) for one in tables]  # noqa: S608
        return sum(one.fetchone()[0] for one in found)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5), st.integers(1, 6), st.booleans())
def test_what_is_needed_stays_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[Kind], keep: int, again: bool
) -> None:
    """B11, C13, C17: whatever may go went as a whole, and for what is left nothing has changed."""
    home = tmp_path_factory.mktemp("retention") / "home"
    lived(home, kinds)
    before = states(home)
    with JournalReader.open(home) as reader:
        epoch = Recollection(reader, policy=QUIET, version=VERSION).host().epoch
        last = {one.thread: one.last_at for one in reader.threads()}
    now = BEGIN + len(kinds) * DAY + 1_000
    found = pruned(home, keep_days=keep, now=now)
    if again:
        pruned(home, keep_days=max(keep - 1, 1), now=now)
        assert pruned(home, keep_days=max(keep - 1, 1), now=now).threads == ()
    after = states(home)
    for day, kind in enumerate(kinds):
        name = f"day-{day}-{kind.replace(' ', '-')}"
        # What was cut off, the next start is in touch with, if there is one.
        if kind != "cut off":
            assert (name in found.threads) is (now - last[name] > keep * DAY and NEEDED[kind] is None), name
            assert name in after or NEEDED[kind] is None
    gone = before.keys() - after.keys()
    assert all(retention.needed_for(before[name], touched=False) is None for name in gone)
    assert {name: rows(home, name) for name in gone} == dict.fromkeys(gone, 0)
    assert after == {name: state for name, state in before.items() if name not in gone}
    assert check(home, full=True).findings == ()
    with JournalReader.open(home) as reader:
        assert Recollection(reader, policy=QUIET, version=VERSION).host().epoch == epoch
    replayed(home)


def test_the_space_is_given_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    lived(home, ["long", "run", "long", "long"])
    before = size_of(home)
    found = pruned(home, keep_days=1, now=BEGIN + 30 * DAY)
    assert found.threads == ("day-0-long", "day-2-long", "day-3-long")
    compact(home)
    assert size_of(home) < before
    assert list(states(home)) == ["day-1-run"]
    assert check(home, full=True).findings == ()
    replayed(home)
    # What was pruned leaves no hole in the numbers that come next.
    asyncio.run(session(home, 40, "talk"))
    assert list(states(home)) == ["day-1-run", "day-40-talk"]
    assert check(home, full=True).findings == ()
    replayed(home)


def test_rawr_tidies_up_once_a_day_and_within_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    lived(home, ["talk", "talk", "talk"])

    def tidied(now: int) -> list[str]:
        with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
            recollection = Recollection(reader, policy=QUIET, version=VERSION)
            retention.tidied(journal, reader, recollection, keep_days=2, clock=VirtualClock(now))
            assert reader.free_pages() == 0
        return list(states(home))

    with monkeypatch.context() as no_time:
        no_time.setattr(retention, "MOMENT", -1.0)
        assert tidied(BEGIN + 2 * DAY + 500) == ["day-0-talk", "day-1-talk", "day-2-talk"]
    assert tidied(BEGIN + 2 * DAY + 1_000) == ["day-1-talk", "day-2-talk"]
    assert tidied(BEGIN + 2 * DAY + DAY // 2) == ["day-1-talk", "day-2-talk"], "it looked half a day ago"
    assert tidied(BEGIN + 3 * DAY + 2_000) == ["day-2-talk"]


def test_a_thread_that_stirs_in_the_meantime_stays(tmp_path: Path) -> None:
    """Chosen, and then something happened there."""
    home = tmp_path / "home"
    lived(home, ["talk", "talk"])
    with JournalReader.open(home) as reader:
        [first, _] = [one for one in reader.threads() if one.thread]
    for seq in (first.last_seq - 1, first.last_seq + 1):
        with Journal.open(home) as journal:
            journal.append(Batch(prunings=[Pruning(first.thread, seq, BEGIN)])).result()
    assert rows(home, first.thread) > 0
    assert check(home, full=True).findings == ()


def test_a_damaged_thread_is_left_for_mending(tmp_path: Path) -> None:
    """D5."""
    home = tmp_path / "home"
    lived(home, ["talk", "talk"])
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        db.execute("UPDATE facts SET at = at + 1 WHERE thread = 'day-0-talk' AND kind = 'TurnCompleted'")
    found = pruned(home, keep_days=1, now=BEGIN + 30 * DAY)
    assert found.kept == {"day-0-talk": "damage"}
    assert found.threads == ("day-1-talk",)


def test_facts_that_were_not_pruned_are_missed(tmp_path: Path) -> None:
    """D5: retention does not hide a loss."""
    home = tmp_path / "home"
    lived(home, ["talk", "long", "talk", "run"])
    pruned(home, keep_days=1, now=BEGIN + 3 * DAY)
    assert check(home, full=True).findings == ()
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        db.execute("DELETE FROM facts WHERE thread = 'day-3-run' AND kind = 'TurnStarted'")
        db.execute("DELETE FROM decisions WHERE rowid = (SELECT max(rowid) - 1 FROM decisions)")
    problems = [one.problem for one in check(home, full=True).findings]
    assert any("has facts of thread day-3-run missing before it" in one for one in problems)
    assert any("has rows missing before it" in one for one in problems)
    assert any(one.startswith("Facts are missing before number") for one in problems)


@pytest.mark.parametrize("status", ["running", "paused", "stopped", "failed"])
def test_a_run_that_can_be_resumed_is_needed(tmp_path: Path, status: Literal["running", "paused"]) -> None:
    """C13."""
    lived(tmp_path / "home", ["run"])
    [state] = states(tmp_path / "home").values()
    assert state.run is not None
    assert retention.needed_for(replace(state, run=replace(state.run, status=status)), touched=False) == "run"
    assert (
        retention.needed_for(replace(state, wanted=False, run=replace(state.run, status="done")), touched=True) is None
    )


@pytest.mark.parametrize(("keep_days", "left"), [(0, 2), (30, 1)])
def test_a_supervisor_prunes_when_it_stops(tmp_path: Path, keep_days: int, left: int) -> None:
    """B11: with 0, it keeps everything. A run of long ago is found and resumed by name."""
    home = tmp_path / "home"
    lived(home, ["talk", "run"])

    async def run() -> None:
        harness = LoopbackHarness()
        async with Supervisor(harness, home, policy=QUIET, keep_days=keep_days) as supervisor:
            assert supervisor.threads == {} or list(supervisor.threads) == ["day-1-run"]
            run = supervisor.state("day-1-run").run
            assert run is not None
            assert supervisor.find_thread(run.id) == "day-1-run"
            assert supervisor.find_thread("1-run") == "day-1-run"
            await supervisor.shown()

    asyncio.run(run())
    assert len(states(home)) == left
    assert check(home, full=True).findings == ()
    replayed(home)

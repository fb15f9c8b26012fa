"""The clock is set while rawr runs, and between two of its lives; it is on record, and a replay leads to the same."""

from pathlib import Path

from msgspec.structs import replace

from rawr.core.policy.full_auto import FullAuto
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import InterruptTurn, StartTurn
from rawr.core.vocabulary.items import Reasoning
from rawr.core.vocabulary.order import Budgets, Order
from rawr.journal.reader import JournalReader
from rawr.runtime.supervisor import Supervisor
from rawr.testing import VirtualClock
from tests.codex.servers import stand_in
from tests.core.samples import QUIET
from tests.runtime.codex import PatientCodex
from tests.runtime.rig import BEGIN, Rig, Screen, rawr, replayed

HOUR = 3_600_000
PATIENT = replace(QUIET, full_auto=FullAuto(stall_seconds=24 * 3600))
DAY = 24 * HOUR


async def in_a_turn(it: Rig, codex: PatientCodex) -> None:
    """A run with an hour to spend is at work."""
    await it.opened()
    order = Order(goal="Build it.", budgets=Budgets(turns=9, minutes=60))
    await it.told(facts.RunSubmitted(order=order))
    codex.last(StartTurn).done("T1")
    await it.told(facts.TurnStarted(turn="T1"))


def minutes(it: Rig) -> int:
    run = it.state().run
    assert run is not None
    return run.used(it.clock.now_ms()) // 60_000


async def test_an_hour_of_work_is_an_hour_whatever_the_clock_is_set_to(tmp_path: Path) -> None:
    """C5: forward 30 days does not end it, back 48 hours does not lengthen it; each jump is told once."""
    codex = PatientCodex()
    async with rawr(tmp_path, codex, policy=PATIENT) as it:
        await in_a_turn(it, codex)
        await it.clock.advance(20 * 60_000)
        await it.clock.set_date(30 * DAY)
        await it.rest()
        await it.told(facts.ItemStarted(turn="T1", item=_thinking()))
        assert minutes(it) == 20
        await it.clock.set_date(-2 * DAY)
        await it.told(facts.ItemStarted(turn="T1", item=_thinking()))
        assert minutes(it) == 20
        assert [one.fact.ms for one in _jumps(it)] == [30 * DAY, -2 * DAY]  # type: ignore[union-attr]
        assert [text for _, _, text in it.screen.notices if "clock" in text.lower()] != []
        await it.clock.advance(15 * 60_000)
        await it.rest()
        assert not any(isinstance(effect, InterruptTurn) for effect in codex.asked())
        await it.told(facts.ItemStarted(turn="T1", item=_thinking()))
        await it.clock.advance(26 * 60_000)
        await it.rest()
        assert any(isinstance(effect, InterruptTurn) for effect in codex.asked())
        assert "run.stopped.time" in it.reasons()
    replayed(tmp_path, policy=PATIENT)


def _thinking() -> Reasoning:
    return Reasoning(id="r")


def _jumps(it: Rig) -> list[facts.Recorded]:
    found = [one.recorded for one in it.screen.seen if isinstance(one.recorded.fact, facts.ClockJumped)]
    return [one for one in found if not one.thread]


async def test_what_follows_is_never_earlier_than_what_is_on_record(tmp_path: Path) -> None:
    """B10: the clock was set back by a day while no rawr ran."""
    codex, screen = stand_in("greet(); serve()"), Screen()
    async with Supervisor(codex, tmp_path, clock=VirtualClock(BEGIN + DAY)):
        pass
    async with Supervisor(codex, tmp_path, clock=VirtualClock(BEGIN), surface=screen) as it:
        await it.shown()
    with JournalReader.open(tmp_path) as reader:
        times = [one.at for one in reader.facts() if isinstance(one, facts.Recorded)]
    assert times == sorted(times)
    assert times[-1] >= BEGIN + DAY
    assert [text for _, _, text in screen.notices if "set back by 1 d" in text] != []

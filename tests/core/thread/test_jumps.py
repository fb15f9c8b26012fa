"""The clock is set, or the machine sleeps, in the middle of a run: what was used up is what was worked (C5, C12)."""

import pytest
from msgspec.structs import replace

from rawr.core.jumps import span, told
from rawr.core.run.ending import RETRY, STALL, TIME
from rawr.core.state.deadlines import Deadline
from rawr.core.state.host import HostState, Link, RateLimit
from rawr.core.state.sequence import Breaker
from rawr.core.thread.host import RESET
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify, SetDeadline
from rawr.core.vocabulary.order import Budgets
from tests.core.runs import STARTED, WAITING, Auto, in_a_turn, waiting_for
from tests.core.samples import AT, IDLE, Story, take_host

HOUR = 3_600_000
DAY = 24 * HOUR
BUDGET = Budgets(turns=9, minutes=60)


def jumps(story: Auto, ms: int) -> Auto:
    """As the clock has it: forward the time jumps along, back it goes on."""
    story.at += max(ms, 0)
    return story.tell(facts.ClockJumped(ms=ms), after=0)


def due(story: Story, name: str) -> int:
    """In how many milliseconds."""
    return next(one.at for one in story.state.deadlines if one.name == name) - story.at


@pytest.mark.parametrize("ms", [30 * DAY, 8 * HOUR, -2 * DAY, -60_000])
@pytest.mark.parametrize("what", WAITING)
def test_what_was_used_up_stays_as_it_is(what: str, ms: int) -> None:
    """C5: and every wait takes as long as it would have; only a limit's own date comes nearer or moves away."""
    story = waiting_for(what)  # type: ignore[arg-type]
    used = story.run.used(story.at)
    before = {one.name: one.at - story.at for one in story.state.deadlines}
    jumps(story, ms)
    assert story.run.used(story.at) == used
    assert story.run.active
    after = {one.name: one.at - story.at for one in story.state.deadlines}
    if what == "limit":
        assert after.pop(RETRY) == before.pop(RETRY) - ms
    assert after == before


def test_a_budget_of_minutes_is_neither_ended_nor_lengthened() -> None:
    """C5: forward 30 days, back 48 hours, and an hour of work is an hour of work."""
    story = in_a_turn(budgets=BUDGET)
    story.tell(facts.UsageUpdated(turn="T1", in_context=1, spent=1, window=None), after=1_800)
    for ms in (30 * DAY, -2 * DAY):
        jumps(story, ms)
    assert story.run.used(story.at) // 60_000 == 30
    assert due(story, TIME) // 60_000 in (29, 30)
    story.tell(facts.DeadlinePassed(name=TIME))
    assert (story.run.active, story.cuts) == (True, 0)
    story.at += due(story, TIME)
    story.tell(facts.DeadlinePassed(name=TIME))
    assert story.cuts == 1


def test_a_deadline_that_the_jump_woke_is_stale() -> None:
    """C5: the timer of a turn that is not quiet at all went off because the machine had slept."""
    story = in_a_turn()
    jumps(story, 8 * HOUR)
    story.tell(facts.DeadlinePassed(name=STALL), after=0)
    assert (story.cuts, story.newest.records[0].reason.value) == (0, "ignored.stale_deadline")
    assert [one.name for one in story.wanted(SetDeadline)].count(STALL) == 2


def test_a_breaker_stays_open_as_long_as_it_would_have() -> None:
    story = Auto(replace(IDLE, breaker=Breaker(1, AT + 900_000)))
    jumps(story, DAY)
    assert story.state.breaker.open_until - story.at == 900_000


def test_the_host_tells_of_it_once_and_keeps_the_servers_dates() -> None:
    limits = (RateLimit("codex", 100, AT // 1000 + 60, reached=True), RateLimit("other", 1, None, reached=False))
    state = HostState(links=(Link(),), rate_limits=limits, deadlines=(Deadline(RESET, AT + 61_000),))
    forward = take_host(state, facts.ClockJumped(ms=DAY))
    assert (forward.state, [type(one.effect) for one in forward.effects]) == (state, [Notify])
    back = take_host(state, facts.ClockJumped(ms=-DAY))
    assert back.state.rate_limits[0].resets_at == AT // 1000 + 60 + DAY // 1000
    assert back.state.deadlines == (Deadline(RESET, AT + 61_000 + DAY),)


@pytest.mark.parametrize(
    ("ms", "said"),
    [(5_000, "5 s"), (90_000, "1.5 min"), (2 * HOUR, "2 h"), (48 * HOUR, "2 d"), (30 * DAY, "30 d")],
)
def test_it_is_told_in_the_largest_unit(ms: int, said: str) -> None:
    assert span(ms) == said
    assert f"set back by {said}" in told(-ms)
    assert f"jumped {said} ahead" in told(ms)


def test_the_time_that_rawr_was_away_is_not_used_up() -> None:
    """C5, C13: killed in the evening and started again in the morning."""
    story = in_a_turn(budgets=BUDGET)
    alive = story.tell(facts.UsageUpdated(turn="T1", in_context=1, spent=1, window=None), after=600).at
    story.tell(replace(STARTED, last_at=alive), after=10 * 3600)
    assert (story.run.used_ms // 60_000, story.ended) == (10, ("paused", "run.paused.away"))


def test_a_clock_behind_the_record_shows_no_time_below_nothing() -> None:
    story = in_a_turn()
    assert story.run.used(story.at - 2 * DAY) == 0

"""What all requests carry, with rawr and without, and what that costs."""

from msgspec.structs import replace

from rawr.backtest.carrying import CACHED_PROMPTS, PACKET_WORDS, REPLY_WORDS, SUMMARY_WORDS
from rawr.backtest.context import HANDOFF, SUMMARY
from rawr.backtest.result import Carried, SessionResult
from rawr.backtest.summary import Cost, Tally
from rawr.backtest.threshold import NativeThreshold
from rawr.core.policy.full_auto import FullAuto
from tests.backtest.sessions import Session, backtest, policy
from tests.history.rollouts import compacted, event, used

FIRST = 20_000
LEFT = FIRST + SUMMARY + HANDOFF


def cached(tokens: int, hit: int) -> bytes:
    return used(tokens, cached=hit, output=100)


def test_without_a_compaction_both_are_the_record() -> None:
    session = Session().begin().add(cached(20_000, 0)).add(cached(30_000, 19_000)).end()
    found = session.tested()
    assert found.recorded == found.with_rawr == Carried(requests=2, input=49_800, cached=19_000, output=200)


def test_a_compaction_adds_three_requests_and_makes_the_later_ones_smaller() -> None:
    session = Session().begin().add(cached(FIRST, 0)).work(120_000, cached=19_000).commit("a").end()
    session.begin().add(cached(125_000, 119_000)).add(cached(130_000, 124_000)).end()
    found = session.tested()
    gone = 120_000 - LEFT
    before = Carried(2, FIRST - 100 + 120_000 - 10, 19_000, 110)
    assert found.recorded == Carried(
        4, before.input + 124_900 + 129_900, 19_000 + 119_000 + 124_000, before.output + 200
    )
    assert found.with_rawr == Carried(
        requests=4 + 3,
        # For the packet, for the summary, which sees the packet, and for the handoff.
        input=before.input + 2 * 120_000 + PACKET_WORDS + LEFT + 124_900 + 129_900 - 2 * gone,
        # After a compaction only the prompts are cached; then everything that was sent before is.
        cached=19_000 + 2 * 120_000 + CACHED_PROMPTS + (119_000 - gone) + (124_000 - gone),
        output=before.output + PACKET_WORDS + SUMMARY_WORDS + REPLY_WORDS + 200,
    )


def test_after_a_while_without_the_user_nothing_is_cached() -> None:
    session = Session().begin().add(cached(FIRST, 0)).patch().work(120_000, cached=19_000).end()
    session.seconds += 9_000
    found = session.begin().add(cached(125_000, 0)).end().tested()
    assert [one.kinds for one in found.would_compact] == [("idle",)]
    expected = 19_000 + CACHED_PROMPTS + 120_000 + CACHED_PROMPTS
    assert found.with_rawr.cached == expected, "for the packet only the prompts are, and the summary follows on it"


def test_after_a_compaction_of_the_record_alone_it_carries_more() -> None:
    """With rawr that one does not happen, and what Codex dropped there is still carried. Its price is the record's."""
    session = Session().turn_of(FIRST, 120_000, commit="a").begin().work(200_000).work(235_000)
    session.add(*compacted(), used(9_000, output=9_000)).work(21_000).work(22_000).end()
    found = session.tested()
    with_rawr = LEFT + 235_000 - 120_000
    assert found.would_compact[0].tokens_after == LEFT
    assert len(found.would_compact) == 1
    requests = 120_000 + 120_000 + PACKET_WORDS + LEFT
    assert found.recorded.requests == 6 + 1
    assert found.with_rawr.input == (
        sum((FIRST, 120_000))
        - 20
        + requests
        + (LEFT + 80_000 - 10)
        + (with_rawr - 10)
        + (with_rawr - 10)
        + (with_rawr + 1_000 - 10)
    )


def test_codexs_own_compaction_has_its_price_too() -> None:
    """The request for the summary is in no report; that the cache was cold afterwards is in the next one."""
    session = Session().begin().add(cached(FIRST, 0)).add(cached(235_000, 19_000))
    session.add(*compacted(), used(9_000, output=9_000)).add(cached(22_000, 10_000)).end()
    found = session.tested(policy(enabled=False))
    assert found.recorded == found.with_rawr
    calls = Carried(3, 20_000 + 235_000 + 22_000 - 300, 19_000 + 10_000, 300)
    assert found.recorded == Carried(
        requests=calls.requests + 1,
        input=calls.input + 235_000,
        cached=calls.cached + 235_000,
        output=calls.output + SUMMARY_WORDS,
    )


def test_a_summary_that_was_reported_is_paid_once() -> None:
    session = Session().begin().add(cached(FIRST, 0)).work(235_000)
    session.add(used(236_000, cached=234_000), *compacted("So far."), used(9_000, output=9_000)).work(22_000).end()
    assert session.tested(policy(enabled=False)).recorded.requests == 4


def test_with_a_cold_cache_in_the_record_it_is_cold_with_rawr_too() -> None:
    """The user was away: what counts is how much has to be read again."""
    session = Session().begin().add(cached(FIRST, 0)).work(120_000, cached=19_000).commit("a").end()
    session.begin().add(cached(125_000, 10_000)).end()
    found = session.tested()
    assert found.with_rawr.cached - (19_000 + 2 * 120_000 + CACHED_PROMPTS) == 10_000


def test_where_nothing_is_ever_cached_rawrs_requests_are_not_either() -> None:
    found = Session().turn_of(FIRST, 120_000, commit="a").turn_of(125_000).tested()
    assert len(found.would_compact) == 1
    assert found.with_rawr.cached == 0


def test_codexs_own_threshold_costs_one_request_and_a_cold_cache() -> None:
    """At a turn's end above so many percent of the window, and nowhere else: no packet, no handoff, no boundary."""
    session = Session().begin().add(cached(FIRST, 0)).add(cached(186_000, 19_000)).commit("a").end()
    session.begin().add(cached(190_000, 185_000)).add(cached(191_000, 189_000)).end()
    found = backtest(session.lines, NativeThreshold(70))
    [one] = found.would_compact
    assert (one.turn, one.place, one.reason, one.kinds) == (1, "turn_end", "codex.threshold", ("turn_complete",))
    assert (one.tokens, one.tokens_after) == (186_000, FIRST + SUMMARY)
    gone = 186_000 - (FIRST + SUMMARY)
    assert found.with_rawr == Carried(
        requests=5,
        input=found.recorded.input + 186_000 - 2 * gone,
        cached=19_000 + 186_000 + CACHED_PROMPTS + (189_000 - gone),
        output=400 + SUMMARY_WORDS,
    )
    assert backtest(session.lines, NativeThreshold(80)).would_compact == ()


def test_codexs_own_threshold_is_for_turns_that_ended_well() -> None:
    """Codex leaves out those that were cut off, and rawr has no say in it."""
    session = Session().begin().work(FIRST).work(230_000)
    lines = [*session.lines, event("turn_aborted", turn_id="T1", reason="interrupted")]
    assert backtest(lines, NativeThreshold(50)).would_compact == ()


def test_the_same_report_again_is_no_request() -> None:
    session = Session().begin().add(used(FIRST), used(FIRST), used(FIRST)).end()
    assert session.tested().recorded.requests == 1


def totals(one: SessionResult, prices: FullAuto) -> tuple[Cost | None, Cost | None, str]:
    tally = Tally(prices)
    tally.add(one)
    total = tally.total()
    return total.cost_cached, total.cost_uncached, total.cost_unit


ONE = SessionResult(
    file="a", recorded=Carried(10, 2_000_000, 1_000_000, 10_000), with_rawr=Carried(13, 1_500_000, 500_000, 20_000)
)


def test_without_prices_a_cached_token_is_a_tenth_of_a_fresh_one_and_a_written_one_eight() -> None:
    assert totals(ONE, FullAuto()) == (Cost(1_180_000, 1_210_000), Cost(2_080_000, 1_660_000), "tokens")


def test_with_prices_it_is_your_currency_per_million_tokens() -> None:
    prices = replace(policy().full_auto, price_input=2_000_000, price_cached=500_000, price_output=10_000_000)
    assert totals(ONE, prices) == (
        Cost(2.0 + 0.5 + 0.1, 2.0 + 0.25 + 0.2),
        Cost(4.0 + 0.1, 3.0 + 0.2),
        "currency",
    )

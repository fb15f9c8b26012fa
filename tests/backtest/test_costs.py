"""What all requests carry, with rawr and without, and what that costs."""

from msgspec.structs import replace

from rawr.backtest.carrying import PACKET_WORDS
from rawr.backtest.result import Carried, SessionResult
from rawr.backtest.summary import Cost, Tally
from rawr.core.policy.full_auto import FullAuto
from tests.backtest.sessions import Session, policy
from tests.history.rollouts import compacted, used

FIRST = 20_000
LEFT = 23_000


def cached(tokens: int, hit: int) -> bytes:
    return used(tokens, cached=hit, output=100)


def test_without_a_compaction_both_are_the_record() -> None:
    session = Session().begin().add(cached(20_000, 0)).add(cached(30_000, 19_000)).end()
    found = session.tested()
    assert found.recorded == found.with_rawr == Carried(requests=2, input=49_800, cached=19_000, output=200)


def test_a_compaction_adds_three_requests_and_makes_the_later_ones_smaller() -> None:
    session = Session().begin().add(cached(FIRST, 0)).work(120_000).commit("a").end()
    session.begin().add(cached(125_000, 119_000)).add(cached(130_000, 124_000)).end()
    found = session.tested()
    gone = 120_000 - LEFT
    before = Carried(2, FIRST - 100 + 120_000 - 10, 0, 110)
    assert found.recorded == Carried(4, before.input + 124_900 + 129_900, 119_000 + 124_000, before.output + 200)
    assert found.with_rawr == Carried(
        requests=4 + 3,
        input=before.input + 2 * 120_000 + LEFT + 124_900 + 129_900 - 2 * gone,
        # The cache is cold after a compaction; then everything that was sent before is in it.
        cached=2 * 120_000 + 0 + 124_000 - gone,
        output=before.output + 2 * PACKET_WORDS + PACKET_WORDS // 10 + 200,
    )


def test_after_a_while_without_the_user_nothing_is_cached() -> None:
    session = Session().begin().add(cached(FIRST, 0)).work(120_000).end()
    session.seconds += 9_000
    found = session.begin().add(cached(125_000, 0)).end().tested()
    assert [one.kinds for one in found.would_compact] == [("idle",)]
    assert found.with_rawr.cached == 120_000, "only the summary follows on something"


def test_after_a_compaction_of_the_record_alone_it_carries_more() -> None:
    """With rawr that one does not happen, and what Codex dropped there is still carried."""
    session = Session().turn_of(FIRST, 120_000, commit="a").begin().work(200_000).work(235_000)
    session.add(*compacted(), used(9_000, output=9_000)).work(21_000).work(22_000).end()
    found = session.tested()
    with_rawr = LEFT + 235_000 - 120_000
    assert found.would_compact[0].tokens_after == LEFT
    assert len(found.would_compact) == 1
    requests = 120_000 + 120_000 + LEFT
    assert found.with_rawr.input == (
        sum((FIRST, 120_000))
        - 20
        + requests
        + (LEFT + 80_000 - 10)
        + (with_rawr - 10)
        + (with_rawr - 10)
        + (with_rawr + 1_000 - 10)
    )


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


def test_without_prices_the_unit_is_a_fresh_token_and_a_cached_one_a_tenth_of_it() -> None:
    assert totals(ONE, FullAuto()) == (Cost(1_100_000, 1_050_000), Cost(2_000_000, 1_500_000), "tokens")


def test_with_prices_it_is_your_currency_per_million_tokens() -> None:
    prices = replace(policy().full_auto, price_input=2_000_000, price_cached=500_000, price_output=10_000_000)
    assert totals(ONE, prices) == (
        Cost(2.0 + 0.5 + 0.1, 2.0 + 0.25 + 0.2),
        Cost(4.0 + 0.1, 3.0 + 0.2),
        "currency",
    )

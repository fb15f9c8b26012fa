"""Where a moment is on the axis: in order, and with long silences shortened."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.pages.parts.scale import APART, HOUR, MINUTE, WIDTH, Scale

MOMENTS = st.lists(st.integers(0, 400 * 24 * HOUR), min_size=1, max_size=60)


@given(MOMENTS)
def test_moments_stay_in_order_and_on_the_axis(times: list[int]) -> None:
    scale = Scale(times)
    places = [scale.x(at) for at in sorted(times)]
    assert places == sorted(places)
    assert all(0 <= x <= 100 for x in places)
    assert (scale.x(scale.began), scale.x(scale.ended)) == (0, 100)
    ticks = [one.x for one in scale.ticks()]
    assert len(ticks) <= 7
    assert all(other - one >= APART for one, other in pairwise(ticks))


def test_a_night_of_silence_takes_little_room() -> None:
    work = [at * MINUTE for at in range(60)]
    later = [at + 10 * HOUR for at in work]
    scale = Scale([*work, *later])
    (silence,) = scale.silences
    assert (silence.began, silence.ended) == (work[-1], later[0])
    assert scale.x(later[0]) - scale.x(work[-1]) == pytest.approx(WIDTH, abs=0.02)
    assert scale.x(work[-1]) == pytest.approx((100 - WIDTH) / 2, abs=0.02)


def test_silences_as_long_as_the_work_between_them_are_part_of_it() -> None:
    """Calls an hour apart are no silence: it is how the session went."""
    assert Scale([at * HOUR for at in range(24)]).silences == ()


@pytest.mark.parametrize("times", [[], [5], [5, 5]])
def test_one_moment(times: list[int]) -> None:
    scale = Scale(times)
    assert (scale.x(scale.began), scale.silences) == (0, ())


def test_a_clock_that_jumped_by_ages() -> None:
    """One moment that no calendar has, far from all others."""
    scale = Scale([0, 1_000, 5_000, 10**20])
    assert scale.label(10**20) == f"{10**20} ms"
    assert next(one.x for one in scale.ticks()) == 0
    assert (scale.x(5_000) > 90, scale.x(10**20)) == (True, 100)

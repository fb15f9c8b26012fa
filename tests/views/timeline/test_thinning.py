"""Lists that stay bounded, and what they keep."""

from hypothesis import given
from hypothesis import strategies as st

from rawr.views.timeline.thinning import Newest, Sampled, Thinned, extremes, notable


@given(st.lists(st.integers(0, 1_000), max_size=400), st.integers(8, 60))
def test_a_line_keeps_its_ends_and_its_extremes(values: list[int], most: int) -> None:
    thinned: Thinned[tuple[int, int]] = Thinned(most, extremes(lambda one: one[1]))
    for entry in enumerate(values):
        thinned.add(entry)
    kept = list(thinned)
    assert kept == sorted(kept)
    assert len(kept) <= most
    assert thinned.left_out == len(values) - len(kept)
    if values:
        assert (kept[0], kept[-1]) == ((0, values[0]), (len(values) - 1, values[-1]))
        assert {max(values), min(values)} <= {value for _, value in kept}


def test_it_is_thin_evenly() -> None:
    """The beginning of a long run is as visible as its end."""
    thinned: Thinned[int] = Thinned(200, extremes(lambda one: one % 7))
    for number in range(100_000):
        thinned.add(number)
    tenths = [sum(number // 10_000 == tenth for number in thinned) for tenth in range(10)]
    assert min(tenths) * 2 >= max(tenths) > 5, tenths


def test_what_ranks_high_stays() -> None:
    thinned: Thinned[int] = Thinned(16, notable(lambda one: one % 50 == 7))
    for number in range(300):
        thinned.add(number)
    assert {7, 57, 107, 157, 207, 257} <= set(thinned)


def test_the_first_and_the_newest_of_each_kind() -> None:
    sampled: Sampled[str] = Sampled(first=2, newest=1)
    for number in range(6):
        sampled.add("a", f"a{number}")
    sampled.add("b", "b0")
    assert sampled.kept == ("a0", "a1", "a5", "b0")
    assert (sampled.counts, sampled.left_out) == ({"a": 6, "b": 1}, 3)


def test_the_newest_of_each_name() -> None:
    newest: Newest[int] = Newest(2)
    for name, number in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        newest.add(name, number)
    assert (list(newest), newest.count, newest.left_out) == ([3, 4], 3, 1)
    newest.drop("a")
    assert (list(newest), newest.count) == ([4], 2)

"""Where Codex compacts by itself, and how soon a turn gets there (A19)."""

from hypothesis import given
from hypothesis import strategies as st

from rawr.core.compaction.room import grown_by
from rawr.core.kernel import Kernel
from rawr.core.vocabulary import facts

THREAD = "t"
WINDOW = 1_000_000


def at_work() -> Kernel:
    kernel = Kernel()
    kernel.take(THREAD, facts.ThreadOpened(cwd="/"), at=1)
    kernel.take(THREAD, facts.TurnStarted(turn="T1"), at=2)
    return kernel


def report(held: int) -> facts.UsageUpdated:
    return facts.UsageUpdated(turn="T1", in_context=held, spent=held, window=WINDOW)


@given(st.lists(st.integers(min_value=1, max_value=200_000), min_size=1, max_size=20), st.integers(0, 3))
def test_reports_far_from_the_limit_change_the_same_together_as_one_by_one(reports: list[int], before: int) -> None:
    told, together = at_work(), at_work()
    for held in reports:
        told.take(THREAD, report(held), at=3)
    known, rest = reports[:before], reports[before:]
    for held in known:
        together.take(THREAD, report(held), at=3)
    if rest:
        together.threads[THREAD] = grown_by(together.threads[THREAD], rest, report(rest[-1]))
    assert together.threads[THREAD] == told.threads[THREAD]

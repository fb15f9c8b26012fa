"""What a compaction gained, and the breaker that keeps useless ones from being repeated (A20)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.compaction import breaker as gain
from rawr.core.draft import Step, ThreadDraft
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Breaker
from rawr.core.state.thread import ThreadState, Usage
from rawr.core.vocabulary.effects import Notify, StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import AT, IDLE, PACKET, SEQ, Story, decided, do, why, worked

WINDOW = 200_000
RULES = Policy(compaction=AutoCompaction(min_gain_percent=10, breaker_seconds=900))
GAVE_UP = Notify(
    level="warning",
    text="[rawr] 2 compactions in a row gained nothing; rawr will not compact this thread again.",
)


def after(tokens: int | None, breaker: Breaker = Breaker()) -> ThreadDraft:  # noqa: B008 - a frozen value
    usage = None if tokens is None else Usage(tokens, tokens, WINDOW)
    return ThreadDraft(replace(IDLE, usage=usage, breaker=breaker), SEQ, AT, RULES)


def opened(failures: int) -> Breaker:
    return Breaker(failures, AT + 900_000 * failures, stopped=failures >= 2)


@pytest.mark.parametrize(("before", "tokens"), [(120_000, 20_000), (40_000, 20_000)])
def test_a_compaction_that_gained_leaves_the_breaker_closed(before: int, tokens: int) -> None:
    """A20: a tenth of the window is enough."""
    draft = after(tokens, opened(1))
    gain.account(draft, before)
    assert draft.finish() == Step(replace(draft.state, breaker=Breaker()))


@pytest.mark.parametrize(
    ("before", "tokens", "percent"), [(39_999, 20_000, 9), (20_000, 20_000, 0), (20_000, 30_000, -5)]
)
def test_one_that_gained_too_little_opens_it(before: int, tokens: int, percent: int) -> None:
    """A20: with back-off, and without a word: it may have been chance."""
    draft = after(tokens)
    gain.account(draft, before)
    assert draft.state.breaker == opened(1)
    record = why(Reason.GAIN_OPENED_BREAKER, why=f"it freed {percent} % of the window", failures=1, stopped=False)
    assert draft.finish() == Step(draft.state, (), (record,))


def test_two_in_a_row_stop_it_and_say_so() -> None:
    """A20: with a clear notice."""
    draft = after(20_000, opened(1))
    gain.account(draft, 20_000)
    assert draft.state.breaker == opened(2)
    record = why(Reason.GAIN_OPENED_BREAKER, why="it freed 0 % of the window", failures=2, stopped=True)
    assert draft.finish() == Step(draft.state, (do(GAVE_UP),), (record,))


def test_a_failure_counts_like_one_without_gain() -> None:
    draft = after(None)
    gain.failed(draft)
    assert draft.state.breaker == opened(1)
    record = why(Reason.GAIN_OPENED_BREAKER, why="it failed", failures=1, stopped=False)
    assert draft.finish() == Step(draft.state, (), (record,))


@pytest.mark.parametrize(
    ("usage", "before"),
    [(None, 90_000), (Usage(20_000, 20_000, None), 90_000), (Usage(90_000, 90_000, WINDOW), None)],
)
def test_where_it_is_not_known_nothing_is_held_against_it(usage: Usage | None, before: int | None) -> None:
    state = replace(IDLE, usage=usage, breaker=opened(1))
    draft = ThreadDraft(state, SEQ, AT, RULES)
    gain.account(draft, before)
    assert draft.finish() == Step(state)


@given(st.lists(st.sampled_from(["gained", "little", "failed"]), max_size=8))
def test_only_two_in_a_row_stop_it(outcomes: list[str]) -> None:
    """A20: a good one in between starts the count again."""
    draft = after(20_000)
    for outcome in outcomes:
        if outcome == "failed":
            gain.failed(draft)
        else:
            gain.account(draft, 120_000 if outcome == "gained" else 21_000)
    run = next((n for n, outcome in enumerate(reversed(outcomes)) if outcome == "gained"), len(outcomes))
    assert (draft.state.breaker.failures, draft.state.breaker.stopped) == (run, run >= 2)


@pytest.mark.parametrize(("tokens", "percent"), [(None, None), (12_000, 100), (200_000, 0), (106_000, 50)])
def test_percent_is_codexs_own(tokens: int | None, percent: int | None) -> None:
    """A4: one definition everywhere."""
    assert gain.percent(after(tokens).state) == percent


# -- on a thread ----------------------------------------------------------------------------------------------------


NO_COOLDOWN = Policy(compaction=AutoCompaction(cooldown_turns=0, cooldown_seconds=0), watch_repositories=False)


def useless(story: Story) -> Story:
    """The sequence that has begun runs to its end, and the context is as full as before."""
    assert story.state.usage is not None
    story.answers("H", PACKET).compacts(tokens=story.state.usage.in_context)
    return story.begin("G", story.wanted(StartTurn)[-1].text, ours=True).says("G", "On I go.").end("G")


def next_turn(state: ThreadState, *, later: int = 0, tokens: int) -> Story:
    """Another turn of work with a boundary, so many seconds later."""
    story = Story(replace(state, ended=()), policy=NO_COOLDOWN)
    story.at = AT + later * 1000
    return worked(story, tokens=tokens)


def test_the_thread_is_left_alone_for_a_while() -> None:
    """A20: back-off after a useless compaction, and then another try."""
    once = useless(decided(policy=NO_COOLDOWN)).state
    assert next_turn(once, later=60, tokens=150_000).reasons()[-1] is Reason.COMPACT_DEFERRED_BREAKER
    assert next_turn(once, later=3600, tokens=150_000).state.sequence is not None


@pytest.mark.parametrize("tokens", [200_000, 240_000])
def test_after_two_it_is_left_alone_for_good(tokens: int) -> None:
    """A20: in an emergency too; otherwise it would go on for ever."""
    once = useless(decided(policy=NO_COOLDOWN)).state
    twice = useless(next_turn(once, later=3600, tokens=150_000))
    assert twice.wanted(Notify)[-1] == GAVE_UP
    third = next_turn(twice.state, later=7 * 86_400, tokens=tokens)
    assert third.reasons()[-1] is Reason.COMPACT_STOPPED_BREAKER
    assert (third.state.sequence, third.wanted(StartTurn)) == (None, [])

"""How a run comes to rest: its budgets, and whoever is told (C6, C13)."""

import pytest
from msgspec.structs import replace

from rawr.core.run.ending import TIME
from rawr.core.state.deadlines import Deadline
from rawr.core.state.run import Waiting
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import InterruptTurn, Notify, StartCompaction
from rawr.core.vocabulary.order import Budgets, Order
from tests.core.runs import DONE, GOAL, RESUME, SPOKEN, Auto, in_a_sequence, in_a_turn, ordered, rules, waiting_for
from tests.core.samples import WINDOW

# -- budgets --------------------------------------------------------------------------------------------------------


def test_a_budget_of_turns_ends_the_run_at_a_turns_end() -> None:
    """C5."""
    story = ordered(budgets=Budgets(turns=2)).works("T1", commands=("a",)).works("T2", commands=("b",))
    assert story.ended == ("stopped", "run.stopped.turns")
    assert (story.cuts, len(story.sent)) == (0, 2)


def test_what_is_finished_with_the_last_turn_is_done() -> None:
    """C5, C7."""
    story = ordered(budgets=Budgets(turns=1), done="make check").works("T1", DONE).checks(0)
    assert story.ended == ("done", "run.done.checked")
    story = ordered(budgets=Budgets(turns=1), done="make check").works("T1", DONE).checks(1)
    assert story.ended == ("stopped", "run.stopped.turns")


def test_a_budget_of_tokens_is_kept_in_the_middle_of_a_turn() -> None:
    """C5: it is exceeded by no more than the model call that is running."""
    story = in_a_turn(budgets=Budgets(tokens=30_000))
    story.uses("T1", 20_000)
    assert story.cuts == 0
    story.uses("T1", 31_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]
    story.end("T1", "interrupted")
    assert story.state.queue == ()
    assert (story.ended, story.run.tokens) == (("stopped", "run.stopped.tokens"), 31_000)


def test_tokens_of_before_the_run_do_not_count() -> None:
    """C5."""
    state = Auto().tell(facts.UsageUpdated(turn="X", in_context=90_000, spent=90_000, window=WINDOW)).state
    story = Auto(state).tell(facts.RunSubmitted(order=Order(goal=GOAL, budgets=Budgets(tokens=50_000))))
    story.begin("T1", GOAL, ours=True).uses("T1", 100_000)
    assert (story.run.tokens, story.cuts) == (10_000, 0)


def test_a_budget_of_money_needs_prices_and_counts_what_was_cached() -> None:
    """C5."""
    prices = rules(price_input=2_000_000, price_cached=200_000, price_output=8_000_000)
    story = in_a_turn(policy=prices, budgets=Budgets(cost=100_000))
    used = facts.UsageUpdated(
        turn="T1", in_context=41_000, spent=41_000, window=WINDOW, cached_input=10_000, output=1_000
    )
    story.tell(used)
    assert (story.run.cost, story.cuts) == (30_000 * 2 + 2_000 + 8_000, 0)
    story.tell(replace(used, spent=82_000))
    assert story.cuts == 1
    story.end("T1", "interrupted")
    assert story.ended == ("stopped", "run.stopped.cost")


def test_a_budget_of_minutes_ends_the_turn_that_runs() -> None:
    """C5."""
    story = in_a_turn(budgets=Budgets(minutes=1))
    story.tell(facts.DeadlinePassed(name=TIME), after=60)
    assert story.cuts == 1
    story.end("T1", "interrupted")
    assert story.ended == ("stopped", "run.stopped.time")
    assert story.state.deadlines == ()


@pytest.mark.parametrize("what", ["slot", "retry", "limit"])
def test_a_budget_of_minutes_ends_a_wait(what: Waiting) -> None:
    """C5: and a message of the user's that waited behind it goes out."""
    story = waiting_for(what)
    assert story.state.run is not None
    order = replace(story.run.order, budgets=Budgets(minutes=1))
    story.state = replace(story.state, run=replace(story.run, order=order))
    story.tell(SPOKEN)
    story.slots = False
    story.state = replace(story.state, deadlines=(*story.state.deadlines, Deadline(TIME, story.at)))
    story.tell(facts.DeadlinePassed(name=TIME), after=60)
    assert story.ended == ("stopped", "run.stopped.time")
    assert story.sent[-1] == "And mind the docs."


def test_a_budget_is_kept_in_the_middle_of_a_sequence() -> None:
    """C5: until there is a packet the sequence is given up; nothing was compacted."""
    story = in_a_sequence(budgets=Budgets(tokens=110_000))
    story.begin("H", story.sent[-1], ours=True).uses("H", 111_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="H")]
    story.end("H", "interrupted")
    assert story.ended == ("stopped", "run.stopped.tokens")
    assert (story.state.sequence, story.wanted(StartCompaction)) == (None, [])


def test_a_budget_that_is_used_up_stays_used_up() -> None:
    """C5, C13: resumed without a larger one, the run does not have another turn."""
    story = ordered(budgets=Budgets(turns=1)).works("T1").tell(RESUME)
    assert (story.ended, len(story.sent)) == (("stopped", "run.stopped.turns"), 1)
    story.tell(facts.RunResumed(budgets=Budgets(turns=5)))
    assert (story.run.status, len(story.sent)) == ("running", 2)


def test_a_budget_is_kept_although_messages_wait() -> None:
    """C5: the user's message is theirs and goes out, outside of the run."""
    story = in_a_turn(budgets=Budgets(turns=1)).tell(SPOKEN)
    story.says("T1", "On.").end("T1")
    assert story.ended == ("stopped", "run.stopped.turns")
    assert story.sent[-1] == "And mind the docs."


# -- whoever is told --------------------------------------------------------------------------------------------------


def test_an_end_is_told_to_whoever_watches() -> None:
    """C18."""
    story = ordered().works("T1", DONE)
    assert story.wanted(Notify)[-1] == Notify(
        level="info",
        text="[rawr] the run is done: The agent says the job is done; nothing checked it.",
    )

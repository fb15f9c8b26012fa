"""How a run comes to rest: its budgets, and whoever is told (C6, C13)."""

from typing import Literal

import pytest
from msgspec.structs import replace

from rawr.core.run.ending import TIME
from rawr.core.state.deadlines import Deadline
from rawr.core.state.run import Waiting
from rawr.core.thread import spoken
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import InterruptTurn, Notify, StartCompaction
from rawr.core.vocabulary.order import Budgets, Order
from tests.core.runs import (
    BACK,
    DONE,
    GOAL,
    JOINED,
    RESUME,
    SPOKEN,
    Auto,
    in_a_sequence,
    in_a_turn,
    ordered,
    rules,
    waiting_for,
)
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
    """C5: and a message of the user's that waited behind it waits for the run to be resumed."""
    story = waiting_for(what)
    assert story.state.run is not None
    order = replace(story.run.order, budgets=Budgets(minutes=1))
    story.state = replace(story.state, run=replace(story.run, order=order))
    story.tell(SPOKEN)
    story.slots = False
    story.state = replace(story.state, deadlines=(*story.state.deadlines, Deadline(TIME, story.at)))
    story.tell(facts.DeadlinePassed(name=TIME), after=60)
    assert story.ended == ("stopped", "run.stopped.time")
    assert (WORDS in story.sent, waits(story)) == (False, (WORDS,))


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
    """C5: nothing is sent past a budget."""
    story = in_a_turn(budgets=Budgets(turns=1)).tell(SPOKEN)
    story.says("T1", "On.").end("T1")
    assert story.ended == ("stopped", "run.stopped.turns")
    assert (WORDS in story.sent, waits(story)) == (False, (WORDS,))


# -- while it rests ---------------------------------------------------------------------------------------------------

WORDS = "And mind the docs."


def waits(story: Auto) -> tuple[str, ...]:
    return tuple(one.text for one in spoken.held_back(story.state))


def at_rest(how: facts.RunPauseSubmitted | facts.RunStopSubmitted) -> Auto:
    """Something was said to a run, which was told to rest before it could be sent."""
    story = in_a_turn()
    story.tell(SPOKEN, how).end("T1", "interrupted")
    return story


@pytest.mark.parametrize("how", [facts.RunPauseSubmitted(now=True), facts.RunStopSubmitted()])
def test_nothing_is_sent_while_it_rests(how: facts.RunPauseSubmitted | facts.RunStopSubmitted) -> None:
    """C13: not when the connection is lost and back, and not when another rawr starts."""
    story = at_rest(how)
    sent = len(story.sent)
    assert (story.run.active, waits(story)) == (False, (WORDS,))
    assert WORDS in story.wanted(Notify)[-1].text
    story.tell(facts.ServerLost(epoch=1, problem="gone"), BACK, JOINED)
    assert (len(story.sent), waits(story)) == (sent, (WORDS,))
    story.tell(facts.RuntimeStarted(version="0", policy=""), BACK)
    assert (len(story.sent), waits(story), story.state.in_touch) == (sent, (WORDS,), False)


def test_what_waits_is_sent_when_it_is_resumed() -> None:
    """A15, C13: first, and once."""
    story = at_rest(facts.RunStopSubmitted())
    story.slots = True
    story.tell(RESUME)
    assert (story.sent[-1], story.sent.count(WORDS), waits(story)) == (WORDS, 1, ())


def test_what_waits_is_dropped_by_choice() -> None:
    """C13: with a receipt."""
    story = at_rest(facts.RunStopSubmitted())
    story.slots = True
    story.tell(facts.RunResumed(drop=True))
    assert (WORDS in story.sent, story.run.status) == (False, "running")
    assert "turn.dropped.run" in story.reasons()


def test_what_was_said_to_an_earlier_run_goes_out_with_the_next() -> None:
    """A15: it is a person's, and nobody dropped it."""
    story = at_rest(facts.RunStopSubmitted())
    story.slots = True
    story.tell(facts.RunSubmitted(order=Order(goal="Something else.")))
    assert (story.run.status, story.sent[-1], waits(story)) == ("running", WORDS, ())


def test_a_new_run_may_drop_it() -> None:
    """C13: what was said to an earlier run may make no sense to this one."""
    story = at_rest(facts.RunStopSubmitted())
    story.slots = True
    story.tell(facts.RunSubmitted(order=Order(goal="Something else."), drop=True))
    assert (story.sent[-1], WORDS in story.sent, waits(story)) == ("Something else.", False, ())
    assert "turn.dropped.run" in story.reasons()


@pytest.mark.parametrize(("how", "left"), [("closed", (WORDS,)), ("archived", (WORDS,)), ("deleted", ())])
def test_what_waits_outlives_a_thread_that_is_closed(
    how: Literal["closed", "archived", "deleted"], left: tuple[str, ...]
) -> None:
    """A15: it may be opened again, unless it is gone for good; then the person is told."""
    story = in_a_turn().tell(SPOKEN, facts.ThreadClosed(how=how))
    assert (waits(story), "turn.failed.closed" in story.reasons()) == (left, how == "deleted")
    assert story.run.active is False


def test_what_waits_outlives_a_resume_that_codex_refuses() -> None:
    """A15, C13: another Codex may have the thread open."""
    story = at_rest(facts.RunStopSubmitted())
    story.tell(facts.ServerLost(epoch=1, problem="gone"), facts.RuntimeStarted(version="0", policy=""), BACK, RESUME)
    story.tell(facts.EffectFailed(effect=story.state.resuming, problem="it has an active writer", code="refused"))
    assert (story.run.status, waits(story)) == ("failed", (WORDS,))
    story.slots = True
    story.tell(RESUME, JOINED)
    assert (story.sent[-1], waits(story)) == (WORDS, ())


def test_what_is_said_after_that_is_a_message_like_any_other() -> None:
    """A15."""
    story = at_rest(facts.RunStopSubmitted()).tell(facts.UserSubmitted(text="What did you do?"))
    assert (story.sent[-1], waits(story), story.run.active) == ("What did you do?", (WORDS,), False)


def test_a_pause_that_is_asked_for_shows() -> None:
    """C13, C18."""
    story = in_a_turn()
    shown = [story.run.about_to]
    for asked in (facts.RunPauseSubmitted(), facts.RunStopSubmitted()):
        story.tell(asked)
        shown.append(story.run.about_to)
    assert (shown, story.run.active) == (["", "pause", "stop"], True)


# -- whoever is told --------------------------------------------------------------------------------------------------


def test_an_end_is_told_to_whoever_watches() -> None:
    """C18."""
    story = ordered().works("T1", DONE)
    assert story.wanted(Notify)[-1] == Notify(
        level="info",
        text="[rawr] the run is done: The agent says the job is done; nothing checked it.",
    )


def test_a_pause_can_be_taken_back() -> None:
    """C13: as long as nothing has come of it."""
    story = in_a_turn().tell(facts.RunPauseSubmitted())
    story.tell(RESUME)
    assert (story.run.about_to, story.run.active, story.reasons()[-1]) == ("", True, "run.resumed.submitted")
    story.says("T1", "On I go.").end("T1")
    assert (story.run.active, len(story.sent)) == (True, 2)


def test_an_override_in_a_turn_waits_for_its_end_and_for_nothing_else() -> None:
    """C18: the run has its slot."""
    story = in_a_turn().tell(facts.RunOverridden(text="Use tabs."))
    assert (story.run.waiting, story.sent[1:]) == ("turn", [])
    story.says("T1", "On I go.").end("T1")
    assert story.sent[1:] == ["Use tabs."]

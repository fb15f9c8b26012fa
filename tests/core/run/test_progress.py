"""What a turn came to, and whether anything advances (C2, C6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.run.progress import circles, same_problem, seen_first, standstill, summarise, work_digest
from rawr.core.state.ledger import Commit, Failure, Ledger, Touched
from rawr.core.state.run import Run, TurnSummary
from rawr.core.state.thread import Diff, Plan, ThreadState
from rawr.core.state.turn import TurnOutcome
from rawr.core.vocabulary.facts import FileDelta, PlanStep, Problem
from rawr.core.vocabulary.order import Order
from tests.core.samples import AT, IDLE

TURN = TurnOutcome("T", "completed", AT)
READ = TurnSummary("T", "completed", work="w", actions="a", commands=1)
SAID = TurnSummary("T", "completed", work="w", actions="")


def run(*history: TurnSummary) -> Run:
    return Run("r1", Order(goal="g"), "running", AT, AT, history=history)


# -- the summary ----------------------------------------------------------------------------------------------------


def test_a_summary_holds_what_a_decision_needs() -> None:
    """C2: from items, plan, diff, errors and usage."""
    plan = Plan((PlanStep("a", "completed"), PlanStep("b", "pending")))
    state = replace(IDLE, plan=plan, compaction_count=2)
    turn = replace(TURN, commands=2, commands_failed=0, files=("x", "y"), tools=1, agent_text="So far, so good.")
    summary = summarise(state, turn, tokens=70)
    assert summary == TurnSummary(
        turn="T",
        status="completed",
        work=work_digest(state),
        actions=summary.actions,
        commands=2,
        files=2,
        tools=1,
        plan_done=1,
        plan_steps=2,
        tokens=70,
        compactions=2,
        said="So far, so good.",
    )


def test_the_problem_is_the_turns_own_or_what_its_newest_command_said() -> None:
    """C6."""
    state = replace(IDLE, ledger=Ledger(failures=(Failure("make", 2, "boom"),)))
    assert summarise(state, replace(TURN, problem=Problem("down")), tokens=0).problem == "down"
    assert summarise(state, replace(TURN, commands=1, commands_failed=1), tokens=0).problem == "boom"
    assert summarise(state, TURN, tokens=0).problem == ""
    mute = replace(IDLE, ledger=Ledger(failures=(Failure("make", 2),)))
    assert summarise(mute, replace(TURN, commands=1, commands_failed=1), tokens=0).problem == "make"


def test_what_the_agent_said_is_bounded_from_its_end() -> None:
    """C2."""
    said = summarise(IDLE, replace(TURN, agent_text="x" * 5_000 + "end"), tokens=0).said
    assert said.endswith("end")
    assert len(said) < 700


DIFFERENT = {
    "a plan step": replace(IDLE, plan=Plan((PlanStep("a", "completed"),))),
    "the same step, open": replace(IDLE, plan=Plan((PlanStep("a", "pending"),))),
    "a diff": replace(IDLE, diff=Diff("T", "d1", (FileDelta("x", 1, 0),), 0)),
    "another diff of the same shape": replace(IDLE, diff=Diff("T", "d2", (FileDelta("x", 1, 0),), 0)),
    "a commit": replace(IDLE, ledger=Ledger(commits=(Commit("abc", "s", "main"),))),
    "a file": replace(IDLE, ledger=Ledger(files=(Touched("x", "add"),))),
    "a file, deleted": replace(IDLE, ledger=Ledger(files=(Touched("x", "delete"),))),
    "nothing": IDLE,
}


def test_work_is_compared_by_content() -> None:
    """C6: plan, diff, commits and files, each told apart."""
    assert len({work_digest(state) for state in DIFFERENT.values()}) == len(DIFFERENT)


@pytest.mark.parametrize("state", DIFFERENT.values(), ids=DIFFERENT)
def test_usage_time_and_talk_are_no_work(state: ThreadState) -> None:
    """C6."""
    later = replace(state, turns=9, last_turn=TURN, ended=("T",))
    assert work_digest(later) == work_digest(state)


# -- standing still -------------------------------------------------------------------------------------------------


def test_talk_is_standing_still() -> None:
    """C6."""
    assert standstill(run(SAID, SAID, SAID, SAID)) == 3
    assert circles(run(SAID, SAID, SAID, SAID)) == 0


def test_the_first_turn_is_never_held_against_a_run() -> None:
    assert (standstill(run(SAID)), standstill(run())) == (0, 0)


def test_reading_something_new_is_not_standing_still() -> None:
    """C6."""
    history = [replace(READ, actions=f"a{n}") for n in range(6)]
    assert standstill(run(*history)) == 0


def test_reading_the_same_again_is() -> None:
    """C6: that is going in circles too."""
    assert (standstill(run(READ, READ, READ)), circles(run(READ, READ, READ))) == (2, 2)


def test_circles_of_more_than_one_turn_are_seen() -> None:
    """C6: a, b, a, b."""
    other = replace(READ, actions="b")
    assert circles(run(READ, other, READ, other, READ)) == 3


def test_to_and_fro_is_no_advance() -> None:
    """C6: an edit that is made and taken back, again and again."""
    there, back = replace(READ, work="w1", actions="there"), replace(READ, work="w2", actions="back")
    assert circles(run(there, back, there, back, there)) == 3


def test_work_ends_a_standstill() -> None:
    """C6."""
    assert standstill(run(SAID, SAID, replace(READ, work="w2"))) == 0
    assert standstill(run(SAID, SAID, replace(READ, work="w2"), replace(READ, work="w2", actions="a"))) == 1


def test_turns_that_failed_say_nothing_about_the_work() -> None:
    """C5, C6: a server that was down is not held against the agent."""
    failed = replace(SAID, status="failed")
    assert standstill(run(READ, failed, failed, failed, SAID)) == 1


def test_research_with_tools_is_told_apart_by_what_came_of_it() -> None:
    """C6: of a search only that it was made is known; what the agent says of it tells."""
    found = [summarise(IDLE, replace(TURN, tools=1, agent_text=text), tokens=0) for text in ("A.", "B.", "C.")]
    assert standstill(run(*found)) == 0
    assert circles(run(*found[:1] * 3)) == 2


def test_talk_alone_does_not_become_an_action() -> None:
    """C6: other words are no other deed."""
    talk = [summarise(IDLE, replace(TURN, agent_text=text), tokens=0) for text in ("A.", "B.", "C.")]
    assert standstill(run(*talk)) == 2


# -- the same problem -----------------------------------------------------------------------------------------------


def test_the_same_problem_is_counted_from_the_newest() -> None:
    """C6."""
    bad, other = replace(READ, problem="make: boom"), replace(READ, problem="make: bang")
    assert same_problem(run(bad, other, bad, bad)) == 2
    assert same_problem(run(bad, bad, READ)) == 0
    assert same_problem(run()) == 0


def test_how_long_it_took_makes_no_other_problem() -> None:
    """C6."""
    lines = ["1 failed in 0.31s", "1 failed in 12.02s", "1 failed in 1 s"]
    assert same_problem(run(*(replace(READ, problem=line) for line in lines))) == 3


def test_fewer_failures_are_another_problem() -> None:
    """C6: eleven instead of twelve is an advance."""
    lines = ["12 failed in 3.1s", "11 failed in 3.1s", "10 failed in 3.1s"]
    assert same_problem(run(*(replace(READ, problem=line) for line in lines))) == 1


@given(st.lists(st.sampled_from([READ, SAID, replace(READ, work="w2"), replace(SAID, status="failed")]), max_size=12))
def test_counts_stay_within_the_history(history: list[TurnSummary]) -> None:
    whole = run(*history)
    assert 0 <= circles(whole) <= standstill(whole) <= max(len(history) - 1, 0)


# -- the first look at the tree ---------------------------------------------------------------------------------------


def test_to_see_the_tree_for_the_first_time_is_no_advance() -> None:
    """C6: what a busy machine put off until the third turn says nothing about the third turn."""
    unseen, seen = work_digest(IDLE), replace(IDLE, tree="d")
    failing = TurnSummary("T", "completed", work=unseen, actions="a", commands=1, commands_failed=1, problem="boom")
    history = seen_first((failing, failing), seen)
    assert same_problem(run(*history, replace(failing, work=work_digest(seen)))) == 3
    assert same_problem(run(failing, failing, replace(failing, work=work_digest(seen)))) == 1
    elsewhere = replace(failing, work="another plan")
    assert seen_first((elsewhere, failing), seen)[0] == elsewhere

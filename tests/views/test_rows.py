"""A thread in one row: what a person has to know first (C18)."""

import pytest
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.thread import OpenRequest, Usage
from rawr.core.vocabulary.requests import CommandApproval
from rawr.views.rows import SHOWN_NAME, name_of, standing_of, thread_row
from tests.core.runs import DONE, in_a_sequence, in_a_turn, ordered
from tests.core.samples import AT, AWAY, CLOSED, COMPACTING, IDLE, RUNNING

ASKED = OpenRequest("1/1", CommandApproval(command="ls", cwd="/"), AT, "T1")


def test_the_state_in_one_word() -> None:
    found = {
        "idle": IDLE,
        "running": RUNNING,
        "compacting": COMPACTING,
        "away": AWAY,
        "closed": CLOSED,
        "waiting": replace(RUNNING, requests=(ASKED,)),
        "asks there": replace(RUNNING, requests=(ASKED,), ours=False),
    }
    assert {word: standing_of(state, live=True) for word, state in found.items()} == {word: word for word in found}


def test_a_run_says_how_it_rests() -> None:
    story = in_a_turn()
    assert standing_of(story.state, live=True) == "running"
    assert standing_of(in_a_sequence().state, live=True) == "compacting"
    story.says("T1", DONE).end("T1")
    assert standing_of(story.state, live=True) == "done"
    assert standing_of(ordered().state, live=False) == "cut off"


@pytest.mark.parametrize("live", [True, False])
def test_only_a_running_rawr_waits_for_an_answer(live: bool) -> None:
    state = replace(RUNNING, requests=(ASKED,))
    row = thread_row(state, Policy(), live=live)
    assert (row.standing, row.asks) == (("waiting", 1) if live else ("cut off", 0))


def test_it_is_named_by_its_goal_or_its_folder() -> None:
    long = ordered(goal="word " * 40).state
    assert name_of(IDLE) == "project"
    assert len(name_of(long)) == SHOWN_NAME
    assert name_of(long).endswith("…")


def test_the_tier_goes_with_the_percent() -> None:
    full = replace(IDLE, usage=Usage(in_context=250_000, spent=0, window=258_400))
    row = thread_row(full, Policy())
    assert (row.percent_left, row.tier) == (3, "emergency")

"""Joining threads that other clients run: which ones, and when (D1)."""

import pytest
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import LookAtThread, ResumeThread
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import CLOSED, IDLE, QUIET, Story, why

ALL = replace(QUIET, join="all")
NEW = ThreadState("t")
THEIRS = facts.ThreadOpened(cwd="/project", model="m")
ACTIVE = facts.ThreadStatusChanged(status="active")


def joins(story: Story) -> int:
    return len(story.wanted(ResumeThread))


def test_another_clients_thread_is_joined() -> None:
    """D1: with nothing to configure."""
    story = Story(NEW, policy=ALL).tell(THEIRS)
    assert joins(story) == 1
    assert story.records == [why(Reason.THREAD_JOINED_WATCH)]
    assert (story.state.wanted, story.state.resuming, story.state.online) == (True, "t:101.0", False)


def test_in_on_it_is_who_hears_of_it() -> None:
    story = Story(NEW, policy=ALL).tell(THEIRS)
    story.tell(facts.ThreadJoined(cwd="/project"), facts.EffectSucceeded(effect="t:101.0"))
    assert (story.state.online, story.state.resuming, story.state.ours) == (True, "", False)


@pytest.mark.parametrize(
    ("opened", "policy"),
    [
        (replace(THEIRS, ephemeral=True), ALL),
        (replace(THEIRS, parent="p"), ALL),
        (THEIRS, QUIET),
        (THEIRS, replace(ALL, join_only="other")),
        (THEIRS, replace(QUIET, join_only="t")),
    ],
    ids=["ephemeral", "a sub-agent's", "not asked to", "another one only", "none, though named"],
)
def test_what_is_left_alone(opened: facts.ThreadOpened, policy: Policy) -> None:
    """D1: helpers of a terminal, sub-agents, and what nobody asked for; also when they come to life."""
    story = Story(NEW, policy=policy).tell(opened, ACTIVE)
    assert joins(story) == 0
    assert (story.state.wanted, story.records) == (False, [])


def test_one_thread_and_no_other() -> None:
    """D1: ``join_only``."""
    only = replace(ALL, join_only="t")
    assert joins(Story(NEW, policy=only).tell(THEIRS)) == 1
    assert joins(Story(ThreadState("u"), policy=only).tell(THEIRS)) == 0


def test_a_thread_of_our_own_needs_no_joining() -> None:
    assert joins(Story(NEW, policy=ALL).tell(replace(THEIRS, ours=True), ACTIVE)) == 0


@pytest.mark.parametrize("again", [THEIRS, ACTIVE])
def test_it_is_joined_once(again: facts.AnyFact) -> None:
    """D1: not while we are in, and not while we are on the way in."""
    story = Story(NEW, policy=ALL).tell(THEIRS, again)
    assert joins(story) == 1
    story.tell(facts.ThreadJoined(cwd="/project"), facts.EffectSucceeded(effect="t:101.0"), again)
    assert joins(story) == 1


def test_one_that_has_had_no_turn_is_joined_with_its_first() -> None:
    """D1: Codex cannot resume what it has not written down yet; the next sign of life is waited for."""
    story = Story(NEW, policy=ALL).tell(THEIRS)
    story.tell(facts.EffectFailed(effect="t:101.0", problem="no rollout found", code="refused"))
    assert story.reasons()[-1] is Reason.THREAD_DEFERRED_UNBORN
    assert (story.state.closed, joins(story)) == (False, 1)
    story.tell(facts.ThreadStatusChanged(status="not_loaded"))
    assert joins(story) == 1
    story.tell(ACTIVE)
    assert joins(story) == 2


def test_a_turn_that_was_over_too_soon_is_a_sign_of_life_too() -> None:
    """D1: when it ends the thread has a history that can be joined."""
    story = Story(NEW, policy=ALL).tell(THEIRS)
    story.tell(facts.EffectFailed(effect="t:101.0", problem="no rollout found", code="refused"))
    assert joins(story.tell(facts.ThreadStatusChanged(status="idle"))) == 2


def test_a_thread_of_which_only_a_sign_of_life_was_seen_is_looked_at_first() -> None:
    """D1: it may be a sub-agent's, which nobody announces."""
    story = Story(ThreadState("t"), policy=ALL).tell(ACTIVE)
    assert (joins(story), len(story.wanted(LookAtThread))) == (0, 1)
    look = facts.EffectSucceeded(effect=story.name(LookAtThread))
    assert joins(Story(story.state, policy=ALL).tell(facts.ThreadOpened(cwd="/project"), look)) == 1
    assert joins(Story(story.state, policy=ALL).tell(facts.ThreadOpened(cwd="/project", parent="p"), look)) == 0


def test_a_sign_of_life_while_it_is_too_early_is_not_forgotten() -> None:
    """D1: the refusal comes after the thread's first turn has begun."""
    story = Story(policy=ALL, state=ThreadState("t")).tell(facts.ThreadOpened(cwd="/project"), ACTIVE)
    assert joins(story) == 1
    story.tell(facts.EffectFailed(effect=story.name(ResumeThread), problem="no rollout", code="refused"))
    assert joins(story) == 2


def test_the_goal_from_before_is_asked_for_once() -> None:
    """D3: what the user had said before rawr came is pinned as if it had heard it."""
    story = Story(policy=ALL, state=ThreadState("t")).tell(facts.ThreadOpened(cwd="/project"))
    assert [one.history for one in story.wanted(ResumeThread)] == [True]
    said = ("Build it.", "Never push.", "Now the next part.")
    story.tell(facts.ThreadJoined(cwd="/project", messages=said))
    assert story.state.ledger.goal == "Build it."
    assert [(one.text, one.standing) for one in story.state.ledger.directives] == [
        ("Never push.", True),
        ("Now the next part.", False),
    ]
    again = story.tell(facts.ServerLost(epoch=1, problem=""), facts.ThreadJoined(cwd="/project", messages=said))
    assert len(again.state.ledger.directives) == 2


def test_a_closed_one_is_joined_when_somebody_has_it_open_again() -> None:
    """D1: archived and brought back, say. That it is idle, or not loaded, says nothing of the kind."""
    story = Story(replace(CLOSED, ours=False, wanted=False), policy=ALL)
    story.tell(facts.ThreadStatusChanged(status="not_loaded"), facts.ThreadStatusChanged(status="idle"))
    assert joins(story) == 0
    assert joins(story.tell(ACTIVE)) == 1


def test_after_a_lost_connection_it_is_joined_again() -> None:
    """D1, D5."""
    connected = facts.ServerConnected(epoch=2, user_agent="", codex_home="", transport="socket")
    story = Story(replace(IDLE, ours=False), policy=ALL).tell(facts.ServerLost(epoch=1, problem="gone"), connected)
    assert joins(story) == 1
    assert story.reasons() == [Reason.THREAD_RESUMED_RECONNECT]

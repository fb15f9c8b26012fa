"""Under wider limits than ordered nothing is begun, and what runs is ended (D11)."""

from msgspec.structs import replace

from rawr.core.state.messages import Queued
from rawr.core.state.run import Run
from rawr.core.state.turn import ActiveTurn
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import InterruptTurn, Notify, ResumeThread, StartTurn
from rawr.core.vocabulary.limits import InForce, Limits, Sandboxing
from rawr.core.vocabulary.order import Order
from tests.core.samples import AT, IDLE, fold, take

LIMITS = Limits("/project", Sandboxing("read-only"), exact=True, approvals="on-request", reviewer="user")
TOLD = InForce("/project", Sandboxing("read-only"), "on-request")
WIDE = InForce("/project", Sandboxing("danger-full-access"), "never")
UNDER = replace(IDLE, limits=LIMITS, in_force=TOLD, started=True)
RUN = Run("r3", Order(goal="Build it."), "running", AT - 9_000, AT - 9_000, waiting="turn")
JOINED = facts.ThreadJoined(cwd="/project", in_force=WIDE)


def kinds(effects: tuple[object, ...]) -> list[type]:
    return [type(one.effect) for one in effects]  # type: ignore[attr-defined]


def test_a_turn_goes_out_under_its_limits() -> None:
    result = take(UNDER, facts.UserSubmitted(text="hello"))
    assert [one.effect for one in result.effects] == [StartTurn(text="hello", limits=LIMITS)]


def test_nothing_is_sent_to_a_thread_that_is_only_watched() -> None:
    watched = replace(UNDER, ours=False)
    result = take(watched, facts.UserSubmitted(text="hello"))
    assert [one.effect for one in result.effects] == [StartTurn(text="hello")]
    wide = take(watched, facts.SettingsUpdated(in_force=WIDE))
    assert (wide.state.in_force, wide.state.beyond, wide.effects, wide.records) == (WIDE, (), (), ())


def test_a_message_waits_as_long_as_more_is_in_force() -> None:
    """And asks for the limits to be set again."""
    wide = take(UNDER, facts.SettingsUpdated(in_force=WIDE))
    assert kinds(wide.effects) == [Notify]
    waits = take(wide.state, facts.UserSubmitted(text="hello"))
    assert [one.effect for one in waits.effects] == [ResumeThread(limits=LIMITS, whole=True)]
    again = take(waits.state, replace(JOINED, in_force=TOLD))
    assert StartTurn in kinds(again.effects)
    still = take(waits.state, JOINED)
    assert StartTurn not in kinds(still.effects)
    assert still.state.queue == (Queued(7, "hello"),)


def test_while_the_limits_are_being_set_nothing_goes_out() -> None:
    """Codex tells of the settings before it has answered; whatever else happens then, its answer is waited for."""
    waits = fold(UNDER, facts.SettingsUpdated(in_force=WIDE), facts.UserSubmitted(text="hello"))
    told = fold(waits, facts.SettingsUpdated(in_force=TOLD), facts.GoalCleared())
    assert (told.queue, told.sent) == ((Queued(8, "hello"),), ())
    joined = take(told, replace(JOINED, in_force=TOLD))
    assert [one.message.text for one in joined.state.sent] == ["hello"]


def test_a_run_pauses_and_its_turn_is_ended() -> None:
    running = replace(UNDER, run=RUN, turn=ActiveTurn("T1", AT - 5_000, purpose="user"))
    result = take(running, facts.SettingsUpdated(in_force=WIDE))
    run = result.state.run
    assert run is not None
    assert run.stop is not None
    assert (run.status, run.stop.reason, run.turns) == ("paused", "run.paused.limits", 1)
    assert "danger-full-access (ordered: read-only)" in run.stop.detail
    assert InterruptTurn(turn="T1") in [one.effect for one in result.effects]


def test_a_turn_that_another_client_began_is_theirs() -> None:
    theirs = replace(UNDER, run=RUN, turn=ActiveTurn("T1", AT - 5_000, messages=("their-id",)))
    result = take(theirs, facts.SettingsUpdated(in_force=WIDE))
    assert result.state.run is not None
    assert result.state.run.status == "paused"
    assert InterruptTurn not in kinds(result.effects)


def test_a_turn_on_its_way_is_ended_when_it_begins() -> None:
    on_its_way = take(UNDER, facts.UserSubmitted(text="hello")).state
    wide = take(on_its_way, facts.SettingsUpdated(in_force=WIDE)).state
    assert InterruptTurn(turn="T1") in [one.effect for one in take(wide, facts.TurnStarted(turn="T1")).effects]


def test_a_run_that_goes_on_in_a_server_of_others_is_ended_when_it_is_joined_again() -> None:
    away = replace(UNDER, run=RUN, online=False, certain=False, turn=ActiveTurn("T1", AT - 5_000, purpose="user"))
    joined = replace(JOINED, idle=False, last_turn="T1", last_status="inProgress")
    result = take(away, joined)
    assert result.state.run is not None
    assert result.state.run.status == "paused"
    assert InterruptTurn(turn="T1") in [one.effect for one in result.effects]


def test_a_run_is_not_begun_under_wider_limits() -> None:
    wide = take(UNDER, facts.SettingsUpdated(in_force=WIDE)).state
    result = take(wide, facts.RunSubmitted(order=Order(goal="Build it.")))
    assert result.state.run is not None
    assert result.state.run.status == "paused"
    assert StartTurn not in kinds(result.effects)


def test_a_thread_of_an_older_journal_takes_what_is_in_force() -> None:
    """Under what it was ordered is not on record there."""
    old = replace(IDLE, online=False, certain=False)
    state = fold(old, replace(JOINED, in_force=TOLD))
    assert state.limits == LIMITS
    assert take(state, facts.SettingsUpdated(in_force=WIDE)).state.beyond


REACHES = replace(TOLD, reaches="rawr's home lies in /project (the workspace).")


def test_nothing_begins_where_the_agent_could_write_the_rules() -> None:
    """F: and what runs is ended. It is as if more were in force than was ordered."""
    running = replace(UNDER, run=RUN, turn=ActiveTurn("T1", AT - 5_000, purpose="user"))
    result = take(running, facts.SettingsUpdated(in_force=REACHES))
    run = result.state.run
    assert run is not None
    assert run.stop is not None
    assert (run.status, run.stop.reason) == ("paused", "run.paused.limits")
    assert "rawr's home lies in /project" in run.stop.detail
    assert InterruptTurn(turn="T1") in [one.effect for one in result.effects]


def test_a_watched_thread_that_reaches_the_rules_is_told_of_once() -> None:
    watched = replace(UNDER, ours=False)
    first = take(watched, facts.SettingsUpdated(in_force=REACHES))
    [told] = [one.effect for one in first.effects]
    assert isinstance(told, Notify)
    assert told.level == "error"
    assert "does nothing on it. rawr's home lies in /project" in told.text
    assert first.state.in_reach
    again = take(first.state, facts.SettingsUpdated(in_force=REACHES))
    assert again.effects == ()
    over = take(again.state, facts.SettingsUpdated(in_force=TOLD))
    assert (over.effects, over.state.in_reach) == ((), False)

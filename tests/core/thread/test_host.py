"""What belongs to no thread: the connection, threads asked for, limits, faults."""

import pytest
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.state.host import HostState, Link, RateLimit, Wanted
from rawr.core.thread.host import MAX_RATE_LIMITS, MAX_STARTS
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify, StartThread
from rawr.core.vocabulary.limits import Limits, Sandboxing
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Record
from tests.core.samples import do, take_host, why

UP = HostState(links=(Link(epoch=2),), epoch=2)
DOWN = HostState(epoch=2)
ASKED = facts.ThreadRequested(ticket="k", cwd="/project", model="m", approvals="never", sandbox="read-only")
LIMITS = Limits(sandbox=Sandboxing("read-only"), approvals="never", reviewer="user", model="m")
START = StartThread(ticket="k", cwd="/project", limits=LIMITS)
CONNECTED = facts.ServerConnected(epoch=3, user_agent="codex", codex_home="/c", transport="stdio")
STARTED = why(Reason.THREAD_STARTED_SUBMITTED, ticket="k", cwd="/project")


def test_a_thread_is_started_as_it_was_asked_for() -> None:
    assert take_host(UP, ASKED) == Step(
        replace(UP, wanted=(Wanted(ASKED, ":7.0", epoch=2),)), (do(START, thread=""),), (STARTED,)
    )


def test_without_codex_it_waits_for_codex() -> None:
    waiting = replace(DOWN, wanted=(Wanted(ASKED),))
    assert take_host(DOWN, ASKED) == Step(waiting, (), (why(Reason.THREAD_DEFERRED_OFFLINE, ticket="k"),))
    back = HostState(links=(Link(epoch=3),), epoch=3, wanted=(Wanted(ASKED, ":7.0", epoch=3),))
    assert take_host(waiting, CONNECTED) == Step(back, (do(START, thread=""),), (STARTED,))


def test_what_is_under_way_is_not_started_again() -> None:
    other = Wanted(facts.ThreadRequested(ticket="other", cwd="/else"), ":5.0")
    waiting = replace(DOWN, wanted=(Wanted(ASKED), other))
    back = HostState(links=(Link(epoch=3),), epoch=3, wanted=(other, Wanted(ASKED, ":7.0", epoch=3)))
    assert take_host(waiting, CONNECTED) == Step(back, (do(START, thread=""),), (STARTED,))


def test_a_started_thread_is_no_longer_wanted() -> None:
    state = replace(UP, wanted=(Wanted(ASKED, ":5.0"),))
    assert take_host(state, facts.EffectSucceeded(effect=":5.0", result="t")) == Step(UP)


def again(attempt: int) -> Record:
    return why(Reason.THREAD_DEFERRED_LOST, ticket="k", attempt=attempt, problem="gone")


@pytest.mark.parametrize("code", ["unsent", "lost"])
@pytest.mark.parametrize("state", [UP, DOWN], ids=["told up", "told down"])
def test_a_start_that_went_down_with_the_connection_waits_for_the_next(
    state: HostState, code: facts.FailureCode
) -> None:
    """D5: asked again when Codex is back, and not before: the loss may not be told yet."""
    failed = facts.EffectFailed(effect=":5.0", problem="gone", code=code)
    assert take_host(replace(state, wanted=(Wanted(ASKED, ":5.0", epoch=2),)), failed) == Step(
        replace(state, wanted=(Wanted(ASKED, tries=1),)), (), (again(1),)
    )


def test_a_loss_that_is_told_after_the_next_connection_is_made_good_at_once() -> None:
    """D5: nothing else would start it."""
    failed = facts.EffectFailed(effect=":5.0", problem="gone", code="lost")
    assert take_host(replace(UP, wanted=(Wanted(ASKED, ":5.0", epoch=1),)), failed) == Step(
        replace(UP, wanted=(Wanted(ASKED, ":7.0", epoch=2, tries=1),)),
        (do(START, thread=""),),
        (again(1), STARTED),
    )


def test_a_codex_that_dies_each_time_is_asked_a_few_times() -> None:
    """D5: a thread that Codex dies of is not asked for without end."""
    failed = facts.EffectFailed(effect=":5.0", problem="gone", code="lost")
    step = take_host(replace(UP, wanted=(Wanted(ASKED, ":5.0", epoch=1, tries=MAX_STARTS),)), failed)
    assert step.state == UP
    assert [one.reason for one in step.records] == [Reason.THREAD_FAILED_REFUSED]


def test_whoever_asked_is_gone_with_the_last_rawr() -> None:
    """Nobody waits for the thread any more, so none is started because some rawr runs on this home."""
    asked = replace(UP, wanted=(Wanted(ASKED), Wanted(ASKED, ":5.0", epoch=2)))
    assert take_host(asked, facts.RuntimeStarted(version="1", policy="p")) == Step(DOWN)


@pytest.mark.parametrize("code", ["refused", "timed_out", "moot"])
def test_a_refused_start_is_told(code: facts.FailureCode) -> None:
    failed = facts.EffectFailed(effect=":5.0", problem="no such folder", code=code)
    assert take_host(replace(UP, wanted=(Wanted(ASKED, ":5.0"),)), failed) == Step(
        UP,
        (do(Notify(level="error", text="Codex could not start the thread: no such folder"), thread=""),),
        (why(Reason.THREAD_FAILED_REFUSED, ticket="k", problem="no such folder"),),
    )


def test_an_outcome_of_something_unknown_changes_nothing() -> None:
    failed = facts.EffectFailed(effect=":1.0", problem="?", code="lost")
    assert take_host(UP, failed) == Step(UP, (), (why(Reason.IGNORED_UNKNOWN_EFFECT, effect=":1.0"),))
    assert take_host(UP, facts.EffectSucceeded(effect=":1.0")) == Step(UP)


def test_a_lost_connection_is_said_unless_we_closed_it() -> None:
    said = do(Notify(level="warning", text="The connection to Codex was lost: it ended."), thread="")
    assert take_host(UP, facts.ServerLost(epoch=2, problem="it ended")) == Step(DOWN, (said,))
    assert take_host(UP, facts.ServerLost(epoch=2, problem="it ended", by_us=True)) == Step(DOWN)


def test_a_new_run_has_no_connection_yet() -> None:
    assert take_host(UP, facts.RuntimeStarted(version="1", policy="p")) == Step(DOWN)


def test_limits_are_kept_by_name_and_bounded() -> None:
    first = facts.RateLimitsUpdated(limit="codex/primary", used_percent=50, resets_at=9)
    again = facts.RateLimitsUpdated(limit="codex/primary", used_percent=100, reached=True)
    state = take_host(UP, first).state
    assert state == replace(UP, rate_limits=(RateLimit("codex/primary", 50, 9, reached=False),))
    assert take_host(state, again) == Step(
        replace(UP, rate_limits=(RateLimit("codex/primary", 100, None, reached=True),))
    )
    for number in range(MAX_RATE_LIMITS + 3):
        state = take_host(state, facts.RateLimitsUpdated(limit=str(number), used_percent=1)).state
    assert [limit.limit for limit in state.rate_limits] == [str(number) for number in range(3, MAX_RATE_LIMITS + 3)]


def test_faults_are_counted() -> None:
    assert take_host(UP, facts.FaultRecorded(where="wire", problem="not JSON")) == Step(replace(UP, faults=1))

"""What is tried again when Codex does not come up, and what is told at once."""

import pytest

from rawr.codex.client import CallRefused, CallTimedOut
from rawr.codex.persistence import EndedEarly, Persistence, given_up
from rawr.codex.transport import CodexUnreachable, Ended
from rawr.codex.versions import CodexTooOld
from rawr.errors import CodexError

REFUSED = CallRefused("initialize", -32600, "too old")
LATE = CallTimedOut("Codex did not answer initialize within 20 seconds.")
KILLED = EndedEarly("Codex ended.", Ended("ended by SIGKILL", -9, killed=True))
BY_ITSELF = EndedEarly("Codex ended.", Ended("exited with code 1", 1))
NOBODY = CodexUnreachable("No app-server answers.")
EVERY = (REFUSED, LATE, KILLED, BY_ITSELF, NOBODY)


def attempts(error: CodexError, *, ours: bool = True, reached: bool = False, tries: int | None = 4) -> int:
    """How many are made, up to ten."""
    it = Persistence((0.1,), tries, ours)
    if reached:
        it.succeeded()
    return next((number for number in range(1, 10) if not it.failed(error)), 10)


@pytest.mark.parametrize(
    ("error", "at_first", "later"),
    [(REFUSED, 1, 1), (LATE, 1, 1), (KILLED, 4, 4), (BY_ITSELF, 1, 4), (NOBODY, 1, 4)],
    ids=["refused", "late", "killed", "by itself", "not there"],
)
def test_one_of_our_own(error: CodexError, at_first: int, later: int) -> None:
    """A no stays a no. Who was killed, or was there before, is tried a few times."""
    assert (attempts(error), attempts(error, reached=True)) == (at_first, later)


def test_one_of_others_is_waited_for_once_it_was_there() -> None:
    assert [attempts(error, ours=False) for error in (REFUSED, LATE, NOBODY)] == [1, 1, 4]
    assert [attempts(error, ours=False, reached=True) for error in EVERY] == [10] * 5


def test_whoever_watches_waits_for_anybody() -> None:
    assert [attempts(error, tries=None) for error in EVERY] == [10] * 5


def test_nobody_waits_for_a_codex_that_is_too_old_to_grow_younger() -> None:
    """D1: a watch stops and says so; it does not wait without a word."""
    watching = Persistence(tries=None, ours=False)
    assert not watching.failed(CodexTooOld("old"))
    watching.succeeded()
    assert not watching.failed(CodexTooOld("old"))


def test_each_attempt_is_told_where_they_are_counted() -> None:
    it = Persistence((0.1, 0.5), 3)
    assert it.failed(KILLED)
    assert it.said(KILLED, it.pause(1)) == "Codex ended. Trying again in 0.1 s (1 of 2)."
    assert it.failed(KILLED)
    assert it.said(KILLED, it.pause(2)) == "Codex ended. Trying again in 0.5 s (2 of 2)."
    assert not it.failed(KILLED)
    assert str(given_up(KILLED, it.failures)) == "Codex ended. That was attempt 3, the last one."


def test_a_success_starts_the_count_anew() -> None:
    it = Persistence((0.1,), 3)
    assert [it.failed(KILLED), it.failed(KILLED)] == [True, True]
    it.succeeded()
    assert [it.failed(KILLED), it.failed(KILLED), it.failed(KILLED)] == [True, True, False]


def test_without_an_end_they_are_told_once() -> None:
    it = Persistence((0.1,), None)
    told = [it.failed(NOBODY) and it.said(NOBODY, 0.1) for _ in range(3)]
    assert told == ["No app-server answers.", None, None]

"""Why a turn failed, as far as it matters for what to do next (C5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.run.trouble import Trouble, pause_seconds, trouble
from rawr.core.vocabulary.facts import Problem

KINDS: dict[str, tuple[Problem | None, Trouble]] = {
    "no word why": (None, "passing"),
    "overloaded": (Problem("m", code="serverOverloaded"), "passing"),
    "a cut stream": (Problem("m", code="responseStreamDisconnected"), "passing"),
    "no connection": (Problem("m", code="httpConnectionFailed"), "passing"),
    "its own retries used up": (Problem("m", code="responseTooManyFailedAttempts"), "passing"),
    "a stream of garbage": (Problem("stream disconnected before completion: UTF8 error"), "passing"),
    "the same in a compaction": (
        Problem("Error running compact task: stream disconnected before completion"),
        "passing",
    ),
    "no answer in time": (Problem("request timed out"), "passing"),
    "a disk that is full": (Problem("No space left on device (os error 28)"), "passing"),
    "a gateway": (Problem("unexpected status 502 Bad Gateway: "), "passing"),
    "a turn in which nothing happened": (Problem("nothing happened for 9 s", code="stalled"), "passing"),
    "a body that was refused": (Problem('{"error": {"message": "Unsupported parameter"}}'), "lasting"),
    "a prompt that was refused": (Problem("Invalid prompt: your prompt was flagged"), "lasting"),
    "a server error": (Problem("m", code="internalServerError", http_status=500), "passing"),
    "unavailable": (Problem("m", code="responseStreamConnectionFailed", http_status=503), "passing"),
    "a request that took too long": (Problem("m", code="httpConnectionFailed", http_status=408), "passing"),
    "usage limit": (Problem("m", code="usageLimitExceeded"), "limit"),
    "too many requests": (Problem("m", code="responseTooManyFailedAttempts", http_status=429), "limit"),
    "full": (Problem("m", code="contextWindowExceeded"), "full"),
    "full, with a status": (Problem("m", code="contextWindowExceeded", http_status=400), "full"),
    "not allowed": (Problem("m", code="unauthorized"), "lasting"),
    "a bad request": (Problem("m", code="other", http_status=400), "lasting"),
    "a sandbox": (Problem("m", code="sandboxError"), "lasting"),
    "a code of tomorrow": (Problem("m", code="somethingNew"), "lasting"),
}


@pytest.mark.parametrize(("problem", "kind"), KINDS.values(), ids=KINDS)
def test_kinds_of_trouble(problem: Problem | None, kind: Trouble) -> None:
    """C5."""
    assert trouble(problem) == kind


def test_waits_double_up_to_the_longest() -> None:
    """C5."""
    assert [pause_seconds(n, first=2, most=60) for n in range(7)] == [2, 4, 8, 16, 32, 60, 60]


@given(attempt=st.integers(0, 10**9), first=st.integers(1, 10**6), most=st.integers(1, 10**6))
def test_no_wait_is_longer_than_the_longest(attempt: int, first: int, most: int) -> None:
    """C5."""
    assert 1 <= pause_seconds(attempt, first=first, most=most) <= most

"""Why a turn failed, as far as it affects what to do next: try again, wait, make room, or give up (C5)."""

from typing import Literal

from rawr.core.vocabulary.facts import Problem

Trouble = Literal["passing", "limit", "full", "lasting"]

_PASSING = frozenset(
    {
        "httpConnectionFailed",
        "responseStreamConnectionFailed",
        "responseStreamDisconnected",
        "responseTooManyFailedAttempts",
        "internalServerError",
        "serverOverloaded",
        "stalled",
    }
)
"""Codex's own words for transient problems, and rawr's for a turn in which nothing happened."""
_PASSING_OTHERS = (
    "stream disconnected before completion",
    "request timed out",
    "timeout waiting for child process",
    "unexpected status 5",
    "(os error ",
)
"""What Codex writes around problems that it retries itself, so rawr does too. Its code for them is ``other``, which
also covers a request that the model's server refused (HTTP 400)."""
_LIMIT = frozenset({"usageLimitExceeded"})
_TOO_MANY = 429
_CLIENT_ERRORS = range(400, 500)
_WORTH_ANOTHER_TRY = frozenset({408, 409, 425, _TOO_MANY})


def trouble(problem: Problem | None) -> Trouble:
    if problem is None:
        return "passing"
    if problem.code in _LIMIT or problem.http_status == _TOO_MANY:
        return "limit"
    if problem.code == "contextWindowExceeded":
        return "full"
    if problem.http_status in _CLIENT_ERRORS and problem.http_status not in _WORTH_ANOTHER_TRY:
        return "lasting"
    others = problem.code == "other" and any(one in problem.message for one in _PASSING_OTHERS)
    return "passing" if others or problem.code in _PASSING else "lasting"


def pause_seconds(attempt: int, *, first: int, most: int) -> int:
    """The wait before an attempt: doubled each time, at most ``most``."""
    return min(first << min(attempt, 30), most)

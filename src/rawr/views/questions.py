"""What an agent asks for, and the answers, in words for any surface.

A person must decide by the real text (D12): from ``Supervisor.waiting``, not from an event or a journal.
"""

from rawr.core.requests.wording import describe, fits, grounds, named, spoken
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary.requests import Question, UserInput

__all__ = ["describe", "fits", "grounds", "in_short", "is_secret", "named", "open_requests", "spoken"]

SHORT = 100


def in_short(question: Question) -> str:
    """One short line."""
    text = " ".join(describe(question).split())
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


def is_secret(question: Question) -> bool:
    """Return True if nobody else may see the answer."""
    return isinstance(question, UserInput) and any(one.secret for one in question.questions)


def open_requests(state: ThreadState) -> tuple[OpenRequest, ...]:
    """Unanswered requests, on a thread whose questions are ours to answer."""
    return tuple(one for one in state.requests if not one.answer) if state.ours else ()

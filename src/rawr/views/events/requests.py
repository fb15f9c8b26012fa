"""Questions and approvals, from the question to the answer; and a person's steer into the running turn."""

from typing import Literal

from rawr.core.vocabulary.requests import Question
from rawr.views.events.base import Decided, Event


class RequestAsked(Event, frozen=True, kw_only=True):
    """Codex waits for an answer, from anybody."""

    request: str
    question: Question


class RequestPut(Event, frozen=True, kw_only=True):
    """It waits for a person."""

    request: str
    question: Question
    seconds: int
    """Seconds until it is declined."""
    notices: tuple[str, ...]
    """Notices that say the same, for a surface that shows the question itself."""


class RequestEvent(Decided, frozen=True, kw_only=True):
    """Base of decisions about a request."""

    request: str = ""


class RequestApproved(RequestEvent, frozen=True, kw_only=True):
    """Approved by rule, without asking anybody."""

    what: str


class RequestAnswered(RequestEvent, frozen=True, kw_only=True):
    by: Literal["person", "policy", "model"]
    words: str = ""
    """A person's answer; empty if it is secret, or has no words."""
    secret: bool = False
    came: str = ""
    """By way of which surface and process a person's answer came, in words."""


class RequestDeclined(RequestEvent, frozen=True, kw_only=True):
    """Declined without an answer: for lack of time, because it is not provably safe, or because there are too many."""

    by: Literal["deadline", "rules", "crowd"]


class RequestGone(Event, frozen=True, kw_only=True):
    """Codex no longer asks, however it was settled."""

    request: str


class AnswerRefused(RequestEvent, frozen=True, kw_only=True):
    """A person's answer changed nothing: it came too late or, if ``unfit``, did not fit the question."""

    unfit: bool


class SteerTaken(Decided, frozen=True, kw_only=True):
    """The outcome of a person's steer into the running turn."""

    text: str

"""A person's answer on its way into the journal: who gave it, to exactly what, and without its secrets (C10, C11)."""

import os
import pwd
from collections.abc import Callable

from msgspec.structs import replace

from rawr.approvals.digest import digest_of_request
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.facts import AnswerSubmitted, Origin
from rawr.core.vocabulary.requests import Question, Replies, UserInput
from rawr.local import processes


def audited(fact: AnswerSubmitted, opened: Real[OpenRequest] | None, *, workspace: str) -> AnswerSubmitted:
    """Add who answered, and the hash of what was decided. Whoever submits it does not get to say either. What came
    through no socket came from this process."""
    digest = digest_of_request(opened, workspace=workspace) if opened is not None else ""
    return replace(fact, who=_user(), digest=digest, origin=fact.origin or _here())


def without_secrets(fact: AnswerSubmitted, question: Question | None, hide: Callable[[str], str]) -> AnswerSubmitted:
    """Replace the secret parts of an answer with placeholders; the same fact if there are none."""
    if not isinstance(question, UserInput) or not isinstance(fact.answer, Replies):
        return fact
    secret = {one.id for one in question.questions if one.secret}
    replies = {
        name: tuple(hide(text) for text in texts) if name in secret else texts
        for name, texts in fact.answer.replies.items()
    }
    return replace(fact, answer=Replies(replies=replies)) if secret else fact


def _here() -> Origin:
    us = processes.seen(os.getpid())
    if us is None:
        return Origin(surface="foreground", pid=os.getpid())
    return Origin(surface="foreground", pid=us.pid, program=us.program, terminal=us.terminal)


def _user() -> str:
    """The name of the user that rawr runs as: only they can reach its terminal and its socket."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user {os.getuid()}"

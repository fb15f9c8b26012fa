"""What the app-server can ask, and what can be answered, free of wire shapes."""

from typing import Literal

from msgspec import Struct

from rawr.core.speech import Own

Decider = Literal["person", "policy", "deadline", "model"]
"""Who decided an answer. Every audit record names it."""


class Asked(Struct, frozen=True, kw_only=True, tag_field="asked", tag=True, omit_defaults=True):
    """Base of all questions."""


class CommandApproval(Asked, frozen=True):
    command: str
    cwd: str
    cut: bool = False
    """It is longer than rawr keeps: only Codex has seen all of it."""
    reason: str = ""
    options: tuple[str, ...] = ()
    network: bool = False
    """The question is about network access, not about the command as such."""
    beyond: str = ""
    """What is requested besides the command: input to a running program, more permissions. Only a person grants it."""


class FileChangeApproval(Asked, frozen=True):
    reason: str = ""
    grant_root: str = ""


class PermissionsApproval(Asked, frozen=True):
    cwd: str
    permissions: str
    reason: str = ""


class Option(Struct, frozen=True):
    label: str
    description: str = ""


class UserQuestion(Struct, frozen=True, omit_defaults=True):
    id: str
    header: str
    question: str
    options: tuple[Option, ...] = ()
    free_text: bool = False
    secret: bool = False


class UserInput(Asked, frozen=True):
    questions: tuple[UserQuestion, ...]


class Elicitation(Asked, frozen=True):
    server: str
    message: str
    mode: str = ""


class ToolInvocation(Asked, frozen=True):
    tool: str
    call: str
    arguments: str
    """JSON text as the agent wrote it; the server of the tool decodes and checks it."""


class TimeQuestion(Asked, frozen=True):
    pass


class CredentialQuestion(Asked, frozen=True):
    """A fresh token or an attestation. rawr holds no credentials and says so."""

    method: str


Question = (
    CommandApproval
    | FileChangeApproval
    | PermissionsApproval
    | UserInput
    | Elicitation
    | ToolInvocation
    | TimeQuestion
    | CredentialQuestion
)


class Answered(Struct, frozen=True, kw_only=True, tag_field="answer", tag=True, omit_defaults=True):
    """Base of all answers."""


class Verdict(Answered, frozen=True):
    """For approvals and elicitations. ``cancel`` also ends the turn."""

    verdict: Literal["accept", "accept_for_session", "decline", "cancel"]


class Replies(Answered, frozen=True):
    """For ``UserInput``: the chosen texts by question id."""

    replies: dict[str, tuple[str, ...]]


class ToolResult(Answered, frozen=True):
    text: Own
    success: bool = True


class TimeTold(Answered, frozen=True):
    seconds: int


class Refusal(Answered, frozen=True):
    """A JSON-RPC error: the question is understood, but cannot be answered here."""

    reason: Own


Answer = Verdict | Replies | ToolResult | TimeTold | Refusal

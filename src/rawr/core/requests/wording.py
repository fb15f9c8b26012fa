"""The server's questions in words, the answers that fit them, and what a person should know before saying yes."""

from typing import assert_never

from rawr.core.speech import Own, line, listed, say
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.requests import (
    Answer,
    CommandApproval,
    CredentialQuestion,
    Elicitation,
    FileChangeApproval,
    PermissionsApproval,
    Question,
    Refusal,
    Replies,
    TimeQuestion,
    TimeTold,
    ToolInvocation,
    ToolResult,
    UserInput,
    Verdict,
)

MAX_ASKED = 2_000


def declined(question: Question) -> Answer:
    """The answer that grants nothing and lets the turn continue."""
    match question:
        case CommandApproval() | FileChangeApproval() | PermissionsApproval() | Elicitation():
            return Verdict(verdict="decline")
        case UserInput(questions=questions):
            return Replies(replies={one.id: () for one in questions})
        case ToolInvocation():
            return ToolResult(text=say("The supervisor did not answer in time."), success=False)
        case TimeQuestion() | CredentialQuestion():
            return Refusal(reason=say("not answered"))
        case _ as never:
            assert_never(never)


def fits(question: Question, answer: Answer) -> bool:
    """Return True if an answer is of the kind that the question takes."""
    match question:
        case CommandApproval(cut=True):
            # Nobody has seen the end of it, and it would run.
            return isinstance(answer, Verdict) and not answer.verdict.startswith("accept")
        case CommandApproval() | FileChangeApproval() | PermissionsApproval():
            return isinstance(answer, Verdict)
        case Elicitation():
            # To accept a form is to fill it in, and nothing here can.
            return isinstance(answer, Verdict) and answer.verdict in ("decline", "cancel")
        case UserInput(questions=questions):
            return isinstance(answer, Replies) and set(answer.replies) <= {one.id for one in questions}
        case ToolInvocation():
            return isinstance(answer, ToolResult)
        case TimeQuestion():
            return isinstance(answer, TimeTold)
        case CredentialQuestion():
            return isinstance(answer, Refusal)
        case _ as never:
            assert_never(never)


def named(opened: OpenRequest) -> str:
    """The question in a few words, with its subject."""
    what = describe(opened.question)
    return f"{what}: {', '.join(opened.paths)}" if opened.paths else what


def grounds(opened: OpenRequest) -> tuple[str, ...]:
    """What a person should know before saying yes: where, why the agent asks, and why the rules do not say yes."""
    told: list[str] = []
    match opened.question:
        case CommandApproval(cwd=cwd, reason=reason) | PermissionsApproval(cwd=cwd, reason=reason):
            told += [f"in {cwd}"] if cwd else []
            told += ["it is too long to be shown whole"] if getattr(opened.question, "cut", False) else []
            told += [f"it says: {reason}"] if reason else []
        case FileChangeApproval(reason=reason, grant_root=root):
            told += [f"files: {', '.join(opened.paths)}"] if opened.paths else []
            told += [f"and from then on everything in {root}"] if root else []
            told += [f"it says: {reason}"] if reason else []
        case _:
            pass
    told += [f"a yes leaves {opened.leaves}, which the thread was ordered under"] if opened.leaves else []
    return (*told, *(f"not proved safe: {one}" for one in opened.doubts))


def describe(question: Question) -> str:
    """The question in a few words, for a line on a screen."""
    match question:
        case CommandApproval(command=command, network=network, beyond=beyond):
            what = "network access for" if network else f"{beyond} for" if beyond else "approval of"
            return f"{what}: {command}"
        case FileChangeApproval():
            return "approval of a file change"
        case PermissionsApproval(permissions=permissions):
            return f"a request for permissions {permissions}"
        case UserInput(questions=questions):
            return "a question: " + " / ".join(one.question for one in questions)
        case Elicitation(server=server, message=message):
            return f"a question of the MCP server {server}: {message}"
        case ToolInvocation(tool=tool):
            return f"a call of the tool {tool}"
        case TimeQuestion():
            return "a question for the time"
        case CredentialQuestion(method=method):
            return f"a request for credentials ({method})"
        case _ as never:
            assert_never(never)


def spoken(answer: Answer) -> str:
    """A person's answer in words, for the record; empty for answers without words."""
    match answer:
        case Verdict(verdict=verdict):
            return verdict.replace("_", " ")
        case Replies(replies=replies):
            return "; ".join(", ".join(texts) for texts in replies.values() if texts)
        case _:
            return ""


def why_declined(what: str, reasons: tuple[str, ...]) -> Own:
    """Why a request was declined, for the agent to read."""
    return say(
        "[rawr] Declined: {what}\n\n{why}\n\nFind a way that does not need it, or say why it must be.",
        what=line(what, limit=MAX_ASKED),
        why=listed(line(one) for one in reasons),
    )

"""The server's requests as questions, and answers as what the server expects. Pure functions, like ``translate``."""

import shlex
from typing import Any, assert_never

import msgspec
from msgspec import Raw, Struct

from rawr.codex import rpc
from rawr.codex.wire import server_requests as wire
from rawr.core.text import head
from rawr.core.vocabulary import requests
from rawr.core.vocabulary.bounds import MAX_ARGUMENTS, MAX_COMMAND


class Posed(Struct, frozen=True):
    """A question, and where the server asked it."""

    thread: str
    turn: str
    item: str
    question: requests.Question


class RpcRefusal(Struct, frozen=True):
    """The answer is a JSON-RPC error."""

    code: int
    message: str


def pose(request: rpc.ServerRequest) -> Posed | RpcRefusal:
    """Read a question, or return a refusal to send at once if its kind is unknown or it is unreadable."""
    kind = wire.SERVER_REQUESTS.get(request.method)
    if kind is None:
        return RpcRefusal(rpc.METHOD_NOT_FOUND, f"rawr does not know the request {request.method}")
    try:
        return _posed(request.method, msgspec.json.decode(request.params or Raw(b"{}"), type=kind))
    except rpc.UNREADABLE as error:
        return RpcRefusal(rpc.INTERNAL_ERROR, f"rawr could not read {request.method}: {error}")


def _posed(method: str, params: Any) -> Posed:
    match params:
        case wire.CommandApproval():
            options = tuple(_option(option) for option in params.available_decisions or ())
            question: requests.Question = requests.CommandApproval(
                command=head(params.command or "", MAX_COMMAND),
                cut=len(params.command or "") > MAX_COMMAND,
                cwd=params.cwd or "",
                reason=head(params.reason or "", 2_000),
                options=options,
                network=params.network_approval_context is not None,
                beyond=_beyond(params),
            )
            return Posed(params.thread_id, params.turn_id, params.item_id, question)
        case wire.FileChangeApproval():
            question = requests.FileChangeApproval(
                reason=head(params.reason or "", 2_000), grant_root=params.grant_root or ""
            )
            return Posed(params.thread_id, params.turn_id, params.item_id, question)
        case wire.PermissionsApproval():
            question = requests.PermissionsApproval(
                cwd=params.cwd, permissions=_json(params.permissions), reason=head(params.reason or "", 2_000)
            )
            return Posed(params.thread_id, params.turn_id, params.item_id, question)
        case wire.OldCommandApproval():
            line = shlex.join(params.command)
            question = requests.CommandApproval(
                command=head(line, MAX_COMMAND),
                cut=len(line) > MAX_COMMAND,
                cwd=params.cwd,
                reason=head(params.reason or "", 2_000),
            )
            return Posed(params.conversation_id, "", params.call_id, question)
        case wire.OldPatchApproval():
            question = requests.FileChangeApproval(
                reason=head(params.reason or "", 2_000), grant_root=params.grant_root or ""
            )
            return Posed(params.conversation_id, "", params.call_id, question)
        case wire.UserInput():
            question = requests.UserInput(questions=tuple(_user_question(one) for one in params.questions[:32]))
            return Posed(params.thread_id, params.turn_id, params.item_id, question)
        case wire.Elicitation():
            message = params.message or f"{params.title}\n{params.description}".strip()
            question = requests.Elicitation(server=params.server_name, message=head(message, 4_000), mode=params.mode)
            return Posed(params.thread_id, params.turn_id or "", "", question)
        case wire.ToolCall():
            question = requests.ToolInvocation(tool=params.tool, call=params.call_id, arguments=_json(params.arguments))
            return Posed(params.thread_id, params.turn_id, params.call_id, question)
        case wire.CurrentTime():
            return Posed(params.thread_id, "", "", requests.TimeQuestion())
        case _:
            return Posed("", "", "", requests.CredentialQuestion(method=method))


def _option(option: object) -> str:
    if isinstance(option, str):
        return option
    return next(iter(option), "?") if isinstance(option, dict) else "?"


def _user_question(one: wire.UserQuestion) -> requests.UserQuestion:
    options = tuple(requests.Option(option.label, option.description) for option in one.options or ())
    return requests.UserQuestion(
        one.id, one.header, head(one.question, 4_000), options, one.is_other or not options, one.is_secret
    )


def _json(raw: Raw) -> str:
    return head(bytes(raw).decode("utf-8", "replace"), MAX_ARGUMENTS)


# -- answers ----------------------------------------------------------------------------------------------------

_OLD_VERDICTS: dict[str, Any] = {
    "accept": "approved",
    "accept_for_session": "approved_for_session",
    "decline": {"denied": {"rejection": "declined"}},
    "cancel": "abort",
}
_VERDICTS = {
    "accept": "accept",
    "accept_for_session": "acceptForSession",
    "decline": "decline",
    "cancel": "cancel",
}


def answer_for(request: rpc.ServerRequest, answer: requests.Answer) -> wire.Answer | RpcRefusal:
    """What to send back for a request."""
    match answer:
        case requests.Refusal(reason=reason):
            return RpcRefusal(rpc.INTERNAL_ERROR, reason)
        case requests.ToolResult(text=text, success=success):
            return wire.ToolOutput(content_items=[{"type": "inputText", "text": text}], success=success)
        case requests.TimeTold(seconds=seconds):
            return wire.TimeTold(current_time_at=seconds)
        case requests.Replies(replies=replies):
            return wire.Replied(answers={name: {"answers": list(texts)} for name, texts in replies.items()})
        case requests.Verdict(verdict=verdict):
            return _verdict(request, verdict)
        case _ as never:
            assert_never(never)


def _beyond(params: wire.CommandApproval) -> str:
    """What the server asks for besides running the command, in words; empty if nothing."""
    if params.kind != "command":
        return "input to a program that is already running"
    return "additional permissions" if params.additional_permissions is not None else ""


def _verdict(request: rpc.ServerRequest, verdict: str) -> wire.Answer | RpcRefusal:
    match request.method:
        case "execCommandApproval" | "applyPatchApproval":
            return wire.Decided(decision=_OLD_VERDICTS[verdict])
        case "mcpServer/elicitation/request":
            # Accepting needs the content that the server's form asks for; the core takes no such answer.
            return wire.Elicited(action="cancel" if verdict == "cancel" else "decline")
        case "item/permissions/requestApproval":
            return _permissions(request, verdict)
        case _:
            return wire.Decided(decision=_VERDICTS[verdict])


def _permissions(request: rpc.ServerRequest, verdict: str) -> wire.PermissionsGranted | RpcRefusal:
    """Accepting grants exactly what was asked for, declining grants nothing; there is no third form."""
    if verdict not in ("accept", "accept_for_session"):
        return wire.PermissionsGranted(permissions={})
    try:
        asked = msgspec.json.decode(request.params, type=wire.PermissionsApproval)
        permissions = msgspec.json.decode(asked.permissions, type=dict[str, Any])
    except rpc.UNREADABLE as error:
        return RpcRefusal(rpc.INTERNAL_ERROR, f"rawr could not read the requested permissions: {error}")
    scope = "session" if verdict == "accept_for_session" else "turn"
    return wire.PermissionsGranted(permissions=permissions, scope=scope)

"""MCP as a value machine: a frame in, at most one frame out. It knows no streams, and no tool's meaning.

The subset that a server of tools needs: initialize, ping, tools/list and tools/call. Nothing that the client sends
makes it raise; garbage without an id gets no answer, since there is nothing to answer to.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct, field

from rawr.codex.rpc import INTERNAL_ERROR, METHOD_NOT_FOUND, UNREADABLE, Fault, Notification, Oversize, Peer, RequestId
from rawr.codex.rpc import ServerRequest as Request
from rawr.core.requests.tools import ToolSpec
from rawr.core.text import head
from rawr.version import __version__

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""Newest first. What is served here is the same in all of them."""
INVALID_REQUEST, INVALID_PARAMS = -32600, -32602
MAX_ID = 64
"""Characters of an id of Codex's."""


class Called(Struct, frozen=True):
    """A call of a tool. ``thread`` is empty if the client does not say which of its threads calls."""

    tool: str
    arguments: str
    thread: str = ""


class Outcome(Struct, frozen=True):
    text: str
    failed: bool = False


T = TypeVar("T")
Serve = Callable[[Called], Outcome | None]
"""Serves a call; None if there is no such tool."""


class _Initialize(Struct):
    protocol_version: str = field(default="", name="protocolVersion")


class _TurnMetadata(Struct):
    thread_id: str = ""


class _Meta(Struct):
    thread: str = field(default="", name="threadId")
    turn: _TurnMetadata = field(default_factory=_TurnMetadata, name="x-codex-turn-metadata")


class _Call(Struct):
    name: str
    arguments: Raw = Raw(b"{}")
    meta: Raw = field(default=Raw(b"{}"), name="_meta")


class Server:
    """One connection."""

    def __init__(self, tools: Sequence[ToolSpec], serve: Serve, *, instructions: str) -> None:
        self._tools = tools
        self._serve = serve
        self._instructions = instructions
        self._peer = Peer()

    def answer(self, frame: bytes | Oversize) -> bytes | None:
        """The frame to send back, without its newline."""
        inbound = (
            self._peer.oversized(frame.head, frame.size) if isinstance(frame, Oversize) else self._peer.receive(frame)
        )
        match inbound:
            case Request():
                return self._answered(inbound)
            case Fault(id=number, is_request=True) if number is not None:
                return _error(number, INVALID_REQUEST, inbound.problem)
            case Fault() | Notification():
                return None
            case _:
                return None  # an answer to a call that was never made

    def _answered(self, request: Request) -> bytes:
        try:
            return self._result(request)
        except UNREADABLE as error:
            return _error(request.id, INVALID_PARAMS, f"unusable params of {head(request.method, 80)}: {error}")

    def _result(self, request: Request) -> bytes:
        match request.method:
            case "initialize":
                return _result(request.id, self._initialized(_decoded(request.params, _Initialize)))
            case "ping":
                return _result(request.id, {})
            case "tools/list":
                return _result(request.id, {"tools": [_listed(tool) for tool in self._tools]})
            case "tools/call":
                return self._called(request)
            case method:
                return _error(request.id, METHOD_NOT_FOUND, f"rawr does not serve {head(method, 80)}")

    def _initialized(self, asked: _Initialize) -> dict[str, Any]:
        version = asked.protocol_version if asked.protocol_version in VERSIONS else VERSIONS[0]
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "rawr", "version": __version__},
            "instructions": self._instructions,
        }

    def _called(self, request: Request) -> bytes:
        call = _decoded(request.params, _Call)
        arguments = bytes(call.arguments).decode()
        try:
            outcome = self._serve(Called(call.name, arguments, _thread(call.meta)))
        except Exception as error:  # the session goes on, whatever is wrong with the journal
            return _error(request.id, INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        if outcome is None:
            return _error(request.id, INVALID_PARAMS, f"rawr has no tool {head(call.name, 80)}")
        content = [{"type": "text", "text": outcome.text}]
        return _result(request.id, {"content": content, "isError": outcome.failed})


def _decoded(params: Raw, shape: type[T]) -> T:
    return msgspec.json.decode(bytes(params) or b"{}", type=shape)


def _thread(raw: Raw) -> str:
    """Codex's name for the thread that calls. If it names two, or in another shape, it names none."""
    try:
        meta = msgspec.json.decode(raw, type=_Meta)
    except UNREADABLE:
        return ""
    named = {meta.thread, meta.turn.thread_id} - {""}
    thread = named.pop() if len(named) == 1 else ""
    return thread if len(thread) <= MAX_ID else ""


def _listed(tool: ToolSpec) -> dict[str, Any]:
    """They are read-only in MCP's sense, because this server changes nothing; so Codex asks nobody for an approval."""
    hints = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.schema, "annotations": hints}


def _result(number: RequestId, result: object) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "result": result})


def _error(number: RequestId, code: int, message: str) -> bytes:
    error = {"code": code, "message": head(message, 500)}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": error})

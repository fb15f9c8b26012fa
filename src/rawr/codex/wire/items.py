"""The items of a turn. An item type that is not here decodes as ``UnknownItem``; see ``decode_item``."""

from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from rawr.codex.rpc import UNREADABLE
from rawr.codex.wire.base import Wire


class WireItem(Wire, frozen=True, tag_field="type"):
    id: str


class TextInput(Wire, frozen=True, tag_field="type", tag="text"):
    text: str


class UserMessageItem(WireItem, frozen=True, tag="userMessage"):
    content: list[Raw]
    client_id: str | None = None


class AgentMessageItem(WireItem, frozen=True, tag="agentMessage"):
    text: str
    phase: str | None = None


class ReasoningItem(WireItem, frozen=True, tag="reasoning"):
    pass


class CommandAction(Wire, frozen=True):
    type: str


class CommandExecutionItem(WireItem, frozen=True, tag="commandExecution"):
    command: str
    cwd: str
    status: str
    command_actions: list[CommandAction]
    aggregated_output: str | None = None
    exit_code: int | None = None
    duration_ms: int | None = None


class ChangeKind(Wire, frozen=True, rename=None):
    type: str
    move_path: str | None = None


class FileUpdate(Wire, frozen=True):
    path: str
    kind: ChangeKind


class FileChangeItem(WireItem, frozen=True, tag="fileChange"):
    changes: list[FileUpdate]
    status: str


class McpToolCallItem(WireItem, frozen=True, tag="mcpToolCall"):
    server: str
    tool: str
    status: str
    arguments: Raw


class DynamicToolCallItem(WireItem, frozen=True, tag="dynamicToolCall"):
    tool: str
    status: str
    arguments: Raw
    success: bool | None = None


class CollabAgentItem(WireItem, frozen=True, tag="collabAgentToolCall"):
    status: str
    receiver_thread_ids: list[str]


class SubAgentActivityItem(WireItem, frozen=True, tag="subAgentActivity"):
    kind: str
    agent_thread_id: str


class WebSearchItem(WireItem, frozen=True, tag="webSearch"):
    query: str


class EnteredReviewItem(WireItem, frozen=True, tag="enteredReviewMode"):
    review: str


class ExitedReviewItem(WireItem, frozen=True, tag="exitedReviewMode"):
    review: str


class ContextCompactionItem(WireItem, frozen=True, tag="contextCompaction"):
    pass


KnownItem = (
    UserMessageItem
    | AgentMessageItem
    | ReasoningItem
    | CommandExecutionItem
    | FileChangeItem
    | McpToolCallItem
    | DynamicToolCallItem
    | CollabAgentItem
    | SubAgentActivityItem
    | WebSearchItem
    | EnteredReviewItem
    | ExitedReviewItem
    | ContextCompactionItem
)


class UnknownItem(Struct, frozen=True):
    """An item of a type, or in a shape, that this version does not know."""

    type: str = "?"
    id: str = "?"
    problem: str = ""


class _Head(Struct):
    type: str = "?"
    id: str = "?"


KNOWN_TYPES: frozenset[str] = frozenset(
    str(msgspec.inspect.type_info(item).tag)  # type: ignore[attr-defined]
    for item in KnownItem.__args__
)

_decode_known = msgspec.json.Decoder(KnownItem).decode
_decode_head = msgspec.json.Decoder(_Head).decode


def decode_item(raw: Raw) -> KnownItem | UnknownItem:
    """An item, known or not. A known type in an unknown shape says what was wrong with it."""
    try:
        known: KnownItem = _decode_known(raw)
    except UNREADABLE as error:
        return unknown_item(raw, error)
    return known


def unknown_item(raw: Raw, error: Exception) -> UnknownItem:
    try:
        head = _decode_head(raw)
    except UNREADABLE:
        return UnknownItem(problem=str(error))
    return UnknownItem(head.type, head.id, str(error) if head.type in KNOWN_TYPES else "")


def text_of(content: list[Raw]) -> str:
    """The text parts of a user message; pictures, sounds and mentions are named in brackets."""
    parts: list[str] = []
    for raw in content:
        part: Any = msgspec.json.decode(raw)
        if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
            parts.append(part["text"])
        else:
            kind = part.get("type") if isinstance(part, dict) else "?"
            parts.append(f"[{kind}]")
    return "\n".join(parts)


class TurnError(Wire, frozen=True):
    message: str
    codex_error_info: Raw = Raw(b"null")
    additional_details: str | None = None


class WireTurn(Wire, frozen=True):
    id: str
    status: str
    error: TurnError | None = None
    items: list[Raw] = field(default_factory=list)
    duration_ms: int | None = None
    root_turn_id: str | None = None

"""One line of a session file as one entry, whichever version wrote it. It never raises.

Three shapes: an envelope ``{timestamp, type, payload}``; the bare items of 2025; and lines between those that hold a
state. Bytes that are not UTF-8 are replaced, and NUL bytes at the ends are dropped; anything else that does not read as
it should is ``Unreadable``.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from rawr.history import shapes
from rawr.history.calls import custom_called, function_called, line_in, local_called
from rawr.history.entries import (
    AnyEntry,
    CommandShown,
    Compacted,
    Passed,
    Reasoned,
    Reviewed,
    RolledBack,
    Said,
    Searched,
    SessionBegan,
    ToolShown,
    TurnBegan,
    TurnContext,
    TurnEnded,
    Unknown,
    Unreadable,
    UsageSeen,
    UserSpoke,
)
from rawr.history.known import EVENTS_PASSED, EVENTS_PASSED_BEGIN
from rawr.history.outputs import result_of, returned, text_of
from rawr.history.shapes import UNREADABLE

MAX_KIND = 80
_PARENT = re.compile(rb'"parent_thread_id"\s*:\s*"([0-9a-f-]{1,64})"')
MAX_PROBLEM = 200


def entry_of(line: bytes) -> AnyEntry:
    """Read one line, without its newline."""
    line = line.strip(b"\x00 \r\n\t")
    try:
        return _entry(line)
    except UnicodeError:
        return _mended(line)
    except UNREADABLE as error:
        return _mended(line) if not _is_utf8(line) else Unreadable(problem=_words(error))


def _mended(line: bytes) -> AnyEntry:
    """Replace what is not UTF-8, for example where a long output was cut in the middle of a character."""
    try:
        return _entry(line.decode("utf-8", "replace").encode())
    except UNREADABLE as error:
        return Unreadable(problem=_words(error))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeError:
        return False
    return True


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:MAX_PROBLEM].encode("utf-8", "replace").decode()


def _entry(line: bytes) -> AnyEntry:
    read = _decode_line(line)
    at = _ms(read.timestamp)
    if len(read.payload) and read.type:
        reader = _ENVELOPES.get(read.type)
        return reader(bytes(read.payload), at) if reader is not None else Unknown(kind=read.type[:MAX_KIND], at=at)
    if read.record_type:
        return Passed(kind=read.record_type[:MAX_KIND], at=at)
    if read.type:
        return item_of(line, at)
    if read.id is not None and read.timestamp is not None:
        return SessionBegan(session=read.id, at=at)
    return Unreadable(problem="it has no type")


# -- envelopes --------------------------------------------------------------------------------------------------------


def _meta(payload: bytes, at: int) -> AnyEntry:
    return meta_read(_decode_meta(payload), at)


def meta_read(meta: shapes.Meta, at: int) -> AnyEntry:
    parent = _parent(meta.source) or _named_parent(meta)
    return SessionBegan(
        session=meta.id,
        cwd=meta.cwd or "",
        version=meta.cli_version or "",
        client=meta.originator or "",
        parent=parent,
        at=at,
    )


def _parent(source: msgspec.Raw) -> str:
    """Where it comes from is a word for a user's own session, and an object for a sub-agent's."""
    body = bytes(source)
    if b"subagent" not in body:
        return ""
    found = _PARENT.search(body)
    return found.group(1).decode() if found is not None else "subagent"


def _named_parent(meta: shapes.Meta) -> str:
    """Newer versions also say whose thread it is in a word. A fork of a user's own has a parent, too, and is theirs."""
    return (meta.parent_thread_id or "subagent") if meta.thread_source == "subagent" else ""


def _context(payload: bytes, at: int) -> AnyEntry:
    return context_read(_decode_context(payload), at)


def context_read(context: shapes.Context, at: int) -> AnyEntry:
    return TurnContext(cwd=context.cwd or "", model=context.model or "", turn=context.turn_id or "", at=at)


def _compacted(payload: bytes, at: int) -> AnyEntry:
    return Compacted(summary=_decode_compacted(payload).message or "", at=at)


def item_of(payload: bytes, at: int) -> AnyEntry:
    return item_read(_decode_item(payload), at)


def item_read(item: shapes.Item, at: int) -> AnyEntry:
    reader = _ITEMS.get(item.type)
    if reader is not None:
        return reader(item, at)
    kind = item.type[:MAX_KIND]
    return Passed(kind=kind, at=at) if item.type in PASSED_ITEMS else Unknown(kind=kind, at=at)


def event_of(payload: bytes, at: int) -> AnyEntry:
    event = _decode_event(payload)
    return _usage(event, at) if event.type == "token_count" else event_read(event, at)


def event_read(event: shapes.Shown, at: int) -> AnyEntry:
    """Any but a count of tokens."""
    reader = _EVENTS.get(event.type)
    if reader is not None:
        return reader(event, at)
    kind = event.type[:MAX_KIND]
    if event.type in EVENTS_PASSED or event.type.startswith(EVENTS_PASSED_BEGIN):
        return Passed(kind=kind, turn=event.turn, at=at)
    return Unknown(kind=f"event {kind}", turn=event.turn, at=at)


# -- items and events -------------------------------------------------------------------------------------------------


def _said(item: shapes.Item, at: int) -> AnyEntry:
    return Said(role=item.role, text=text_of(item.content), phase=item.phase or "", turn=item.turn, at=at)


def _returned(item: shapes.Item, at: int) -> AnyEntry:
    return returned(item.call, result_of(item.output), turn=item.turn, at=at)


def _shown(event: shapes.Shown, at: int) -> AnyEntry:
    item = _decode_shown(event.item)
    if item.type == "UserMessage":
        return UserSpoke(text=text_of(item.content), client=item.client_id or "", turn=event.turn, at=at)
    if item.type == "McpToolCall":
        return _tool_shown(event, at)
    if item.type != "CommandExecution":
        return Passed(kind=f"item {item.type}"[:MAX_KIND], turn=event.turn, at=at)
    return CommandShown(
        call=item.id,
        command=line_in(item.command),
        exit_code=item.exit_code,
        output=item.aggregated_output or "",
        turn=event.turn,
        at=at,
    )


def _tool_shown(event: shapes.Shown, at: int) -> AnyEntry:
    tool = _decode_tool(event.item)
    return ToolShown(
        call=tool.id,
        server=tool.server,
        tool=tool.tool,
        arguments=bytes(tool.arguments).decode("utf-8", "replace"),
        failed=tool.status != "completed",
        turn=event.turn,
        at=at,
    )


def _command_ended(event: shapes.Shown, at: int) -> AnyEntry:
    return CommandShown(
        call=event.call_id or "",
        command=line_in(event.command),
        exit_code=event.exit_code,
        output=event.aggregated_output or "",
        turn=event.turn,
        at=at,
    )


def _usage(event: shapes.Event, at: int) -> AnyEntry:
    usage = _decode_usage(event.info)
    if usage is None:
        return Passed(kind="token_count", turn=event.turn, at=at)
    return usage_read(usage, at, turn=event.turn)


def usage_read(usage: shapes.Usage, at: int, *, turn: str = "") -> UsageSeen:
    last = usage.last_token_usage
    return UsageSeen(
        in_context=last.total_tokens,
        spent=usage.total_token_usage.total_tokens,
        window=usage.model_context_window,
        input=last.input_tokens,
        cached=last.cached_input_tokens,
        output=last.output_tokens,
        turn=turn,
        at=at,
    )


def _ms(timestamp: str | None) -> int:
    if not timestamp:
        return 0
    try:
        return max(int(datetime.fromisoformat(timestamp).timestamp() * 1000), 0)
    except (ValueError, OverflowError, OSError):
        return 0


_decode_line = msgspec.json.Decoder(shapes.Line).decode
_decode_meta = msgspec.json.Decoder(shapes.Meta).decode
_decode_context = msgspec.json.Decoder(shapes.Context).decode
_decode_compacted = msgspec.json.Decoder(shapes.CompactedLine).decode
_decode_item = msgspec.json.Decoder(shapes.Item).decode
_decode_event = msgspec.json.Decoder(shapes.Event).decode
_decode_shown = msgspec.json.Decoder(shapes.ShownItem).decode
_decode_tool = msgspec.json.Decoder(shapes.ShownTool).decode
_decode_usage = msgspec.json.Decoder(shapes.Usage | None).decode


def _passed(kind: str) -> Callable[[bytes, int], AnyEntry]:
    return lambda _payload, at: Passed(kind=kind, at=at)


PASSED_ENVELOPES = ("world_state", "token_usage_record", "inter_agent_communication_metadata", "ghost_snapshot")
_ENVELOPES: Mapping[str, Callable[[bytes, int], AnyEntry]] = {
    "session_meta": _meta,
    "turn_context": _context,
    "response_item": item_of,
    "event_msg": event_of,
    "compacted": _compacted,
    **{kind: _passed(kind) for kind in PASSED_ENVELOPES},
}

_Called = Callable[..., AnyEntry]


def _call(reader: _Called) -> Callable[[shapes.Item, int], AnyEntry]:
    return lambda item, at: reader(item, turn=item.turn, at=at)


def tokens_of(encrypted: int) -> int:
    """What Codex takes encrypted reasoning of so many characters to be: bytes behind base64 without a head, four to a
    token (measured)."""
    return max(-(-(encrypted * 3 // 4 - 650) // 4), 0)


def _reasoned(item: shapes.Item, at: int) -> AnyEntry:
    return Reasoned(tokens=tokens_of(len(item.encrypted_content) - len('""')), turn=item.turn, at=at)


_ITEMS: Mapping[str, Callable[[shapes.Item, int], AnyEntry]] = {
    "reasoning": _reasoned,
    "message": _said,
    "function_call": _call(function_called),
    "custom_tool_call": _call(custom_called),
    "local_shell_call": _call(local_called),
    "function_call_output": _returned,
    "custom_tool_call_output": _returned,
    "local_shell_call_output": _returned,
    "web_search_call": lambda item, at: Searched(turn=item.turn, at=at),
}
PASSED_ITEMS = frozenset(
    {
        "agent_message",
        "image_generation_call",
        "ghost_snapshot",
        "compaction",
        "compaction_summary",
        "context_compaction",
        "tool_search_call",
        "tool_search_output",
        "mcp_tool_call_output",
        "other",
    }
)

_EVENTS: Mapping[str, Callable[[Any, int], AnyEntry]] = {
    "task_started": lambda event, at: TurnBegan(turn=event.turn, at=at),
    "turn_started": lambda event, at: TurnBegan(turn=event.turn, at=at),
    "task_complete": lambda event, at: TurnEnded(turn=event.turn, at=at),
    "turn_complete": lambda event, at: TurnEnded(turn=event.turn, at=at),
    "turn_aborted": lambda event, at: TurnEnded(turn=event.turn, interrupted=True, at=at),
    "thread_rolled_back": lambda event, at: RolledBack(turns=event.num_turns or 0, turn=event.turn, at=at),
    "user_message": lambda event, at: UserSpoke(text=event.message or "", turn=event.turn, at=at),
    "entered_review_mode": lambda event, at: Reviewed(began=True, turn=event.turn, at=at),
    "exited_review_mode": lambda event, at: Reviewed(began=False, turn=event.turn, at=at),
    "item_completed": _shown,
    "exec_command_end": _command_ended,
}

"""Translates wire messages to facts. Pure functions, no state, no time.

Nothing the server sends makes these raise: a message of a known kind in an unknown shape becomes ``FaultRecorded``, a
message of an unknown kind ``NotificationPassed``. They also bound texts, on the way in.
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from rawr.codex import diff, limits, rpc
from rawr.codex.wire import items as wire_items
from rawr.codex.wire import notifications as wire
from rawr.core.text import head, tail
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.bounds import (
    MAX_ARGUMENTS,
    MAX_CHANGES,
    MAX_COMMAND,
    MAX_EXPLANATION,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_OUTPUT_TAIL,
    MAX_STEP,
    MAX_STEPS,
)
from rawr.ports.harness import Told

MAX_SAMPLE = 400
MAX_PROBLEM = 1_000


_STATUSES: dict[str, items.Status] = {
    "inProgress": "running",
    "started": "running",
    "interacted": "running",
    "completed": "completed",
    "failed": "failed",
    "interrupted": "failed",
    "declined": "declined",
}
_STEP_STATUSES: dict[str, facts.StepStatus] = {
    "pending": "pending",
    "inProgress": "in_progress",
    "completed": "completed",
}
_TURN_STATUSES: dict[str, facts.TurnStatus] = {
    "completed": "completed",
    "interrupted": "interrupted",
    "failed": "failed",
}
_WRAPPED = re.compile(r"""\S*sh -l?c (?:'([^']*)'|"((?:[^"\\]|\\.)*)"|([\w./-]+))""", re.DOTALL)
_ESCAPED = re.compile(r'\\(["$`\\])')
_READING = frozenset({"read", "listFiles", "search"})


# -- notifications ----------------------------------------------------------------------------------------------


def facts_of(notification: rpc.Notification, *, epoch: int) -> tuple[Told, ...]:
    """The facts in a notification. Streaming deltas give none: their text comes again whole with their item."""
    method = notification.method
    translate = _TRANSLATORS.get(method)
    if translate is None:
        return (("", facts.NotificationPassed(method=head(method, MAX_NAME), size=len(notification.params))),)
    try:
        return translate(notification.params, epoch)
    except (*rpc.UNREADABLE, KeyError) as error:
        return _unreadable(notification, error)


def _unreadable(notification: rpc.Notification, error: Exception) -> tuple[Told, ...]:
    if notification.method in ("item/started", "item/completed"):
        told = _unknown_item(notification)
        if told is not None:
            return told
    fault = facts.FaultRecorded(
        where=notification.method,
        problem=head(f"{type(error).__name__}: {error}", MAX_PROBLEM),
        sample=bytes(notification.params)[:MAX_SAMPLE].decode("utf-8", "replace"),
        size=len(notification.params),
    )
    return (("", fault),)


def _unknown_item(notification: rpc.Notification) -> tuple[Told, ...] | None:
    """An item of an unknown kind is no fault; a known kind in another shape is a fault and still an item."""
    try:
        event = _decode_unknown_item(notification.params)
    except rpc.UNREADABLE:
        return None
    unknown = wire_items.decode_item(event.item)
    if not isinstance(unknown, wire_items.UnknownItem):
        return None
    item = items.OtherItem(id=unknown.id, wire_type=head(unknown.type, MAX_NAME))
    fact: facts.AnyFact = (
        facts.ItemStarted(turn=event.turn_id, item=item)
        if notification.method == "item/started"
        else facts.ItemCompleted(turn=event.turn_id, item=item)
    )
    told: tuple[Told, ...] = ((event.thread_id, fact),)
    if unknown.problem:
        sample = bytes(event.item)[:MAX_SAMPLE].decode("utf-8", "replace")
        fault = facts.FaultRecorded(
            where=notification.method, problem=head(unknown.problem, MAX_PROBLEM), sample=sample, size=len(event.item)
        )
        told = (*told, (event.thread_id, fault))
    return told


_decode_unknown_item = msgspec.json.Decoder(wire.UnknownItemEvent).decode


def _settings_updated(message: wire.SettingsUpdated) -> Told:
    return message.thread_id, facts.SettingsUpdated(in_force=limits.updated(message))


def _item_started(message: wire.ItemStarted) -> Told:
    item = item_of(message.item)
    if isinstance(item, items.UserMessage):
        # Its words come again when it is complete, which is at once; to keep them twice is too much.
        item = replace(item, text="")
    return message.thread_id, facts.ItemStarted(turn=message.turn_id, item=item)


def _item_completed(message: wire.ItemCompleted) -> Told:
    return message.thread_id, facts.ItemCompleted(turn=message.turn_id, item=item_of(message.item))


def _turn_started(message: wire.TurnStarted) -> Told:
    turn = message.turn
    root = turn.root_turn_id if turn.root_turn_id not in (None, turn.id) else None
    return message.thread_id, facts.TurnStarted(turn=turn.id, root=root or "")


def _turn_completed(message: wire.TurnCompleted) -> Told:
    turn = message.turn
    return message.thread_id, facts.TurnCompleted(
        turn=turn.id,
        status=_TURN_STATUSES[turn.status],
        problem=problem_of(turn.error) if turn.error is not None else None,
        duration_ms=turn.duration_ms,
    )


def _plan_updated(message: wire.PlanUpdated) -> Told:
    steps = tuple(
        [facts.PlanStep(head(one.step, MAX_STEP), _STEP_STATUSES[one.status]) for one in message.plan[:MAX_STEPS]]
    )
    return message.thread_id, facts.PlanUpdated(
        turn=message.turn_id, steps=steps, explanation=head(message.explanation or "", MAX_EXPLANATION)
    )


def _diff_updated(message: wire.DiffUpdated) -> Told:
    files = diff.shape(message.diff)
    return message.thread_id, facts.DiffUpdated(
        turn=message.turn_id,
        digest=diff.digest(message.diff),
        files=tuple(files[:MAX_CHANGES]),
        files_omitted=max(len(files) - MAX_CHANGES, 0),
    )


def _usage_updated(message: wire.TokenUsageUpdated) -> Told:
    usage = message.token_usage
    return message.thread_id, facts.UsageUpdated(
        turn=message.turn_id,
        in_context=usage.last.total_tokens,
        spent=usage.total.total_tokens,
        window=usage.model_context_window,
        cached_input=usage.last.cached_input_tokens,
        output=usage.last.output_tokens,
        reasoning=usage.last.reasoning_output_tokens,
    )


def _error_reported(message: wire.ErrorReported) -> Told:
    return message.thread_id, facts.ErrorReported(
        turn=message.turn_id, problem=problem_of(message.error), will_retry=message.will_retry
    )


def _warning_reported(message: wire.WarningReported) -> Told:
    return message.thread_id or "", facts.WarningReported(message=head(message.message, 4_000))


def _thread_started(message: wire.ThreadStarted) -> Told:
    thread = message.thread
    return thread.id, facts.ThreadOpened(
        cwd=thread.cwd,
        model=thread.model or "",
        ephemeral=thread.ephemeral,
        parent=thread.parent_thread_id or "",
        session_id=thread.session_id or "",
    )


_THREAD_STATUSES: dict[str, Any] = {
    "notLoaded": "not_loaded",
    "idle": "idle",
    "active": "active",
    "systemError": "system_error",
}


def _status_changed(message: wire.ThreadStatusChanged) -> Told:
    return message.thread_id, facts.ThreadStatusChanged(
        status=_THREAD_STATUSES[message.status.type], waiting_on=tuple(message.status.active_flags or ())
    )


def _thread_closed(message: wire.ThreadClosed) -> Told:
    return message.thread_id, facts.ThreadClosed()


def _thread_archived(message: wire.ThreadArchived) -> Told:
    return message.thread_id, facts.ThreadClosed(how="archived")


def _thread_deleted(message: wire.ThreadDeleted) -> Told:
    return message.thread_id, facts.ThreadClosed(how="deleted")


def _context_compacted(message: wire.ContextCompacted) -> Told:
    return message.thread_id, facts.ContextCompacted(turn=message.turn_id)


def _goal_updated(message: wire.GoalUpdated) -> Told:
    return message.thread_id, facts.GoalUpdated(
        objective=head(message.goal.objective, 8_000), status=message.goal.status
    )


def _goal_cleared(message: wire.GoalCleared) -> Told:
    return message.thread_id, facts.GoalCleared()


def _rate_limits(message: wire.RateLimitsUpdated, _epoch: int) -> tuple[Told, ...]:
    limits = message.rate_limits
    windows = (("primary", limits.primary), ("secondary", limits.secondary))
    return tuple(
        (
            "",
            facts.RateLimitsUpdated(
                limit=f"{limits.limit_id or 'codex'}/{name}",
                used_percent=window.used_percent,
                resets_at=window.resets_at,
                reached=limits.rate_limit_reached_type is not None,
            ),
        )
        for name, window in windows
        if window is not None
    )


def _request_resolved(message: wire.RequestResolved, epoch: int) -> tuple[Told, ...]:
    return ((message.thread_id, facts.RequestResolved(request=request_name(epoch, message.request_id))),)


_Translator = Callable[[Raw, int], tuple[Told, ...]]


def _one(method: str, function: Callable[[Any], Told]) -> _Translator:
    decode = msgspec.json.Decoder(wire.NOTIFICATIONS[method]).decode

    def translate(params: Raw, _epoch: int) -> tuple[Told, ...]:
        return (function(decode(params)),)

    return translate


def _several(method: str, function: Callable[[Any, int], tuple[Told, ...]]) -> _Translator:
    decode = msgspec.json.Decoder(wire.NOTIFICATIONS[method]).decode
    return lambda params, epoch: function(decode(params), epoch)


_TRANSLATORS: dict[str, _Translator] = {
    **{
        method: _one(method, function)
        for method, function in (
            ("item/started", _item_started),
            ("item/completed", _item_completed),
            ("thread/tokenUsage/updated", _usage_updated),
            ("turn/started", _turn_started),
            ("turn/completed", _turn_completed),
            ("turn/plan/updated", _plan_updated),
            ("turn/diff/updated", _diff_updated),
            ("error", _error_reported),
            ("warning", _warning_reported),
            ("thread/started", _thread_started),
            ("thread/settings/updated", _settings_updated),
            ("thread/status/changed", _status_changed),
            ("thread/closed", _thread_closed),
            ("thread/archived", _thread_archived),
            ("thread/deleted", _thread_deleted),
            ("thread/compacted", _context_compacted),
            ("thread/goal/updated", _goal_updated),
            ("thread/goal/cleared", _goal_cleared),
        )
    },
    **dict.fromkeys(wire.DELTAS, lambda _params, _epoch: ()),
    "account/rateLimits/updated": _several("account/rateLimits/updated", _rate_limits),
    "serverRequest/resolved": _several("serverRequest/resolved", _request_resolved),
}


def request_name(epoch: int, number: rpc.RequestId) -> str:
    """A request's name across reconnects. A number and a text that look alike stay distinct."""
    return f"{epoch}/{number!r}" if isinstance(number, str) else f"{epoch}/{number}"


# -- items and problems -----------------------------------------------------------------------------------------


def item_of(item: wire_items.KnownItem) -> items.AnyItem:
    return _ITEMS[type(item)](item)


def _command(item: wire_items.CommandExecutionItem) -> items.Command:
    actions = item.command_actions
    return items.Command(
        id=item.id,
        command=head(item.command, MAX_COMMAND),
        inner=_unwrapped(item.command)[:MAX_COMMAND],
        cwd=item.cwd,
        status=_STATUSES.get(item.status, "running"),
        exit_code=item.exit_code,
        output_tail=tail(item.aggregated_output, MAX_OUTPUT_TAIL) if item.aggregated_output else "",
        duration_ms=item.duration_ms,
        reads_only=bool(actions) and _READING.issuperset([action.type for action in actions]),
    )


def _agent_message(item: wire_items.AgentMessageItem) -> items.AgentMessage:
    return items.AgentMessage(id=item.id, text=head(item.text, MAX_MESSAGE), phase=item.phase or "")


def _user_message(item: wire_items.UserMessageItem) -> items.UserMessage:
    text = head(wire_items.text_of(item.content), MAX_MESSAGE)
    return items.UserMessage(id=item.id, text=text, client_id=item.client_id or "")


def _file_change(item: wire_items.FileChangeItem) -> items.FileChange:
    return items.FileChange(
        id=item.id,
        changes=tuple(_change(change) for change in item.changes[:MAX_CHANGES]),
        changes_omitted=max(len(item.changes) - MAX_CHANGES, 0),
        status=_STATUSES.get(item.status, "running"),
    )


def _mcp_tool_call(item: wire_items.McpToolCallItem) -> items.ToolCall:
    return items.ToolCall(
        id=item.id,
        tool=item.tool,
        status=_STATUSES.get(item.status, "running"),
        server=item.server,
        arguments=_arguments(item.arguments),
    )


def _dynamic_tool_call(item: wire_items.DynamicToolCallItem) -> items.ToolCall:
    return items.ToolCall(
        id=item.id,
        tool=item.tool,
        status=_STATUSES.get(item.status, "running"),
        arguments=_arguments(item.arguments),
        success=item.success,
    )


def _collab_agent(item: wire_items.CollabAgentItem) -> items.SubAgent:
    status = _STATUSES.get(item.status, "running")
    return items.SubAgent(id=item.id, status=status, threads=tuple(item.receiver_thread_ids[:64]))


def _sub_agent(item: wire_items.SubAgentActivityItem) -> items.SubAgent:
    return items.SubAgent(id=item.id, status=_STATUSES.get(item.kind, "running"), threads=(item.agent_thread_id,))


_ITEMS: dict[type[Struct], Callable[[Any], items.AnyItem]] = {
    wire_items.CommandExecutionItem: _command,
    wire_items.ReasoningItem: lambda item: items.Reasoning(id=item.id),
    wire_items.AgentMessageItem: _agent_message,
    wire_items.UserMessageItem: _user_message,
    wire_items.FileChangeItem: _file_change,
    wire_items.McpToolCallItem: _mcp_tool_call,
    wire_items.DynamicToolCallItem: _dynamic_tool_call,
    wire_items.CollabAgentItem: _collab_agent,
    wire_items.SubAgentActivityItem: _sub_agent,
    wire_items.WebSearchItem: lambda item: items.WebSearch(id=item.id, query=head(item.query, 2_000)),
    wire_items.EnteredReviewItem: lambda item: items.ReviewEntered(id=item.id, review=head(item.review, MAX_MESSAGE)),
    wire_items.ExitedReviewItem: lambda item: items.ReviewExited(id=item.id, review=head(item.review, MAX_MESSAGE)),
    wire_items.ContextCompactionItem: lambda item: items.Compaction(id=item.id),
}
"""Complete: a test compares it with the union of all known items."""


def _unwrapped(command: str) -> str:
    """Unwrap a command from ``/bin/bash -lc '…'``. The result is for people to read, not to decide by."""
    match = _WRAPPED.fullmatch(command)
    if match is None:
        return ""
    single, double, bare = match.groups()
    return single if single is not None else bare if bare is not None else _ESCAPED.sub(r"\1", double)


_CHANGE_KINDS: dict[str, items.ChangeKind] = {"add": "add", "delete": "delete", "update": "update"}


def _change(change: wire_items.FileUpdate) -> items.Change:
    kind = _CHANGE_KINDS.get(change.kind.type, "update")
    return items.Change(change.path, kind, change.kind.move_path or "")


def _arguments(raw: Raw) -> str:
    return head(bytes(raw).decode("utf-8", "replace"), MAX_ARGUMENTS)


class _HttpInfo(Struct, rename="camel"):
    http_status_code: int | None = None


def problem_of(error: wire_items.TurnError) -> facts.Problem:
    """Read an error, which Codex names by a word or by an object with one key."""
    code, status = "other", None
    info: Any = msgspec.json.decode(error.codex_error_info)
    if isinstance(info, str):
        code = info
    elif isinstance(info, dict) and len(info) == 1:
        code, body = next(iter(info.items()))
        try:
            status = msgspec.convert(body, _HttpInfo).http_status_code
        except msgspec.ValidationError:
            status = None
    return facts.Problem(
        head(error.message, 4_000), head(code, MAX_NAME), status, head(error.additional_details or "", 4_000)
    )

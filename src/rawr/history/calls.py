"""Calls, whatever the tool was named in the version that wrote them."""

import shlex
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw, Struct

from rawr.history.entries import (
    AnyCall,
    CommandCalled,
    InputWritten,
    PatchCalled,
    PlanCalled,
    ScriptCalled,
    Steps,
    StepStatus,
    ToolCalled,
)
from rawr.history.patches import changes_of, patch_in
from rawr.history.scripts import changes_in, commands_in, plans_in
from rawr.history.shapes import UNREADABLE, Item

SHELLS = frozenset({"shell", "shell_command", "exec_command", "container.exec", "local_shell", "unified_exec"})
SCRIPT = "exec"
PATCHES = frozenset({"apply_patch", "applypatch"})
_MCP = "mcp__"
"""Begins the name, or the namespace, under which the model sees an MCP server's tools."""
_WRAPPED = 3
_STATUSES: dict[str, StepStatus] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "inProgress": "in_progress",
    "completed": "completed",
}


class _Shell(Struct, frozen=True):
    """The arguments of every shell tool: a line, or the words of one."""

    cmd: str | list[str] | None = None
    command: str | list[str] | None = None
    workdir: str | None = None
    working_directory: str | None = None
    cwd: str | None = None


class _Step(Struct, frozen=True):
    step: str
    status: str = "pending"


class _Plan(Struct, frozen=True):
    plan: list[_Step]
    explanation: str | None = None


class _Patch(Struct, frozen=True):
    input: str = ""
    patch: str = ""


class _Stdin(Struct, frozen=True):
    session_id: int | str = ""


_decode_text = msgspec.json.Decoder(str).decode
_decode_words = msgspec.json.Decoder(str | list[str] | None).decode
_decode_shell = msgspec.json.Decoder(_Shell).decode
_decode_plan = msgspec.json.Decoder(_Plan).decode
_decode_patch = msgspec.json.Decoder(_Patch).decode
_decode_stdin = msgspec.json.Decoder(_Stdin).decode


def function_called(item: Item, **place: Any) -> AnyCall:
    """A call with arguments, as JSON in a string."""
    arguments = _string(item.arguments)
    server = (item.namespace or "").removeprefix(_MCP)
    tool = item.name
    try:
        known = _known(tool, arguments, item.call, place) if not server else None
    except UNREADABLE as error:
        return ToolCalled(call=item.call, tool=tool, arguments=arguments, problem=str(error)[:200], **place)
    if known is not None:
        return known
    if tool.startswith(_MCP) and tool != _MCP:
        server, _, tool = tool.removeprefix(_MCP).partition("__")
    return ToolCalled(call=item.call, tool=tool, server=server, arguments=arguments, **place)


def _known(tool: str, arguments: str, call: str, place: dict[str, Any]) -> AnyCall | None:
    if tool in SHELLS:
        return _command(_decode_shell(arguments), call, place)
    if tool in PATCHES:
        given = _decode_patch(arguments)
        return PatchCalled(call=call, changes=changes_of(given.input or given.patch), **place)
    if tool == "update_plan":
        plan = _decode_plan(arguments)
        steps = _plan((one.step, one.status) for one in plan.plan)
        return PlanCalled(call=call, steps=steps, explanation=plan.explanation or "", **place)
    if tool == "write_stdin":
        return InputWritten(call=call, session=str(_decode_stdin(arguments).session_id), **place)
    return None


def _plan(steps: Iterable[tuple[str, str]]) -> Steps:
    return tuple((step, _STATUSES.get(status, "pending")) for step, status in steps)


def patch_read(call: PatchCalled) -> PatchCalled:
    """With its changes, whether they have been read before or not."""
    if call.unread is None:
        return call
    try:
        text = _string(call.unread)
    except UNREADABLE:
        text = _string(Raw(bytes(call.unread).decode("utf-8", "replace").encode()))
    return PatchCalled(call=call.call, changes=changes_of(text), turn=call.turn, at=call.at)


def command_read(call: CommandCalled) -> AnyCall:
    """With its command, whether it has been read before or not."""
    item = call.unread
    if item is None:
        return call
    try:
        return function_called(item, turn=call.turn, at=call.at)
    except UNREADABLE:
        arguments = bytes(item.arguments).decode("utf-8", "replace")
        return ToolCalled(call=call.call, tool=item.name, arguments=arguments, turn=call.turn, at=call.at)


def custom_called(item: Item, **place: Any) -> AnyCall:
    """A call with free text."""
    text = _string(item.input)
    if item.name in PATCHES:
        return PatchCalled(call=item.call, changes=changes_of(text), **place)
    if item.name == SCRIPT:
        plans = tuple(_plan(steps) for steps in plans_in(text))
        return ScriptCalled(call=item.call, commands=commands_in(text), changes=changes_in(text), plans=plans, **place)
    return ToolCalled(
        call=item.call, tool=item.name, server=(item.namespace or "").removeprefix(_MCP), arguments=text, **place
    )


def local_called(item: Item, **place: Any) -> AnyCall:
    """``local_shell_call``: the tool that some models bring along."""
    return _command(_decode_shell(item.action), item.call, place)


def _command(given: _Shell, call: str, place: dict[str, Any]) -> AnyCall:
    line = line_of(given.cmd if given.cmd is not None else given.command)
    cwd = given.workdir or given.working_directory or given.cwd or ""
    words = given.command if isinstance(given.command, list) else []
    changes = changes_of(words[1]) if words[:1] == ["apply_patch"] and words[1:] else patch_in(line)
    if changes:
        return PatchCalled(call=call, changes=changes, **place)
    return CommandCalled(call=call, command=line, cwd=cwd, **place)


def line_of(command: str | list[str] | None) -> str:
    """The line that the agent meant: what is inside ``bash -lc``, else the words, quoted where needed."""
    if command is None or isinstance(command, str):
        return command or ""
    if len(command) == _WRAPPED and command[1] in ("-c", "-lc", "-Command", "/c"):
        return command[2]
    return shlex.join(command)


def line_in(raw: Raw) -> str:
    return line_of(_decode_words(raw))


def _string(raw: Raw) -> str:
    """Arguments are JSON in a string; some forks write the JSON itself."""
    body = bytes(raw).lstrip()
    return _decode_text(body) if body[:1] == b'"' else body.decode("utf-8", "replace")

"""A call with what became of it, and the items that Codex shows, or would have shown, for it."""

import ntpath
import posixpath
import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.text import head, tail
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.bounds import (
    MAX_ARGUMENTS,
    MAX_CHANGES,
    MAX_COMMAND,
    MAX_NAME,
    MAX_OUTPUT_TAIL,
    MAX_STEP,
    MAX_STEPS,
)
from rawr.history import entries
from rawr.history.calls import patch_read

NO_ITEM = frozenset({"request_user_input", "wait"})
"""Tools whose calls Codex reports in another way, or that only wait for something else."""

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Made(Struct):
    call: entries.AnyCall
    turn: str
    cwd: str
    after: str = ""
    """The call before it in its turn."""
    offset: int = 0
    returned: entries.Returned | None = None
    shown: entries.CommandShown | entries.ToolShown | None = None
    inside: list[str] = []
    """For a script: the commands in it that Codex showed."""


def items_of(one: Made) -> Iterator[items.AnyItem]:
    """The items of a call that has returned; none for one that runs on in the background."""
    call, returned = one.call, one.returned
    if returned is None or len(call.call) > MAX_NAME:
        return
    match call:
        case entries.CommandCalled():
            if not returned.session:
                yield _command(one, call, returned)
        case entries.PatchCalled():
            yield _file_change(one, patch_read(call), returned)
        case entries.ScriptCalled():
            yield from _script(one, call, returned)
        case entries.ToolCalled(tool=tool) if tool not in NO_ITEM and not call.problem:
            yield _tool_call(call, returned, one.shown)
        case entries.ToolCalled() if call.problem:
            yield replace(_tool_call(call, returned, one.shown), status="failed")
        case _:
            pass


def plan_of(steps: entries.Steps) -> tuple[facts.PlanStep, ...]:
    return tuple(facts.PlanStep(head(step, MAX_STEP), status) for step, status in steps[:MAX_STEPS])


def _command(one: Made, call: entries.CommandCalled, returned: entries.Returned) -> items.Command:
    code = returned.exit_code
    output = returned.output
    if isinstance(one.shown, entries.CommandShown):
        code, output = one.shown.exit_code if code is None else code, one.shown.output or output
    status: items.Status = "failed" if returned.refused or code not in (0, None) else "completed"
    if returned.cut_off:
        # It did not fail, and did not finish either. Codex shows such a command as begun, if at all.
        status, code = "running", None
    return items.Command(
        id=call.call,
        command=head(call.command, MAX_COMMAND),
        cwd=_joined(one.cwd, call.cwd) if call.cwd else one.cwd,
        status=status,
        exit_code=code,
        output_tail=tail(output, MAX_OUTPUT_TAIL),
    )


def _file_change(one: Made, call: entries.PatchCalled, returned: entries.Returned) -> items.FileChange:
    failed = returned.refused or returned.exit_code not in (0, None)
    changes = tuple(
        items.Change(_absolute(one.cwd, path), kind, _absolute(one.cwd, moved_to))
        for kind, path, moved_to in call.changes[:MAX_CHANGES]
    )
    return items.FileChange(id=call.call, changes=changes, status="failed" if failed else "completed")


def _joined(cwd: str, path: str) -> str:
    """The session may be from another system than this one."""
    windows = _DRIVE.match(cwd) is not None or _DRIVE.match(path) is not None
    return ntpath.join(cwd, path) if windows else posixpath.join(cwd, path)


def _absolute(cwd: str, path: str) -> str:
    if not path:
        return ""
    joined = _joined(cwd, path)
    return ntpath.normpath(joined) if _DRIVE.match(joined) else posixpath.normpath(joined)


def _script(one: Made, call: entries.ScriptCalled, returned: entries.Returned) -> Iterator[items.AnyItem]:
    """The commands in a script that Codex did not show, if it is plain which result is whose."""
    if len(call.commands) != len(returned.results):
        return
    shown = list(one.inside)
    for n, (line, (code, output)) in enumerate(zip(call.commands, returned.results, strict=True)):
        if line in shown:
            shown.remove(line)
            continue
        yield items.Command(
            id=command_in(call, n),
            command=head(line, MAX_COMMAND),
            cwd=one.cwd,
            status="failed" if code not in (0, None) else "completed",
            exit_code=code,
            output_tail=tail(output, MAX_OUTPUT_TAIL),
        )


def command_in(call: entries.ScriptCalled, n: int) -> str:
    """What the item of a command in a script is called."""
    return f"{call.call}#{n}"


def _tool_call(
    call: entries.ToolCalled, returned: entries.Returned, shown: entries.CommandShown | entries.ToolShown | None
) -> items.ToolCall:
    """What Codex showed knows better than the model's words which server it was, and whether the call went well."""
    failed, server = returned.refused, call.server
    if isinstance(shown, entries.ToolShown):
        failed, server = shown.failed, shown.server
    return items.ToolCall(
        id=call.call,
        tool=head(call.tool, MAX_NAME),
        status="failed" if failed else "completed",
        server=head(server, MAX_NAME),
        arguments=head(call.arguments, MAX_ARGUMENTS),
    )


def tool_shown(shown: entries.ToolShown) -> items.ToolCall:
    """A call inside a script, which has only its item."""
    return items.ToolCall(
        id=head(shown.call, MAX_NAME),
        tool=head(shown.tool, MAX_NAME),
        status="failed" if shown.failed else "completed",
        server=head(shown.server, MAX_NAME),
        arguments=head(shown.arguments, MAX_ARGUMENTS),
    )

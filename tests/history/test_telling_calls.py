"""What the agent did: commands, patches, plans and tools of every version, as the items that Codex shows for them."""

import json

import pytest

from rawr.core.vocabulary import facts, items
from tests.history.rollouts import (
    PATCH,
    agent,
    began,
    called,
    context,
    custom,
    ended,
    event,
    exited,
    item,
    meta,
    planned,
    ran,
    returned,
    user,
)
from tests.history.stories import story, told

HEADED = "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno\n"
STRUCTURED = json.dumps({"output": "no\n", "metadata": {"exit_code": 1, "duration_seconds": 0.1}})
RUNNING = "Chunk ID: 1\nWall time: 10.0 seconds\nProcess running with session ID {}\nOutput:\nstarting\n"


def in_turn(*lines: bytes) -> list[bytes]:
    return [meta(), began("T1"), context("T1"), user("Do it."), *lines, ended("T1")]


def of_turn(*lines: bytes) -> list[str]:
    """The story without what every turn has."""
    found = story(in_turn(*lines))
    assert (found[:2], found[-1]) == (["turn", "user: Do it."], "completed")
    return found[2:-1]


def shown(*lines: bytes) -> list[items.AnyItem]:
    every = [fact.item for _, fact in told(in_turn(*lines)) if isinstance(fact, facts.ItemCompleted)]
    return [one for one in every if not isinstance(one, items.UserMessage)]


# -- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        [called("shell", {"command": ["bash", "-lc", "make"], "workdir": "/project"}), returned(STRUCTURED)],
        [called("container.exec", {"command": ["bash", "-lc", "make"]}), returned(STRUCTURED)],
        [called("shell_command", {"command": "make", "workdir": "/project"}), returned(HEADED)],
        [called("exec_command", {"cmd": "make"}), returned(exited(1, "no\n"))],
        [
            item({"type": "local_shell_call", "call_id": "call_1", "action": {"type": "exec", "command": ["make"]}}),
            returned(STRUCTURED),
        ],
        [
            called("exec_command", {"cmd": "make"}),
            event("exec_command_end", call_id="call_1", command=["bash", "-lc", "make"], exit_code=1),
            returned("no\n"),
        ],
    ],
)
def test_a_command_of_every_version_is_the_same_item(call: list[bytes]) -> None:
    assert shown(*call) == [
        items.Command(id="call_1", command="make", cwd="/project", status="failed", exit_code=1, output_tail="no\n")
    ]


def test_windows_paths_and_powershell_are_kept_as_they_are() -> None:
    lines = [
        meta(cwd="C:\\Users\\Ada\\app"),
        began("T1"),
        user("Do it."),
        called("shell", {"command": ["powershell.exe", "-Command", "Get-ChildItem -Path .\\src"]}),
        returned(HEADED),
        called("shell_command", {"command": "git commit -m 'x'", "workdir": "C:\\Users\\Ada\\app"}, call="call_2"),
        returned("Exit code: 0\nWall time: 1 seconds\nOutput:\r\n[main 1a2b3c4] x\r\n", call="call_2"),
        ended("T1"),
    ]
    found = [fact.item for _, fact in told(lines) if isinstance(fact, facts.ItemCompleted)]
    assert [(one.command, one.cwd, one.exit_code) for one in found if isinstance(one, items.Command)] == [
        ("Get-ChildItem -Path .\\src", "C:\\Users\\Ada\\app", 1),
        ("git commit -m 'x'", "C:\\Users\\Ada\\app", 0),
    ]


@pytest.mark.parametrize(
    ("path", "absolute"),
    [("src/../a.txt", "C:\\app\\a.txt"), ("D:\\b.txt", "D:\\b.txt"), ("sub\\a.txt", "C:\\app\\sub\\a.txt")],
)
def test_a_patch_on_windows_has_windows_paths(path: str, absolute: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch"
    lines = [
        meta(cwd="C:\\app"),
        began("T1"),
        user("Do it."),
        custom("apply_patch", patch),
        returned("Success.", custom=True),
    ]
    [found] = [fact.item for _, fact in told(lines) if isinstance(fact, facts.ItemCompleted)][1:]
    assert isinstance(found, items.FileChange)
    assert found.changes == (items.Change(absolute, "add", ""),)


def test_a_relative_working_directory_is_below_the_threads() -> None:
    [found] = shown(called("exec_command", {"cmd": "ls", "workdir": "lib"}), returned(exited(0, "")))
    assert isinstance(found, items.Command)
    assert found.cwd == "/project/lib"


def test_a_command_that_was_refused_failed_without_an_exit_code() -> None:
    assert of_turn(called("shell_command", {"command": "rm x"}), returned("exec command rejected by user")) == [
        "ran: rm x (failed, None)"
    ]


def test_a_command_in_the_background_ends_when_somebody_hears_of_it() -> None:
    assert of_turn(
        called("exec_command", {"cmd": "make serve"}),
        returned(RUNNING.format(7)),
        *ran("ls", call="call_2"),
        called("write_stdin", {"session_id": 7, "chars": ""}, call="call_3"),
        returned(RUNNING.format(7), call="call_3"),
        called("write_stdin", {"session_id": 7, "chars": "\x03"}, call="call_4"),
        returned(exited(130, "bye"), call="call_4"),
    ) == ["ran: ls (completed, 0)", "ran: make serve (failed, 130)"]


def test_a_command_that_still_runs_at_the_end_of_its_turn_only_began() -> None:
    later = [began("T2"), user("And?"), called("write_stdin", {"session_id": "7"}, call="call_2")]
    over = [returned(exited(0, "bye"), call="call_2"), agent("It is over."), ended("T2")]
    lines = [*in_turn(called("exec_command", {"cmd": "make serve"}), returned(RUNNING.format(7))), *later, *over]
    assert story(lines) == [
        "turn",
        "user: Do it.",
        "still runs: make serve",
        "completed",
        "turn",
        "user: And?",
        "ran: make serve (completed, 0)",
        "agent: It is over.",
        "completed",
    ]


def test_input_for_a_session_that_nobody_knows_is_nothing() -> None:
    assert of_turn(called("write_stdin", {"session_id": 9}), returned(exited(0, ""))) == []


def test_an_output_without_a_call_is_nothing() -> None:
    assert of_turn(returned(exited(0, ""), call="another")) == []


def test_a_call_before_any_turn_is_in_one() -> None:
    """The beginning of the file is lost."""
    assert story([*ran("ls"), agent("Done.")]) == ["turn", "ran: ls (completed, 0)", "agent: Done.", "completed"]
    assert story([*planned("doing: a"), agent("Done.")]) == ["turn", "plan: in_progress a", "agent: Done.", "completed"]


# -- patches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        [called("apply_patch", {"input": PATCH}), returned("Success. Updated the following files:\nA a.txt\n")],
        [custom("apply_patch", PATCH), returned(STRUCTURED.replace(": 1", ": 0"), custom=True)],
        [called("shell", {"command": ["apply_patch", PATCH]}), returned(STRUCTURED.replace(": 1", ": 0"))],
        [called("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}), returned("Success.")],
        [
            called("shell_command", {"command": f"cd /project && apply_patch <<'EOF'\n{PATCH}\nEOF\n"}),
            returned("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."),
        ],
    ],
)
def test_a_patch_of_every_version_is_the_same_item(call: list[bytes]) -> None:
    assert shown(*call) == [
        items.FileChange(
            id="call_1",
            changes=(
                items.Change("/project/a.txt", "add", ""),
                items.Change("/project/b.txt", "update", "/project/c.txt"),
            ),
            status="completed",
        )
    ]


def test_a_patch_that_does_not_apply_failed() -> None:
    assert of_turn(custom("apply_patch", PATCH), returned("apply_patch verification failed: no", custom=True)) == [
        "patch: add /project/a.txt, update /project/b.txt (failed)"
    ]


# -- plans and tools --------------------------------------------------------------------------------------------------


def test_a_plan_counts_when_codex_has_taken_it() -> None:
    taken = planned("done: a", "doing: b", "todo: c")
    refused = [called("update_plan", {"plan": [{"step": "x"}]}), returned("failed to parse function arguments: no")]
    assert of_turn(*taken, *refused) == ["plan: completed a, in_progress b, pending c"]


def test_a_plan_that_is_no_plan_is_a_failed_call() -> None:
    assert of_turn(called("update_plan", {"plan": "later"}), returned("failed to parse")) == [
        "tool: update_plan (failed)"
    ]


def test_tools_are_told_with_their_servers() -> None:
    lines = [called("mcp__docs__find", {"q": 1}), returned("found")]
    assert shown(*lines) == [
        items.ToolCall(id="call_1", tool="find", server="docs", status="completed", arguments='{"q": 1}')
    ]
    assert of_turn(item({"type": "web_search_call", "action": {"query": "x"}})) == ["search"]


def mcp_called(call: str = "call_1", **more: object) -> bytes:
    """As 0.163 and 0.169 write it: the server is a namespace."""
    arguments = json.dumps({"phase": "research", "summary": "Read."})
    payload = {"type": "function_call", "name": "phase_complete", "namespace": "mcp__rawr", "arguments": arguments}
    return item({**payload, "call_id": call, **more})


def mcp_shown(status: str = "completed", *, call: str = "call_1", server: str = "rawr") -> bytes:
    arguments = {"phase": "research", "summary": "Read."}
    shown = {"type": "McpToolCall", "id": call, "server": server, "tool": "phase_complete", "status": status}
    return event("item_completed", thread_id="s1", turn_id="T1", item={**shown, "arguments": arguments})


MCP_OUTPUT = [
    {"type": "input_text", "text": "Wall time: 0.0041 seconds\nOutput:"},
    {"type": "input_text", "text": "Noted."},
]


@pytest.mark.mission("D10")
@pytest.mark.parametrize(
    ("lines", "server", "status"),
    [
        ([mcp_called(), mcp_shown(), returned(MCP_OUTPUT)], "rawr", "completed"),
        ([mcp_called(), returned(MCP_OUTPUT)], "rawr", "completed"),
        ([mcp_called(), mcp_shown("failed"), returned(MCP_OUTPUT)], "rawr", "failed"),
        ([mcp_called(), mcp_shown(server="raw.r"), returned(MCP_OUTPUT)], "raw.r", "completed"),
        (
            [mcp_called(namespace=None, name="mcp__rawr__phase_complete"), returned("unsupported call: x")],
            "rawr",
            "failed",
        ),
    ],
    ids=["shown", "not shown", "declined", "another server", "no such tool"],
)
def test_a_call_of_rawrs_own_server_is_told_as_it_was_reported(lines: list[bytes], server: str, status: str) -> None:
    """What Codex showed says whose tool it was, and if it ran; what the model was told may not."""
    (call,) = shown(*lines)
    assert isinstance(call, items.ToolCall)
    assert (call.id, call.tool, call.server, call.status) == ("call_1", "phase_complete", server, status)
    assert json.loads(call.arguments) == {"phase": "research", "summary": "Read."}


@pytest.mark.mission("D10")
def test_a_call_inside_a_script_is_told_from_what_codex_showed() -> None:
    lines = [
        custom("exec", "await tools.mcp__rawr__phase_complete({})"),
        mcp_shown(call="x1"),
        returned("", custom=True),
    ]
    assert [(one.id, getattr(one, "server", "")) for one in shown(*lines)] == [("x1", "rawr")]


# -- code mode --------------------------------------------------------------------------------------------------------


def script(text: str, output: object = "Script completed\nOutput:\n", call: str = "call_1") -> list[bytes]:
    return [custom("exec", text, call=call), returned(output, custom=True, call=call)]


def test_a_script_did_what_is_written_out_in_it() -> None:
    patch = json.dumps(PATCH)
    assert of_turn(
        *script(
            "const a = await tools.exec_command({cmd: 'git status', workdir: '/project'});\n"
            'await tools.shell_command({ "command": "git commit -m \\"x\\"" });\n'
            f"const patch = {patch};\nawait tools.apply_patch(patch);\n"
        )
    ) == [
        "ran: git status (completed, None)",
        'ran: git commit -m "x" (completed, None)',
        "patch: add /project/a.txt, update /project/b.txt (completed)",
    ]


def test_exit_codes_that_a_script_prints_are_those_of_its_commands() -> None:
    parts = [json.dumps({"output": "ok", "exit_code": 0}), json.dumps({"output": "no", "exit_code": 2})]
    output = [{"type": "input_text", "text": "Script completed\nOutput:\n"}] + [
        {"type": "input_text", "text": one} for one in parts
    ]
    text = (
        "for (const c of [1]) {}\ntext(await tools.exec_command({cmd: 'a'}));text(await tools.exec_command({cmd: 'b'}))"
    )
    assert of_turn(*script(text, output)) == ["ran: a (completed, 0)", "ran: b (failed, 2)"]


def test_a_command_that_codex_showed_is_not_told_again() -> None:
    end = event("exec_command_end", call_id="other", command=["bash", "-lc", "git status"], exit_code=0)
    text = "await tools.exec_command({cmd: 'git status'}); await tools.exec_command({cmd: 'ls'})"
    assert of_turn(custom("exec", text), end, returned("Script completed", custom=True)) == [
        "ran: git status (completed, 0)",
        "ran: ls (completed, None)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        'await tools.update_plan({plan:[{step:"read {it}",status:"completed"},{step:"write",status:"in_progress"}]})',
        (
            "tools . update_plan ( { explanation: 'x', 'plan': [ { status: 'completed', step: 'read {it}', },\n"
            " {step: `write`, status: 'in_progress'}, ], })"
        ),
    ],
)
def test_a_plan_in_a_script_is_a_plan(text: str) -> None:
    assert of_turn(*script(text)) == ["plan: completed read {it}, in_progress write"]


@pytest.mark.parametrize(
    "text",
    [
        "await tools.update_plan({plan})",
        "await tools.update_plan({plan: steps})",
        "await tools.update_plan({plan: [{step: names[0], status: 'completed'}]})",
        "await tools.update_plan({plan: [{step: 'a', status: done ? 'completed' : 'pending'}]})",
        "await tools.update_plan({plan: [{step: `a ${b}`, status: 'pending'}]})",
        "await tools.update_plan({plan: [...old, {step: 'a', status: 'pending'}]})",
        "await tools.update_plan({plan: [",
        "await tools.update_plan(" + "[" * 5_000,
    ],
)
def test_a_plan_that_a_script_puts_together_is_not_made_up(text: str) -> None:
    assert of_turn(*script(text)) == []


def test_a_script_that_was_refused_made_no_plan() -> None:
    text = "await tools.update_plan({plan:[{step:'a',status:'completed'}]})"
    assert of_turn(*script(text, "aborted by user")) == []

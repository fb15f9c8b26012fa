"""One line of any version is one typed entry, and one that is not understood says so."""

import json

import pytest

from rawr.history import entries as e
from rawr.history.lines import entry_of
from tests.history.rollouts import AT, AT_MS, PATCH, called, custom, envelope, event, exited, item, line, returned

CHANGES: tuple[e.Change, ...] = (("add", "a.txt", ""), ("update", "b.txt", "c.txt"))
SHOWN = {"type": "CommandExecution", "id": "call_1", "command": ["/bin/bash", "-lc", "ls"], "exit_code": 0}


@pytest.mark.parametrize(
    ("written", "entry"),
    [
        # 2025: no envelope, no times
        (line({"id": "s1", "timestamp": AT, "instructions": None}), e.SessionBegan(session="s1", at=AT_MS)),
        (line({"record_type": "state"}), e.Passed(kind="state")),
        (
            line({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi."}]}),
            e.Said(role="user", text="Hi."),
        ),
        (
            line({"type": "function_call", "name": "shell", "arguments": '{"command":["ls","a b"]}', "call_id": "c"}),
            e.CommandCalled(call="c", command="ls 'a b'"),
        ),
        (
            line({"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}),
            e.CommandCalled(call="c", command="ls"),
        ),
        # the session and its turns
        (
            envelope("session_meta", {"id": "s", "cwd": "/p", "cli_version": "0.163.0"}, ordinal=0),
            e.SessionBegan(session="s", cwd="/p", version="0.163.0", at=AT_MS),
        ),
        (
            envelope("turn_context", {"turn_id": "T", "cwd": "/p", "model": "m"}),
            e.TurnContext(cwd="/p", model="m", turn="T", at=AT_MS),
        ),
        (envelope("turn_context", {"cwd": "/p"}), e.TurnContext(cwd="/p", at=AT_MS)),
        (event("task_started", turn_attribution={"turn_id": "T"}), e.TurnBegan(turn="T", at=AT_MS)),
        (event("task_complete", turn_id="T"), e.TurnEnded(turn="T", at=AT_MS)),
        (event("turn_aborted", reason="interrupted"), e.TurnEnded(interrupted=True, at=AT_MS)),
        (event("thread_rolled_back", num_turns=2), e.RolledBack(turns=2, at=AT_MS)),
        (envelope("compacted", {"message": "", "replacement_history": []}), e.Compacted(at=AT_MS)),
        (event("token_count", info=None), e.Passed(kind="token_count", at=AT_MS)),
        (
            event(
                "token_count",
                info={
                    "total_token_usage": {"total_tokens": 9},
                    "last_token_usage": {"total_tokens": 3},
                    "model_context_window": 100,
                },
            ),
            e.UsageSeen(in_context=3, spent=9, window=100, at=AT_MS),
        ),
        # calls
        (
            called("shell", {"command": ["bash", "-lc", "git commit"], "workdir": "/p"}, turn="T"),
            e.CommandCalled(call="call_1", command="git commit", cwd="/p", turn="T", at=AT_MS),
        ),
        (called("shell_command", {"command": "ls"}), e.CommandCalled(call="call_1", command="ls", at=AT_MS)),
        (called("exec_command", {"cmd": "ls"}), e.CommandCalled(call="call_1", command="ls", at=AT_MS)),
        (called("write_stdin", {"session_id": 7}), e.InputWritten(call="call_1", session="7", at=AT_MS)),
        (
            called("update_plan", {"plan": [{"step": "a", "status": "completed"}], "explanation": "x"}),
            e.PlanCalled(call="call_1", steps=(("a", "completed"),), explanation="x", at=AT_MS),
        ),
        (
            called("mcp__docs__find", {"q": 1}),
            e.ToolCalled(call="call_1", tool="find", server="docs", arguments='{"q": 1}', at=AT_MS),
        ),
        (
            custom(
                "exec",
                'const r = await tools.exec_command({cmd: "git commit -m \\"x\\""});\n'
                "await tools.shell_command({ workdir: '/p', command: 'ls' }); text(r)",
            ),
            e.ScriptCalled(call="call_1", commands=('git commit -m "x"', "ls"), at=AT_MS),
        ),
        # patches
        (called("apply_patch", {"input": PATCH}), e.PatchCalled(call="call_1", changes=CHANGES, at=AT_MS)),
        (custom("apply_patch", PATCH), e.PatchCalled(call="call_1", changes=CHANGES, at=AT_MS)),
        (
            called("shell", {"command": ["apply_patch", PATCH]}),
            e.PatchCalled(call="call_1", changes=CHANGES, at=AT_MS),
        ),
        (
            called("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"}),
            e.PatchCalled(call="call_1", changes=CHANGES, at=AT_MS),
        ),
        # what Codex showed
        (
            event("item_completed", turn_id="T", item=SHOWN),
            e.CommandShown(call="call_1", command="ls", exit_code=0, turn="T", at=AT_MS),
        ),
        (
            event("exec_command_end", call_id="c", command=["zsh", "-lc", "ls"], exit_code=2, aggregated_output="no"),
            e.CommandShown(call="c", command="ls", exit_code=2, output="no", at=AT_MS),
        ),
        # known and unused, unknown, and no shape at all
        (event("agent_message", message="Hi."), e.Passed(kind="agent_message", at=AT_MS)),
        (envelope("world_state", {"full": True}), e.Passed(kind="world_state", at=AT_MS)),
        (envelope("moon_phase", {}), e.Unknown(kind="moon_phase", at=AT_MS)),
        (item({"type": "telepathy"}), e.Unknown(kind="telepathy", at=AT_MS)),
        (line({"a": 1}), e.Unreadable(problem="it has no type")),
    ],
)
def test_a_line_is_one_entry(written: bytes, entry: e.AnyEntry) -> None:
    assert entry_of(written) == entry


@pytest.mark.parametrize(
    ("output", "code", "text"),
    [
        (json.dumps({"output": "no\n", "metadata": {"exit_code": 3, "duration_seconds": 0.1}}), 3, "no\n"),
        ("Exit code: 128\nWall time: 0.1 seconds\nOutput:\nfatal: no\n", 128, "fatal: no\n"),
        ("Exit code: 0\nWall time: 2 seconds\nTotal output lines: 900\nOutput:\nyes", 0, "yes"),
        (exited(1, "no\n"), 1, "no\n"),
        ({"content": exited(1, "no"), "success": False}, 1, "no"),
        ([{"type": "input_text", "text": exited(0, "a")}, {"type": "input_image"}], 0, "a\n"),
        ("Process exited with code 4\nOutput:\n", 4, ""),
        (f"Command: /bin/zsh -lc 'make'\n{exited(2, 'no')}", 2, "no"),
    ],
)
def test_an_output_of_every_version_gives_its_exit_code(output: object, code: int, text: str) -> None:
    entry = entry_of(returned(output))
    assert isinstance(entry, e.Returned)
    assert (entry.exit_code, entry.output, entry.refused) == (code, text, False)


@pytest.mark.parametrize("output", ["hi\nProcess exited with code 0\n", "Exit code: 0 is what I want", '{"output":1}'])
def test_what_a_command_prints_is_not_taken_for_its_exit_code(output: str) -> None:
    for written in (output, exited(7, output)):
        entry = entry_of(returned(written))
        assert isinstance(entry, e.Returned)
        assert entry.exit_code == (None if written is output else 7)


@pytest.mark.parametrize(
    "output",
    [
        "approval policy is Never; reject command — you cannot ask for escalated permissions",
        "unsupported call: nonsense",
        "failed to parse function arguments: key must be a string",
        "aborted by user after 3.1s",
        {"content": "no", "success": False},
    ],
)
def test_a_call_that_did_not_run_is_told_from_one_that_did(output: object) -> None:
    entry = entry_of(returned(output))
    assert isinstance(entry, e.Returned)
    assert (entry.exit_code, entry.refused) == (None, True)


@pytest.mark.parametrize("output", ["aborted by user after 3.1s", "Wall time: 1.5 seconds\naborted by user"])
def test_a_call_that_was_cut_off_is_told_from_one_that_was_refused(output: str) -> None:
    entry = entry_of(returned(output))
    assert isinstance(entry, e.Returned)
    assert (entry.exit_code, entry.refused, entry.cut_off) == (None, True, True)


def test_a_command_that_runs_on_has_a_session_and_no_exit_code() -> None:
    text = "Chunk ID: 1\nWall time: 0.2 seconds\nProcess running with session ID 66076\nOutput:\n"
    entry = entry_of(returned(text))
    assert isinstance(entry, e.Returned)
    assert (entry.exit_code, entry.session, entry.refused) == (None, "66076", False)


def test_a_script_gives_the_results_that_it_printed() -> None:
    printed = [
        {"type": "input_text", "text": "Script completed\nWall time 0.2 seconds\nOutput:\n"},
        {"type": "input_text", "text": '{"exit_code":128,"output":"fatal"}'},
        {"type": "input_text", "text": '{"exit_code":0,"output":"ok"}'},
    ]
    entry = entry_of(returned(printed, custom=True))
    assert isinstance(entry, e.Returned)
    assert entry.results == ((128, "fatal"), (0, "ok"))


def test_dirt_is_mended_where_it_can_be() -> None:
    """Outputs are cut in the middle of a character, and files have runs of NUL bytes."""
    cut = returned("caf").replace(b"caf", b"caf\xc3")
    entry = entry_of(b"\x00" * 40 + cut + b"\r")
    assert isinstance(entry, e.Returned)
    assert entry.output == "caf�"


@pytest.mark.parametrize(
    "dirt", [b"{", b"[]", b"null", b"\xff", b'{"type":7}', b"[" * 100_000, returned("x")[:-9], b'{"type":"\\ud800"}']
)
def test_dirt_is_an_entry_too(dirt: bytes) -> None:
    assert isinstance(entry_of(dirt), e.Unreadable)


def test_arguments_that_cannot_be_read_leave_the_call() -> None:
    entry = entry_of(called("exec_command", "{bad json"))
    assert isinstance(entry, e.ToolCalled)
    assert (entry.call, entry.tool, bool(entry.problem)) == ("call_1", "exec_command", True)

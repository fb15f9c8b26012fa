"""What counts the approved share of real sessions reads every way in which Codex has recorded a command (C10)."""

import json
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "approved_share.py"
HOME = "/home/ada/app"
ENVELOPE = [
    {"type": "session_meta", "payload": {"id": "1", "cwd": HOME}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": json.dumps(
        {"command": ["bash", "-lc", f"cat {HOME}/README.md"], "workdir": HOME})}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell_command", "arguments": json.dumps(
        {"command": "ls secret-name", "sandbox_permissions": "require_escalated"})}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "exec_command", "arguments": json.dumps(
        {"cmd": "rm secret-name", "workdir": f"{HOME}/src"})}},
    {"type": "response_item", "payload": {"type": "local_shell_call", "action": {
        "type": "exec", "command": ["git", "status"], "working_directory": HOME}}},
    {"type": "response_item", "payload": {"type": "custom_tool_call", "name": "exec", "input":
        'tools.shell_command({command: "wc -l x", workdir: "/home/ada/app"}); tools.exec_command({cmd: "npm i"})'}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": json.dumps(
        {"command": ["powershell.exe", "-Command", "ls"]})}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{broken"}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell_command", "arguments": json.dumps(
        {"command": "echo $SECRET_NAME; rg --secret-name x; cat '../a`secret-name`b'"})}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell_command", "arguments": json.dumps(
        {"command": "echo $SECRET_NAME; rg --secret-name x; cat ~/secret-name; git show 5c2031e347abc"})}},
]  # fmt: skip
LEGACY = [
    {"id": "2", "timestamp": "2025-08-01", "instructions": None},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"<cwd>{HOME}</cwd>"}]},
    {"record_type": "state"},
    {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", "pwd"]})},
]


def test_every_format_is_counted_and_nothing_is_quoted(tmp_path: Path) -> None:
    for name, items in (("a", ENVELOPE), ("deep/b", LEGACY)):
        file = tmp_path / f"{name}/rollout-1.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text("\0\0\nnot json\n" + "\n".join(map(json.dumps, items)) + '\n{"half')
    command = [sys.executable, str(SCRIPT), str(tmp_path), "--reasons", "9"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert told.splitlines()[:3] == [
        "2 sessions, 9 POSIX commands, 1 others left out",
        "approved: 5 of 9 (55.6%), distinct 5 of 9 (55.6%)",
        "approved of those that the agent escalated: 1 of 1 (100.0%), distinct 1 of 1 (100.0%)",
    ]
    assert "`rm` changes or removes files." in told
    assert not re.search("secret.name|ada|5c2031", told, re.IGNORECASE)

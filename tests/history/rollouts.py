"""Lines as Codex wrote them, from its first session files on; written by hand, after the shapes of real ones."""

import json
from typing import Any

AT = "2026-01-02T03:04:05.678Z"
AT_MS = 1767323045678


def line(value: Any) -> bytes:
    return json.dumps(value).encode()


def envelope(kind: str, payload: Any, *, at: str = AT, **more: Any) -> bytes:
    return line({"timestamp": at, "type": kind, "payload": payload, **more})


def item(payload: Any, *, turn: str = "") -> bytes:
    """What the model said or was told; newer versions write the turn on it."""
    passed = {"internal_chat_message_metadata_passthrough": {"turn_id": turn}} if turn else {}
    return envelope("response_item", {**payload, **passed})


def event(kind: str, **payload: Any) -> bytes:
    return envelope("event_msg", {"type": kind, **payload})


def called(name: str, arguments: Any, *, call: str = "call_1", turn: str = "") -> bytes:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return item({"type": "function_call", "name": name, "arguments": text, "call_id": call}, turn=turn)


def custom(name: str, text: str, *, call: str = "call_1", turn: str = "") -> bytes:
    return item({"type": "custom_tool_call", "name": name, "input": text, "call_id": call}, turn=turn)


def returned(output: Any, *, call: str = "call_1", turn: str = "", custom: bool = False) -> bytes:
    kind = "custom_tool_call_output" if custom else "function_call_output"
    return item({"type": kind, "call_id": call, "output": output}, turn=turn)


def exited(code: int, output: str) -> str:
    """What ``exec_command`` returns."""
    return f"Chunk ID: 7c300e\nWall time: 0.0000 seconds\nProcess exited with code {code}\nOutput:\n{output}"


def began(turn: str) -> bytes:
    return event("task_started", turn_id=turn)


def ended(turn: str) -> bytes:
    return event("task_complete", turn_id=turn, last_agent_message="Done.")


def context(turn: str, cwd: str = "/project") -> bytes:
    return envelope("turn_context", {"turn_id": turn, "cwd": cwd, "model": "m"})


PATCH = "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** Update File: b.txt\n*** Move to: c.txt\n*** End Patch"

"""Lines as Codex wrote them, from its first session files on; written by hand, after the shapes of real ones."""

import json
from datetime import UTC, datetime
from typing import Any

AT = "2026-01-02T03:04:05.678Z"
AT_MS = 1767323045678


def line(value: Any) -> bytes:
    """As Codex writes it, without a blank."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


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


def meta(session: str = "s1", **more: Any) -> bytes:
    return envelope("session_meta", {"id": session, "cwd": "/project", "cli_version": "0.163.0", **more})


def said(role: str, text: str, **more: Any) -> bytes:
    part = "output_text" if role == "assistant" else "input_text"
    return item({"type": "message", "role": role, "content": [{"type": part, "text": text}], **more})


def user(text: str) -> bytes:
    """Codex shows a message of the user's."""
    return event("user_message", message=text)


def agent(text: str) -> bytes:
    return said("assistant", text)


def ran(command: str, *, code: int = 0, output: str = "", call: str = "call_1") -> list[bytes]:
    return [called("exec_command", {"cmd": command}, call=call), returned(exited(code, output), call=call)]


def planned(*steps: str, call: str = "call_plan") -> list[bytes]:
    """``planned("done: a", "doing: b", "todo: c")``"""
    words = {"done": "completed", "doing": "in_progress", "todo": "pending"}
    plan = [{"step": text, "status": words[status]} for status, _, text in (one.partition(": ") for one in steps)]
    return [called("update_plan", {"plan": plan}, call=call), returned("Plan updated", call=call)]


def used(in_context: int, *, spent: int = 0, window: int = 258_400, cached: int = 0, output: int = 10) -> bytes:
    last = {
        "total_tokens": in_context,
        "input_tokens": in_context - output,
        "cached_input_tokens": cached,
        "output_tokens": output,
    }
    total = {"total_tokens": spent or in_context}
    return event(
        "token_count",
        info={"total_token_usage": total, "last_token_usage": last, "model_context_window": window},
        rate_limits=None,
    )


def compacted(summary: str = "") -> list[bytes]:
    return [envelope("compacted", {"message": summary, "replacement_history": []}), event("context_compacted")]


def legacy(*written: bytes) -> list[bytes]:
    """The same without envelopes, as the first versions wrote it: no times, and a state between."""
    found = [line({"id": "s1", "timestamp": AT, "instructions": None, "git": None})]
    for one in written:
        found += [line(json.loads(one)["payload"]), line({"record_type": "state"})]
    return found


def at(seconds: float, *written: bytes) -> list[bytes]:
    """Lines that were written so long after the first."""
    moment = datetime.fromtimestamp(AT_MS / 1000 + seconds, UTC)
    stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return [line({**json.loads(one), "timestamp": stamp}) for one in written]

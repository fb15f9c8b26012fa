"""A session that gets full: three turns of work with a commit, Codex's own compaction in the middle of the third."""

from pathlib import Path
from typing import Any

from tests.history.rollouts import began, called, context, ended, envelope, event, exited, item, returned

WINDOW = 100_000
SESSION = "019a0000-0000-7000-8000-000000000001"


def used(tokens: int, *, spent: int) -> bytes:
    """After a model call."""
    last = {
        "total_tokens": tokens,
        "input_tokens": tokens - 100,
        "cached_input_tokens": tokens // 2,
        "output_tokens": 100,
    }
    info = {"total_token_usage": {"total_tokens": spent}, "last_token_usage": last, "model_context_window": WINDOW}
    return event("token_count", info=info)


def at(minute: int, line: bytes) -> bytes:
    return line.replace(b"03:04:05", f"03:{minute:02}:05".encode())


def turn(name: str, words: str, *calls: bytes, tokens: int, spent: int, minute: int, says: str = "") -> list[bytes]:
    """One turn of work: the user's words, some calls, one report of the context, the agent's answer."""
    said = item({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": says or LONG}]})
    lines = [began(name), context(name), event("user_message", message=words), *calls, used(tokens, spent=spent), said]
    return [at(minute, one) for one in (*lines, ended(name))]


LONG = "I changed what you asked for, ran the checks, and wrote down what is left to look at in the notes."


def command(line: str, output: str, *, call: str) -> tuple[bytes, bytes]:
    return called("exec_command", {"cmd": line}, call=call), returned(exited(0, output), call=call)


def session(*, say: str = "Build the parser.", **meta: Any) -> list[bytes]:
    commit = command("git commit -m Parser", "[main 1a2b3c4] Parser\n", call="call_2")
    middle = [
        *command("make test", "ok", call="call_3"),
        used(93_000, spent=200_000),
        envelope("compacted", {"message": ""}),
        event("context_compacted"),
        used(15_000, spent=215_000),
        *command("make lint", "ok", call="call_4"),
    ]
    return [
        envelope("session_meta", {"id": SESSION, "cwd": "/project", "cli_version": "0.150.0", **meta}),
        *turn("T1", say, *command("ls", "a", call="call_1"), tokens=25_000, spent=25_000, minute=5),
        *turn("T2", "Commit it.", *commit, tokens=45_000, spent=70_000, minute=20),
        *turn("T3", "Now the lexer.", *middle, tokens=20_000, spent=235_000, minute=40),
    ]


def write(folder: Path, lines: list[bytes], name: str = "rollout-2026-01-02T03-04-05-x.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path

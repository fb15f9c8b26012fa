"""A history of Codex sessions from a seed, for ``backtesting.py``: as many bytes as asked for, in session files.

Shaped after a real one of 937 sessions and 500 MB: how often each kind of line comes and how long it is, how many calls
a turn has, how the context grows, and how versions differ. Words are filler; nothing is anybody's. The first sessions
are written line by line; after that, they come again under other names, which is quick.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

_WINDOW = 258_400
_LIMIT = _WINDOW * 9 // 10
_BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_WORDS = (
    "the",
    "parser",
    "reads",
    "one",
    "more",
    "file",
    "and",
    "returns",
    '"src"',
    "é",
    "—",
    "\n",
    "\t",
    "a\\b",
    "so",
)
_COMMANDS = (
    "sed -n '1,200p' src/parser.py",
    "rg -n 'def parse' src tests",
    "make test",
    "python -m pytest -q tests/test_parser.py",
    "ls -la src && cat README.md",
    "git status --short",
    "git diff --stat",
)
_VERSIONS = ("0.40.0", "0.98.0", "0.150.0")
"""Without named turns; with them; and with turns on every line."""


_WRITTEN = 48
"""Megabytes of sessions that are not repeated."""


def make(folder: Path, *, megabytes: int, seed: int = 1) -> Path:
    """Write sessions until there are so many bytes."""
    random = Random(seed)  # noqa: S311 - the same sessions in every run
    folder.mkdir(parents=True)
    written: list[Path] = []
    done = 0
    while done < min(megabytes, _WRITTEN) * 1_000_000:
        written.append(folder / _named(len(written)))
        done += session(written[-1], random)
    n = len(written)
    while done < megabytes * 1_000_000:
        first, again = written[n % len(written)], folder / _named(n)
        done += again.write_bytes(first.read_bytes().replace(first.stem.encode(), again.stem.encode()))
        n += 1
    return folder


def _named(n: int) -> str:
    return f"rollout-{_BEGAN:%Y-%m-%d}T09-{n // 60 % 60:02}-{n % 60:02}-{n:05}.jsonl"


def session(path: Path, random: Random, *, turns: int = 0) -> int:
    """One session of so many turns, or as many as it happens to have. Returns its bytes."""
    size = 0
    with path.open("wb") as file:
        for line in _Session(random, path.stem).lines(turns or min(1 + int(random.paretovariate(0.9)), 60)):
            size += file.write(line)
    return size


class _Session:
    def __init__(self, random: Random, name: str) -> None:
        self._random = random
        self._name = name
        self._version = random.choice(_VERSIONS)
        self._at = _BEGAN + timedelta(minutes=random.randrange(100_000))
        self._held = 14_000 + random.randrange(8_000)
        self._spent = self._calls = 0
        self._settings: dict[str, str] = {}

    def lines(self, turns: int) -> Iterator[bytes]:
        about = {"id": self._name, "cwd": "/project", "cli_version": self._version, "originator": "codex_cli_rs"}
        meta = {**about, "source": "cli", "base_instructions": {"text": self._text(15_000)}}
        for _ in range(self._random.choice((1, 1, 2, 5))):
            # A fork begins with those of its ancestors.
            yield self._line("session_meta", meta)
        yield self._message("developer", self._text(7_000))
        for n in range(turns):
            yield from self._turn(f"{self._name}-{n}")

    def _turn(self, name: str) -> Iterator[bytes]:
        random, named = self._random, self._version != _VERSIONS[0]
        self._at += timedelta(minutes=random.randrange(1, 40))
        if named:
            yield self._event("task_started", turn_id=name, model_context_window=_WINDOW)
        turn = {"turn_id": name} if self._version == _VERSIONS[2] else {}
        settings = {"cwd": "/project", "approval_policy": "on-request", "model": "m", "instructions": _SETTINGS}
        self._settings = {**turn, **settings}
        yield self._line("turn_context", self._settings)
        asked = self._text(int(random.lognormvariate(6.6, 1.5)))
        yield self._message("user", asked)
        yield self._event("user_message", message=asked, images=[])
        for _ in range(min(int(random.lognormvariate(1.5, 1)), 80)):
            yield from self._call()
        said = self._text(int(random.lognormvariate(6.3, 0.8)))
        yield self._event("agent_message", message=said)
        yield self._message("assistant", said)
        yield self._used()
        if named:
            yield self._event("task_complete", turn_id=name, last_agent_message=said)

    def _call(self) -> Iterator[bytes]:
        random = self._random
        self._calls += 1
        self._at += timedelta(seconds=random.randrange(1, 60))
        call = f"call_{self._name}_{self._calls}"
        if random.random() < 0.77:
            yield self._item("reasoning", summary=[], content=None, encrypted_content=_letters(random, 2_400))
        if random.random() < 0.51:
            yield self._event("agent_reasoning", text=self._text(120))
        yield from self._besides()
        if random.random() < 0.2:
            patch = (
                f"*** Begin Patch\n*** Update File: src/{random.randrange(30)}.py\n{self._text(1_300)}\n*** End Patch"
            )
            printed = json.dumps({"output": f"Success. {self._text(2_400)}", "metadata": {"exit_code": 0}})
            yield self._item("custom_tool_call", status="completed", call_id=call, name="apply_patch", input=patch)
            yield self._item("custom_tool_call_output", call_id=call, output=printed)
        else:
            commits = random.random() < 0.01
            command = f"git commit -am 'Part {self._calls}'" if commits else random.choice(_COMMANDS)
            if random.random() < 0.3:
                command += f"\npython - <<'EOF'\n{self._text(1_000)}\nEOF"
            printed = f"[main {self._calls:07x}] Part" if commits else self._text(int(random.lognormvariate(7.3, 1.5)))
            output = f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{printed}"
            arguments = json.dumps({"command": ["bash", "-lc", command], "workdir": "/project"})
            yield self._item("function_call", name="shell", arguments=arguments, call_id=call)
            yield self._item("function_call_output", call_id=call, output=output)
        yield self._used()
        self._held += int(random.lognormvariate(7, 1.2))
        if self._held > _LIMIT:
            yield self._line("compacted", {"message": self._text(4_000), "replacement_history": []})
            self._held = 30_000

    def _besides(self) -> Iterator[bytes]:
        """What comes between the calls of a turn: settings once more, words, a report of rate limits."""
        random = self._random
        if random.random() < 0.55:
            yield self._line("turn_context", self._settings)
        if random.random() < 0.2:
            said = self._text(int(random.lognormvariate(5, 0.6)))
            yield self._event("agent_message", message=said)
            yield self._message("assistant", said)
        if random.random() < 0.45:
            yield self._used()

    def _used(self) -> bytes:
        self._spent += self._held
        counted = {"input_tokens": self._held - 300, "cached_input_tokens": self._held // 2, "output_tokens": 300}
        info = {
            "total_token_usage": {**counted, "reasoning_output_tokens": 0, "total_tokens": self._spent},
            "last_token_usage": {**counted, "reasoning_output_tokens": 0, "total_tokens": self._held},
            "model_context_window": _WINDOW,
        }
        window = {"used_percent": 12.0, "window_minutes": 300, "resets_at": 1_770_000_000}
        return self._event("token_count", info=info, rate_limits={"primary": window, "secondary": window})

    def _message(self, role: str, text: str) -> bytes:
        return self._item("message", role=role, content=[{"type": "input_text", "text": text}])

    def _item(self, kind: str, **payload: Any) -> bytes:
        return self._line("response_item", {"type": kind, **payload})

    def _event(self, kind: str, **payload: Any) -> bytes:
        return self._line("event_msg", {"type": kind, **payload})

    def _line(self, kind: str, payload: dict[str, Any]) -> bytes:
        self._at += timedelta(milliseconds=self._random.randrange(1_000))
        stamp = f"{self._at:%Y-%m-%dT%H:%M:%S}.{self._at.microsecond // 1000:03}Z"
        written = {"timestamp": stamp, "type": kind, "payload": payload}
        return json.dumps(written, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"

    def _text(self, size: int) -> str:
        start = self._random.randrange(len(_FILLER) // 2)
        found = _FILLER[start : start + size]
        return found if size < len(found) + 1 else (_FILLER * (size // len(_FILLER) + 1))[:size]


def _letters(random: Random, size: int) -> str:
    start = random.randrange(len(_SECRET) - size)
    return _SECRET[start : start + size]


_FILLER = " ".join(Random(0).choices(_WORDS, k=8_000))  # noqa: S311 - the same in every run
_SECRET = "".join(Random(0).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", k=20_000))  # noqa: S311
_SETTINGS = _FILLER[:1_200]

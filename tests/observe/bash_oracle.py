"""What bash itself makes of a text: every call of the function ``rec`` with exactly the arguments it was given."""

import os
import subprocess
from pathlib import Path

Call = tuple[str, ...]

_RECORD = '() { printf "%s\\0" "$#" "$@" >>"$OUT"; }'


def calls_of(text: str, folder: Path) -> list[Call] | None:
    """The recorded calls; nothing if bash refused the text or did not come to an end."""
    out = folder / "calls"
    out.unlink(missing_ok=True)
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    env = {"OUT": str(out), "PATH": "/nowhere", "HOME": "/home/ada", "LC_ALL": "C.UTF-8", "BASH_FUNC_rec%%": _RECORD}
    try:
        done = subprocess.run(
            ["/bin/bash", "-c", os.fsencode(text)],
            env=env,
            cwd=empty,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
        )
    except subprocess.TimeoutExpired:
        return None
    if b"syntax error" in done.stderr or b"unexpected EOF" in done.stderr:
        return None
    return _read(out.read_bytes() if out.exists() else b"")


def _read(data: bytes) -> list[Call]:
    parts = [os.fsdecode(part) for part in data.split(b"\0")[:-1]]
    calls: list[Call] = []
    while parts:
        count = int(parts.pop(0))
        calls.append(tuple(parts[:count]))
        del parts[:count]
    return calls


def fits(call: Call, words: tuple[str | None, ...]) -> bool:
    """A call can come from these words: ``None`` stands for any number of arguments."""
    if not words:
        return not call
    if words[0] is None:
        return any(fits(call[used:], words[1:]) for used in range(len(call) + 1))
    return bool(call) and call[0] == words[0] and fits(call[1:], words[1:])

"""The real ``rawr`` program in a process of its own."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from tests.cli import warm

NO_BUNDLED_CODEX = "import sys; sys.modules['codex_cli_bin'] = None; from rawr.cli.main import main; main()"
"""``rawr`` as it is where the extra ``codex`` is not installed."""
OWN = ("RAWR_", "CODEX_", "HOME", "PATH", "XDG_")
"""Variables that are read when ``rawr`` runs. Others may matter to Python, or to a library when it is imported."""


class Ended(Struct, frozen=True):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, object]]:
        """Stdout as NDJSON. Anything else on it fails here."""
        return [json.loads(line) for line in self.out.splitlines()]


def in_shell(line: str, *, env: Mapping[str, str] | None = None, deadline: float = 60.0) -> Ended:
    """A line of bash in which ``rawr`` is the program. The exit code is that of the first of a pipe."""
    start = f'rawr() {{ {shlex.quote(sys.executable)} -m rawr "$@"; }}'
    done = subprocess.run(
        ["bash", "-c", f"{start}\n{line}\nexit ${{PIPESTATUS[0]}}"],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=deadline,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def rawr(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    bundled: bool = True,
    deadline: float = 60.0,
    fresh: bool = False,
) -> Ended:
    """``fresh``: as a shell starts it. Otherwise out of a process that has read the code, where that is no matter."""
    if bundled and not fresh and all(name.startswith(OWN) for name in env or ()):
        return Ended(*warm.run(arguments, env={**os.environ, **(env or {})}, deadline=deadline))
    start = ["-m", "rawr"] if bundled else ["-c", NO_BUNDLED_CODEX]
    done = subprocess.run(
        [sys.executable, *start, *arguments],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=deadline,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def script(path: Path, body: str) -> Path:
    """A small program that stands where Codex should."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path

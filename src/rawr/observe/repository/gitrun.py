"""Asking git itself, safely (B6), where files alone do not tell.

The repository may be hostile: its configuration can name programs to run for hooks, file watching, paging, signatures
and transport. Only commands that need none of these are called, each of them is switched off as well, and the git
directory is named outright, so nothing is discovered and no ownership is in question. Time and output are bounded.
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

from rawr.observe.repository.locating import Repository

DEADLINE = 5.0
MAX_OUTPUT = 1 << 20

_OFF = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=true",
    "credential.helper=",
    "log.showSignature=false",
    "protocol.allow=never",
    "diff.external=",
)
_PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")


def run_git(repository: Repository, *arguments: str, deadline: float = DEADLINE) -> bytes | None:
    """What git prints; nothing if it is missing, fails, takes too long or says too much."""
    git = shutil.which("git")
    if git is None or not Path(git).is_absolute():
        return None
    options = [part for setting in _OFF for part in ("-c", setting)]
    command = [git, "--no-pager", "--no-optional-locks", *options, f"--git-dir={repository.git_dir}", *arguments]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=repository.git_dir,
            env=_environment(),
            start_new_session=True,
        )
    except (OSError, ValueError):
        return None
    with process:
        output = _bounded(process, deadline=deadline)
        if output is None:
            _end(process)
            return None
        return output if process.wait() == 0 else None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With everything it started: it leads a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _bounded(process: "subprocess.Popen[bytes]", *, deadline: float) -> bytes | None:
    if process.stdout is None:
        return None
    until = time.monotonic() + deadline
    output = bytearray()
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([process.stdout], [], [], left)
        if not ready:
            return None
        part = os.read(process.stdout.fileno(), 65536)
        if not part:
            return bytes(output)
        output += part
        if len(output) > MAX_OUTPUT:
            return None
    return None


def _environment() -> dict[str, str]:
    """The user's own configuration stays readable, for aliases; everything else that git listens to is left out."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {
        **kept,
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CONFIG_COUNT": "0",
    }

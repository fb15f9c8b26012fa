"""Stand-ins for an app-server that misbehaves: small Python programs, run as real child processes."""

import os
import sys
from pathlib import Path
from textwrap import dedent

from rawr.codex.stdio import StdioDialer

USER_AGENT = "stand-in/1"
CODEX_HOME = "/home/ada/.codex"
ASK = "send({'id': 0, 'method': 'currentTime/read', 'params': {'threadId': 't'}})"
"""A line of a script: the server asks the time."""

_PRELUDE = f"""
import json, os, signal, sys, time

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)

def send(message):
    write(json.dumps(message) + "\\n")

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def answer(request, **result):
    send({{"id": request["id"], "result": result}})

def notify(method, **params):
    send({{"method": method, "params": params}})

def warn(message):
    notify("warning", message=message)

def greet():
    answer(read(), userAgent={USER_AGENT!r}, codexHome={CODEX_HOME!r})
    assert read() == {{"method": "initialized"}}

def serve():
    "Answer every call with the thread it named; tell of everything else that comes in."
    while True:
        message = read()
        if "method" in message:
            answer(message, turnId=message["params"].get("threadId", ""))
        else:
            warn(json.dumps(message))
"""


def stand_in(script: str, *, end_grace: float = 1.0) -> StdioDialer:
    """Dials a server that does what the script says."""
    program = _PRELUDE + dedent(script)
    return StdioDialer(
        Path(sys.executable), env={}, arguments=("-I", "-S", "-X", "utf8", "-c", program), end_grace=end_grace
    )


def program(path: Path, script: str) -> Path:
    """The same as an executable that tells its version, for whoever names a Codex."""
    version = "if sys.argv[1:] == ['--version']: print('codex-cli 0.163.0'); sys.exit(0)\n"
    path.write_text(f"#!{sys.executable}\n{_PRELUDE}\n{version}{dedent(script)}")
    path.chmod(0o755)
    return path


def is_gone(pid: int) -> bool:
    """Whether a child of ours has ended and was waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False

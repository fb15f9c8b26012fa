"""``rawr mcp`` as Codex starts it (D10)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.mcp.stdio import MAX_LINE

pytestmark = pytest.mark.mission("D10")


def mcp(home: Path, *lines: bytes) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "RAWR_HOME": str(home)}
    command = [sys.executable, "-m", "rawr", "mcp"]
    return subprocess.run(command, input=b"\n".join(lines), env=env, capture_output=True, timeout=60, check=False)


def test_garbage_is_survived_and_the_end_of_stdin_is_the_end(tmp_path: Path) -> None:
    """Nothing but the protocol is on stdout, and what is too long is refused and read past."""
    long = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"' + b"x" * (2 * MAX_LINE) + b'"}}'
    ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'
    ended = mcp(tmp_path, ping % 1, b"\x00garbage", b"", long, ping % 3, b'{"jsonrpc":"2.0","id":4,"meth')
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [one["id"] for one in answers] == [1, 2, 3]
    assert (answers[1]["error"]["code"], ended.returncode, ended.stderr) == (-32600, 0, b"")


def test_a_client_that_no_longer_reads_ends_it(tmp_path: Path) -> None:
    env = {**os.environ, "RAWR_HOME": str(tmp_path)}
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "rawr", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE, env=env) as server:
        os.close(writing)
        os.close(reading)
        _, errors = server.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', timeout=60)
    assert (server.returncode, errors) == (0, b"")

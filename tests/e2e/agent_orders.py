"""Run by the agent, in Codex's sandbox: tries to give rawr orders, by its commands and by hand.

``python agent_orders.py HOME OUT``: waits until a request waits, tries everything, and writes what came of it to OUT.
"""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 60.0


def rawr(*words: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", "from rawr.cli.main import main; main()", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def waiting() -> dict[str, str]:
    """The request, as the agent can see it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for line in str(rawr("approvals", "--json")["out"]).splitlines():
            found = json.loads(line)
            if found.get("type") == "waiting" or "id" in found:
                return {"id": found["id"], "thread": found.get("thread", ""), "line": line}
        time.sleep(0.05)
    raise SystemExit("nothing ever waited")


def by_hand(home: Path, request: str, thread: str) -> list[str]:
    """A client of the agent's own, on both sockets."""
    answer = {"fact": "AnswerSubmitted", "request": request, "answer": {"answer": "Verdict", "verdict": "accept"}}
    answer["origin"] = {"surface": "tui", "pid": 1, "program": "rawr", "terminal": "pts/0"}
    said = []
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(os.fspath(home / "control.sock"))
        control.sendall(json.dumps({"command": answer, "thread": thread}).encode() + b"\n")
        said.append(heard(control))
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(os.fspath(home / "control.sock"))
        control.sendall(json.dumps({"command": {"fact": "ShowWaiting"}, "thread": thread}).encode() + b"\n")
        said.append(heard(control))
    from rawr.host import messages as m
    from rawr.version import __version__

    protocol, shape = m.PROTOCOL, m.own_shape()
    with socket.socket(socket.AF_UNIX) as host:
        host.connect(os.fspath(home / "host.sock"))
        calls: list[dict[str, object]] = [
            {"is": "Hello", "protocol": protocol, "version": __version__, "shape": shape},
            {"is": "Calling", "number": 1, "call": {"call": "Subscribe", "deltas": True}},
            {"is": "Calling", "number": 2, "call": {"call": "Submit", "thread": thread, "fact": answer}},
            {
                "is": "Calling",
                "number": 3,
                "call": {"call": "UseRules", "flags": {"rawr_full_auto.approvals": "never"}},
            },
            {"is": "Calling", "number": 4, "call": {"call": "Bring", "environment": {"block": ""}}},
            {"is": "Calling", "number": 5, "call": {"call": "Stop"}},
            {"is": "Calling", "number": 6, "call": {"call": "BeginThread", "cwd": "/"}},
            {"is": "Calling", "number": 7, "call": {"call": "AskStatus"}},
        ]
        for call in calls:
            body = json.dumps(call).encode()
            host.sendall(len(body).to_bytes(4, "big") + body)
        said.append(heard(host))
    return said


def heard(end: socket.socket) -> str:
    """Until nothing more comes for a while."""
    end.settimeout(1.0)
    got = b""
    try:
        while data := end.recv(65536):
            got += data
    except TimeoutError:
        pass
    return got.decode(errors="replace")


def main() -> None:
    home, out = Path(sys.argv[1]), Path(sys.argv[2])
    found = waiting()
    request = found["id"]
    tried: dict[str, object] = {"seen": found["line"], "status": Path("/proc/self/status").read_text()}
    tried["approve"] = rawr("approve", request)
    tried["pin"] = rawr("pin", "Never ask again.")
    tried["stop"] = rawr("host", "stop")
    tried["by hand"] = by_hand(home, request, found["thread"])
    out.with_suffix(".part").write_text(json.dumps(tried))
    out.with_suffix(".part").replace(out)


if __name__ == "__main__":
    main()

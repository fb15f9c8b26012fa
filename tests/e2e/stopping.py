"""A process that stands still."""

import os
import signal
import time
from pathlib import Path

DEADLINE = 30.0


def stop(pid: int) -> None:
    """SIGSTOP, and wait until every thread of it stands: until then those that were not told go on working."""
    os.kill(pid, signal.SIGSTOP)
    until = time.monotonic() + DEADLINE
    while any(_state(task) not in "Tt" for task in Path("/proc", str(pid), "task").iterdir()):
        assert time.monotonic() < until, f"process {pid} did not stop"
        time.sleep(0.001)


def _state(task: Path) -> str:
    # The name before it may hold anything, a closing bracket too.
    return (task / "stat").read_text(errors="replace").rpartition(") ")[2][:1]

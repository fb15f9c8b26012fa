"""One writer at a time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.journal import Journal, JournalBusy

HOLD = """
import sys
from pathlib import Path
from rawr.journal import Journal
with Journal.open(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_in_the_same_process_is_refused(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home"), pytest.raises(JournalBusy, match=f"in use by process {os.getpid()}"):
        Journal.open(tmp_path / "home")
    Journal.open(tmp_path / "home").close()


def test_a_second_writer_learns_which_process_has_the_journal(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "home")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(JournalBusy, match="Stop it first, or set RAWR_HOME") as refusal:
            Journal.open(tmp_path / "home")
        assert refusal.value.pid == holder.pid
        holder.communicate()
    Journal.open(tmp_path / "home").close()


def test_a_lock_file_left_by_a_dead_process_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "journal.lock").write_text("999999999\n")
    Journal.open(tmp_path).close()

"""One writer at a time."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rawr.journal.errors import JournalBusy
from rawr.journal.store import Journal

HOLD = """
import sys
from pathlib import Path
from rawr.journal.store import Journal
with Journal.open(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_in_the_same_process_is_refused(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home"), pytest.raises(JournalBusy, match=f"in use by process {os.getpid()}"):
        Journal.open(tmp_path / "home")
    Journal.open(tmp_path / "home").close()


@contextmanager
def holder(home: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that has the journal open for writing."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
        process.communicate()


def test_a_second_writer_learns_which_process_has_the_journal(tmp_path: Path) -> None:
    with holder(tmp_path / "home") as process:
        with pytest.raises(JournalBusy, match=r"Stop it first .*, or set RAWR_HOME") as refusal:
            Journal.open(tmp_path / "home")
        assert refusal.value.pid == process.pid
    Journal.open(tmp_path / "home").close()


def removed(lock: Path) -> None:
    lock.unlink()


def replaced(lock: Path) -> None:
    other = lock.with_name("other")
    other.write_text("1\n")
    other.chmod(0o600)
    other.replace(lock)


def moved(lock: Path) -> None:
    lock.rename(lock.with_name("journal.lock.old"))


@pytest.mark.parametrize("deed", [removed, replaced, moved])
@pytest.mark.parametrize("tries", [1, 2])
def test_without_the_lock_file_a_second_writer_is_still_kept_out(
    tmp_path: Path, deed: Callable[[Path], None], tries: int
) -> None:
    """D5: two writers would act on the same threads."""
    home = tmp_path / "home"
    with holder(home):
        for _ in range(tries):
            deed(home / "journal.lock")
            with pytest.raises(JournalBusy, match="in use by another program"):
                Journal.open(home)
    Journal.open(home).close()


def test_a_link_to_the_home_is_no_way_in(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("home")
    with holder(tmp_path / "home"):
        (tmp_path / "home" / "journal.lock").unlink()
        with pytest.raises(JournalBusy):
            Journal.open(tmp_path / "link")


@pytest.mark.parametrize("unlocked", [True, False])
def test_a_killed_writer_holds_nobody_up(tmp_path: Path, unlocked: bool) -> None:
    home = tmp_path / "home"
    with holder(home) as process:
        if unlocked:
            (home / "journal.lock").unlink()
        process.kill()
        process.wait()
        Journal.open(home).close()


def test_a_lock_file_left_by_a_dead_process_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "journal.lock").touch(mode=0o600)
    (tmp_path / "journal.lock").write_text("999999999\n")
    Journal.open(tmp_path).close()

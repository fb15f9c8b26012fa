"""Questions to real programs that answer well, badly, or without end."""

import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from rawr.bounded import MAX_OUTPUT, Said, SaidTooMuch, TookTooLong, ask
from tests.codex.test_transport import is_running, open_files


def shell(line: str) -> list[str]:
    return ["/bin/sh", "-c", line]


def test_both_outputs_and_the_code() -> None:
    assert ask(shell("echo out; echo err >&2; exit 3"), deadline=10) == Said(3, b"out\n", b"err\n")
    assert ask(shell("kill -9 $$"), deadline=10) == Said(-9, b"", b"")
    assert ask(shell("cat"), deadline=10) == Said(0, b"", b"")


def test_as_much_as_is_allowed() -> None:
    said = ask(shell(f"head -c {MAX_OUTPUT} /dev/zero; head -c {MAX_OUTPUT} /dev/zero >&2"), deadline=10)
    assert (len(said.stdout), len(said.stderr)) == (MAX_OUTPUT, MAX_OUTPUT)


def gone(pids: Iterable[int]) -> bool:
    """A killed process ends a moment after the signal; on a busy machine a long one."""
    left = set(pids)
    until = time.monotonic() + 30
    while left and time.monotonic() < until:
        left = {pid for pid in left if is_running(pid)}
        time.sleep(0.01)
    return not left


@pytest.mark.parametrize("where", ["", ">&2"])
def test_a_program_that_never_stops_printing_is_ended_with_what_it_started(tmp_path: Path, where: str) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(SaidTooMuch, match="it printed more than 64 KiB") as caught:
        # Each writes its pid down before anything is printed.
        ask(shell(f"echo $$ > {pids}; sh -c 'echo $$ >> {pids}; exec yes well {where}' & wait"), deadline=20)
    assert caught.value.beginning.startswith("well\nwell\n")
    assert gone(int(pid) for pid in pids.read_text().split())


@pytest.mark.parametrize("line", ["sleep 60", "sleep 60 & echo done", "exec >&- 2>&-; sleep 60"])
def test_a_program_that_takes_too_long(line: str) -> None:
    began = time.monotonic()
    with pytest.raises(TookTooLong, match=r"it took more than 0\.2 seconds"):
        ask(shell(line), deadline=0.2)
    assert time.monotonic() - began < 40, "it was waited for to the end"


def test_another_folder_environment_and_bound(tmp_path: Path) -> None:
    said = ask(shell("pwd; echo $NAME"), deadline=10, cwd=tmp_path, env={"NAME": "\xe9"})
    assert (said.stdout, said.stderr) == (f"{tmp_path}\n\xe9\n", "")
    with pytest.raises(SaidTooMuch, match="it printed more than 1 KiB"):
        ask(shell("head -c 1025 /dev/zero"), deadline=10, most=1024)


def test_no_program(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ask([str(tmp_path / "nowhere")], deadline=1)


def test_nothing_is_left_open() -> None:
    before = open_files()
    ask(shell("echo out"), deadline=10)
    with pytest.raises(TookTooLong):
        ask(shell("sleep 60"), deadline=0.1)
    assert open_files() == before

"""Output that nobody waits for, on real pipes: what fits comes through, what does not is counted, and the end comes."""

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from rawr.cli.terminal.outlet import CHUNK, Outlet
from tests.soaking import soak

SMALL = 4096
"""The smallest pipe there is."""


class Pipe(NamedTuple):
    reader: int
    writer: int


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe(*os.pipe())
    fcntl.fcntl(made.writer, fcntl.F_SETPIPE_SZ, SMALL)
    yield made
    for descriptor in made:
        os.close(descriptor)


def note(lines: int) -> bytes:
    return f"({lines} missing)\n".encode()


def line(number: int) -> bytes:
    return f"{number:05}".encode().rjust(99, b".") + b"\n"


def fill(pipe: Pipe) -> None:
    """Nothing more goes in until somebody reads."""
    os.write(pipe.writer, b"-" * (SMALL - 1) + b"\n")


class Reader:
    """Takes everything, in pieces of a size, up to how it ends."""

    def __init__(self, descriptor: int, *, piece: int = 65536, end: bytes = b"end\n") -> None:
        self.data = b""
        self._descriptor, self._piece, self._end = descriptor, piece, end
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while not self.data.endswith(self._end) and (data := os.read(self._descriptor, self._piece)):
            with self._changed:
                self.data += data
                self._changed.notify_all()

    def until(self, text: bytes) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: text in self.data, timeout=20), self.data[-200:]

    def lines(self) -> list[str]:
        self._thread.join(20)
        assert not self._thread.is_alive(), self.data[-200:]
        return self.data.decode().splitlines()


def test_a_slow_reader_gets_everything_that_fits(pipe: Pipe) -> None:
    """Many times what the pipe holds is put before anybody reads; all of it comes, in order."""
    outlet = Outlet(pipe.writer, note=note)
    for number in range(2_000):
        outlet.put(line(number))
    outlet.put(b"end\n")
    reader = Reader(pipe.reader, piece=7)
    assert outlet.finish() == 0
    assert reader.lines() == [line(number).decode()[:-1] for number in range(2_000)] + ["end"]
    assert (outlet.stuck, outlet.lost) == (False, None)


def test_what_does_not_fit_is_counted_in_its_place(pipe: Pipe) -> None:
    fill(pipe)
    outlet = Outlet(pipe.writer, note=note, limit=50 * 100)
    for number in range(1_000):
        outlet.put(line(number))
    reader = Reader(pipe.reader)
    reader.until(b"missing")  # as soon as there is room again, though nothing else is put
    outlet.put(b"end\n")
    assert outlet.finish() == 0
    _, *kept, missing, end = reader.lines()
    assert kept == [line(number).decode()[:-1] for number in range(50)]
    assert (missing, end) == ("(950 missing)", "end")


def test_a_gap_at_the_end_is_told_as_well(pipe: Pipe) -> None:
    fill(pipe)
    outlet = Outlet(pipe.writer, note=note, limit=50 * 100)
    for number in range(1_000):
        outlet.put(line(number))
    reader = Reader(pipe.reader, end=b"missing)\n")
    assert outlet.finish() == 0
    assert reader.lines()[-1] == "(950 missing)"


def test_one_that_is_longer_than_the_queue_is_written_where_nothing_waits(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writer, note=note, limit=100)
    outlet.put(b"x" * 10 * CHUNK + b"\nend\n")
    reader = Reader(pipe.reader)
    assert outlet.finish() == 0
    assert [len(one) for one in reader.lines()] == [10 * CHUNK, 3]


def test_what_nobody_reads_is_given_up_and_nothing_waits_afterwards(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writer, note=note)
    for number in range(1_000):
        outlet.put(line(number))
    assert outlet.finish() >= 1_000 - SMALL // 100 - 1
    assert outlet.stuck
    outlet.put(b"too late\n")


def test_a_reader_that_is_gone_is_told_to_whoever_prints_next() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    outlet = Outlet(writer, note=note)
    outlet.put(b"x\n")
    with pytest.raises(BrokenPipeError):
        _keep_on(outlet)
    assert outlet.finish() == 0
    assert outlet.lost is None, "it was told"
    unheard = Outlet(writer, note=note)
    unheard.put(b"x\n")
    unheard.finish()
    assert isinstance(unheard.lost, BrokenPipeError)
    os.close(writer)


def _keep_on(outlet: Outlet) -> None:
    while True:
        outlet.put(b"x\n")


def test_a_descriptor_that_does_not_wait_loses_nothing(pipe: Pipe) -> None:
    """Whoever started us may have made it so."""
    os.set_blocking(pipe.writer, False)
    outlet = Outlet(pipe.writer, note=note)
    outlet.put(b"x" * 10 * SMALL + b"\nend\n")
    reader = Reader(pipe.reader)
    assert outlet.finish() == 0
    assert len(reader.lines()[0]) == 10 * SMALL


FLOWS = """
import sys
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.output import emit, say, warn
with flowing(json={json}):
    for number in range({count}):
        {print}
print("after", file=sys.stderr)
"""


@pytest.mark.parametrize(
    "printing", ["say('x' * 99)", "emit({'x': 'y' * 99})", soak("print('x' * 99)"), soak("warn('x' * 99)")]
)
def test_a_program_ends_though_nobody_reads(printing: str, pipe: Pipe) -> None:
    """Both streams lead into a pipe that is full, and far more than is kept is printed."""
    code = FLOWS.format(json="emit" in printing, count=45_000, print=printing)
    done = subprocess.run([sys.executable, "-c", code], stdout=pipe.writer, stderr=pipe.writer, timeout=60)
    assert done.returncode == 0


def test_what_was_given_up_is_told_where_somebody_reads(pipe: Pipe) -> None:
    code = FLOWS.format(json=False, count=1_000, print="say('x' * 99)")
    done = subprocess.run([sys.executable, "-c", code], stdout=pipe.writer, stderr=subprocess.PIPE, timeout=60)
    said, after, _ = done.stderr.decode().split("\n")
    assert said.endswith("lines of output not written: nothing is reading them")
    assert (after, done.returncode) == ("after", 0)


def test_both_streams_keep_their_order_where_they_lead_to_the_same_place() -> None:
    code = FLOWS.format(json=False, count=200, print="say(f'a{number}'); warn(f'b{number}')")
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    wanted = [word for number in range(200) for word in (f"a{number}", f"rawr: b{number}")]
    assert done.stdout.decode().splitlines() == [*wanted, "after"]

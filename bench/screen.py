"""The terminal program: from a key to the screen, the first frame, a thread of 100 000 items, and what it costs idle.

Measured, with the real program in a process of its own and a real pseudo-terminal between:

- Key to screen: from the moment a letter is written to the terminal until the letter comes back in what the program
  draws, while 10 000 pieces of text a second stream into the conversation on the screen. Each letter is one that is not
  on the screen. p99 over all of them, and the median; beside it the same while nothing streams.
- First frame: from the start of the process until the list of threads is drawn. Python and all imports are in it; Codex
  is not.
- Opening: the same until the last of 100 000 items is on the screen, against a thread of 100 items.
- Idle: processor time of the process for a second of the wall, after it has come to rest.

Unfair would be: a screen that is only drawn in memory (it goes through the terminal, byte for byte); a thread whose
items are all alike (they take turns: messages, commands, files); text that is thrown away (every piece reaches the
conversation, whose end is drawn).
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.tui.told_rawr import ToldRawr

from bench.measuring import spread
from bench.report import Goal, Result, Row, Size
from rawr.core.vocabulary import facts, items

COLUMNS, ROWS = 160, 45
LETTERS = "абвгдежзиклмнопрстуфхцчшщъыьэюяљњћџ"
CLEAR = "\x15"
DEADLINE = 30.0


class Screen:
    """What comes from the terminal, as bytes."""

    def __init__(self, descriptor: int, process: "subprocess.Popen[bytes]") -> None:
        self._descriptor, self.process = descriptor, process

    def until(self, mark: bytes) -> float:
        """The time at which it was drawn."""
        seen, deadline = b"", time.perf_counter() + DEADLINE
        while time.perf_counter() < deadline:
            ready, _, _ = select.select([self._descriptor], [], [], 0.5)
            if ready:
                seen = seen[-64:] + os.read(self._descriptor, 1 << 16)
                if mark in seen:
                    return time.perf_counter()
        raise AssertionError(f"never drawn: {mark!r}; the end of what was: {seen[-2_000:]!r}")

    def drain(self, seconds: float) -> None:
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            if select.select([self._descriptor], [], [], left)[0]:
                os.read(self._descriptor, 1 << 16)

    def type(self, keys: str) -> float:
        began = time.perf_counter()
        os.write(self._descriptor, keys.encode())
        return began

    @property
    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def screen(home: Path, thread: str, *, rate: int = 0) -> Iterator[Screen]:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "bench.screen_side", str(home), thread, str(rate)]
    env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=env, start_new_session=True)
    os.close(side)
    try:
        yield Screen(main, process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(main)


def run(size: Size) -> Result:
    many, few = size.of(100_000, quick=10_000), 100
    _record(size.folder / "few", few)
    _record(size.folder / "many", many)
    starts = [_start(size.folder / "few", b"Threads") for _ in range(size.of(9, quick=3) + 1)][1:]
    small = [_start(size.folder / "few", b"item-%d " % (few - 1)) for _ in range(size.of(7, quick=3))]
    large = [_start(size.folder / "many", b"item-%d " % (many - 1)) for _ in range(size.of(7, quick=3))]
    quiet = _keys(size.folder / "few", rate=0, letters=size.of(300, quick=60))
    busy = _keys(size.folder / "few", rate=10_000, letters=size.of(600, quick=100))
    idle = _idle(size.folder / "many", seconds=size.of(20, quick=6))
    return Result(
        rows=(
            _latency("key to screen, 10 000 pieces/s, p99", busy, quiet, part=0.99, goal=Goal(at_most=50)),
            _latency("key to screen, 10 000 pieces/s, median", busy, quiet, part=0.5, goal=None),
            _row("first frame", [one * 1000 for one in starts], "ms", "", Goal(at_most=700)),
            _row(
                f"opening {many:,} items".replace(",", " "), [1000 * one for one in large], "ms", "", Goal(at_most=1000)
            ),
            _row(
                "against 100 items",
                [big / median(small) for big in large],
                "×",  # noqa: RUF001
                f"{1000 * median(small):.0f} ms",
                Goal(at_most=1.5),
            ),
            _row("idle", [idle * 100], "%", "of a core", Goal(at_most=1)),
        )
    )


def _row(figure: str, measured: list[float], unit: str, against: str, goal: Goal | None) -> Row:
    return Row(
        figure=figure,
        measured=spread(measured),
        unit=f" {unit}",
        ours=f"{median(measured):.2f} {unit}",
        against=against,
        goal=goal,
    )


def _latency(figure: str, busy: list[float], quiet: list[float], *, part: float, goal: Goal | None) -> Row:
    found = _quantile(busy, part)
    against = f"{_quantile(quiet, part):.1f} ms while nothing streams"
    return Row(figure=figure, measured=spread([found]), unit=" ms", ours=f"{found:.1f} ms", against=against, goal=goal)


def _quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def _start(home: Path, mark: bytes) -> float:
    began = time.perf_counter()
    with screen(home, "thread") as it:
        return it.until(mark) - began


def _keys(home: Path, *, rate: int, letters: int) -> list[float]:
    """In ms. A letter that is typed is drawn once, and gone when the line is cleared."""
    found: list[float] = []
    with screen(home, "thread", rate=rate) as it:
        it.until(b"Threads")
        it.type("i")
        it.drain(2.0)
        for number in range(letters):
            at = number % len(LETTERS)
            if not at:
                it.type(CLEAR)
                it.drain(0.3)
            began = it.type(LETTERS[at])
            found.append((it.until(LETTERS[at].encode()) - began) * 1000)
            # Not in step with the batches.
            it.drain(0.013 + 0.007 * (number % 7))
    return found


def _idle(home: Path, *, seconds: int) -> float:
    with screen(home, "thread") as it:
        it.until(b"Threads")
        it.drain(3.0)
        before, began = it.cpu, time.perf_counter()
        it.drain(seconds)
        assert it.process.poll() is None, "the program had exited before it was measured"
        return (it.cpu - before) / (time.perf_counter() - began)


def _record(home: Path, count: int) -> None:
    """A thread of so many items of all kinds, in turns of fifty, with everything that rawr decided about them."""
    with ToldRawr(home) as rawr:
        for number in range(count):
            turn = f"T{number // 50}"
            if number % 50 == 0:
                rawr.take("thread", facts.UserSubmitted(text=f"item-{number} Go on with part {number // 50}."))
                rawr.begins("thread", turn)
            rawr.item("thread", turn, _item(number))
            if number % 50 == 49:
                rawr.uses("thread", turn, 20_000 + number % 5_000)
                rawr.ends("thread", turn)


def _item(number: int) -> items.AnyItem:
    match number % 4:
        case 0:
            return items.Command(
                id=f"c{number}",
                command=f"echo item-{number} | sort",
                cwd="/project",
                status="completed",
                exit_code=0,
                output_tail="ok\n" * 20,
            )
        case 1:
            changes = (items.Change(f"src/item-{number} .py", "update"),)
            return items.FileChange(id=f"f{number}", changes=changes, status="completed")
        case _:
            text = (
                f"item-{number} is **done**; see `part_{number}.py`.\n\n- one\n- two\n\nNext comes part {number + 1}."
            )
            return items.AgentMessage(id=f"a{number}", text=text)

"""What is typed, as lines (C10, C18)."""

import asyncio
import os
import pty
import select
import termios
import threading
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.cli.terminal.keyboard import MAX_LINE, Editor, Keyboard, Lines

DEADLINE = 10.0


def typed(*chunks: bytes) -> tuple[Lines, str]:
    """The lines that came of it, and what stands there still."""
    editor = Editor()
    lines = [line for chunk in chunks for line in editor.feed(chunk)]
    return lines, editor.text


# -- the line -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "lines", "left"),
    [
        (b"yes\r", ["yes"], ""),
        (b"yes\nno\nma", ["yes", "no"], "ma"),
        (b"\n\n", ["", ""], ""),
        (b"yed\x7fs\b\bes\n", ["yes"], ""),
        (b"\x7f\x7fa", [], "a"),
        (b"one two  \x17x", [], "one x"),
        (b"one\x17\x17x", [], "x"),
        (b"all of it\x15x", [], "x"),
        (b"a\tb", [], "a b"),
        (b"a\x00\x01\x07\x0cb", [], "ab"),
        (b"a\x1b[A\x1b[1;5C\x1bOH\x1b[3~b", [], "ab"),
        (b"a\x1bxb", [], "ab"),
        (b"a\x1b\nb", ["a"], "b"),
        ("naïve – 漢字\n".encode(), ["naïve – 漢字"], ""),
        (b"\xff\xfe\n", ["\ufffd\ufffd"], ""),
        (b"a\x04b\n", ["ab"], ""),
    ],
)
def test_keys_make_a_line(keys: bytes, lines: Lines, left: str) -> None:
    """C18: letters, corrections, and keys that mean nothing here; together or one by one."""
    assert typed(keys) == (lines, left)
    assert typed(*(keys[n : n + 1] for n in range(len(keys)))) == (lines, left)


def test_ctrl_d_on_an_empty_line_is_the_end() -> None:
    editor = Editor()
    assert editor.feed(b"y\n\x04more\n") == ["y"]
    assert editor.ended


def test_the_end_of_a_file_completes_the_last_line() -> None:
    editor = Editor()
    assert (editor.feed(b"y"), editor.feed(b""), editor.ended) == ([], ["y"], True)


def test_a_line_has_a_bound() -> None:
    """C10: a part of it is no answer; the next line is."""
    lines, _ = typed(*[b"y" * 4096] * 8, b"\nn\n")
    assert lines == [None, "n"]
    assert typed(b"y" * MAX_LINE + b"\n")[0] == ["y" * MAX_LINE]
    assert typed(b"y" * 99_999 + b"\x15no\n")[0] == ["no"]


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_whatever_comes_makes_lines_without_control_characters(chunks: list[bytes]) -> None:
    """C18: and it does not matter how it was cut."""
    lines, left = typed(*chunks)
    assert typed(b"".join(chunks)) == (lines, left) or b"" in chunks or b"\x04" in b"".join(chunks)
    assert all(line is None or line.isprintable() for line in [*lines, left])


# -- the terminal ---------------------------------------------------------------------------------------------------


class Typist:
    """Somebody at the other end."""

    def __init__(self, *, keys: bool, terminal: bool = True) -> None:
        self.writes, self.reads = pty.openpty() if terminal else reversed(os.pipe())
        self.lines: Lines = []
        self.ended = False
        self._changed = asyncio.Event()
        self.keyboard = Keyboard(
            self.reads, keys=keys, on_lines=self.lines.extend, on_change=self._changed.set, on_end=self._end
        )

    def _end(self) -> None:
        self.ended = True

    def type(self, keys: bytes) -> None:
        os.write(self.writes, keys)

    async def until(self, there: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not there():
                self._changed.clear()
                await self._changed.wait()

    @property
    def modes(self) -> tuple[bool, bool]:
        """Whether the terminal edits lines, and whether it echoes."""
        flags = termios.tcgetattr(self.reads)[3]
        return bool(flags & termios.ICANON), bool(flags & termios.ECHO)


@pytest.fixture
async def seats() -> AsyncIterator[list[Typist]]:
    made: list[Typist] = []
    yield made
    for one in made:
        one.keyboard.close()
        os.close(one.reads)
        os.close(one.writes)


async def test_half_a_line_in_a_pipe_holds_nothing_up(seats: list[Typist]) -> None:
    """C10: it is read as it comes, and is a line when it is whole."""
    it = Typist(keys=False, terminal=False)
    seats.append(it)
    it.keyboard.open()
    it.type(b"ye")
    await it.until(lambda: it.keyboard.text == "ye")
    assert it.lines == []
    it.type(b"s\nno\nma")
    await it.until(lambda: it.keyboard.text == "ma")
    assert it.lines == ["yes", "no"]


async def test_keys_come_one_by_one_and_the_terminal_is_given_back(seats: list[Typist]) -> None:
    """C18."""
    it = Typist(keys=True)
    seats.append(it)
    before = termios.tcgetattr(it.reads)
    it.keyboard.open()
    assert it.modes == (False, False)
    it.type(b"ye")
    await it.until(lambda: it.keyboard.text == "ye")
    it.type(b"s\r")
    await it.until(lambda: it.lines)
    assert it.lines == ["yes"]
    it.keyboard.close()
    assert termios.tcgetattr(it.reads) == before


async def test_a_terminal_that_edits_by_itself_is_left_so(seats: list[Typist]) -> None:
    """C18: except for what is secret, which it does not show."""
    it = Typist(keys=False)
    seats.append(it)
    it.keyboard.open()
    assert it.modes == (True, True)
    it.keyboard.hide(True)
    assert it.modes == (True, False)
    it.type(b"hunter2\r")
    await it.until(lambda: it.lines)
    it.keyboard.hide(False)
    assert (it.lines, it.modes) == (["hunter2"], (True, True))


@pytest.mark.parametrize("keys", [True, False])
async def test_what_is_forgotten_is_not_read(seats: list[Typist], keys: bool) -> None:
    """C10: neither what was read already nor what lies there; and the loop does not wait for it."""
    it = Typist(keys=keys)
    seats.append(it)
    it.keyboard.open()
    it.type(b"y\r")
    assert select.select([it.reads], [], [], DEADLINE)[0]
    # The loop sees that something can be read, and it is gone before it is. Were it waited for, somebody types more.
    somebody = threading.Timer(2.0, it.type, (b"late\r",))
    somebody.start()
    asyncio.get_running_loop().call_soon(it.keyboard.forget)
    for _ in range(3):
        await asyncio.sleep(0)
    somebody.cancel()
    it.keyboard.forget(instead="kept")
    it.type(b"!\r")
    await it.until(lambda: it.lines)
    assert it.lines == ["kept!"]


@pytest.mark.parametrize("keys", [True, False])
async def test_ctrl_d_ends_it(seats: list[Typist], keys: bool) -> None:
    it = Typist(keys=keys)
    seats.append(it)
    before = it.modes
    it.keyboard.open()
    it.type(b"\x04")
    await it.until(lambda: it.ended)
    assert (it.lines, it.modes) == ([], before)


async def test_a_terminal_that_is_gone_ends_it(seats: list[Typist]) -> None:
    it = Typist(keys=True)
    it.keyboard.open()
    os.close(it.writes)
    await it.until(lambda: it.ended)
    os.close(it.reads)

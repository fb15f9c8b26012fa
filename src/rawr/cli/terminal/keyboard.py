"""What a person types at the terminal, as whole lines, without ever waiting for it.

On a screen whose last line is redrawn, the terminal's own echo would be erased with it. So keys are read one by one
there, and the code that draws the screen shows them; elsewhere the terminal edits the line as usual. Nothing here knows
what the lines mean.
"""

import asyncio
import atexit
import codecs
import contextlib
import os
import select
import signal
import termios
from collections.abc import Callable
from typing import Any, Literal

MAX_LINE = 16 * 1024
CHUNK = 4096
LOOK_AGAIN = 1.0
"""Seconds between checks whether a background job has come to the foreground."""
_LFLAG, _CC = 3, 6
"""Where a terminal's modes keep its local flags and its special characters."""

_END = "\x04"
_RUBOUT = ("\x7f", "\b")
_KILL = "\x15"
_WORD = "\x17"

Lines = list[str | None]
"""Whole lines; None for a line that was too long."""


class Editor:
    """The line that is being typed: bytes in, whole lines out."""

    def __init__(self) -> None:
        self.text = ""
        self.ended = False
        """Ctrl-D on an empty line: nothing more will come."""
        self._cut = False
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._escape: Literal["", "esc", "csi"] = ""

    def feed(self, data: bytes) -> Lines:
        """The lines that these bytes complete. No bytes mean the end, and complete the last line."""
        lines: Lines = []
        for key in self._decoder.decode(data):
            if self._in_escape(key):
                continue
            if key in "\r\n":
                lines.append(self._whole())
            elif key == _END and not self.text:
                self.ended = True
                break
            else:
                self._edit(key)
        if not data:
            lines += [self._whole()] if self.text else []
            self.ended = True
        return lines

    def put(self, text: str) -> None:
        """Replace the typed text with this."""
        self.text, self._cut = text, False

    def _whole(self) -> str | None:
        line = None if self._cut else self.text
        self.put("")
        return line

    def _edit(self, key: str) -> None:
        if key in _RUBOUT:
            self.text = self.text[:-1]
        elif key == _KILL:
            self.put("")
        elif key == _WORD:
            before, space, _ = self.text.rstrip(" ").rpartition(" ")
            self.text = before + space
        elif key == "\t" or key.isprintable():
            self._cut = self._cut or len(self.text) >= MAX_LINE
            self.text += "" if self._cut else " " if key == "\t" else key

    def _in_escape(self, key: str) -> bool:
        """Arrow keys and the like move nothing here, and leave nothing in the line."""
        match self._escape:
            case "":
                self._escape = "esc" if key == "\x1b" else ""
                return key == "\x1b"
            case "esc":
                self._escape = "csi" if key in "[O" else ""
                return key.isprintable()
            case "csi":
                self._escape = "" if "@" <= key <= "~" else "csi"
                return True


class Keyboard:
    """Reads a terminal while the loop runs. Only in the foreground: a background job would be stopped for it."""

    def __init__(
        self,
        terminal: int,
        *,
        keys: bool,
        on_lines: Callable[[Lines], None],
        on_change: Callable[[], None],
        on_end: Callable[[], None],
    ) -> None:
        """``keys``: read one by one, and shown by the listener."""
        self._terminal = terminal
        self._keys = keys
        self._on_lines = on_lines
        self._on_change = on_change
        self._on_end = on_end
        self._editor = Editor()
        self._before: list[Any] | None = None
        self._hidden = False
        self._closed = False

    @property
    def text(self) -> str:
        """What is typed so far, as far as known: a terminal that edits lines itself reports only whole lines."""
        return self._editor.text

    def open(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._come)
        atexit.register(self.close)
        self._come()

    def close(self) -> None:
        """Restore the terminal, and stop reading."""
        self._closed = True
        atexit.unregister(self.close)
        with contextlib.suppress(RuntimeError):
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._terminal)
            loop.remove_signal_handler(signal.SIGCONT)
        if self._before is not None and self._in_front():
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._terminal, termios.TCSANOW, self._before)
        self._before = None

    def hide(self, hidden: bool) -> None:  # noqa: FBT001
        """Show or hide what is typed next, by the terminal itself."""
        if hidden != self._hidden:
            self._hidden = hidden
            self._adjust()

    def forget(self, instead: str = "") -> None:
        """Discard what was typed up to now, even if it has not been read yet."""
        if self._in_front():
            with contextlib.suppress(termios.error):
                termios.tcflush(self._terminal, termios.TCIFLUSH)
        self._editor.put(instead)

    def pending(self) -> Lines:
        """The whole lines that were typed but not read yet."""
        lines: Lines = []
        while not self._closed and not self._editor.ended and self._in_front() and self._is_ready():
            lines += self._editor.feed(self._bytes())
        if self._editor.ended and not self._closed:
            asyncio.get_running_loop().call_soon(self._finish)
        return lines

    def _come(self) -> None:
        """Begin to read, now or when this is the foreground job."""
        if self._closed:
            return
        loop = asyncio.get_running_loop()
        if not self._in_front():
            loop.remove_reader(self._terminal)
            loop.call_later(LOOK_AGAIN, self._come)
            return
        self._adjust()
        loop.add_reader(self._terminal, self._read)

    def _adjust(self) -> None:
        """What the terminal still does itself. Ctrl-C and Ctrl-Z are signals in any case."""
        if self._closed or not self._in_front():
            return
        with contextlib.suppress(termios.error):
            self._before = self._before or termios.tcgetattr(self._terminal)
            modes = [*self._before[:_CC], [*self._before[_CC]]]
            if self._keys:
                modes[_LFLAG] &= ~termios.ICANON
                modes[_CC][termios.VMIN], modes[_CC][termios.VTIME] = 1, 0
            if self._keys or self._hidden:
                modes[_LFLAG] &= ~termios.ECHO
            termios.tcsetattr(self._terminal, termios.TCSANOW, modes)

    def _in_front(self) -> bool:
        try:
            return os.tcgetpgrp(self._terminal) == os.getpgrp()
        except OSError:
            return True  # It is not our session's terminal, so we are not stopped for using it.

    def _read(self) -> None:
        if not self._in_front():
            self._come()
            return
        # Input that was there a moment ago may have been discarded since, and the loop must not wait for more.
        if not self._is_ready():
            return
        lines = self._editor.feed(self._bytes())
        if lines:
            self._on_lines(lines)
        if self._editor.ended:
            self._finish()
        self._on_change()

    def _is_ready(self) -> bool:
        return bool(select.select([self._terminal], [], [], 0)[0])

    def _bytes(self) -> bytes:
        try:
            return os.read(self._terminal, CHUNK)
        except OSError:
            return b""

    def _finish(self) -> None:
        if not self._closed:
            self.close()
            self._on_end()

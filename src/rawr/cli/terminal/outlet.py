"""Output that nothing waits for: it is queued and written by its own thread; anything that does not fit is dropped,
and counted.

A pipe that nobody reads and a stopped terminal accept nothing more, and a plain ``print`` would block its caller until
they do: here the one loop, and with it Codex, budgets and guards. This module does not know what is printed.
"""

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

LIMIT = 4 * 1024 * 1024
"""Bytes that may wait to be written."""
CHUNK = 4096
"""Bytes per write: as many as a pipe accepts at once, so that a slow reader is seen to read."""
GIVE_UP = 2.0
"""Seconds at the end in which nobody reads anything."""
LONGEST = 15.0
"""Seconds at the end for a slow reader."""

Note = Callable[[int], bytes]
"""The line that replaces missing lines and says how many they are."""


class Outlet:
    """A queue to a descriptor. ``put`` never waits."""

    def __init__(self, descriptor: int, *, note: Note, limit: int = LIMIT) -> None:
        self._descriptor = descriptor
        self._note = note
        self._limit = limit
        self._waiting: deque[bytes] = deque()
        """The first entry is being written."""
        self._size = 0
        self._dropped = 0
        self._full = False
        """From the first line that did not fit until half of the queue is written, so that gaps are few."""
        self._error: OSError | None = None
        self._told = False
        self._closed = False
        self._given_up = False
        self._changed = threading.Condition()
        threading.Thread(target=self._work, name="rawr output", daemon=True).start()

    def put(self, data: bytes) -> None:
        """Queue it to be written: now, later, or not at all. Raises the error of an earlier write."""
        with self._changed:
            if self._closed:
                return
            if self._error is not None:
                self._told = True
                raise OSError(self._error.errno, self._error.strerror)
            if self._full or (self._waiting and self._size + len(data) > self._limit):
                self._full = True
                self._dropped += data.count(b"\n")
            elif data:
                self._append(data)

    def finish(self) -> int:
        """Wait as long as somebody reads, and accept nothing more. Returns the number of unread lines."""
        until = time.monotonic() + LONGEST
        with self._changed:
            self._say_what_is_missing()
            self._closed = True
            self._changed.notify_all()
            while self._waiting and self._error is None and not self._given_up:
                patience = min(GIVE_UP, max(until - time.monotonic(), 0))
                self._given_up = not self._changed.wait_for(partial(self._moved_since, self._size), patience)
            return sum(data.count(b"\n") for data in self._waiting) if self._given_up else 0

    @property
    def stuck(self) -> bool:
        """True if some output was left unread."""
        return self._given_up

    @property
    def lost(self) -> OSError | None:
        """The error of a write, if no caller has seen it."""
        return None if self._told else self._error

    def _moved_since(self, size: int) -> bool:
        return self._size != size or not self._waiting or self._error is not None

    # -- the thread that writes -------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (data := self._next()) is not None:
            try:
                for start in range(0, len(data), CHUNK):
                    self._write(data[start : start + CHUNK])
            except OSError as error:
                with self._changed:
                    self._error = error
                    self._waiting.clear()
                    self._changed.notify_all()
                return
            with self._changed:
                self._waiting.popleft()
                if self._full and self._size <= self._limit // 2:
                    self._say_what_is_missing()
                self._changed.notify_all()

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return self._waiting[0] if self._waiting and not self._given_up else None

    def _write(self, data: bytes) -> None:
        while data:
            try:
                written = os.write(self._descriptor, data)
            except BlockingIOError:  # The program that started us does not wait for it either.
                select.select([], [self._descriptor], [])
                continue
            data = data[written:]
            with self._changed:
                self._size -= written
                self._changed.notify_all()

    def _append(self, data: bytes) -> None:
        self._waiting.append(data)
        self._size += len(data)
        self._changed.notify_all()

    def _say_what_is_missing(self) -> None:
        """Everything in the queue was printed before the gap."""
        if self._dropped and self._error is None:
            self._append(self._note(self._dropped))
        self._dropped, self._full = 0, False

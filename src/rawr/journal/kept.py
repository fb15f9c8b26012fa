"""What a person said that rawr must be able to send or run again after a restart: verbatim, for its owner's eyes only.

The journal holds no secrets, but a done check or a queued message may. Its placeholders, and the secrets behind them,
are in a separate file beside the journal: nobody copies it into a bug report, and entries that are no longer needed are
dropped. This module knows placeholders, not facts or runs.
"""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.journal.errors import explain
from rawr.journal.home import create_private, put_in_place

FILE = "kept-secrets.ndjson"
MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000
"""Entries that nobody used for a month are dropped."""

_encode = msgspec.json.Encoder().encode


class Entry(Struct, frozen=True):
    mark: str
    secret: str
    at: int


_decode = msgspec.json.Decoder(Entry).decode


class KeptSecrets:
    def __init__(self, home: Path) -> None:
        self.path = home / FILE
        self._known: set[str] = set()

    def read(self) -> dict[str, str]:
        """The secrets by placeholder. A line that a crash cut off is skipped: its fact is not in the journal either."""
        found = {entry.mark: entry.secret for entry in self._entries()}
        self._known = set(found)
        return found

    def add(self, originals: dict[str, str], *, at: int) -> None:
        """Keep them; on return they are on the disk."""
        new = {mark: secret for mark, secret in originals.items() if mark not in self._known}
        if not new:
            return
        lines = b"".join(b"\n" + _encode(Entry(mark, secret, at)) for mark, secret in new.items()) + b"\n"
        try:
            if not self.path.exists():
                create_private(self.path)
            with self.path.open("ab", buffering=0) as file:
                file.write(lines)
                os.fsync(file.fileno())
        except OSError as error:
            raise explain(error, self.path) from error
        self._known |= set(new)

    def drop(self, marks: Collection[str], *, now: int) -> None:
        """Forget these, and entries that are too old."""
        entries = list(self._entries())
        left = [one for one in entries if one.mark not in marks and now - one.at < MAX_AGE_MS]
        if len(left) == len(entries):
            return
        try:
            if not left:
                self.path.unlink()
            else:
                self._rewrite(left)
        except OSError as error:
            raise explain(error, self.path) from error
        self._known = {one.mark for one in left}

    def _rewrite(self, entries: list[Entry]) -> None:
        unfinished = self.path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        create_private(unfinished)
        with unfinished.open("wb", buffering=0) as file:
            file.write(b"".join(_encode(one) + b"\n" for one in entries))
            os.fsync(file.fileno())
        put_in_place(unfinished, self.path)

    def _entries(self) -> Iterator[Entry]:
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise explain(error, self.path) from error
        for line in lines:
            try:
                yield _decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue

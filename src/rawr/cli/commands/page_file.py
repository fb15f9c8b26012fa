"""Where a page goes: into a file, whole or not at all and for its owner alone, or to stdout."""

import os
import secrets
import stat
import sys
from pathlib import Path

from rawr.cli.terminal.output import say, telling
from rawr.errors import OutsideError
from rawr.journal.home import FILE_MODE

STDOUT = Path("-")
BEGINS = (b"<!doctype html", b"<html")
LOOK = 512
"""Bytes that tell whether a file is a page."""


def put(page: str, place: Path, *, what: str) -> None:
    """Write a page, and say where it is."""
    if place == STDOUT:
        with telling():
            sys.stdout.buffer.write(page.encode("utf-8"))
            sys.stdout.buffer.flush()
        return
    path = Path(os.path.realpath(place.expanduser()))
    try:
        _refuse(path, place)
        _write(path, page.encode("utf-8"))
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise OutsideError(f"{place} cannot be written: {problem}.", way_out="Give another --html FILE.") from error
    say(f"{what} is in {place}.")


def _refuse(path: Path, place: Path) -> None:
    """Raise if something else is there: a typing mistake must not cost a file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return
    if stat.S_ISDIR(found.st_mode):
        raise OutsideError(f"{place} is a folder.", way_out=f"Give a file, such as {place / 'report.html'}.")
    if not stat.S_ISREG(found.st_mode):
        raise OutsideError(f"{place} is not an ordinary file.", way_out="Give a file; - means stdout.")
    with path.open("rb") as file:
        start = file.read(LOOK).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start and not start.startswith(BEGINS):
        raise OutsideError(f"{place} is not an HTML file, so it stays as it is.", way_out="Give another --html FILE.")


def _write(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise

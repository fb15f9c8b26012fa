"""What was being written when one left, by thread: for its owner alone, in a file of rawr's home."""

import contextlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct

FILE = "terminal.json"
MOST = 64
LONGEST = 100_000


class Kept(Struct, omit_defaults=True):
    drafts: dict[str, str] = {}
    theme: str = ""


def read(home: Path) -> Kept:
    try:
        return msgspec.json.decode((home / FILE).read_bytes(), type=Kept)
    except (OSError, msgspec.MsgspecError):
        return Kept()


def write(home: Path, kept: Kept) -> None:
    """Whole or not at all; if it cannot be written, nothing else suffers."""
    drafts = {thread: text[:LONGEST] for thread, text in kept.drafts.items() if text.strip()}
    kept = Kept(dict(list(drafts.items())[-MOST:]), kept.theme)
    place = home / f".{FILE}.{os.getpid()}"
    with contextlib.suppress(OSError, UnicodeEncodeError):
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(msgspec.json.encode(kept))
        place.replace(home / FILE)

"""What only Codex's own session file tells: in which turns the context was really compacted.

The app-server's lists are made from what a turn showed. A Codex that dies at the wrong moment has written the compacted
history and not the item that shows it, and goes on from there all the same. The file is data: whatever is in it that
does not read as it should is passed over.
"""

from pathlib import Path

import msgspec
from msgspec import Struct

TAIL = 32 * 1024 * 1024
"""Bytes from the end that are read: what is looked for happened moments before."""


class _Attribution(Struct, frozen=True):
    turn_id: str = ""


class _Payload(Struct, frozen=True):
    turn_id: str = ""
    turn_attribution: _Attribution = _Attribution()

    @property
    def turn(self) -> str:
        return self.turn_id or self.turn_attribution.turn_id


class _Line(Struct, frozen=True):
    payload: _Payload = _Payload()


class _Compacted(Struct, frozen=True):
    type: str = ""


_decode = msgspec.json.Decoder(_Line).decode
_decode_type = msgspec.json.Decoder(_Compacted).decode


def compacted_turns(path: Path) -> frozenset[str]:
    """The turns in which a compacted history was written. It blocks; an unreadable file tells nothing."""
    try:
        with path.open("rb") as file:
            file.seek(max(file.seek(0, 2) - TAIL, 0))
            return _in_lines(file.read(TAIL).split(b"\n"))
    except OSError:
        return frozenset()


def _in_lines(lines: list[bytes]) -> frozenset[str]:
    turn, found = "", set()
    for line in lines:
        beginning = line[:200]
        try:
            if b'"task_started"' in beginning or b'"turn_context"' in beginning:
                turn = _decode(line).payload.turn or turn
            elif b'"compacted"' in beginning and _decode_type(line).type == "compacted":
                found.add(turn)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    return frozenset(found - {""})

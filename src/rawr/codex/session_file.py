"""Reads from Codex's own session file what nothing else tells: what the model really sees.

The app-server builds its lists from what a turn showed. A Codex that dies at the wrong moment has written the compacted
history, or a message, but not the item that shows it, and still continues from there. The file is data: rawr skips
anything in it that does not read as it should.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

TAIL = 32 * 1024 * 1024
"""Bytes to read from the end: what rawr looks for happened moments before."""
_BEGINNING = 200
"""Bytes at the start of a line that say what it is."""


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


class _Typed(Struct, frozen=True):
    type: str = ""


class _Part(Struct, frozen=True):
    text: str = ""


class _Message(Struct, frozen=True):
    role: str = ""
    content: list[_Part] = []

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.content)


class _Written(Struct, frozen=True):
    payload: _Message = _Message()


class _Event(Struct, frozen=True):
    item: _Message = _Message()
    message: str = ""
    """From versions that showed a message as a separate event."""


class _Shown(Struct, frozen=True):
    payload: _Event = _Event()


_decode = msgspec.json.Decoder(_Line).decode
_decode_type = msgspec.json.Decoder(_Typed).decode
_decode_written = msgspec.json.Decoder(_Written).decode
_decode_shown = msgspec.json.Decoder(_Shown).decode


def compacted_turns(path: Path) -> frozenset[str]:
    """The turns in which Codex wrote a compacted history; none if the file is unreadable. It blocks."""
    found = set()
    for turn, line in _lines(path):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            if b'"compacted"' in line[:_BEGINNING] and _decode_type(line).type == "compacted":
                found.add(turn)
    return frozenset(found - {""})


def turn_with_unshown(path: Path, text: str) -> str:
    """The turn in which Codex wrote a person's or rawr's message for the model, but died before it showed it as an
    item. Empty if there is none. It blocks."""
    found = ""
    for turn, line in _lines(path):
        beginning = line[:_BEGINNING]
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            if b'"response_item"' in beginning and b'"user"' in line:
                written = _decode_written(line).payload
                if written.role == "user" and written.text == text:
                    found = turn
            elif found and (b'"item_completed"' in beginning or b'"user_message"' in beginning):
                shown = _decode_shown(line).payload
                if text in (shown.item.text, shown.message):
                    found = ""
    return found


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """The file's newest lines, each with its turn."""
    turn = ""
    try:
        with path.open("rb") as file:
            file.seek(max(file.seek(0, 2) - TAIL, 0))
            newest = file.read(TAIL)
    except OSError:
        return
    for line in newest.split(b"\n"):
        beginning = line[:_BEGINNING]
        if b'"task_started"' in beginning or b'"turn_context"' in beginning:
            with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
                turn = _decode(line).payload.turn or turn
        else:
            yield turn, line

"""How Codex begins a line, byte for byte: ``{"timestamp":"2026-01-02T03:04:05.678Z","type":"…","payload":{"type":"…"``.

Times and kinds have their fixed places there, so that neither needs the rest of the line. A line that begins in any
other way is nothing that is known here.
"""

from datetime import datetime
from typing import Final

TIME: Final = slice(14, 38)
"""The time, always in UTC and with milliseconds: it sorts as it is."""
BEGINS: Final = 37
"""Where ``ITEM``, ``EVENT`` and the others begin: with the last letter of the time, because others have none there."""
NAMED: Final = 82
"""After the first letters of the payload's kind, and before the quote that ends it, in items and in events."""
ENDS: Final = b"}}\n"
"""Otherwise it was cut off."""

_TYPE = b'Z","type":"'
ITEM: Final = _TYPE + b'response_item","payload":{"type":"'
EVENT: Final = _TYPE + b'event_msg","payload":{"type":"'
META: Final = _TYPE + b'session_meta","payload":{'
SETTINGS: Final = _TYPE + b'turn_context","payload":{"cwd":"'
_SETTINGS_OF_TURN = _TYPE + b'turn_context","payload":{"turn_id":"'
_UUID = 36
_OF_TURN: Final = slice(BEGINS + len(_SETTINGS_OF_TURN) + _UUID, None)
_AFTER_TURN = b'","cwd":"'


def has_time(line: bytes) -> bool:
    return line.startswith(_TYPE, BEGINS)


def settings_of(line: bytes) -> bytes:
    """The settings in a line without their time and the name of their turn; empty if it is no such line."""
    if line.startswith(SETTINGS, BEGINS):
        return line[BEGINS + len(SETTINGS) :]
    if line.startswith(_SETTINGS_OF_TURN, BEGINS) and line.startswith(_AFTER_TURN, _OF_TURN.start):
        return line[_OF_TURN.start + len(_AFTER_TURN) :]
    return b""


def ms_of(time: bytes) -> int:
    """A time in ms since the epoch. Raises ``ValueError`` if it is none."""
    return int(datetime.fromisoformat(time.decode()).timestamp() * 1000)

"""Reads only as much of a line as decides. For looking back over many sessions; live, every line is read whole.

Most bytes of a session file are reasoning, repeated settings, and outputs of commands that nobody asks about. Codex
writes an envelope in one order, so the first bytes of a line say its time and its kind. A line that begins otherwise
is read whole, and so is one of a kind that decides and in which anything is unusual.

Lines that say nothing that decides are still held to be JSON, which costs little, so that a damaged one is counted.
What is given up, and only in lines whose beginning and last byte are as Codex writes them: a kind that is known in a
shape that is not is not noticed there. The outputs of commands that do not matter are left out, and so are their exit
codes.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from rawr.history import shapes
from rawr.history.entries import (
    AnyEntry,
    CommandCalled,
    Returned,
    SessionBegan,
    TurnContext,
    UsageSeen,
    UserSpoke,
)
from rawr.history.known import EVENTS_PASSED
from rawr.history.lines import PASSED_ENVELOPES, PASSED_ITEMS, entry_of, event_of, item_of
from rawr.history.shapes import UNREADABLE

_BEGINS: Final = b'{"timestamp":"'
_STAMP: Final = slice(14, 38)
"""``2026-01-31T12:34:56.789Z``"""
_TYPED: Final = b'Z","type":"'
_KIND: Final = 48
"""Where the kind begins. In a kind of two parts the second begins after ``","payload":{"type":"``."""
_ITEM: Final = b'response_item","payload":{"type":"'
_EVENT: Final = b'event_msg","payload":{"type":"'
_KIND_ENDS: Final = {ord("r"): _KIND + len(_ITEM), ord("e"): _KIND + len(_EVENT)}
_LONGEST: Final = 160
_ITEM_AT: Final = _KIND + _ITEM.index(b"{")
_EVENT_AT: Final = _KIND + _EVENT.index(b"{")
_EVENTS_PASSED_TOO = ("mcp_tool_call_begin", "mcp_tool_call_end", "thread_settings_applied", "thread_name_updated")
"""Of families that are passed over, the most frequent."""
PASSED: Final = frozenset(
    {
        *(kind.encode() for kind in PASSED_ENVELOPES),
        *(_ITEM + kind.encode() for kind in PASSED_ITEMS),
        *(_EVENT + kind.encode() for kind in (*EVENTS_PASSED, *_EVENTS_PASSED_TOO)),
    }
)
"""How lines begin that are known to decide nothing."""

_ROLE = b'"role":"'
_HEADER = 700
"""Bytes of an output in which Codex's own header is."""
_UNUSUAL = (b"running with session ID", b"aborted by user", b'"Command: ')
"""It runs on, or was cut off; and some versions repeat the command before the header, whatever its length."""
_CALL_ID = b'"call_id":"'
_MOST_OPEN = 4_096


class _Nothing(msgspec.Struct):
    """Nothing is kept; that it is JSON is checked on the way."""


_check = msgspec.json.Decoder(_Nothing).decode
_decode_usage = msgspec.json.Decoder(shapes.Usage).decode


class Skimmer:
    """One session, line by line. ``matters`` says if it counts what a command printed."""

    def __init__(self, matters: Callable[[str], bool]) -> None:
        self._matters = matters
        self.newest = b""
        """The newest time among lines that were passed over; empty if there is none."""
        self._minute = b""
        self._minute_us = 0
        self._began = self._shows_users = False
        self._context = b""
        self._usage = b""
        self._idle: set[str] = set()
        """Open calls whose output does not matter."""
        self._readers: dict[bytes, Callable[[bytes], AnyEntry | None]] = {
            _EVENT + b"token_count": self._counts,
            _ITEM + b"function_call_output": self._returned,
            _ITEM + b"custom_tool_call_output": self._item,
            _ITEM + b"function_call": self._called,
            _ITEM + b"custom_tool_call": self._item,
            _ITEM + b"message": self._said,
            _EVENT + b"user_message": self._event,
            _EVENT + b"task_started": self._event,
            _EVENT + b"task_complete": self._event,
            b"turn_context": self._settings,
            b"session_meta": self._meta,
        }

    def read(self, line: bytes) -> AnyEntry | None:
        """What a line says; None if nothing but its time counts."""
        if line[37:_KIND] != _TYPED or line[:14] != _BEGINS or line[-1:] != b"}" or b"\\" in line[14:37]:
            return self._whole(line)
        key = line[_KIND : line.find(b'"', _KIND_ENDS.get(line[_KIND], _KIND), _LONGEST)]
        reader = self._passed if key in PASSED else self._readers.get(key)
        if reader is not None:
            try:
                return reader(line)
            except UNREADABLE:
                pass
        return self._whole(line)

    def _whole(self, line: bytes) -> AnyEntry:
        entry = entry_of(line)
        if isinstance(entry, UserSpoke):
            self._shows_users = True
        elif isinstance(entry, UsageSeen):
            self._usage = b""
        return entry

    def late(self) -> int:
        """The same in ms, once."""
        stamp, self.newest = self.newest, b""
        if not stamp:
            return 0
        try:
            return self._ms(stamp)
        except ValueError:
            return 0

    def _ms(self, stamp: bytes) -> int:
        """As ``lines`` reads a time: by way of a float, digit for digit."""
        if stamp[:16] != self._minute:
            begins = datetime.fromisoformat(stamp[:16].decode() + ":00+00:00").timestamp()
            self._minute, self._minute_us = stamp[:16], int(begins) * 1_000_000
        seconds, thousandths = stamp[17:19], stamp[20:23]
        if not (seconds.isdigit() and thousandths.isdigit() and seconds < b"60" and stamp[16:20:3] == b":."):
            raise ValueError("it is no time")
        us = self._minute_us + int(seconds) * 1_000_000 + int(thousandths) * 1_000
        return max(int(us / 1_000_000 * 1_000), 0)

    # -- kinds -------------------------------------------------------------------------------------------------------

    def _item(self, line: bytes) -> AnyEntry:
        return item_of(line[_ITEM_AT:-1], self._ms(line[_STAMP]))

    def _event(self, line: bytes) -> AnyEntry:
        entry = event_of(line[_EVENT_AT:-1], self._ms(line[_STAMP]))
        if isinstance(entry, UserSpoke):
            self._shows_users = True
        return entry

    def _meta(self, line: bytes) -> AnyEntry | None:
        """A fork repeats those of its ancestors; only the first counts."""
        if self._began:
            return self._passed(line)
        entry = entry_of(line)
        self._began = isinstance(entry, SessionBegan) and bool(entry.session and entry.cwd)
        return entry

    def _settings(self, line: bytes) -> AnyEntry | None:
        """Most are those of the turn before, but for their time and the turn's name."""
        begins = line.find(b'"cwd":"', _KIND, 2 * _LONGEST)
        settings = line[begins:]
        if begins > 0 and settings == self._context:
            return self._passed(line)
        entry = entry_of(line)
        self._context = settings if isinstance(entry, TurnContext) else b""
        return entry

    def _passed(self, line: bytes) -> AnyEntry | None:
        _check(line)
        stamp = line[_STAMP]
        if stamp > self.newest:
            self.newest = stamp
        return None

    def _counts(self, line: bytes) -> AnyEntry | None:
        """The same numbers come again with each report of rate limits."""
        begins = line.find(b'"info":{', _EVENT_AT, _LONGEST)
        ends = line.find(b',"rate_limits":', begins)
        if begins < 0 or ends < 0:
            return self._whole(line)
        numbers = line[begins + 7 : ends]
        if numbers == self._usage:
            return self._passed(line)
        _check(line)
        at, counted = self._ms(line[_STAMP]), _decode_usage(numbers)
        self._usage = numbers
        last, total = counted.last_token_usage, counted.total_token_usage
        return UsageSeen(
            in_context=last.total_tokens,
            spent=total.total_tokens,
            window=counted.model_context_window,
            input=last.input_tokens,
            cached=last.cached_input_tokens,
            output=last.output_tokens,
            at=at,
        )

    def _said(self, line: bytes) -> AnyEntry | None:
        """What the model is told in the user's name counts only where Codex does not show the user's own words."""
        begins = line.find(_ROLE, _ITEM_AT, 2 * _LONGEST)
        if begins > 0:
            role = line[begins + len(_ROLE) : begins + len(_ROLE) + 10].partition(b'"')[0]
            if role == b"developer" or (role == b"user" and self._shows_users):
                return self._passed(line)
        return self._item(line)

    def _called(self, line: bytes) -> AnyEntry:
        """Most commands are none that matter: then their outputs do not either."""
        entry = self._item(line)
        if type(entry) is CommandCalled and not self._matters(entry.command):
            if len(self._idle) >= _MOST_OPEN:
                self._idle.clear()
            self._idle.add(entry.call)
        return entry

    def _returned(self, line: bytes) -> AnyEntry:
        begins = line.find(_CALL_ID, _ITEM_AT, 2 * _LONGEST) + len(_CALL_ID)
        call = line[begins : line.find(b'"', begins, begins + _LONGEST)].decode()
        if call in self._idle:
            header = line[begins : begins + _HEADER]
            if not any(map(header.__contains__, _UNUSUAL)):
                _check(line)
                self._idle.discard(call)
                return Returned(call=call, output="", at=self._ms(line[_STAMP]))
        return self._item(line)

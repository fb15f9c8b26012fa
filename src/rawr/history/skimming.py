"""Reads only as much of a line as decides. For looking back over many sessions; live, every line is read whole.

Most bytes of a session file are reasoning, repeated settings, and outputs of commands that nobody asks about. What kind
of line it is says its beginning (``heads``), and the kinds that decide nothing are not read any further; of the others
the few values are taken that may decide, and texts stay as they are in the file until somebody needs them. A line that
does not begin and end as Codex writes them, or in which anything is unusual, is read whole.

What is given up: while a line that may decide is counted if it is damaged, and so is any that was cut off, damage in
the middle of the others goes unnoticed: in reasoning, in an output that nobody asks about, in settings and counts that
are the same as before. Such a line whose time is none stands still, where a line that is read takes a second.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rawr.history import shapes
from rawr.history.calls import PATCHES, SCRIPT, SHELLS
from rawr.history.entries import (
    AnyEntry,
    CommandCalled,
    Passed,
    PatchCalled,
    Reasoned,
    Returned,
    Said,
    SessionBegan,
    UsageSeen,
    UserSpoke,
)
from rawr.history.heads import BEGINS, ENDS, EVENT, ITEM, META, NAMED, TIME, has_time, ms_of, settings_of
from rawr.history.known import EVENTS_PASSED
from rawr.history.lines import (
    PASSED_ITEMS,
    context_read,
    entry_of,
    event_read,
    item_read,
    meta_read,
    tokens_of,
    usage_read,
)
from rawr.history.shapes import UNREADABLE
from rawr.history.telling import UNTIMED

BLANK: Final = b"\x00 \r\n\t"
_HEADER: Final = 700
"""Bytes of an output in which Codex's own header is."""
_UNUSUAL = (b"running with session ID", b"aborted by user", b'"Command: ')
"""It runs on, or was cut off; or the header comes after the command, however long that is."""
_RETURNED = re.compile(
    rb'"function_call_output",(?:"id":"[^"\\]*",)?"call_id":"([^"\\]+)","output":'
    rb'("(?:[^CEPWa"\\]|\\"|'
    rb"(?:Exit code: \d+\\nWall time: [\d.]+ seconds\\n|"
    rb'(?:Command: (?:(?!\\nChunk ID: )(?:[^"\\]|\\.))*\\n)?'
    rb"Chunk ID: \w+\\nWall time: [\d.]+ seconds\\nProcess exited with code \d+\\n)"
    rb"(?:Total output lines: \d+\\n|Original token count: \d+\\n)?Output:))?"
)
"""The second group is there if it plainly did neither: there is no header, or one that says how it ended. Some versions
repeat the command before the header."""
_TOLD = re.compile(rb'"message",(?:"id":"[^"\\]*",)?"role":"(user|developer)"')
_ENCRYPTED: Final = b'"encrypted_content":"'
_KIND: Final = BEGINS + len(ITEM) - 1
"""Where the kind of an item is, with its quote."""
_MOST_OPEN = 4_096

Matters = Callable[[bytes], bool]
"""Says if it may count what a command does and prints, by its call as it is in the file."""
Counts = Callable[[str], bool]
"""Says the same by its line, and exactly; it takes longer."""

_Reader = Callable[[bytes], AnyEntry | None]


class _Line(Struct, frozen=True, gc=False, tag_field="type"):
    pass


class _ItemLine(_Line, frozen=True, tag="response_item"):
    payload: shapes.Item


class _MessageLine(_Line, frozen=True, tag="response_item"):
    payload: shapes.Message


class _EventLine(_Line, frozen=True, tag="event_msg"):
    payload: shapes.Counted


class _ContextLine(_Line, frozen=True, tag="turn_context"):
    payload: shapes.Context


class _MetaLine(_Line, frozen=True, tag="session_meta"):
    payload: shapes.Meta


_decode = msgspec.json.Decoder(_ItemLine | _EventLine | _ContextLine | _MetaLine).decode
_decode_item = msgspec.json.Decoder(_ItemLine).decode
_decode_message = msgspec.json.Decoder(_MessageLine).decode
_decode_event = msgspec.json.Decoder(_EventLine).decode

_PASSED: Mapping[bytes, None] = dict.fromkeys(
    (*(ITEM + one.encode() for one in PASSED_ITEMS), *(EVENT + one.encode() for one in EVENTS_PASSED))
)


class Skimmer:
    """One session, line by line. Times never go back: that of an entry is the newest so far."""

    def __init__(self, matters: Matters, counts: Counts | None = None) -> None:
        """Commands that do not matter stay unread. Without ``counts``, whatever may matter does."""
        self._matters = matters
        self._counts_exactly = counts
        self._at = 0
        self._newest = self._counted = b""
        """The newest time so far, as it is in the file, and what of it is in ``_at``."""
        self._began = self._shows_users = False
        self._context = shapes.Context()
        self._settings_before = self._counts_before = b""
        """As they were in the file."""
        self._usage: shapes.Usage | None = None
        self._idle: set[str] = set()
        """Open calls whose output does not matter."""
        self._unread: set[str] = set()
        """Open calls of patches and scripts, whose outputs are read if somebody needs them."""
        self._kinds: Mapping[bytes, _Reader | None] = {
            **_PASSED,
            ITEM + b"message": self._said,
            ITEM + b"function_call": self._called,
            ITEM + b"function_call_output": self._returned,
            ITEM + b"custom_tool_call": self._tool_called,
            ITEM + b"custom_tool_call_output": self._tool_returned,
            ITEM + b"reasoning": self._reasoned,
            EVENT + b"token_count": self._counts,
        }
        self._decoded: Mapping[type[_Line], Callable[[Any], AnyEntry | None]] = {
            _ItemLine: self._item,
            _EventLine: self._event,
            _ContextLine: self._settings,
            _MetaLine: self._meta,
        }

    def read(self, lines: Sequence[bytes]) -> list[AnyEntry | None]:
        """What each line says, with its newline; None if nothing but its time counts."""
        found: list[AnyEntry | None] = []
        add, reader_of, other = found.append, self._kinds.get, self._other
        newest = self._newest
        for line in lines:
            reader = reader_of(line[BEGINS : line.find(b'"', NAMED)], other)
            try:
                if not line.endswith(ENDS) or (reader is other and not has_time(line)):
                    add(self._whole(line))
                else:
                    time = line[TIME]
                    if time > newest:
                        newest = self._newest = time
                    add(reader(line) if reader is not None else None)
            except UNREADABLE:
                add(self._whole(line))
                newest = self._newest
        return found

    def now(self) -> int:
        """The newest time so far, in ms since the epoch."""
        try:
            return self._now()
        except ValueError:
            return self._at

    def _now(self) -> int:
        """The same; raises ``ValueError`` once if it is no time."""
        newest = self._newest
        if newest is not self._counted:
            try:
                at = ms_of(newest)
            except ValueError:
                self._newest = self._counted
                raise
            self._counted = newest
            if at > self._at:
                self._at = at
        return self._at

    def _whole(self, line: bytes) -> AnyEntry | None:
        entry = entry_of(line)
        if isinstance(entry, UserSpoke):
            self._shows_users = True
        elif isinstance(entry, UsageSeen):
            self._usage, self._counts_before = None, b""
        if line.strip(BLANK):
            self._at = max(self.now(), entry.at) if entry.at else self.now() + UNTIMED
        return replace(entry, at=self._at) if not isinstance(entry, Passed) else None

    # -- lines by their beginning ------------------------------------------------------------------------------------

    def _counts(self, line: bytes) -> AnyEntry | None:
        """The same numbers come again with each report of rate limits."""
        counts = line[_KIND : line.find(b'"rate_limits"', _KIND)]
        if counts == self._counts_before:
            return None
        entry = self._used(_decode_event(line).payload)
        self._counts_before = counts
        return entry

    def _reasoned(self, line: bytes) -> AnyEntry | None:
        """The longest lines of all, of which only the length of what is encrypted counts."""
        at = line.find(_ENCRYPTED, _KIND)
        if at < 0:
            return None
        start = at + len(_ENCRYPTED)
        return Reasoned(tokens=tokens_of(line.find(b'"', start) - start), at=self._now())

    def _said(self, line: bytes) -> AnyEntry | None:
        """What the model is told in the user's name counts only where Codex does not show the user's own words."""
        told = _TOLD.match(line, _KIND)
        if told is not None and (self._shows_users or told[1] == b"developer"):
            return None
        said = _decode_message(line).payload
        text = "\n".join([part.text for part in said.content if part.text])
        return Said(role=said.role, text=text, phase=said.phase or "", turn=said.turn, at=self._now())

    def _called(self, line: bytes) -> AnyEntry:
        """Most commands are none that matter: then their outputs do not either."""
        item = _decode_item(line).payload
        call = item.call
        if item.name not in SHELLS or not call or item.namespace:
            return item_read(item, self._now())
        if self._matters(bytes(item.arguments)):
            entry = item_read(item, self._now())
            counts = self._counts_exactly
            if counts is None or not isinstance(entry, CommandCalled) or counts(entry.command):
                return entry
        if len(self._idle) >= _MOST_OPEN:
            self._idle.clear()
        self._idle.add(call)
        return CommandCalled(call=call, command="", unread=item, at=self._now())

    def _returned(self, line: bytes) -> AnyEntry:
        found = _RETURNED.match(line, _KIND)
        if found is not None:
            name, usual = found.groups()
            call = name.decode()
            if call in self._idle:
                self._idle.discard(call)
                if usual or not _is_unusual(line[found.end() : found.end() + _HEADER]):
                    return Returned(call=call, output="", line=line, at=self._now())
        return item_read(_decode_item(line).payload, self._now())

    def _tool_called(self, line: bytes) -> AnyEntry:
        """What a patch changes is read if somebody needs it."""
        item = _decode_item(line).payload
        call = item.call
        if call and (item.name in PATCHES or item.name == SCRIPT):
            if len(self._unread) >= _MOST_OPEN:
                self._unread.clear()
            self._unread.add(call)
            if item.name != SCRIPT:
                return PatchCalled(call=call, changes=(), unread=item.input, at=self._now())
        return item_read(item, self._now())

    def _tool_returned(self, line: bytes) -> AnyEntry:
        item = _decode_item(line).payload
        call = item.call
        if call in self._unread:
            self._unread.discard(call)
            return Returned(call=call, output="", unread=item.output, at=self._now())
        return item_read(item, self._now())

    def _other(self, line: bytes) -> AnyEntry | None:
        settings = settings_of(line)
        if settings and settings == self._settings_before:
            return None
        if self._began and line.startswith(META, BEGINS):
            # A fork repeats those of its ancestors; only the first counts.
            return None
        one = _decode(line)
        self._settings_before = settings or self._settings_before
        return self._decoded[type(one)](one.payload)

    # -- lines that were read ----------------------------------------------------------------------------------------

    def _item(self, item: shapes.Item) -> AnyEntry:
        return item_read(item, self._now())

    def _used(self, event: shapes.Counted) -> AnyEntry | None:
        usage = event.info
        if usage is None or usage == self._usage:
            return None
        self._usage = usage
        return usage_read(usage, self._now())

    def _event(self, event: shapes.Counted) -> AnyEntry | None:
        if event.type == "token_count":
            self._counts_before = b""
            return self._used(event)
        entry = event_read(event, self._now())
        if isinstance(entry, UserSpoke):
            self._shows_users = True
        return entry if not isinstance(entry, Passed) else None

    def _meta(self, meta: shapes.Meta) -> AnyEntry | None:
        entry = meta_read(meta, self._now())
        self._began = isinstance(entry, SessionBegan) and bool(entry.session and entry.cwd)
        return entry

    def _settings(self, context: shapes.Context) -> AnyEntry | None:
        """Most are those of the turn before, but for the turn's name."""
        if context.cwd == self._context.cwd and context.model == self._context.model:
            return None
        self._context = context
        return context_read(context, self._now())


def _is_unusual(header: bytes) -> bool:
    return any(map(header.__contains__, _UNUSUAL))

"""Reads only as much of a line as decides. For looking back over many sessions; live, every line is read whole.

Most bytes of a session file are reasoning, repeated settings, and outputs of commands that nobody asks about. One pass
over a line holds it to be JSON, so that a damaged one is counted, and takes the few values from it that may decide;
texts stay as they are in the file until somebody needs them. A line that is no envelope with a time, or in which
anything is unusual, is read whole.

What is given up: of commands that do not matter, the line, the folder, the output and the exit code are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rawr.history import shapes
from rawr.history.calls import PATCHES, SHELLS
from rawr.history.entries import (
    AnyEntry,
    CommandCalled,
    Passed,
    PatchCalled,
    Returned,
    SessionBegan,
    UsageSeen,
    UserSpoke,
)
from rawr.history.known import EVENTS_PASSED
from rawr.history.lines import PASSED_ITEMS, context_read, entry_of, event_read, item_read, meta_read, usage_read
from rawr.history.shapes import UNREADABLE
from rawr.history.telling import UNTIMED

BLANK: Final = b"\x00 \r\n\t"
_HEADER: Final = 700
"""Bytes of an output in which Codex's own header is."""
_UNUSUAL = (b"running with session ID", b"aborted by user", b'"Command: ')
"""It runs on, or was cut off; and some versions repeat the command before the header, whatever its length."""
_MOST_OPEN = 4_096
_NEVER: Final = datetime.min.replace(tzinfo=UTC)

Matters = Callable[[bytes], bool]
"""Says if it may count what a command does and prints, by its call as it is in the file."""

_Reader = Callable[[Any], AnyEntry | None]


class _Envelope(Struct, frozen=True, gc=False, tag_field="type"):
    timestamp: Annotated[datetime, msgspec.Meta(tz=True)]


class _ItemLine(_Envelope, frozen=True, tag="response_item"):
    payload: shapes.Item


class _EventLine(_Envelope, frozen=True, tag="event_msg"):
    payload: shapes.Counted


class _ContextLine(_Envelope, frozen=True, tag="turn_context"):
    payload: shapes.Context


class _MetaLine(_Envelope, frozen=True, tag="session_meta"):
    payload: shapes.Meta


_decode = msgspec.json.Decoder(_ItemLine | _EventLine | _ContextLine | _MetaLine).decode


class Skimmer:
    """One session, line by line. Times never go back: that of an entry is the newest so far."""

    def __init__(self, matters: Matters) -> None:
        self._matters = matters
        self._at = 0
        self._newest = _NEVER
        """The newest time so far, and what of it is in ``_at``."""
        self._counted = self._newest
        self._began = self._shows_users = False
        self._context = shapes.Context()
        self._usage: shapes.Usage | None = None
        self._idle: set[str] = set()
        """Open calls whose output does not matter."""
        self._patches: set[str] = set()
        """Open calls of patches."""
        self._items: Mapping[str, _Reader | None] = {
            **dict.fromkeys(PASSED_ITEMS),
            "message": self._said,
            "function_call": self._called,
            "function_call_output": self._returned,
            "custom_tool_call": self._tool_called,
            "custom_tool_call_output": self._tool_returned,
        }
        self._events: Mapping[str, _Reader | None] = {
            **dict.fromkeys(EVENTS_PASSED),
            "token_count": self._counts,
        }

    def read(self, lines: Sequence[bytes]) -> list[AnyEntry | None]:
        """What each line says; None if nothing but its time counts."""
        found: list[AnyEntry | None] = []
        add, of_item, of_event = found.append, self._items.get, self._events.get
        reader: _Reader | None
        for line in lines:
            try:
                one = _decode(line)
                if one.timestamp > self._newest:
                    self._newest = one.timestamp
                kind, payload = type(one), one.payload
                if kind is _ItemLine:
                    reader = of_item(payload.type, self._item)
                elif kind is _EventLine:
                    reader = of_event(payload.type, self._event)
                else:
                    reader = self._settings if kind is _ContextLine else self._meta
                add(reader(payload) if reader is not None else None)
            except UNREADABLE:
                add(self._whole(line))
        return found

    def now(self) -> int:
        """The newest time so far, in ms since the epoch."""
        newest = self._newest
        if newest is not self._counted:
            self._counted = newest
            at = int(newest.timestamp() * 1000)
            if at > self._at:
                self._at = at
        return self._at

    def _whole(self, line: bytes) -> AnyEntry | None:
        entry = entry_of(line)
        if isinstance(entry, UserSpoke):
            self._shows_users = True
        elif isinstance(entry, UsageSeen):
            self._usage = None
        if line.strip(BLANK):
            self._at = max(self.now(), entry.at) if entry.at else self.now() + UNTIMED
        return replace(entry, at=self._at) if not isinstance(entry, Passed) else None

    # -- kinds -------------------------------------------------------------------------------------------------------

    def _item(self, item: shapes.Item) -> AnyEntry:
        return item_read(item, self.now())

    def _event(self, event: shapes.Counted) -> AnyEntry | None:
        entry = event_read(event, self.now())
        if isinstance(entry, UserSpoke):
            self._shows_users = True
        return entry if not isinstance(entry, Passed) else None

    def _meta(self, meta: shapes.Meta) -> AnyEntry | None:
        """A fork repeats those of its ancestors; only the first counts."""
        if self._began:
            return None
        entry = meta_read(meta, self.now())
        self._began = isinstance(entry, SessionBegan) and bool(entry.session and entry.cwd)
        return entry

    def _settings(self, context: shapes.Context) -> AnyEntry | None:
        """Most are those of the turn before, but for the turn's name."""
        if context.cwd == self._context.cwd and context.model == self._context.model:
            return None
        self._context = context
        return context_read(context, self.now())

    def _counts(self, event: shapes.Counted) -> AnyEntry | None:
        """The same numbers come again with each report of rate limits."""
        usage = event.info
        if usage is None or usage == self._usage:
            return None
        self._usage = usage
        return usage_read(usage, self.now())

    def _said(self, item: shapes.Item) -> AnyEntry | None:
        """What the model is told in the user's name counts only where Codex does not show the user's own words."""
        role = item.role
        if role == "developer" or (role == "user" and self._shows_users):
            return None
        return item_read(item, self.now())

    def _called(self, item: shapes.Item) -> AnyEntry:
        """Most commands are none that matter: then their outputs do not either."""
        call = item.call
        if item.name in SHELLS and call and not item.namespace and not self._matters(bytes(item.arguments)):
            if len(self._idle) >= _MOST_OPEN:
                self._idle.clear()
            self._idle.add(call)
            return CommandCalled(call=call, command="", at=self.now())
        return item_read(item, self.now())

    def _tool_called(self, item: shapes.Item) -> AnyEntry:
        """What a patch changes is read if somebody needs it."""
        call = item.call
        if item.name in PATCHES and call:
            if len(self._patches) >= _MOST_OPEN:
                self._patches.clear()
            self._patches.add(call)
            return PatchCalled(call=call, changes=(), unread=item.input, at=self.now())
        return item_read(item, self.now())

    def _tool_returned(self, item: shapes.Item) -> AnyEntry:
        call = item.call
        if call in self._patches:
            self._patches.discard(call)
            return Returned(call=call, output="", unread=item.output, at=self.now())
        return item_read(item, self.now())

    def _returned(self, item: shapes.Item) -> AnyEntry:
        call = item.call
        if call in self._idle:
            self._idle.discard(call)
            header = bytes(memoryview(item.output)[:_HEADER])
            if not any(map(header.__contains__, _UNUSUAL)):
                return Returned(call=call, output="", quiet=True, at=self.now())
        return item_read(item, self.now())

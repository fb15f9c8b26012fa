"""A thread's past, page by page from the journal file: read-only, beside a running rawr, in a thread of its own.

Nothing here touches a widget. ``Pages`` may be asked from the event loop; the reading itself happens elsewhere.
"""

import asyncio
from pathlib import Path

from msgspec import Struct

from rawr.journal.reader import JournalReader
from rawr.tui.told import Told, told_by
from rawr.views.following import Following
from rawr.views.timeline.journaled import taken_from

FACTS = 400
"""How many facts of the thread a page has."""
WARM = 40
"""Facts before a page that are read with it: what rawr itself said is known by what came just before."""
_NO_END = 2**62


class Page(Struct, frozen=True):
    told: tuple[Told, ...] = ()
    after: int = 0
    """The page has every fact with ``after < seq <= until``."""
    until: int = 0
    first: bool = True
    """Nothing comes before it."""
    last: bool = True
    """Nothing came after it when it was read."""


class Pages:
    """The pages of one thread."""

    def __init__(self, journal: Path, thread: str) -> None:
        self._journal = journal
        self.thread = thread

    async def newest(self) -> Page:
        return await asyncio.to_thread(self._before, _NO_END)

    async def oldest(self) -> Page:
        return await asyncio.to_thread(self._after, 0)

    async def before(self, page_after: int) -> Page:
        """The page that ends where another begins."""
        return await asyncio.to_thread(self._before, page_after + 1)

    async def after(self, until: int) -> Page:
        return await asyncio.to_thread(self._after, until)

    def _before(self, seq: int) -> Page:
        with JournalReader.open(self._journal) as reader:
            until = min(seq - 1, reader.last_seq())
            start = reader.seq_back(self.thread, before=until + 1, facts=FACTS)
            return self._read(reader, after=max(start - 1, 0), until=until)

    def _after(self, after: int) -> Page:
        with JournalReader.open(self._journal) as reader:
            end = reader.seq_on(self.thread, after=after, facts=FACTS)
            return self._read(reader, after=after, until=end if end is not None else reader.last_seq())

    def _read(self, reader: JournalReader, *, after: int, until: int) -> Page:
        following = Following()
        warm = reader.seq_back(self.thread, before=after + 1, facts=WARM) if after else 0
        found: list[Told] = []
        for taken in taken_from(reader, self.thread, first=max(warm, 1), until=until):
            told = told_by(taken, following)
            if taken.recorded.seq > after:
                found.extend(told)
            else:
                list(told)
        earlier = bool(after) and reader.seq_back(self.thread, before=after + 1, facts=1) > 0
        later = reader.seq_on(self.thread, after=until, facts=1) is not None
        return Page(tuple(found), after, until, first=not earlier, last=not later)

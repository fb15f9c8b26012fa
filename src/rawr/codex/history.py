"""A thread's history item by item, from whichever of Codex's lists has it.

Threads whose history Codex keeps in pages have a list of items. Threads begun before Codex 0.150 have none, ever:
``thread/items/list`` is in the protocol and answers that it is not supported yet. Their list of turns has the same.
"""

from collections.abc import AsyncIterator

from msgspec import UNSET

from rawr.codex.client import CallRefused, CodexClient
from rawr.codex.wire import methods

PAGE = 100
TURNS_PAGE = 20
"""Turns come with all of their items, so fewer of them make a page."""
NO_SUCH_METHOD = -32601


async def items(
    client: CodexClient, thread: str, *, newest_first: bool, pages: int
) -> AsyncIterator[methods.ItemEntry]:
    """Yield the items, fetching pages as needed."""
    order = "desc" if newest_first else "asc"
    cursor: str | None = None
    for number in range(pages):
        wanted = methods.ItemsList(
            thread_id=thread, sort_direction=order, limit=PAGE, cursor=cursor if cursor is not None else UNSET
        )
        try:
            page = await client.call(methods.THREAD_ITEMS_LIST, wanted)
        except CallRefused as refusal:
            if number or refusal.code != NO_SUCH_METHOD:
                raise
            async for entry in _of_turns(client, thread, newest_first=newest_first, pages=pages):
                yield entry
            return
        for entry in page.data:
            yield entry
        cursor = page.next_cursor
        if cursor is None:
            return


async def _of_turns(
    client: CodexClient, thread: str, *, newest_first: bool, pages: int
) -> AsyncIterator[methods.ItemEntry]:
    order = "desc" if newest_first else "asc"
    cursor: str | None = None
    for _ in range(pages):
        wanted = methods.TurnsList(
            thread_id=thread,
            items_view="full",
            sort_direction=order,
            limit=TURNS_PAGE,
            cursor=cursor if cursor is not None else UNSET,
        )
        page = await client.call(methods.THREAD_TURNS_LIST, wanted)
        for turn in page.data:
            for item in reversed(turn.items) if newest_first else turn.items:
                yield methods.ItemEntry(turn_id=turn.id, item=item)
        cursor = page.next_cursor
        if cursor is None:
            return

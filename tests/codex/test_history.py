"""The history of a thread, also of one that is older than the list of items."""

from typing import Any

import msgspec
import pytest

from rawr.codex.client import CallRefused
from rawr.codex.history import items
from rawr.core.vocabulary import facts

from .servers import stand_in
from .watch import connected

REFUSED = {"error": {"code": -32601, "message": "thread/items/list is not supported yet"}}


def turn(number: int) -> dict[str, object]:
    said = [{"type": "agentMessage", "id": f"item-{number}-{each}", "text": "x"} for each in (1, 2)]
    return {"id": f"u{number}", "status": "completed", "items": said}


async def read(*answers: object, newest_first: bool = True, pages: int = 2) -> tuple[list[str], list[Any]]:
    """The ids in their order, and the calls it took."""
    script = f"""
        greet()
        for one in json.loads({msgspec.json.encode(answers).decode()!r}):
            call = read()
            warn(json.dumps([call["method"], call["params"]]))
            send({{"id": call["id"], **one}})
        read()
    """
    async with connected(stand_in(script)) as (client, watch):
        found = [entry async for entry in items(client, "t", newest_first=newest_first, pages=pages)]
        calls = [msgspec.json.decode(one.message) for one in watch.all(facts.WarningReported)]
    return [f"{one.turn_id} {msgspec.json.decode(one.item)['id']}" for one in found], calls


@pytest.mark.parametrize(
    ("newest_first", "order"),
    [
        (True, ["u2 item-2-2", "u2 item-2-1", "u1 item-1-2", "u1 item-1-1"]),
        (False, ["u2 item-2-1", "u2 item-2-2", "u1 item-1-1", "u1 item-1-2"]),
    ],
)
async def test_a_thread_from_before_the_list_of_items(newest_first: bool, order: list[str]) -> None:
    """D1, D5: the same from its turns, page by page, in the order that was asked for."""
    first, second = ({"result": {"data": [turn(n)], "nextCursor": more}} for n, more in ((2, "c"), (1, None)))
    found, calls = await read(REFUSED, first, second, newest_first=newest_first)
    assert found == order
    asked = {"threadId": "t", "itemsView": "full", "sortDirection": "desc" if newest_first else "asc", "limit": 20}
    assert calls[1:] == [["thread/turns/list", asked], ["thread/turns/list", asked | {"cursor": "c"}]]


async def test_any_other_refusal_is_one() -> None:
    with pytest.raises(CallRefused, match="gone"):
        await read({"error": {"code": -32600, "message": "gone"}})


async def test_it_is_bounded() -> None:
    endless = {"result": {"data": [turn(1)], "nextCursor": "c"}}
    found, calls = await read(REFUSED, endless, endless, endless, pages=3)
    assert (len(found), len(calls)) == (6, 4)

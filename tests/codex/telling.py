"""One notification, told as facts."""

import msgspec
from msgspec import Raw

from rawr.codex import rpc
from rawr.codex.translate import facts_of
from rawr.core.vocabulary import facts, items
from rawr.ports.harness import Told


def tell(method: str, params: object) -> tuple[Told, ...]:
    return facts_of(rpc.Notification(method, Raw(msgspec.json.encode(params))), epoch=3)


def item(kind: str, /, **fields: object) -> tuple[Told, ...]:
    return tell("item/completed", {"threadId": "t", "turnId": "u", "item": {"type": kind, "id": "i", **fields}})


def completed(one: items.AnyItem) -> tuple[Told, ...]:
    return (("t", facts.ItemCompleted(turn="u", item=one)),)

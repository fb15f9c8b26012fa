"""Streaming deltas, for surfaces. Pure; nothing of them is recorded."""

import msgspec

from rawr.codex import rpc
from rawr.codex.wire.notifications import TextDelta
from rawr.ports.surface import Delta, DeltaKind

_KINDS: dict[str, DeltaKind] = {
    "item/agentMessage/delta": "message",
    "item/plan/delta": "plan",
    "item/commandExecution/outputDelta": "output",
    "item/fileChange/outputDelta": "output",
    "item/reasoning/summaryTextDelta": "reasoning",
    "item/reasoning/textDelta": "reasoning",
}

_decode = msgspec.json.Decoder(TextDelta).decode


def delta_of(notification: rpc.Notification) -> Delta | None:
    """None if it cannot be read: the text comes again with its item."""
    try:
        told = _decode(notification.params)
    except rpc.UNREADABLE:
        return None
    kind = _KINDS.get(notification.method)
    return Delta(told.thread_id, told.turn_id, told.item_id, kind, told.delta) if kind is not None else None

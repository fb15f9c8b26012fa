"""The same notifications through the official SDK's models and through ours: a second reading by other people's code.

Differences that are known are written down here as tests, so that a new version of either side shows itself.
"""

import msgspec
import pytest
from msgspec import Raw, Struct
from openai_codex.client import CodexClient as SdkClient
from openai_codex.generated.notification_registry import NOTIFICATION_MODELS
from openai_codex.models import JsonValue, UnknownNotification

from rawr.codex import rpc
from rawr.codex.translate import facts_of
from rawr.codex.wire import notifications
from rawr.core.vocabulary import facts, items

from .protocol import Protocol
from .recording import Recording

OURS = notifications.NOTIFICATIONS | notifications.DELTAS

WHAT_THE_SDK_DROPS = {
    "thread/started": {"canAcceptDirectInput", "daybreakEnabled", "environments", "extra"},
    "thread/settings/updated": {"multiAgentMode"},
}
"""Fields that Codex sends to clients of the experimental API, and that the SDK's models do not have."""


def by_the_sdk(notification: rpc.Notification) -> dict[str, object]:
    """What the SDK makes of it, back in the names of the wire."""
    model = NOTIFICATION_MODELS[notification.method].model_validate_json(bytes(notification.params))
    dumped: dict[str, object] = model.model_dump(mode="json", by_alias=True)
    return dumped


def differences(ours: object, theirs: object, where: str) -> list[str]:
    """Every field that ours has, compared with theirs."""
    match ours:
        case Struct():
            assert isinstance(theirs, dict), where
            names = zip(ours.__struct_fields__, ours.__struct_encode_fields__, strict=True)
            members = [(getattr(ours, name), theirs.get(wire), f"{where}.{wire}") for name, wire in names]
            tag = ours.__struct_config__.tag
            if tag is not None:
                members.append((tag, theirs["type"], f"{where}.type"))
            return [problem for one in members for problem in differences(*one)]
        case list():
            assert isinstance(theirs, list), where
            if len(ours) != len(theirs):
                return [f"{where}: {len(ours)} here, {len(theirs)} there"]
            pairs = enumerate(zip(ours, theirs, strict=True))
            return [problem for at, pair in pairs for problem in differences(*pair, f"{where}[{at}]")]
        case Raw():
            return differences(msgspec.json.decode(ours), theirs, where)
        case _:
            return [] if ours == theirs else [f"{where}: {ours!r} here, {theirs!r} there"]


def test_the_session_has_something_of_everything(recording: Recording) -> None:
    methods = {one.method for one in recording.notifications()}
    assert set(OURS) - methods == {
        # Nobody closed the thread, and no plan was proposed in plan mode.
        "thread/closed",
        "thread/archived",
        "thread/deleted",
        "item/plan/delta",
        # Only older servers send these.
        "thread/compacted",
        "item/fileChange/outputDelta",
        # The model gave a summary of its reasoning only, and the command wrote too little to stream.
        "item/reasoning/textDelta",
        "item/commandExecution/outputDelta",
    }
    kinds = {type(fact.item) for _, fact in recording.told if isinstance(fact, facts.ItemCompleted)}
    assert kinds == {
        items.UserMessage,
        items.AgentMessage,
        items.Reasoning,
        items.Command,
        items.FileChange,
        items.ToolCall,
        items.Compaction,
    }


def test_both_read_the_same(recording: Recording) -> None:
    compared = 0
    for one in recording.notifications():
        if one.method in OURS:
            ours = msgspec.json.decode(one.params, type=OURS[one.method])
            assert differences(ours, by_the_sdk(one), one.method) == []
            compared += 1
    assert compared > 60


def test_a_difference_would_be_seen(recording: Recording) -> None:
    usage = next(one for one in recording.notifications() if one.method == "thread/tokenUsage/updated")
    ours = msgspec.json.decode(usage.params, type=notifications.TokenUsageUpdated)
    last = msgspec.structs.replace(ours.token_usage.last, total_tokens=1)
    changed = msgspec.structs.replace(
        ours, thread_id="another", token_usage=msgspec.structs.replace(ours.token_usage, last=last)
    )
    assert differences(changed, by_the_sdk(usage), "usage") == [
        f"usage.threadId: 'another' here, {ours.thread_id!r} there",
        "usage.tokenUsage.last.totalTokens: 1 here, 12055 there",
    ]


def dropped(sent: object, kept: object) -> set[str]:
    """Names of fields that are in the frame and not in what was kept of it."""
    if isinstance(sent, dict) and isinstance(kept, dict):
        gone = {name for name in sent if name not in kept}
        return gone.union(*(dropped(value, kept.get(name)) for name, value in sent.items()))
    if isinstance(sent, list) and isinstance(kept, list):
        return set().union(*(dropped(one, other) for one, other in zip(sent, kept, strict=True)))
    return set()


def test_what_the_sdk_drops(recording: Recording) -> None:
    """rawr needs none of it today. It keeps raw frames in its journal, so that none of it is lost either."""
    found: dict[str, set[str]] = {}
    for one in recording.notifications():
        gone = dropped(msgspec.json.decode(one.params), by_the_sdk(one))
        if gone:
            found.setdefault(one.method, set()).update(gone)
    assert found == WHAT_THE_SDK_DROPS


def test_the_sdk_knows_every_notification_that_codex_describes(protocol: Protocol) -> None:
    """So there is none of ours that it could not be asked about."""
    assert set(OURS) <= set(NOTIFICATION_MODELS)
    assert set(protocol.notifications.methods()) <= set(NOTIFICATION_MODELS)


def test_the_time_of_sending_is_outside_the_parameters(recording: Recording) -> None:
    """Neither side reads ``emittedAtMs``: the journal has a clock of its own."""
    frames = [msgspec.json.decode(frame) for frame in recording.frames]
    assert {"emittedAtMs" in frame for frame in frames if "method" in frame and "id" not in frame} == {True}


NEW_ITEM = b'{"threadId":"t","turnId":"u","startedAtMs":1,"item":{"type":"telepathy","id":"i","strength":9}}'


def test_an_item_of_a_new_kind() -> None:
    """The SDK gives up on the whole notification, its turn and thread included; here it is an item of another kind."""
    params = msgspec.json.decode(NEW_ITEM)
    theirs = SdkClient()._coerce_notification("item/started", params)
    assert theirs.payload == UnknownNotification(params=params)
    ours = facts_of(rpc.Notification("item/started", Raw(NEW_ITEM)), epoch=1)
    assert ours == (("t", facts.ItemStarted(turn="u", item=items.OtherItem(id="i", wire_type="telepathy"))),)


@pytest.mark.parametrize("field", ["exitCode", "aggregatedOutput"])
def test_a_known_item_in_a_new_shape(field: str) -> None:
    """The SDK gives up silently; here the item is still seen, and the change is recorded as a fault."""
    item: dict[str, JsonValue] = {
        "type": "commandExecution",
        "id": "i",
        "command": "true",
        "commandActions": [],
        "cwd": "/",
        "status": "completed",
        field: ["new"],
    }
    params: dict[str, JsonValue] = {"threadId": "t", "turnId": "u", "completedAtMs": 1, "item": item}
    theirs = SdkClient()._coerce_notification("item/completed", params)
    assert theirs.payload == UnknownNotification(params=params)
    told = facts_of(rpc.Notification("item/completed", Raw(msgspec.json.encode(params))), epoch=1)
    other = items.OtherItem(id="i", wire_type="commandExecution")
    assert told[0] == ("t", facts.ItemCompleted(turn="u", item=other))
    (_, fault) = told[1]
    assert isinstance(fault, facts.FaultRecorded)
    assert fault.where == "item/completed"
    assert f"$.{field}" in fault.problem

"""Notifications to facts: what is too long, too deep or in the wrong shape makes a fault at most."""

import copy

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Raw

from rawr.codex import rpc
from rawr.codex.translate import MAX_PROBLEM, MAX_SAMPLE, facts_of
from rawr.codex.wire.notifications import DELTAS, NOTIFICATIONS
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.bounds import (
    MAX_ARGUMENTS,
    MAX_CHANGES,
    MAX_COMMAND,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_OUTPUT_TAIL,
)
from rawr.core.vocabulary.facts import FaultRecorded

from . import recorded
from .telling import item, tell

# -- bounds -----------------------------------------------------------------------------------------------------

LONG = "x" * 300_000
ROOM = 60
"""What a bounded text may have over its bound to say that it was cut."""


def test_texts_are_bounded() -> None:
    problem = {"message": LONG, "codexErrorInfo": LONG}
    message, command, call, error = (
        item("agentMessage", text=LONG)[0][1],
        item("commandExecution", command=LONG, cwd="/", status="completed", commandActions=[], aggregatedOutput=LONG)[
            0
        ][1],
        item("dynamicToolCall", tool="t", status="completed", arguments=LONG)[0][1],
        tell("error", {"threadId": "t", "turnId": "u", "willRetry": False, "error": problem})[0][1],
    )
    assert isinstance(message, facts.ItemCompleted)
    assert isinstance(message.item, items.AgentMessage)
    assert message.item.text == "x" * MAX_MESSAGE + f" […{300_000 - MAX_MESSAGE} more characters]"
    assert isinstance(command, facts.ItemCompleted)
    assert isinstance(command.item, items.Command)
    assert len(command.item.command) <= MAX_COMMAND + ROOM
    assert command.item.output_tail == f"[{300_000 - MAX_OUTPUT_TAIL} earlier characters…] " + "x" * MAX_OUTPUT_TAIL
    assert isinstance(call, facts.ItemCompleted)
    assert isinstance(call.item, items.ToolCall)
    assert len(call.item.arguments) <= MAX_ARGUMENTS + ROOM
    assert isinstance(error, facts.ErrorReported)
    assert len(error.problem.message) <= 4_000 + ROOM
    assert len(error.problem.code) <= MAX_NAME + ROOM


def test_lists_are_bounded() -> None:
    plan = tell(
        "turn/plan/updated", {"threadId": "t", "turnId": "u", "plan": [{"step": LONG, "status": "pending"}] * 300}
    )
    (_, fact) = plan[0]
    assert isinstance(fact, facts.PlanUpdated)
    assert (len(fact.steps), len(fact.steps[0].step) <= 1_000 + ROOM) == (200, True)

    text = "".join(f"diff --git a/{n} b/{n}\n" for n in range(MAX_CHANGES + 7))
    (_, fact) = tell("turn/diff/updated", {"threadId": "t", "turnId": "u", "diff": text})[0]
    assert isinstance(fact, facts.DiffUpdated)
    assert (len(fact.files), fact.files_omitted) == (MAX_CHANGES, 7)

    change = {"path": "p", "kind": {"type": "add"}, "diff": ""}
    (_, fact) = item("fileChange", changes=[change] * 1_000, status="completed")[0]
    assert isinstance(fact, facts.ItemCompleted)
    assert isinstance(fact.item, items.FileChange)
    assert len(fact.item.changes) == MAX_CHANGES


def test_what_cannot_be_read_is_bounded_too() -> None:
    passed, strange, wrong = (
        tell(LONG, {})[0][1],
        item(LONG)[0][1],
        tell("turn/plan/updated", {"threadId": "t", "turnId": "u", "plan": [{"step": "s", "status": LONG}]})[0][1],
    )
    assert isinstance(passed, facts.NotificationPassed)
    assert len(passed.method) <= MAX_NAME + ROOM
    assert isinstance(strange, facts.ItemCompleted)
    assert isinstance(strange.item, items.OtherItem)
    assert len(strange.item.wire_type) <= MAX_NAME + ROOM
    assert isinstance(wrong, FaultRecorded)
    assert (len(wrong.problem) <= MAX_PROBLEM + ROOM, len(wrong.sample) <= MAX_SAMPLE) == (True, True)


# -- faults -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params", "problem"),
    [
        ("turn/started", b'{"threadId":"t"}', "ValidationError: Object missing required field `turn`"),
        ("turn/started", b"", "DecodeError: Input data was truncated"),
        ("turn/started", b"[]", "ValidationError: Expected `object`, got `array`"),
        (
            "turn/completed",
            b'{"threadId":"t","turn":{"id":"u","status":"inProgress"}}',
            "KeyError: 'inProgress'",
        ),
        (
            "thread/status/changed",
            b'{"threadId":"t","status":{"type":"dreaming"}}',
            "KeyError: 'dreaming'",
        ),
        (
            "item/completed",
            b'{"threadId":"t","item":{"type":"reasoning","id":"i"}}',
            "ValidationError: Object missing required field `turnId`",
        ),
    ],
)
def test_a_known_kind_in_an_unknown_shape_is_a_fault(method: str, params: bytes, problem: str) -> None:
    assert facts_of(rpc.Notification(method, Raw(params)), epoch=1) == (
        ("", FaultRecorded(where=method, problem=problem, sample=params.decode(), size=len(params))),
    )


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize("depth", [500, 990, 5_000, 100_000])
def test_deep_nesting_is_a_fault_at_most(depth: int) -> None:
    head = b'{"threadId":"t","turnId":"u","willRetry":false,"error":{"message":"m","codexErrorInfo":'
    facts_of(rpc.Notification("error", Raw(head + nested(depth) + b"}}")), epoch=1)
    head = b'{"threadId":"t","turnId":"u","item":{"type":"userMessage","id":"i","content":['
    facts_of(rpc.Notification("item/completed", Raw(head + nested(depth) + b"]}}")), epoch=1)


@given(st.sampled_from([*NOTIFICATIONS, *DELTAS, "unknown"]), st.binary())
@example("error", b'{"threadId":"t","turnId":"u","willRetry":false,"error":{"message":"\xff"}}')
@example("item/completed", b'{"threadId":"t","turnId":"u","item":{"type":"userMessage","id":"i","content":["\xff"]}}')
@example("turn/diff/updated", b'{"threadId":"t","turnId":"u","diff":"@@ -1,' + b"9" * 5_000 + b' +1 @@"}')
def test_no_bytes_make_it_raise(method: str, params: bytes) -> None:
    for _, fact in facts_of(rpc.Notification(method, Raw(params)), epoch=1):
        msgspec.json.encode(fact)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def paths(value: object, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to every part of a JSON value."""
    found = [at] if at else []
    if isinstance(value, dict):
        for name, member in value.items():
            found += paths(member, (*at, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            found += paths(member, (*at, index))
    return found


@given(st.data())
def test_no_damage_to_a_real_notification_makes_it_raise(data: st.DataObject) -> None:
    """Fields are dropped, replaced by anything, or the text is cut short. Something is always told, deltas aside."""
    notification = data.draw(st.sampled_from(recorded.NOTIFICATIONS))
    params = copy.deepcopy(msgspec.json.decode(notification.params))
    for _ in range(data.draw(st.integers(1, 3))):
        ways = paths(params)
        if not ways:
            break
        *way, last = data.draw(st.sampled_from(ways))
        holder = params
        for step in way:
            holder = holder[step]
        if data.draw(st.booleans()):
            del holder[last]
        else:
            holder[last] = data.draw(JSON)
    text = msgspec.json.encode(params)
    cut = data.draw(st.none() | st.integers(0, len(text)))
    told = facts_of(rpc.Notification(notification.method, Raw(text[:cut])), epoch=1)
    assert told or notification.method in DELTAS or notification.method == "account/rateLimits/updated"
    for _, fact in told:
        msgspec.json.encode(fact)

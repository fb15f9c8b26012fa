"""Notifications to facts: real frames as a transcript, then every kind of item, then everything that can be wrong."""

import copy

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Raw

from rawr.codex import rpc, translate
from rawr.codex.diff import MAX_FILES
from rawr.codex.translate import (
    MAX_ARGUMENTS,
    MAX_COMMAND,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_OUTPUT_TAIL,
    MAX_PROBLEM,
    MAX_SAMPLE,
    facts_of,
    request_name,
)
from rawr.codex.wire.items import KnownItem
from rawr.codex.wire.notifications import DELTAS, NOTIFICATIONS
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.facts import FaultRecorded, FileDelta, PlanStep, Problem
from rawr.ports.codex import Told

from . import recorded

TOO_MANY = Problem(
    "exceeded retry limit, last status: 429 Too Many Requests", "responseTooManyFailedAttempts", http_status=429
)
ECHO = "/bin/bash -lc 'echo found-$((40 + 2))'"
INNER = "echo found-$((40 + 2))"
WORKSPACE = "/home/ada/workspace"
ARGUMENTS = '{"phase":"research","summary":"ünï"}'


def tell(method: str, params: object) -> tuple[Told, ...]:
    return facts_of(rpc.Notification(method, Raw(msgspec.json.encode(params))), epoch=3)


def test_a_recorded_session_as_facts() -> None:
    """The server of the third connection tells a whole session; streaming deltas tell nothing."""
    about_all: list[facts.AnyFact] = []
    about_thread: list[facts.AnyFact] = []
    for notification in recorded.NOTIFICATIONS:
        for thread, fact in facts_of(notification, epoch=3):
            assert thread in ("", "thread-1")
            (about_thread if thread else about_all).append(fact)
    assert about_all == [
        facts.NotificationPassed(method="configWarning", size=69),
        facts.NotificationPassed(method="remoteControl/status/changed", size=86),
        facts.NotificationPassed(method="item/reasoning/summaryPartAdded", size=76),
        facts.NotificationPassed(method="thread/readState/changed", size=103),
    ]
    turn = "turn-1"
    user = items.UserMessage(id="id-2", text="work", client_id="m-work")
    command = items.Command(id="call_1_2", command=ECHO, inner=INNER, cwd=WORKSPACE, status="running")
    change = items.Change(f"{WORKSPACE}/notes.md", "add")
    call = items.ToolCall(id="call_5_0", tool="phase_complete", status="running", arguments=ARGUMENTS)
    assert about_thread == [
        facts.ThreadOpened(cwd=WORKSPACE, model="scripted"),
        facts.GoalUpdated(objective="Ship it.", status="paused"),
        facts.GoalCleared(),
        facts.WarningReported(
            message="Model metadata for `scripted` not found. "
            "Defaulting to fallback metadata; this can degrade performance and cause issues."
        ),
        facts.ThreadStatusChanged(status="active"),
        facts.TurnStarted(turn=turn),
        facts.ItemStarted(turn=turn, item=user),
        facts.ItemCompleted(turn=turn, item=user),
        facts.ItemStarted(turn=turn, item=items.Reasoning(id="rs_1_0")),
        facts.ItemCompleted(turn=turn, item=items.Reasoning(id="rs_1_0")),
        facts.ItemStarted(turn=turn, item=items.AgentMessage(id="msg_1_1", text="")),
        facts.ItemCompleted(turn=turn, item=items.AgentMessage(id="msg_1_1", text="I look around.")),
        facts.ThreadStatusChanged(status="active", waiting_on=("waitingOnApproval",)),
        facts.ItemStarted(turn=turn, item=command),
        facts.RequestResolved(request="3/0"),
        facts.ItemCompleted(
            turn=turn,
            item=items.Command(
                id="call_1_2",
                command=ECHO,
                inner=INNER,
                cwd=WORKSPACE,
                status="completed",
                exit_code=0,
                output_tail="found-42\n",
                duration_ms=0,
            ),
        ),
        facts.UsageUpdated(
            turn=turn, in_context=12_055, spent=12_055, window=95_000, cached_input=6_000, output=55, reasoning=5
        ),
        facts.PlanUpdated(
            turn=turn,
            steps=(PlanStep("look", "completed"), PlanStep("write", "in_progress"), PlanStep("ship", "pending")),
        ),
        facts.ItemStarted(turn=turn, item=items.FileChange(id="call_3_0", changes=(change,), status="running")),
        facts.ItemCompleted(turn=turn, item=items.FileChange(id="call_3_0", changes=(change,), status="completed")),
        facts.DiffUpdated(turn=turn, digest="6e4cdd6c9874922c", files=(FileDelta("notes.md", 2, 0),)),
        facts.ItemCompleted(
            turn=turn,
            item=items.Command(
                id="call_4_0",
                command="/bin/bash -lc 'touch declined'",
                inner="touch declined",
                cwd=WORKSPACE,
                status="declined",
            ),
        ),
        facts.ItemStarted(turn=turn, item=call),
        facts.ItemCompleted(
            turn=turn,
            item=items.ToolCall(
                id="call_5_0", tool="phase_complete", status="completed", arguments=ARGUMENTS, success=True
            ),
        ),
        facts.ThreadStatusChanged(status="idle"),
        facts.TurnCompleted(turn=turn, status="completed", duration_ms=188),
        facts.TurnStarted(turn="turn-2"),
        facts.ItemStarted(turn="turn-2", item=items.Compaction(id="id-4")),
        facts.UsageUpdated(turn="turn-2", in_context=1_000, spent=17_055, window=95_000),
        facts.ItemCompleted(turn="turn-2", item=items.Compaction(id="id-4")),
        facts.WarningReported(
            message="Heads up: Long threads and multiple compactions can cause the model to be less accurate. "
            "Start a new thread when possible to keep threads small and targeted."
        ),
        facts.TurnCompleted(turn="turn-2", status="completed", duration_ms=23),
        facts.TurnStarted(turn="turn-3"),
        facts.ThreadStatusChanged(status="system_error"),
        facts.ErrorReported(turn="turn-3", problem=TOO_MANY),
        facts.TurnCompleted(turn="turn-3", status="failed", problem=TOO_MANY, duration_ms=26),
    ]


# -- the other kinds of notification ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params", "told"),
    [
        ("thread/closed", {"threadId": "t"}, ("t", facts.ThreadClosed())),
        ("thread/archived", {"threadId": "t"}, ("t", facts.ThreadClosed(how="archived"))),
        ("thread/deleted", {"threadId": "t"}, ("t", facts.ThreadClosed(how="deleted"))),
        ("thread/compacted", {"threadId": "t", "turnId": "u"}, ("t", facts.ContextCompacted(turn="u"))),
        ("warning", {"message": "Careful."}, ("", facts.WarningReported(message="Careful."))),
        (
            "thread/status/changed",
            {"threadId": "t", "status": {"type": "notLoaded"}},
            ("t", facts.ThreadStatusChanged(status="not_loaded")),
        ),
        ("serverRequest/resolved", {"threadId": "t", "requestId": "a"}, ("t", facts.RequestResolved(request="3/'a'"))),
        (
            "turn/completed",
            {"threadId": "t", "turn": {"id": "u", "status": "interrupted", "items": []}},
            ("t", facts.TurnCompleted(turn="u", status="interrupted")),
        ),
        (
            "thread/started",
            {"thread": {"id": "t", "cwd": "/w", "ephemeral": True, "status": {"type": "idle"}, "parentThreadId": "p"}},
            ("t", facts.ThreadOpened(cwd="/w", ephemeral=True, parent="p")),
        ),
    ],
)
def test_the_notifications_that_the_session_did_not_have(method: str, params: object, told: Told) -> None:
    assert tell(method, params) == (told,)


def test_rate_limits_are_one_fact_a_window() -> None:
    limits = {
        "limitId": "codex",
        "primary": {"usedPercent": 97, "windowDurationMins": 300, "resetsAt": 1_700_000_000},
        "secondary": {"usedPercent": 12, "windowDurationMins": None, "resetsAt": None},
        "rateLimitReachedType": "rateLimitReached",
    }
    assert tell("account/rateLimits/updated", {"rateLimits": limits}) == (
        ("", facts.RateLimitsUpdated(limit="codex/primary", used_percent=97, resets_at=1_700_000_000, reached=True)),
        ("", facts.RateLimitsUpdated(limit="codex/secondary", used_percent=12, reached=True)),
    )
    assert tell("account/rateLimits/updated", {"rateLimits": {"limitId": None, "primary": {"usedPercent": 1}}}) == (
        ("", facts.RateLimitsUpdated(limit="codex/primary", used_percent=1)),
    )


@pytest.mark.parametrize("method", DELTAS)
def test_deltas_tell_nothing(method: str) -> None:
    assert tell(method, {"threadId": "t", "turnId": "u", "itemId": "i", "delta": "word"}) == ()


def test_a_notification_of_an_unknown_kind_passes() -> None:
    assert tell("thread/moonPhase/changed", {"phase": "full"}) == (
        ("", facts.NotificationPassed(method="thread/moonPhase/changed", size=16)),
    )
    nothing = rpc.Notification("thread/moonPhase/changed", Raw(b""))
    assert facts_of(nothing, epoch=1) == (("", facts.NotificationPassed(method="thread/moonPhase/changed", size=0)),)


def test_a_request_has_a_name_across_connections() -> None:
    assert [request_name(1, 0), request_name(2, 0), request_name(2, "0")] == ["1/0", "2/0", "2/'0'"]


# -- items ------------------------------------------------------------------------------------------------------


def item(kind: str, /, **fields: object) -> tuple[Told, ...]:
    return tell("item/completed", {"threadId": "t", "turnId": "u", "item": {"type": kind, "id": "i", **fields}})


def completed(one: items.AnyItem) -> tuple[Told, ...]:
    return (("t", facts.ItemCompleted(turn="u", item=one)),)


def test_a_command_that_only_reads() -> None:
    def command(*actions: str) -> tuple[Told, ...]:
        parts = [{"type": action, "command": "c"} for action in actions]
        return item("commandExecution", command="c", cwd="/w", status="failed", exitCode=2, commandActions=parts)

    def expected(*, reads_only: bool) -> tuple[Told, ...]:
        return completed(
            items.Command(id="i", command="c", cwd="/w", status="failed", exit_code=2, reads_only=reads_only)
        )

    assert command("read", "listFiles", "search") == expected(reads_only=True)
    assert command("read", "unknown") == expected(reads_only=False)
    assert command("teleport") == expected(reads_only=False)
    assert command() == expected(reads_only=False)


def test_file_changes() -> None:
    changes = [
        {"path": "a", "kind": {"type": "update", "move_path": "b"}, "diff": ""},
        {"path": "c", "kind": {"type": "delete"}, "diff": ""},
        {"path": "d", "kind": {"type": "entangle"}, "diff": ""},
    ]
    assert item("fileChange", changes=changes, status="declined") == completed(
        items.FileChange(
            id="i",
            changes=(items.Change("a", "update", "b"), items.Change("c", "delete"), items.Change("d", "update")),
            status="declined",
        )
    )


def test_tools_and_agents() -> None:
    assert item("mcpToolCall", server="s", tool="t", status="failed", arguments=[1, "ä"]) == completed(
        items.ToolCall(id="i", server="s", tool="t", status="failed", arguments='[1,"ä"]')
    )
    assert item(
        "collabAgentToolCall", status="interrupted", receiverThreadIds=["a", "b"], tool="spawnAgent"
    ) == completed(items.SubAgent(id="i", status="failed", threads=("a", "b")))
    assert item("subAgentActivity", kind="interacted", agentThreadId="a", agentPath="p") == completed(
        items.SubAgent(id="i", status="running", threads=("a",))
    )


def test_small_items() -> None:
    assert item("webSearch", query="why") == completed(items.WebSearch(id="i", query="why"))
    assert item("enteredReviewMode", review="changes") == completed(items.ReviewEntered(id="i", review="changes"))
    assert item("exitedReviewMode", review="good") == completed(items.ReviewExited(id="i", review="good"))
    assert item("agentMessage", text="hi", phase="final_answer") == completed(
        items.AgentMessage(id="i", text="hi", phase="final_answer")
    )


def test_a_user_message_of_several_parts() -> None:
    parts = [
        {"type": "text", "text": "look at", "text_elements": []},
        {"type": "image", "url": "data:…"},
        {"type": "mention", "name": "notes.md", "path": "p"},
        {"type": "text"},
        "?",
    ]
    assert item("userMessage", content=parts) == completed(
        items.UserMessage(id="i", text="look at\n[image]\n[mention]\n[text]\n[?]")
    )


@pytest.mark.parametrize(
    "kind", ["plan", "hookPrompt", "functionCallOutput", "imageView", "sleep", "imageGeneration", "telepathy"]
)
def test_an_item_of_an_unknown_kind_is_another_item_and_no_fault(kind: str) -> None:
    assert item(kind, anything=[1]) == completed(items.OtherItem(id="i", wire_type=kind))
    assert tell("item/started", {"threadId": "t", "turnId": "u", "item": {"type": kind, "id": "i"}}) == (
        ("t", facts.ItemStarted(turn="u", item=items.OtherItem(id="i", wire_type=kind))),
    )


def test_a_known_item_in_another_shape_is_another_item_and_a_fault() -> None:
    told = item("commandExecution", command=["ls"], cwd="/w", status="completed", commandActions=[])
    raw = '{"type":"commandExecution","id":"i","command":["ls"],"cwd":"/w","status":"completed","commandActions":[]}'
    assert told == (
        ("t", facts.ItemCompleted(turn="u", item=items.OtherItem(id="i", wire_type="commandExecution"))),
        (
            "t",
            FaultRecorded(
                where="item/completed",
                problem="Expected `str`, got `array` - at `$.command`",
                sample=raw,
                size=len(raw),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("raw", "other"),
    [
        ({"type": 5, "id": "i"}, items.OtherItem(id="?", wire_type="?")),
        ({"type": "telepathy", "id": 5}, items.OtherItem(id="?", wire_type="?")),
        ({"id": "i"}, items.OtherItem(id="i", wire_type="?")),
        ({"type": "telepathy"}, items.OtherItem(id="?", wire_type="telepathy")),
        ([], items.OtherItem(id="?", wire_type="?")),
        (None, items.OtherItem(id="?", wire_type="?")),
    ],
)
def test_an_item_without_shape_is_still_an_item(raw: object, other: items.OtherItem) -> None:
    told = tell("item/completed", {"threadId": "t", "turnId": "u", "item": raw})
    assert told[0] == ("t", facts.ItemCompleted(turn="u", item=other))


# -- errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("info", "code", "status"),
    [
        ("usageLimitExceeded", "usageLimitExceeded", None),
        ({"httpConnectionFailed": {"httpStatusCode": 502}}, "httpConnectionFailed", 502),
        ({"responseStreamDisconnected": {"httpStatusCode": None}}, "responseStreamDisconnected", None),
        ({"activeTurnNotSteerable": {"turnKind": "compact"}}, "activeTurnNotSteerable", None),
        ({"httpConnectionFailed": {"httpStatusCode": "502"}}, "httpConnectionFailed", None),
        ({"newKind": None}, "newKind", None),
        ({"newKind": "word"}, "newKind", None),
        (None, "other", None),
        ({}, "other", None),
        ({"two": 1, "keys": 2}, "other", None),
        (["odd"], "other", None),
        (5, "other", None),
    ],
)
def test_an_error_is_named_by_a_word_or_by_an_object_with_one_key(info: object, code: str, status: int | None) -> None:
    error = {"message": "no", "codexErrorInfo": info, "additionalDetails": "more"}
    assert tell("error", {"threadId": "t", "turnId": "u", "error": error, "willRetry": True}) == (
        ("t", facts.ErrorReported(turn="u", problem=Problem("no", code, status, "more"), will_retry=True)),
    )


def test_an_error_without_information() -> None:
    assert tell("error", {"threadId": "t", "turnId": "u", "error": {"message": "no"}, "willRetry": False}) == (
        ("t", facts.ErrorReported(turn="u", problem=Problem("no"))),
    )


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

    text = "".join(f"diff --git a/{n} b/{n}\n" for n in range(MAX_FILES + 7))
    (_, fact) = tell("turn/diff/updated", {"threadId": "t", "turnId": "u", "diff": text})[0]
    assert isinstance(fact, facts.DiffUpdated)
    assert (len(fact.files), fact.files_omitted) == (MAX_FILES, 7)

    change = {"path": "p", "kind": {"type": "add"}, "diff": ""}
    (_, fact) = item("fileChange", changes=[change] * 1_000, status="completed")[0]
    assert isinstance(fact, facts.ItemCompleted)
    assert isinstance(fact.item, items.FileChange)
    assert len(fact.item.changes) == MAX_FILES


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


def test_every_known_item_has_a_translation() -> None:
    assert set(translate._ITEMS) == set(KnownItem.__args__)

"""Notifications to facts: real frames as a transcript, then every other kind of notification and error."""

import pytest
from msgspec import Raw
from msgspec.structs import replace

from rawr.codex import rpc, translate
from rawr.codex.translate import facts_of, request_name
from rawr.codex.wire.notifications import DELTAS, NOTIFICATIONS
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.facts import FileDelta, PlanStep, Problem
from rawr.ports.harness import Told

from . import recorded
from .telling import tell

TOO_MANY = Problem(
    "exceeded retry limit, last status: 429 Too Many Requests", "responseTooManyFailedAttempts", http_status=429
)
ECHO = "/bin/bash -lc 'echo found-$((40 + 2))'"
INNER = "echo found-$((40 + 2))"
WORKSPACE = "/home/ada/workspace"
ARGUMENTS = '{"phase":"research","summary":"ünï"}'


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
        facts.ThreadOpened(cwd=WORKSPACE, model="scripted", session_id="thread-1"),
        facts.GoalUpdated(objective="Ship it.", status="paused"),
        facts.GoalCleared(),
        facts.WarningReported(
            message="Model metadata for `scripted` not found. "
            "Defaulting to fallback metadata; this can degrade performance and cause issues."
        ),
        facts.ThreadStatusChanged(status="active"),
        facts.TurnStarted(turn=turn),
        facts.ItemStarted(turn=turn, item=replace(user, text="")),
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


def test_every_notification_that_is_known_is_translated() -> None:
    """One that is only on the list would be recorded as of no use, and nobody would notice."""
    assert set(translate._TRANSLATORS) == {*NOTIFICATIONS, *DELTAS}

"""Whole messages as the schemas allow them, through our code: all of them are read, and all we write is allowed."""

from typing import Literal

import msgspec
import pytest
from msgspec import Raw

from rawr.codex import rpc
from rawr.codex.questions import Posed, RpcRefusal, answer_for, pose
from rawr.codex.translate import facts_of
from rawr.codex.wire import notifications
from rawr.codex.wire.methods import CALLS
from rawr.codex.wire.server_requests import SERVER_REQUESTS
from rawr.core.speech import say
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import (
    Answer,
    CommandApproval,
    CredentialQuestion,
    Elicitation,
    FileChangeApproval,
    PermissionsApproval,
    Question,
    Refusal,
    Replies,
    TimeQuestion,
    TimeTold,
    ToolInvocation,
    ToolResult,
    UserInput,
    Verdict,
)

from .examples import examples
from .protocol import Protocol
from .recording import Recording
from .schema import violations

VERDICTS: tuple[Literal["accept", "accept_for_session", "decline", "cancel"], ...] = (
    "accept",
    "accept_for_session",
    "decline",
    "cancel",
)


def test_every_notification_the_schema_allows_is_told_without_a_fault(protocol: Protocol) -> None:
    """In its barest and in its fullest form; kinds that we do not read pass, and nothing is dropped unseen."""
    document = protocol.notifications
    seen: set[str] = set()
    for method, schema in document.methods().items():
        for params in examples(document, schema):
            notification = rpc.Notification(method, Raw(msgspec.json.encode(params)))
            told = [fact for _, fact in facts_of(notification, epoch=1)]
            if method in notifications.NOTIFICATIONS:
                faults = [one for one in told if isinstance(one, facts.FaultRecorded)]
                # The schema lets a completed turn be in progress. Codex never says so.
                assert not faults or faults[0].problem == "KeyError: 'inProgress'", (params, told)
                seen.add(method)
            elif method not in notifications.DELTAS:
                assert told == [facts.NotificationPassed(method=method, size=len(notification.params))]
    assert seen == set(notifications.NOTIFICATIONS)


def answers_to(question: Question) -> list[Answer]:
    """Everything that may be answered."""
    refusal = Refusal(reason=say("cannot"))
    match question:
        case CommandApproval() | FileChangeApproval() | PermissionsApproval() | Elicitation():
            return [*(Verdict(verdict=verdict) for verdict in VERDICTS), refusal]
        case UserInput(questions=asked):
            return [Replies(replies={one.id: ("a", "b") for one in asked}), Replies(replies={}), refusal]
        case ToolInvocation():
            return [ToolResult(text=say("done")), ToolResult(text=say(""), success=False), refusal]
        case TimeQuestion():
            return [TimeTold(seconds=1_700_000_000), refusal]
        case CredentialQuestion():
            return [refusal]


@pytest.mark.parametrize("method", SERVER_REQUESTS)
def test_every_answer_is_one_that_the_server_takes(protocol: Protocol, method: str) -> None:
    """C11: all server request kinds are answered, in whatever form they are asked."""
    document, expected = protocol.server_requests, protocol.answer_to(method)
    asked = examples(document, document.methods()[method])
    assert asked
    for number, params in enumerate(asked):
        request = rpc.ServerRequest(number, method, Raw(msgspec.json.encode(params)))
        posed = pose(request)
        assert isinstance(posed, Posed), (params, posed)
        for answer in answers_to(posed.question):
            reply = answer_for(request, answer)
            if isinstance(answer, Refusal):
                assert reply == RpcRefusal(rpc.INTERNAL_ERROR, "cannot")
                continue
            frame = rpc.Peer().respond(number, reply)
            result = msgspec.json.decode(frame)["result"]
            assert violations(expected, expected.root, result) == [], (params, answer, result)


def test_an_answer_that_the_server_would_not_take_is_seen(protocol: Protocol) -> None:
    """The validator can fail."""
    expected = protocol.answer_to("item/commandExecution/requestApproval")
    assert violations(expected, expected.root, {"decision": "accept"}) == []
    assert violations(expected, expected.root, {"decision": "approved"}) != []
    assert violations(expected, expected.root, {}) == ["$: decision is missing"]
    assert violations(expected, expected.root, {"decision": "accept", "mood": 1}) == ["$: mood is not known"]
    tool = protocol.answer_to("item/tool/call")
    assert violations(tool, tool.root, {"contentItems": [{"type": "inputText"}], "success": True}) == [
        "$.contentItems[0]: text is missing"
    ]
    assert violations(tool, tool.root, {"contentItems": None, "success": 1}) == [
        "$.contentItems: None is no array",
        "$.success: 1 is no boolean",
    ]


def test_the_real_codex_keeps_to_its_schemas(protocol: Protocol, recording: Recording) -> None:
    """What it says of itself is what it sends: else comparing with the schemas would prove nothing."""
    documents = {rpc.Notification: protocol.notifications, rpc.ServerRequest: protocol.server_requests}
    for one in recording.inbound():
        assert isinstance(one, rpc.Notification | rpc.ServerRequest)
        document = documents[type(one)]
        schema = document.methods()[one.method]
        assert violations(document, schema, msgspec.json.decode(one.params)) == [], one.method


def test_what_we_send_is_what_the_schemas_ask_for(protocol: Protocol, recording: Recording) -> None:
    """Every call of the session, as it went over the wire."""
    document = protocol.calls
    made: set[str] = set()
    for frame in recording.sent:
        message = msgspec.json.decode(frame)
        if {"id", "method"} <= set(message):
            schema = document.methods()[message["method"]]
            assert violations(document, schema, message["params"]) == [], message
            made.add(message["method"])
    assert {call.method for call in CALLS} - made == {"review/start", "thread/name/set", "turn/interrupt", "turn/steer"}

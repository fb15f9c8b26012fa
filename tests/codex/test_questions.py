"""Each kind of server request as a question, and each answer as it goes over the wire.

That the answers are ones the installed Codex takes is checked in ``tests/contract/test_messages.py``.
"""

from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from rawr.codex import rpc
from rawr.codex.questions import Posed, RpcRefusal, answer_for, pose
from rawr.codex.wire.server_requests import SERVER_REQUESTS
from rawr.core.speech import say
from rawr.core.vocabulary import requests
from rawr.core.vocabulary.requests import Answer, Refusal, Replies, TimeTold, ToolResult, Verdict

from . import recorded

VerdictWord = Literal["accept", "accept_for_session", "decline", "cancel"]
PLACE = {"threadId": "t", "turnId": "u", "itemId": "i", "startedAtMs": 1}
COMMAND = "item/commandExecution/requestApproval"
FILES = "item/fileChange/requestApproval"
PERMISSIONS = "item/permissions/requestApproval"
INPUT = "item/tool/requestUserInput"
ELICITATION = "mcpServer/elicitation/request"


def asked(method: str, params: object) -> rpc.ServerRequest:
    return rpc.ServerRequest(7, method, Raw(msgspec.json.encode(params)))


def sent(request: rpc.ServerRequest, answer: Answer) -> object:
    """The result, or the error, that goes back."""
    reply = answer_for(request, answer)
    peer = rpc.Peer()
    if isinstance(reply, RpcRefusal):
        frame = peer.refuse(request.id, reply.code, message=reply.message)
    else:
        frame = peer.respond(request.id, reply)
    message = msgspec.json.decode(frame, type=dict[str, object])
    assert message.pop("id") == 7
    ((_, body),) = message.items()
    return body


# -- questions --------------------------------------------------------------------------------------------------


def test_the_questions_of_a_recorded_session() -> None:
    assert [pose(request) for request in recorded.REQUESTS] == [
        Posed(
            "thread-1",
            "turn-1",
            "call_1_2",
            requests.CommandApproval(
                command="/bin/bash -lc 'echo found-$((40 + 2))'",
                cwd="/home/ada/workspace",
                options=("accept", "acceptWithExecpolicyAmendment", "cancel"),
            ),
        ),
        Posed("thread-1", "turn-1", "call_3_0", requests.FileChangeApproval()),
        Posed(
            "thread-1",
            "turn-1",
            "call_5_0",
            requests.ToolInvocation(
                tool="phase_complete", call="call_5_0", arguments='{"phase":"research","summary":"ünï"}'
            ),
        ),
    ]


def test_approvals() -> None:
    network = {"host": "example.invalid", "protocol": "https"}
    assert pose(asked(COMMAND, PLACE | {"networkApprovalContext": network, "reason": "to fetch"})) == Posed(
        "t", "u", "i", requests.CommandApproval(command="", cwd="", reason="to fetch", network=True)
    )
    assert pose(asked(FILES, PLACE | {"reason": "outside", "grantRoot": "/srv"})) == Posed(
        "t", "u", "i", requests.FileChangeApproval(reason="outside", grant_root="/srv")
    )
    assert pose(asked(PERMISSIONS, PLACE | {"cwd": "/w", "permissions": {"network": {"enabled": True}}})) == Posed(
        "t", "u", "i", requests.PermissionsApproval(cwd="/w", permissions='{"network":{"enabled":true}}')
    )


def test_the_old_approvals() -> None:
    place = {"conversationId": "t", "callId": "c"}
    command = {"command": ["git", "commit", "-m", "two words"], "cwd": "/w", "parsedCmd": [], "reason": None}
    assert pose(asked("execCommandApproval", place | command)) == Posed(
        "t", "", "c", requests.CommandApproval(command="git commit -m 'two words'", cwd="/w")
    )
    patch = {"fileChanges": {"a": {"type": "add", "content": ""}}, "reason": "more", "grantRoot": "/srv"}
    assert pose(asked("applyPatchApproval", place | patch)) == Posed(
        "t", "", "c", requests.FileChangeApproval(reason="more", grant_root="/srv")
    )


def test_questions_to_the_user() -> None:
    questions = [
        {
            "id": "colour",
            "header": "Colour",
            "question": "Which one?",
            "options": [{"label": "Red", "description": "Warm."}, {"label": "Blue", "description": "Cold."}],
        },
        {"id": "key", "header": "Key", "question": "Your key?", "isSecret": True, "options": None},
        {
            "id": "why",
            "header": "Why",
            "question": "Why?",
            "isOther": True,
            "options": [{"label": "So", "description": ""}],
        },
    ]
    assert pose(asked(INPUT, PLACE | {"questions": questions, "isBlocking": True})) == Posed(
        "t",
        "u",
        "i",
        requests.UserInput(
            questions=(
                requests.UserQuestion(
                    "colour",
                    "Colour",
                    "Which one?",
                    (requests.Option("Red", "Warm."), requests.Option("Blue", "Cold.")),
                ),
                requests.UserQuestion("key", "Key", "Your key?", free_text=True, secret=True),
                requests.UserQuestion("why", "Why", "Why?", (requests.Option("So"),), free_text=True),
            )
        ),
    )


def test_elicitations() -> None:
    place = {"threadId": "t", "turnId": None, "serverName": "s"}
    assert pose(asked(ELICITATION, place | {"mode": "form", "message": "Fill in.", "requestedSchema": {}})) == Posed(
        "t", "", "", requests.Elicitation(server="s", message="Fill in.", mode="form")
    )
    verification = {"mode": "openai/userVerification", "title": "It is you?", "description": "Touch.", "challenge": "c"}
    assert pose(asked(ELICITATION, place | verification)) == Posed(
        "t", "", "", requests.Elicitation(server="s", message="It is you?\nTouch.", mode="openai/userVerification")
    )


@pytest.mark.parametrize(
    ("method", "params", "posed"),
    [
        ("currentTime/read", {"threadId": "t"}, Posed("t", "", "", requests.TimeQuestion())),
        (
            "account/chatgptAuthTokens/refresh",
            {"reason": "unauthorized"},
            Posed("", "", "", requests.CredentialQuestion(method="account/chatgptAuthTokens/refresh")),
        ),
        ("attestation/generate", {}, Posed("", "", "", requests.CredentialQuestion(method="attestation/generate"))),
    ],
)
def test_services(method: str, params: object, posed: Posed) -> None:
    assert pose(asked(method, params)) == posed


def test_a_request_without_parameters_is_read_as_an_empty_one() -> None:
    question = requests.CredentialQuestion(method="attestation/generate")
    assert pose(rpc.ServerRequest(1, "attestation/generate", Raw(b""))) == Posed("", "", "", question)


def test_an_unknown_kind_is_to_be_refused() -> None:
    """C11: also a kind that nobody here knows gets its answer, else the turn would hang."""
    assert pose(asked("item/telepathy/request", {})) == RpcRefusal(
        rpc.METHOD_NOT_FOUND, "rawr does not know the request item/telepathy/request"
    )


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        (b'{"threadId":"t"}', "Object missing required field `turnId`"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"threadId":"\xff"', "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ],
)
def test_a_known_kind_that_cannot_be_read_is_to_be_refused(params: bytes, problem: str) -> None:
    assert pose(rpc.ServerRequest(1, COMMAND, Raw(params))) == RpcRefusal(
        rpc.INTERNAL_ERROR, f"rawr could not read {COMMAND}: {problem}"
    )


def test_texts_are_bounded() -> None:
    long = "x" * 300_000
    posed = pose(asked(COMMAND, PLACE | {"command": long, "reason": long}))
    assert isinstance(posed, Posed)
    assert isinstance(posed.question, requests.CommandApproval)
    assert len(posed.question.command) < 17_000
    assert len(posed.question.reason) < 3_000


@given(st.sampled_from([*SERVER_REQUESTS, "unknown"]), st.binary())
def test_no_bytes_make_it_raise(method: str, params: bytes) -> None:
    assert isinstance(pose(rpc.ServerRequest(1, method, Raw(params))), Posed | RpcRefusal)


@pytest.mark.parametrize("method", SERVER_REQUESTS)
@pytest.mark.parametrize("depth", [500, 990, 100_000])
def test_deep_nesting_makes_a_refusal_at_most(method: str, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    params = b'{"threadId":"t","turnId":"u","itemId":"i","cwd":"/","permissions":' + deep
    params += b',"availableDecisions":' + deep + b"}"
    assert isinstance(pose(rpc.ServerRequest(1, method, Raw(params))), Posed | RpcRefusal)


# -- answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "new", "old", "elicited"),
    [
        ("accept", "accept", "approved", "decline"),
        ("accept_for_session", "acceptForSession", "approved_for_session", "decline"),
        ("decline", "decline", {"denied": {"rejection": "declined"}}, "decline"),
        ("cancel", "cancel", "abort", "cancel"),
    ],
)
def test_verdicts(verdict: VerdictWord, new: str, old: object, elicited: str) -> None:
    """An elicitation cannot be accepted: rawr has no form to fill in, and does not pretend to."""
    answer = Verdict(verdict=verdict)
    assert sent(asked(COMMAND, PLACE), answer) == {"decision": new}
    assert sent(asked(FILES, PLACE), answer) == {"decision": new}
    assert sent(asked("execCommandApproval", {}), answer) == {"decision": old}
    assert sent(asked("applyPatchApproval", {}), answer) == {"decision": old}
    assert sent(asked(ELICITATION, {}), answer) == {"action": elicited}


def test_permissions_are_granted_as_asked_or_not_at_all() -> None:
    wanted = {"network": {"enabled": True}, "fileSystem": {"write": ["/srv"]}}
    request = asked(PERMISSIONS, PLACE | {"cwd": "/w", "permissions": wanted})
    assert sent(request, Verdict(verdict="accept")) == {"permissions": wanted}
    assert sent(request, Verdict(verdict="accept_for_session")) == {"permissions": wanted, "scope": "session"}
    assert sent(request, Verdict(verdict="decline")) == {"permissions": {}}
    assert sent(request, Verdict(verdict="cancel")) == {"permissions": {}}


def test_permissions_that_cannot_be_read_are_not_granted() -> None:
    request = asked(PERMISSIONS, PLACE | {"cwd": "/w", "permissions": "everything"})
    assert sent(request, Verdict(verdict="accept")) == {
        "code": rpc.INTERNAL_ERROR,
        "message": "rawr could not read the requested permissions: Expected `object`, got `str`",
    }


@pytest.mark.parametrize(
    ("method", "answer", "body"),
    [
        (
            "item/tool/call",
            ToolResult(text=say("done")),
            {"contentItems": [{"type": "inputText", "text": "done"}], "success": True},
        ),
        (
            "item/tool/call",
            ToolResult(text=say("no"), success=False),
            {"contentItems": [{"type": "inputText", "text": "no"}], "success": False},
        ),
        ("currentTime/read", TimeTold(seconds=1_700_000_000), {"currentTimeAt": 1_700_000_000}),
        (
            INPUT,
            Replies(replies={"colour": ("Red",), "none": ()}),
            {"answers": {"colour": {"answers": ["Red"]}, "none": {"answers": []}}},
        ),
        (
            "attestation/generate",
            Refusal(reason=say("rawr holds no credentials")),
            {"code": -32603, "message": "rawr holds no credentials"},
        ),
    ],
)
def test_the_other_answers(method: str, answer: Answer, body: object) -> None:
    assert sent(asked(method, {}), answer) == body

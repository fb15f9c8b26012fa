"""MCP as a value machine (D10)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.codex.rpc import Oversize
from rawr.mcp.protocol import VERSIONS, Called, Outcome, Server
from rawr.mcp.tools import TOOLS
from rawr.version import __version__

pytestmark = pytest.mark.mission("D10")


class Desk:
    """A server whose tools remember how they were called."""

    def __init__(self) -> None:
        self.calls: list[Called] = []
        self._server = Server(TOOLS, self._serve, instructions="Be brief.")

    def _serve(self, call: Called) -> Outcome | None:
        self.calls.append(call)
        if call.tool == "broken":
            raise RuntimeError("the disk is gone")
        return Outcome("Noted.", failed=call.tool == "hold") if call.tool != "unknown" else None

    def says(self, method: str, params: object = None, *, number: object = 1) -> Any:
        frame = {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}
        answer = self._server.answer(json.dumps(frame).encode())
        assert answer is not None
        read = json.loads(answer)
        assert (read.pop("jsonrpc"), read.pop("id")) == ("2.0", number)
        return read

    def hears(self, frame: bytes | Oversize) -> bytes | None:
        return self._server.answer(frame)


@pytest.mark.parametrize(
    ("asked", "given_"), [*((one, one) for one in VERSIONS), ("2031-01-01", VERSIONS[0]), ("", VERSIONS[0])]
)
def test_the_version_is_the_clients_if_rawr_has_it(asked: str, given_: str) -> None:
    result = Desk().says("initialize", {"protocolVersion": asked, "capabilities": {}})["result"]
    assert result == {
        "protocolVersion": given_,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "rawr", "version": __version__},
        "instructions": "Be brief.",
    }


def test_the_tools_change_nothing_and_say_so() -> None:
    """Without that, Codex asks for an approval, and under ``never`` refuses."""
    tools = Desk().says("tools/list")["result"]["tools"]
    assert [one["name"] for one in tools] == ["phase_complete", "hold", "release_hold", "recorded"]
    assert {one["annotations"]["readOnlyHint"] for one in tools} == {True}
    assert {one["inputSchema"]["additionalProperties"] for one in tools} == {False}


def test_a_call_names_its_thread() -> None:
    """As Codex 0.163 and 0.169 send it."""
    desk = Desk()
    meta = {"callId": "c1", "threadId": "T1", "x-codex-turn-metadata": {"thread_id": "T1", "turn_id": "t"}}
    told = desk.says("tools/call", {"name": "phase_complete", "arguments": {"phase": "a"}, "_meta": meta})
    assert told == {"result": {"content": [{"type": "text", "text": "Noted."}], "isError": False}}
    assert desk.calls == [Called("phase_complete", '{"phase": "a"}', "T1")]


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        {"threadId": 7},
        {"threadId": "x" * 65},
        {"threadId": "T1", "x-codex-turn-metadata": {"thread_id": "T2"}},
    ],
)
def test_a_call_that_does_not_name_one_thread_names_none(meta: object) -> None:
    desk = Desk()
    desk.says("tools/call", {"name": "recorded", **({} if meta is None else {"_meta": meta})})
    assert desk.calls == [Called("recorded", "{}", "")]


def test_what_the_agent_can_correct_is_a_result_and_the_rest_an_error() -> None:
    desk = Desk()
    assert desk.says("tools/call", {"name": "hold"})["result"]["isError"] is True
    assert desk.says("tools/call", {"name": "unknown"})["error"]["code"] == -32602
    assert desk.says("tools/call", {"arguments": {}})["error"]["code"] == -32602
    assert desk.says("tools/call", {"name": "broken"})["error"] == {
        "code": -32603,
        "message": "RuntimeError: the disk is gone",
    }
    assert desk.says("resources/list", number="r")["error"] == {
        "code": -32601,
        "message": "rawr does not serve resources/list",
    }
    assert desk.says("ping") == {"result": {}}


@pytest.mark.parametrize(
    "frame",
    [
        b"garbage",
        b"[]",
        b"{}",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"phase_complete"}}',
        b'{"jsonrpc":"2.0","id":4,"result":{}}',
        b"\xff\xfe",
    ],
)
def test_what_cannot_be_answered_is_not(frame: bytes) -> None:
    desk = Desk()
    assert desk.hears(frame) is None
    assert desk.calls == []


def test_a_line_that_is_too_long_is_refused_by_its_id() -> None:
    answer = Desk().hears(Oversize(b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"na', 5_000_000))
    assert answer is not None
    assert (json.loads(answer)["id"], json.loads(answer)["error"]["code"]) == (9, -32600)


@given(
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["id", "method", "params", "name", "arguments", "_meta"]), inner)
        ),
    ).map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass"))
)
def test_nothing_that_a_client_sends_makes_it_raise(frame: bytes) -> None:
    answer = Desk().hears(frame)
    assert answer is None or json.loads(answer)["jsonrpc"] == "2.0"

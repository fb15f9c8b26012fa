"""The scripted model by itself, over plain HTTP: connections, waiting, stopping, and the rule that picks a reply."""

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from rawr.errors import Bug
from rawr.testing import Cut, Hang, Reply, Say, Scenario, ScenarioMismatch, ScriptedModel, When, parse_scenario


@contextmanager
def client(model: ScriptedModel) -> Iterator[http.client.HTTPConnection]:
    host, _, port = model.url.removeprefix("http://").removesuffix("/v1").partition(":")
    with closing(http.client.HTTPConnection(host, int(port), timeout=10)) as connection:
        yield connection


def post(connection: http.client.HTTPConnection, *texts: str, thread: str = "t") -> None:
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in texts]
    body = json.dumps({"model": "scripted", "input": items, "tools": []})
    connection.request("POST", "/v1/responses", body, {"thread-id": thread})


def events(connection: http.client.HTTPConnection) -> list[dict[str, Any]]:
    response = connection.getresponse()
    assert response.status == 200
    blocks = response.read().decode().strip().split("\n\n")
    return [json.loads(block.partition("data: ")[2]) for block in blocks]


def said(connection: http.client.HTTPConnection) -> str:
    return "".join(event["delta"] for event in events(connection) if event["type"] == "response.output_text.delta")


def test_the_events_of_a_message() -> None:
    with ScriptedModel(Scenario.of("one", [Say("Hello you.")])) as model, client(model) as connection:
        post(connection, "hi")
        assert events(connection) == [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {"type": "message", "role": "assistant", "id": "msg_1_0", "content": []},
            },
            *(
                {
                    "type": "response.output_text.delta",
                    "item_id": "msg_1_0",
                    "output_index": 0,
                    "content_index": 0,
                    "delta": delta,
                }
                for delta in ("Hello ", "you.")
            ),
            {
                "type": "response.output_item.done",
                "output_index": 0,
                "item": {
                    "type": "message",
                    "role": "assistant",
                    "id": "msg_1_0",
                    "content": [{"type": "output_text", "text": "Hello you."}],
                },
            },
            {
                "type": "response.completed",
                "response": {
                    "id": "resp_1",
                    "usage": {
                        "input_tokens": 1000,
                        "input_tokens_details": {"cached_tokens": 0},
                        "output_tokens": 0,
                        "output_tokens_details": {"reasoning_tokens": 0},
                        "total_tokens": 1000,
                    },
                },
            },
        ]


RULE = """
name: the rule
replies:
  - { when: { user: "^b" }, say: "b once" }
  - { say: "anything, twice", times: 2 }
  - { when: { first_user: "^a", user: "^c" }, say: "a came first, now c", times: always }
"""


def test_the_first_reply_that_fits_and_is_not_used_up_answers() -> None:
    with ScriptedModel(parse_scenario(RULE)) as model, client(model) as connection:
        heard = []
        for texts in (("a",), ("a", "b"), ("a", "b"), ("a", "c"), ("a", "c")):
            post(connection, *texts)
            heard.append(said(connection))
        assert heard == ["anything, twice", "b once", "anything, twice"] + ["a came first, now c"] * 2
        post(connection, "b", thread="another")
        assert said(connection) == "b once"
        post(connection, "a", "d")
        assert connection.getresponse().status == 400
        assert [request.last_user for request in model.unexpected] == ["d"]


def test_only_its_own_replies_answer_a_compaction() -> None:
    summary = Reply(steps=(Say("summary"),), when=When(compaction=True))
    with ScriptedModel(Scenario.of("compaction", [Say("normal"), summary])) as model, client(model) as connection:
        heard = []
        for _ in range(2):
            post(connection, "x", "You are performing a CONTEXT CHECKPOINT COMPACTION. …")
            heard.append(said(connection))
        post(connection, "x")
        heard.append(said(connection))
        assert heard == ["summary", "Summary by the scripted model.", "normal"]
        model.check(all_used=True)


def test_one_connection_serves_many_requests() -> None:
    scenario = parse_scenario(
        "name: n\nreplies: [{fault: {http: 503, retry_after: 1.5, body: later}}, {say: a, times: 3}]"
    )
    with ScriptedModel(scenario) as model, client(model) as connection:
        post(connection, "x")
        response = connection.getresponse()
        assert (response.status, response.headers["Retry-After"], response.read()) == (503, "1.5", b"later")
        first_socket = connection.sock
        for _ in range(3):
            post(connection, "x")
            assert said(connection) == "a"
        assert connection.sock is first_socket


def test_it_lists_its_model_and_nothing_else() -> None:
    with ScriptedModel(Scenario.of("n", [])) as model, client(model) as connection:
        connection.request("GET", "/v1/models?client_version=0")
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["data"][0]["id"]) == (200, "scripted")
        for method, path, body in (
            ("GET", "/", None),
            ("POST", "/v1/chat/completions", "{}"),
            ("POST", "/v1/responses", "x"),
        ):
            connection.request(method, path, body)
            answer = connection.getresponse()
            assert (answer.status, path in answer.read().decode()) == (404, True)
        with pytest.raises(ScenarioMismatch, match="nothing is served at GET /; nothing is served at POST /v1/chat"):
            model.check()


def test_a_reply_that_nobody_used_fails_the_strict_check() -> None:
    with ScriptedModel(Scenario.of("n", [Say("a")])) as model:
        model.check()
        with pytest.raises(ScenarioMismatch, match=r"reply 0 was never used\.\nscenario 'n'\nasked: nothing\n"):
            model.check(all_used=True)


def test_a_cut_stream_drops_the_connection() -> None:
    scenario = Scenario.of("cut", [Reply(steps=(Say("one two three"),), fault=Cut(3)), Say("again")])
    with ScriptedModel(scenario) as model, client(model) as connection:
        post(connection, "x")
        with pytest.raises(http.client.IncompleteRead) as broken:
            connection.getresponse().read()
        assert broken.value.partial.count(b"event: ") == 3
        connection.close()
        post(connection, "x")
        assert said(connection) == "again"


def test_delays_are_kept() -> None:
    scenario = parse_scenario("name: n\nreplies: [{say: a b, delay: 0.05, delay_between: 0.02}]")
    with ScriptedModel(scenario) as model, client(model) as connection:
        before = time.monotonic()
        post(connection, "x")
        assert said(connection) == "a b"
        assert time.monotonic() - before >= 0.05 + 5 * 0.02


@pytest.mark.parametrize("after", [0, 2])
def test_stopping_ends_a_hanging_reply_and_every_thread(after: int) -> None:
    before = threading.active_count()
    with (
        ScriptedModel(Scenario.of("hang", [Reply(steps=(Say("x"),), fault=Hang(after))])) as model,
        client(model) as connection,
        socket.create_connection(("127.0.0.1", connection.port)),
    ):
        post(connection, "x")
        model.wait_for(lambda request: True, deadline=10)
        model.stop()
        assert threading.active_count() == before
    assert [request.last_user for request in model.requests] == ["x"]


def test_a_client_that_leaves_frees_its_thread() -> None:
    with ScriptedModel(Scenario.of("hang", [Reply(fault=Hang())])) as model:
        with client(model) as connection:
            post(connection, "x")
            model.wait_for(lambda request: True, deadline=10)
            with pytest.raises(ScenarioMismatch, match="1 replies are still under way"):
                model.wait_idle(deadline=0.01)
        model.wait_idle(deadline=10)
        model.check()


def test_a_release_before_the_wait_is_not_lost() -> None:
    scenario = parse_scenario("name: n\nreplies: [{say: a, delay: 0.05, fault: hang}]")
    with ScriptedModel(scenario) as model, client(model) as connection:
        post(connection, "x")
        model.wait_for(lambda request: True, deadline=10)
        model.release()
        assert said(connection) == "a"


async def test_it_serves_asynchronous_tests_too() -> None:
    async with ScriptedModel(Scenario.of("n", [Say("a")])) as model:

        def talk() -> str:
            with client(model) as connection:
                post(connection, "hello")
                return said(connection)

        talking = asyncio.create_task(asyncio.to_thread(talk))
        request = await model.wait_for_async(lambda request: request.last_user == "hello", deadline=10)
        assert (request.number, await talking) == (1, "a")
        with pytest.raises(ScenarioMismatch, match=r"no such request within 0\.01 s\."):
            await model.wait_for_async(lambda request: request.number == 2, deadline=0.01)


def test_it_has_no_address_before_it_runs_and_starts_once() -> None:
    model = ScriptedModel(Scenario.of("n", []))
    with pytest.raises(Bug, match="no address"):
        _ = model.url
    model.stop()
    with model, pytest.raises(Bug, match="twice"):
        model.start()

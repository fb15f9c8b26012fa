"""The client in conversation with real processes that play an app-server, well or badly.

Nothing here waits for luck: every wait is for an event, with a deadline.
"""

import asyncio
import signal

import msgspec
import pytest

from rawr.codex import rpc
from rawr.codex.client import CallLost, CallNotSent, CallRefused, CallTimedOut, CodexClient
from rawr.codex.deltas import delta_of
from rawr.core.speech import say
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import TimeQuestion, TimeTold, ToolInvocation, ToolResult
from rawr.ports.surface import Delta

from .servers import ASK, is_gone, stand_in
from .watch import Watch, connected, running, steer

# -- calls ------------------------------------------------------------------------------------------------------


async def test_answers_out_of_order_find_their_calls() -> None:
    script = """
        greet()
        for request in reversed([read(), read(), read()]):
            answer(request, turnId=request["params"]["threadId"])
        serve()
    """
    async with connected(stand_in(script)) as (client, watch):
        ended: list[str] = []

        async def one(word: str) -> None:
            assert await steer(client, word) == word
            ended.append(word)

        await asyncio.gather(one("a"), one("b"), one("c"))
        assert ended == ["c", "b", "a"]
        assert watch.all(facts.FaultRecorded) == []


async def test_a_refused_call_says_what_the_server_said() -> None:
    script = """
        greet()
        send({"id": read()["id"], "error": {"code": -32600, "message": "no active turn", "data": {"a": 1}}})
        serve()
    """
    async with connected(stand_in(script)) as (client, _):
        with pytest.raises(CallRefused, match="turn/steer was refused: no active turn") as caught:
            await steer(client, "a")
        assert (caught.value.code, caught.value.server_message) == (-32600, "no active turn")
        assert await steer(client, "b") == "b"


def answering(body: str) -> str:
    """A stand-in that answers the first call with this, as it stands, and the others well."""
    return f"""
        greet()
        number = read()["id"]
        write('{{"id":' + str(number) + ',' + {body!r} + '}}\\n')
        serve()
    """


@pytest.mark.parametrize("result", ['{"turnId":5}', "{}", "[]", "null", "[" * 900 + "]" * 900])
async def test_an_answer_of_another_shape_is_an_error_of_that_call_alone(result: str) -> None:
    async with connected(stand_in(answering(f'"result":{result}'))) as (client, _):
        with pytest.raises(CallRefused, match="does not have the shape rawr expects"):
            await steer(client, "a")
        assert await steer(client, "b") == "b"


@pytest.mark.parametrize(
    "body",
    ['"error":[]', '"error":{"message":5}', '"nothing":1', '"result":{"turnId":"\\ud800"}', '"result":' + "[" * 5_000],
)
async def test_an_answer_that_cannot_be_used_is_a_fault_and_ends_the_call(body: str) -> None:
    async with connected(stand_in(answering(body))) as (client, watch):
        with pytest.raises(CallLost, match="The answer could not be used"):
            await steer(client, "a")
        assert len(watch.all(facts.FaultRecorded)) == 1
        assert await steer(client, "b") == "b"


async def test_a_call_has_a_deadline_and_its_late_answer_is_no_fault() -> None:
    script = """
        greet()
        late = read()
        answer(read(), turnId="second")
        answer(late, turnId="first")
        serve()
    """
    async with connected(stand_in(script)) as (client, watch):
        with pytest.raises(CallTimedOut, match=r"Codex did not answer turn/steer within 0\.05 seconds"):
            await steer(client, "a", deadline=0.05)
        assert await steer(client, "b") == "second"
        assert await steer(client, "c") == "c"
        assert watch.all(facts.FaultRecorded) == []


async def test_a_call_that_is_cancelled_leaves_nothing_behind() -> None:
    script = "greet(); late = read(); warn('got it'); answer(read(), turnId='b'); answer(late, turnId='a'); serve()"
    async with connected(stand_in(script)) as (client, watch):
        call = asyncio.create_task(steer(client, "a"))
        await watch.wait(facts.WarningReported)
        call.cancel()
        assert await steer(client, "b") == "b"
        assert await steer(client, "c") == "c"
        assert call.cancelled()
        assert watch.all(facts.FaultRecorded) == []


async def test_an_answer_to_a_call_that_was_never_made() -> None:
    script = "greet(); send({'id': 77, 'result': {}}); send({'id': 'x', 'result': {}}); serve()"
    async with connected(stand_in(script)) as (client, watch):
        assert await steer(client, "a") == "a"
        assert [fault.problem for fault in watch.all(facts.FaultRecorded)] == [
            "a response to a call rawr never made (id 77)",
            "a response to a call rawr never made (id 'x')",
        ]


# -- what comes in ----------------------------------------------------------------------------------------------


async def test_garbage_is_recorded_and_the_conversation_goes_on() -> None:
    script = """
        greet()
        write("thread 'main' panicked\\n\\n[1, 2]\\n{\\"method\\": \\"turn/sta\\n")
        sys.stdout.buffer.write(b"\\xff\\xfe\\n" + b"[" * 100_000 + b"\\n")
        sys.stdout.flush()
        serve()
    """
    async with connected(stand_in(script)) as (client, watch):
        assert await steer(client, "a") == "a"
        assert [(fault.where, fault.sample[:30], fault.size) for fault in watch.all(facts.FaultRecorded)] == [
            ("wire", "thread 'main' panicked", 22),
            ("wire", "[1, 2]", 6),
            ("wire", '{"method": "turn/sta', 20),
            ("wire", "\N{REPLACEMENT CHARACTER}" * 2, 2),
            ("wire", "[" * 30, 100_000),
        ]


async def test_a_line_of_50_mb_is_recorded_and_the_conversation_goes_on() -> None:
    """A notification that long is lost, and nothing is sent about it; a question is refused, a call is told."""
    script = """
        greet()
        long = "x" * 50_000_000
        write('{"method":"item/completed","params":{"item":{"id":"i","type":"agentMessage","text":"' + long + '"}}}\\n')
        write('{"method":"item/tool/call","id":9,"params":{"arguments":"' + long + '"}}\\n')
        refused, request = sorted((read(), read()), key=lambda message: "method" in message)
        write('{"id":' + str(request["id"]) + ',"result":{"turnId":"' + long + '"}}\\n')
        warn(json.dumps(refused))
        serve()
    """
    async with connected(stand_in(script)) as (client, watch):
        await watch.wait(facts.FaultRecorded, times=2)
        with pytest.raises(CallLost, match=r"The answer could not be used: a frame of 500000.. bytes, over the limit"):
            await steer(client, "a")
        assert await steer(client, "b") == "b"
        assert [fault.size // 1_000_000 for fault in watch.all(facts.FaultRecorded)] == [50, 50, 50]
        (refused,) = watch.all(facts.WarningReported)
        message = msgspec.json.decode(refused.message)
        assert (message["id"], message["error"]["code"]) == (9, rpc.INTERNAL_ERROR)


async def test_a_death_in_the_middle_of_a_line() -> None:
    script = (
        "greet(); read(); print('oh', file=sys.stderr); write('{\"id\":2,\"res'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    async with connected(stand_in(script)) as (client, watch):
        with pytest.raises(CallLost, match="The connection was lost: the app-server was killed by SIGKILL"):
            await steer(client, "a")
        await watch.wait(facts.ServerLost)
        assert watch.told[1:] == [
            (
                "",
                facts.FaultRecorded(
                    where="wire",
                    problem="a line cut in half by the end of the stream",
                    sample='{"id":2,"res',
                    size=12,
                ),
            ),
            (
                "",
                facts.ServerLost(
                    epoch=1,
                    problem="the app-server was killed by SIGKILL",
                    exit_code=-signal.SIGKILL,
                    stderr_tail=("oh",),
                ),
            ),
        ]


async def test_a_flood_while_calls_are_under_way() -> None:
    """C10: 100 000 notifications and a question among them; no call is lost, nothing is dropped, the order is kept."""
    flood = 100_000
    script = f"""
        greet()
        first = read()
        lines = [json.dumps({{"method": "flood", "params": n}}) for n in range({flood})]
        half = len(lines) // 2
        write("\\n".join(lines[:half]) + "\\n")
        {ASK}
        write("\\n".join(lines[half:]) + "\\n")
        answer(first, turnId="after the flood")
        serve()
    """
    async with connected(stand_in(script)) as (client, watch):
        words = await asyncio.gather(*(steer(client, word) for word in ("a", "b", "c")))
        assert words == ["after the flood", "b", "c"]
        passed = [fact.size for fact in watch.all(facts.NotificationPassed)]
        assert passed == [len(str(n)) for n in range(flood)]
        (asked,) = watch.all(facts.RequestReceived)
        assert asked == facts.RequestReceived(request="1/0", question=TimeQuestion())
        await client.answer("1/0", TimeTold(seconds=5))
        told = await watch.wait(facts.WarningReported)
        assert msgspec.json.decode(told.message) == {"id": 0, "result": {"currentTimeAt": 5}}


async def test_streaming_text_is_shown_and_not_kept() -> None:
    script = """
        greet()
        place = {"threadId": "t", "turnId": "u", "itemId": "i"}
        notify("item/agentMessage/delta", **place, delta="Hello ")
        notify("item/agentMessage/delta", **place, delta=5)
        sys.stdout.buffer.write(b'{"method":"item/agentMessage/delta","params":{"threadId":"\\xff"}}\\n')
        sys.stdout.flush()
        notify("item/agentMessage/delta", **place, delta="there.")
        warn("end")
        serve()
    """
    watch = Watch()
    shown: list[Delta | None] = []
    kept: list[str] = []
    client = CodexClient(
        stand_in(script),
        version="0",
        on_told=watch,
        on_frame=lambda way, method, frame: kept.append(method) if way == "in" else None,
        on_delta=lambda notification: shown.append(delta_of(notification)),
    )
    async with running(client):
        await watch.wait(facts.WarningReported)
    assert [one for one in shown if one is not None] == [
        Delta(thread="t", turn="u", item="i", kind="message", text=text) for text in ("Hello ", "there.")
    ]
    assert kept == ["", "warning"]
    assert watch.all(facts.FaultRecorded) == []


async def test_an_error_of_our_own_is_loud_and_leaves_no_child() -> None:
    pids: list[int] = []

    def on_told(thread: str, fact: facts.AnyFact) -> None:
        if isinstance(fact, facts.WarningReported):
            pids.append(int(fact.message))
            raise ZeroDivisionError

    client = CodexClient(stand_in("greet(); warn(str(os.getpid())); serve()"), version="0", on_told=on_told)
    with pytest.raises(ZeroDivisionError):
        await client.run()
    assert is_gone(*pids)


# -- questions --------------------------------------------------------------------------------------------------


async def test_an_unknown_request_is_refused_at_once() -> None:
    """C11: also what nobody knows is answered, so that the turn does not hang."""
    script = """
        greet()
        send({"id": "x1", "method": "item/telepathy/request", "params": {"threadId": "t"}})
        warn(json.dumps(read()))
        send({"id": 2, "method": "item/tool/call", "params": {"threadId": 5}})
        warn(json.dumps(read()))
        write('{"method": "item/tool/call", "id": 3, "params": {"threadId": "\\\\ud800"}}\\n')
        warn(json.dumps(read()))
        serve()
    """
    async with connected(stand_in(script)) as (_, watch):
        await watch.wait(facts.WarningReported, times=3)
        unknown, unreadable, broken = (msgspec.json.decode(one.message) for one in watch.all(facts.WarningReported))
        assert unknown == {
            "id": "x1",
            "error": {"code": -32601, "message": "rawr does not know the request item/telepathy/request"},
        }
        assert (unreadable["id"], unreadable["error"]["code"]) == (2, -32603)
        assert (broken["id"], broken["error"]["code"]) == (3, -32603)
        assert watch.all(facts.RequestRefused) == [
            facts.RequestRefused(request="1/'x1'", method="item/telepathy/request"),
            facts.RequestRefused(request="1/2", method="item/tool/call"),
        ]


async def test_an_open_question_holds_up_nobody() -> None:
    """C10: blocking requests never block other threads. Shown by the order of events, not by time."""
    script = """
        greet()
        params = {"threadId": "t", "turnId": "u", "callId": "c", "tool": "wait", "arguments": {"a": 1}}
        send({"id": 0, "method": "item/tool/call", "params": params})
        serve()
    """
    events: list[str] = []
    async with connected(stand_in(script)) as (client, watch):
        asked = await watch.wait(facts.RequestReceived)
        assert asked == facts.RequestReceived(
            request="1/0", question=ToolInvocation(tool="wait", call="c", arguments='{"a": 1}'), turn="u", item="c"
        )
        events.append("asked")
        events += [await steer(client, word) for word in ("one", "two", "three")]
        await client.answer(asked.request, ToolResult(text=say("done")))
        events.append("answered")
        told = await watch.wait(facts.WarningReported)
        assert msgspec.json.decode(told.message) == {
            "id": 0,
            "result": {"contentItems": [{"type": "inputText", "text": "done"}], "success": True},
        }
    assert events == ["asked", "one", "two", "three", "answered"]


async def test_a_question_is_answered_once() -> None:
    async with connected(stand_in(f"greet(); {ASK}; serve()")) as (client, watch):
        asked = await watch.wait(facts.RequestReceived)
        await client.answer(asked.request, TimeTold(seconds=1))
        with pytest.raises(CallNotSent, match="The question 1/0 is no longer open"):
            await client.answer(asked.request, TimeTold(seconds=2))


async def test_a_question_that_another_client_answered_is_not_open_any_more() -> None:
    script = f"greet(); {ASK}; notify('serverRequest/resolved', threadId='t', requestId=0); serve()"
    async with connected(stand_in(script)) as (client, watch):
        assert await watch.wait(facts.RequestResolved) == facts.RequestResolved(request="1/0")
        with pytest.raises(CallNotSent, match="The question 1/0 is no longer open"):
            await client.answer("1/0", TimeTold(seconds=1))

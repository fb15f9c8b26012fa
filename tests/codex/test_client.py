"""The client against real processes and sockets that play an app-server, well or badly.

Nothing here waits for luck: every wait is for an event, with a deadline.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, unix_serve

from rawr.codex import rpc
from rawr.codex.client import CallLost, CallNotSent, CallRefused, CallTimedOut, CodexClient
from rawr.codex.transport import CodexUnreachable, StdioLink, UnixDialer
from rawr.codex.wire import methods
from rawr.codex.wire.notifications import TextDelta
from rawr.core import facts
from rawr.core.requests import TimeQuestion, TimeTold, ToolInvocation, ToolResult
from rawr.errors import CodexError

from .servers import CODEX_HOME, USER_AGENT, stand_in
from .watch import DEADLINE, Watch, connected, running

ASK = "send({'id': 0, 'method': 'currentTime/read', 'params': {'threadId': 't'}})"


async def steer(client: CodexClient, word: str, *, deadline: float = DEADLINE) -> str:
    """A call whose answer, by the stand-ins, is a word that was sent along."""
    params = methods.TurnSteer(thread_id=word, expected_turn_id="u", input=[])
    return (await client.call(methods.TURN_STEER, params, deadline=deadline)).turn_id


def pid_of(client: CodexClient) -> int:
    assert isinstance(client.link, StdioLink)
    return client.link.pid


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


# -- connecting -------------------------------------------------------------------------------------------------


async def test_a_greeting_and_a_farewell() -> None:
    async with connected(stand_in("greet(); serve()")) as (client, watch):
        assert client.connected
        assert await steer(client, "hello") == "hello"
        pid = pid_of(client)
    assert is_gone(pid)
    assert (client.connected, client.link) == (False, None)
    assert watch.told == [
        ("", facts.ServerConnected(epoch=1, user_agent=USER_AGENT, codex_home=CODEX_HOME, transport="stdio")),
        (
            "",
            facts.ServerLost(
                epoch=1, problem="the app-server exited with code 0 when its input was closed", exit_code=0, by_us=True
            ),
        ),
    ]


async def test_without_a_connection_nothing_is_sent() -> None:
    client = CodexClient(stand_in(""), version="0", on_told=Watch())
    with pytest.raises(CallNotSent, match="turn/steer was not sent: there is no connection to Codex"):
        await steer(client, "hello")
    with pytest.raises(CallNotSent, match="The question 1/0 is not open any more"):
        await client.answer("1/0", TimeTold(seconds=1))
    with pytest.raises(TimeoutError):
        await client.wait_connected(0.01)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "print('cannot open the database', file=sys.stderr); sys.exit(3)",
            "Codex ended before the conversation began: the app-server exited with code 3. "
            'Its last words: "cannot open the database" Run `rawr doctor` to check this Codex.',
        ),
        (
            "sys.exit(0)",
            "Codex ended before the conversation began: the app-server exited with code 0. "
            "Run `rawr doctor` to check this Codex.",
        ),
        (
            "read(); sys.stderr.write('panicked'); sys.stderr.flush(); os.kill(os.getpid(), signal.SIGABRT)",
            "Codex ended before the conversation began: the app-server was ended by SIGABRT. "
            'Its last words: "panicked" Run `rawr doctor` to check this Codex.',
        ),
    ],
)
async def test_a_codex_that_exits_at_once(script: str, message: str) -> None:
    client = CodexClient(stand_in(script), version="0", on_told=Watch())
    with pytest.raises(CodexUnreachable) as caught:
        await client.run(reconnect=False)
    assert str(caught.value) == message


async def test_a_codex_that_closes_its_input_at_once() -> None:
    """Whether the greeting was written before or after, it is given up in time and nothing is left running."""
    dialer = stand_in("os.close(0); time.sleep(60)", end_grace=0.1)
    client = CodexClient(dialer, version="0", on_told=Watch(), connect_deadline=0.3)
    with pytest.raises(CodexError, match="before the conversation began|did not answer initialize"):
        await client.run(reconnect=False)
    assert client.last_end is not None
    assert client.last_end.exit_code == -signal.SIGTERM


async def test_a_codex_that_never_answers_the_greeting() -> None:
    watch = Watch()
    client = CodexClient(stand_in("read(); read()"), version="0", on_told=watch, connect_deadline=0.2)
    with pytest.raises(CallTimedOut, match=r"Codex did not answer initialize within 0\.2 seconds"):
        await client.run(reconnect=False)
    assert watch.told == []
    assert client.last_end is not None
    assert client.last_end.exit_code == 0


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "send({'id': read()['id'], 'error': {'code': -32600, 'message': 'too old'}}); read()",
            "initialize was refused: too old",
        ),
        ("answer(read(), userAgent=5); read()", "initialize was refused: The answer to initialize has another shape"),
    ],
)
async def test_a_codex_that_refuses_the_greeting(script: str, message: str) -> None:
    client = CodexClient(stand_in(script), version="0", on_told=Watch())
    with pytest.raises(CallRefused, match=message):
        await client.run(reconnect=False)


async def test_a_program_that_is_no_codex() -> None:
    """What it prints is recorded, and it is given up when the time is over."""
    watch = Watch()
    client = CodexClient(
        stand_in("write('Welcome to the shop\\n> '); read(); read()"), version="0", on_told=watch, connect_deadline=0.5
    )
    with pytest.raises(CallTimedOut):
        await client.run(reconnect=False)
    assert [fault.sample for fault in watch.all(facts.FaultRecorded)] == ["Welcome to the shop"]


async def test_the_greeting_says_who_we_are() -> None:
    watch = Watch()
    out: list[bytes] = []
    client = CodexClient(
        stand_in("greet(); serve()"),
        version="1.2.3",
        on_told=watch,
        on_frame=lambda way, method, frame: out.append(frame) if way == "out" else None,
        first_epoch=7,
    )
    async with running(client):
        assert (await watch.wait(facts.ServerConnected)).epoch == 7
    assert [msgspec.json.decode(frame) for frame in out] == [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "clientInfo": {"name": "rawr", "title": "rawr", "version": "1.2.3"},
                "capabilities": {"experimentalApi": True},
            },
        },
        {"method": "initialized"},
    ]


async def test_cancelled_while_it_connects_it_leaves_no_child() -> None:
    client = CodexClient(stand_in("warn('here I am'); read(); read()"), version="0", on_told=(watch := Watch()))
    async with running(client):
        await watch.wait(facts.WarningReported)
    assert client.last_end is not None
    assert client.last_end.exit_code == 0


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


@pytest.mark.parametrize("result", ['{"turnId":5}', "{}", "[]", "null", '{"turnId":"\\ud800"}', "[" * 900 + "]" * 900])
async def test_an_answer_of_another_shape_is_an_error_of_that_call_alone(result: str) -> None:
    async with connected(stand_in(answering(f'"result":{result}'))) as (client, _):
        with pytest.raises(CallRefused, match="has another shape than rawr knows"):
            await steer(client, "a")
        assert await steer(client, "b") == "b"


@pytest.mark.parametrize("body", ['"error":[]', '"error":{"message":5}', '"nothing":1'])
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
            "an answer to a call that was never made (id 77)",
            "an answer to a call that was never made (id 'x')",
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
        with pytest.raises(CallLost, match="The answer could not be used: a frame of 500000.. bytes, over the limit"):
            await steer(client, "a")
        assert await steer(client, "b") == "b"
        assert [fault.size // 1_000_000 for fault in watch.all(facts.FaultRecorded)] == [50, 50, 50]
        (refused,) = watch.all(facts.WarningReported)
        message = msgspec.json.decode(refused.message)
        assert (message["id"], message["error"]["code"]) == (9, rpc.INTERNAL_ERROR)


async def test_a_death_in_the_middle_of_a_line() -> None:
    script = "greet(); read(); print('oh', file=sys.stderr); write('{\"id\":2,\"res'); os.kill(os.getpid(), signal.SIGKILL)"
    async with connected(stand_in(script)) as (client, watch):
        with pytest.raises(CallLost, match="The connection was lost: the app-server was ended by SIGKILL"):
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
                    problem="the app-server was ended by SIGKILL",
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
    shown: list[tuple[str, TextDelta]] = []
    kept: list[str] = []
    client = CodexClient(
        stand_in(script),
        version="0",
        on_told=watch,
        on_frame=lambda way, method, frame: kept.append(method) if way == "in" else None,
        on_delta=lambda delta, method: shown.append((method, delta)),
    )
    async with running(client):
        await watch.wait(facts.WarningReported)
    assert shown == [
        ("item/agentMessage/delta", TextDelta(thread_id="t", turn_id="u", item_id="i", delta=text))
        for text in ("Hello ", "there.")
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
        serve()
    """
    async with connected(stand_in(script)) as (_, watch):
        await watch.wait(facts.WarningReported, times=2)
        unknown, unreadable = (msgspec.json.decode(one.message) for one in watch.all(facts.WarningReported))
        assert unknown == {
            "id": "x1",
            "error": {"code": -32601, "message": "rawr does not know the request item/telepathy/request"},
        }
        assert (unreadable["id"], unreadable["error"]["code"]) == (2, -32603)
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
        for word in ("one", "two", "three"):
            events.append(await steer(client, word))
        await client.answer(asked.request, ToolResult(text="done"))
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
        with pytest.raises(CallNotSent, match="The question 1/0 is not open any more"):
            await client.answer(asked.request, TimeTold(seconds=2))


async def test_a_question_that_another_client_answered_is_not_open_any_more() -> None:
    script = f"greet(); {ASK}; notify('serverRequest/resolved', threadId='t', requestId=0); serve()"
    async with connected(stand_in(script)) as (client, watch):
        assert await watch.wait(facts.RequestResolved) == facts.RequestResolved(request="1/0")
        with pytest.raises(CallNotSent, match="The question 1/0 is not open any more"):
            await client.answer("1/0", TimeTold(seconds=1))


# -- losing the server ------------------------------------------------------------------------------------------


async def test_a_killed_server_is_reported_and_replaced() -> None:
    """Server death is seen, told as a fact with its last words, and the next connection is another epoch."""
    script = f"print('I am', os.getpid(), file=sys.stderr); greet(); {ASK}; read(); warn('got it'); serve()"
    async with connected(stand_in(script), reconnect=True) as (client, watch):
        await watch.wait(facts.RequestReceived)
        first = pid_of(client)
        under_way = asyncio.create_task(steer(client, "a"))
        await watch.wait(facts.WarningReported)
        os.kill(first, signal.SIGKILL)

        with pytest.raises(CallLost, match="The connection was lost: the app-server was ended by SIGKILL"):
            await under_way
        assert await watch.wait(facts.ServerLost) == facts.ServerLost(
            epoch=1,
            problem="the app-server was ended by SIGKILL",
            exit_code=-9,
            stderr_tail=(f"I am {first}",),
        )
        assert (await watch.wait(facts.ServerConnected, times=2)).epoch == 2
        await watch.wait(facts.RequestReceived, times=2)
        assert [one.request for one in watch.all(facts.RequestReceived)] == ["1/0", "2/0"]
        assert pid_of(client) != first
        with pytest.raises(CallNotSent, match="The question 1/0 is not open any more"):
            await client.answer("1/0", TimeTold(seconds=1))
        await client.answer("2/0", TimeTold(seconds=1))
        assert await steer(client, "b") == "b"
    assert [one.epoch for one in watch.all(facts.ServerLost)] == [1, 2]
    assert [one.by_us for one in watch.all(facts.ServerLost)] == [False, True]


async def test_a_server_that_stops_reading_loses_the_call() -> None:
    async with connected(stand_in("greet(); os.close(0); warn('closed'); time.sleep(60)", end_grace=0.1)) as (client, watch):
        await watch.wait(facts.WarningReported)
        with pytest.raises(CallLost, match="turn/steer: "):
            await steer(client, "a")


async def test_without_reconnecting_a_lost_server_ends_the_run() -> None:
    watch = Watch()
    client = CodexClient(stand_in("greet(); sys.exit(4)"), version="0", on_told=watch)
    async with asyncio.timeout(DEADLINE):
        await client.run(reconnect=False)
    assert (await watch.wait(facts.ServerLost)).problem == "the app-server exited with code 4"
    with pytest.raises(CallNotSent):
        await steer(client, "a")


async def test_a_server_that_cannot_come_back_is_told_once_each_time(tmp_path: Path) -> None:
    """Attempts go on; the record has one fault for a series of failures, and one again after a success."""
    script = f"""
        count = {str(tmp_path / "count")!r}
        with open(count, "a+") as file:
            file.write("x")
            file.seek(0)
            attempt = len(file.read())
        if attempt in (1, 2, 4, 5):
            print("no", attempt, file=sys.stderr)
            sys.exit(1)
        greet()
        if attempt == 6:
            serve()
    """
    async with connected(stand_in(script), reconnect=True) as (client, watch):
        await watch.wait(facts.ServerConnected, times=2)
        assert await steer(client, "a") == "a"
    problem = "Codex ended before the conversation began: the app-server exited with code 1. "
    assert [
        fact.problem.removeprefix(problem) if isinstance(fact, facts.FaultRecorded) else type(fact).__name__
        for _, fact in watch.told
    ] == [
        'Its last words: "no 1" Run `rawr doctor` to check this Codex.',
        "ServerConnected",
        "ServerLost",
        'Its last words: "no 4" Run `rawr doctor` to check this Codex.',
        "ServerConnected",
        "ServerLost",
    ]
    assert [one.epoch for one in watch.all(facts.ServerConnected)] == [1, 2]


# -- the same over a unix socket --------------------------------------------------------------------------------


class SocketServer:
    """An app-server on a unix socket: greets, answers like the stand-ins, and asks the time of whoever comes."""

    def __init__(self) -> None:
        self.connections: list[ServerConnection] = []
        self.answers: list[object] = []

    async def __call__(self, connection: ServerConnection) -> None:
        self.connections.append(connection)
        async for frame in connection:
            message = msgspec.json.decode(frame)
            match message:
                case {"method": "initialize", "id": number}:
                    await self._send({"id": number, "result": {"userAgent": USER_AGENT, "codexHome": CODEX_HOME}})
                case {"method": "initialized"}:
                    await self._send({"id": 0, "method": "currentTime/read", "params": {"threadId": "t"}})
                case {"method": _, "id": number, "params": {"threadId": "silence"}}:
                    await self._send({"method": "warning", "params": {"message": f"call {number}"}})
                case {"method": _, "id": number, "params": {"threadId": word}}:
                    await self._send({"id": number, "result": {"turnId": word}})
                case _:
                    self.answers.append(message)
                    await self._send({"method": "warning", "params": {"message": "answered"}})

    async def _send(self, message: object) -> None:
        await self.connections[-1].send(msgspec.json.encode(message).decode())


@asynccontextmanager
async def over_a_socket(folder: Path) -> AsyncIterator[tuple[CodexClient, Watch, SocketServer]]:
    server = SocketServer()
    socket = folder / "s"
    async with unix_serve(server, str(socket)), connected(UnixDialer(socket), reconnect=True) as (client, watch):
        yield client, watch, server


async def test_calls_and_questions_over_a_socket(tmp_path: Path) -> None:
    async with over_a_socket(tmp_path) as (client, watch, server):
        asked = await watch.wait(facts.RequestReceived)
        assert await asyncio.gather(*(steer(client, str(n)) for n in range(50))) == [str(n) for n in range(50)]
        await client.answer(asked.request, TimeTold(seconds=5))
        await watch.wait(facts.WarningReported)
        assert server.answers == [{"id": 0, "result": {"currentTimeAt": 5}}]
    assert watch.told[0] == (
        "",
        facts.ServerConnected(
            epoch=1, user_agent=USER_AGENT, codex_home=CODEX_HOME, transport=f"unix://{tmp_path / 's'}"
        ),
    )
    (lost,) = watch.all(facts.ServerLost)
    assert (lost.by_us, lost.problem) == (True, "the connection was closed (1000)")


async def test_a_socket_that_goes_down_is_joined_again(tmp_path: Path) -> None:
    async with over_a_socket(tmp_path) as (client, watch, server):
        await watch.wait(facts.RequestReceived)
        under_way = asyncio.create_task(steer(client, "silence"))
        await watch.wait(facts.WarningReported)
        server.connections[0].transport.abort()
        with pytest.raises(CallLost, match="The connection was lost: the connection was closed"):
            await under_way
        lost = await watch.wait(facts.ServerLost)
        assert (lost.epoch, lost.exit_code, lost.by_us) == (1, None, False)
        assert (await watch.wait(facts.ServerConnected, times=2)).epoch == 2
        await watch.wait(facts.RequestReceived, times=2)
        with pytest.raises(CallNotSent):
            await client.answer("1/0", TimeTold(seconds=1))
        await client.answer("2/0", TimeTold(seconds=2))
        assert await steer(client, "again") == "again"


async def test_a_socket_that_is_not_there_yet(tmp_path: Path) -> None:
    """Whoever comes first waits for the other; the absence is recorded once."""
    watch, server, socket = Watch(), SocketServer(), tmp_path / "s"
    client = CodexClient(UnixDialer(socket), version="0", on_told=watch, back_off=(0.01,))
    async with running(client, reconnect=True):
        fault = await watch.wait(facts.FaultRecorded)
        assert fault.problem.startswith(f"No app-server answers on {socket}")
        async with unix_serve(server, str(socket)):
            await watch.wait(facts.ServerConnected)
            assert await steer(client, "a") == "a"
    assert len(watch.all(facts.FaultRecorded)) == 1

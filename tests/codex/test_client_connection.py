"""The client as it connects, loses its server and finds it again, over stdio and over a unix socket."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, unix_serve

from rawr.codex.client import CallLost, CallNotSent, CallRefused, CallTimedOut, CodexClient
from rawr.codex.stdio import StdioLink
from rawr.codex.transport import CodexUnreachable
from rawr.codex.unix_socket import UnixDialer
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import TimeTold
from rawr.errors import CodexError

from .servers import ASK, CODEX_HOME, USER_AGENT, is_gone, stand_in
from .watch import DEADLINE, Watch, connected, running, steer


def pid_of(client: CodexClient) -> int:
    assert isinstance(client.link, StdioLink)
    return client.link.pid


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
    with pytest.raises(CallNotSent, match="The question 1/0 is no longer open"):
        await client.answer("1/0", TimeTold(seconds=1))
    with pytest.raises(TimeoutError):
        await client.wait_connected(0.01)


@pytest.mark.parametrize(
    ("script", "end"),
    [
        (
            "print('cannot open the database', file=sys.stderr); sys.exit(3)",
            'the app-server exited with code 3. Its last words: "cannot open the database"',
        ),
        (
            "sys.exit(0)",
            "the app-server exited with code 0.",
        ),
        (
            "read(); sys.stderr.write('panicked'); sys.stderr.flush(); os.kill(os.getpid(), signal.SIGABRT)",
            'the app-server was killed by SIGABRT. Its last words: "panicked"',
        ),
    ],
)
async def test_a_codex_that_exits_at_once(script: str, end: str) -> None:
    client = CodexClient(stand_in(script), version="0", on_told=Watch())
    with pytest.raises(CodexUnreachable) as caught:
        await client.run(reconnect=False)
    assert str(caught.value) == (
        f"Codex exited before the conversation began: {end} Run `rawr doctor` to check this Codex."
    )


async def test_a_codex_that_closes_its_input_at_once() -> None:
    """Whether the greeting was written before or after, it is given up in time and nothing is left running."""
    dialer = stand_in("os.close(0); time.sleep(60)", end_grace=0.1)
    client = CodexClient(dialer, version="0", on_told=Watch(), connect_deadline=0.3)
    with pytest.raises(CodexError, match=r"before the conversation began|did not answer initialize"):
        await client.run(reconnect=False)
    assert client.last_end is not None
    assert client.last_end.exit_code == -signal.SIGTERM


async def test_what_came_in_place_of_an_answer_is_told() -> None:
    script = "print('no seat', file=sys.stderr, flush=True); write('Welcome\\nto the shop\\n'); read(); read()"
    client = CodexClient(stand_in(script), version="0", on_told=Watch(), connect_deadline=0.5)
    with pytest.raises(CallTimedOut) as caught:
        await client.run(reconnect=False)
    assert str(caught.value) == (
        "Codex did not answer initialize within 0.5 seconds. It sent 2 lines, the first of 7 bytes that rawr cannot "
        'read: "Welcome". Its last words: "no seat" Run `rawr doctor` to check this Codex.'
    )


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
        (
            "answer(read(), userAgent=5); read()",
            "initialize was refused: The answer to initialize does not have the shape",
        ),
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
        epochs=count(7),
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

        with pytest.raises(CallLost, match="The connection was lost: the app-server was killed by SIGKILL"):
            await under_way
        assert await watch.wait(facts.ServerLost) == facts.ServerLost(
            epoch=1,
            problem="the app-server was killed by SIGKILL",
            exit_code=-9,
            stderr_tail=(f"I am {first}",),
        )
        assert (await watch.wait(facts.ServerConnected, times=2)).epoch == 2
        await watch.wait(facts.RequestReceived, times=2)
        assert [one.request for one in watch.all(facts.RequestReceived)] == ["1/0", "2/0"]
        assert pid_of(client) != first
        with pytest.raises(CallNotSent, match="The question 1/0 is no longer open"):
            await client.answer("1/0", TimeTold(seconds=1))
        await client.answer("2/0", TimeTold(seconds=1))
        assert await steer(client, "b") == "b"
    assert [one.epoch for one in watch.all(facts.ServerLost)] == [1, 2]
    assert [one.by_us for one in watch.all(facts.ServerLost)] == [False, True]


async def test_a_server_that_stops_reading_loses_the_call() -> None:
    async with connected(stand_in("greet(); os.close(0); warn('closed'); time.sleep(60)", end_grace=0.1)) as (
        client,
        watch,
    ):
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
    problem = "Codex exited before the conversation began: the app-server exited with code 1. "
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
    first, second = (one.epoch for one in watch.all(facts.ServerConnected))
    assert first < second


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

"""A busy host is busy, not gone (D7): silent connections make room, and an agent's take none from a person."""

import asyncio
import contextlib
import json
from pathlib import Path

import pytest

from rawr.errors import HostBusy
from rawr.host import messages as m
from rawr.host.client import HostClient
from rawr.host.room import MAX_AGENTS, MAX_CLIENTS, MAX_SILENT
from rawr.runtime.sockets import HOST_SOCKET
from rawr.version import __version__
from tests.host.serving import serving
from tests.local.others import line, on_linux, other

pytestmark = pytest.mark.mission("D7")
DEADLINE = 20.0
GREETING = json.dumps({"is": "Hello", "protocol": m.PROTOCOL, "version": __version__, "shape": m.own_shape()})


async def test_seventy_silent_connections(tmp_path: Path) -> None:
    """The oldest of them make room; who greets gets in."""
    async with serving(tmp_path / "home") as it, contextlib.AsyncExitStack() as stack:
        silent = []
        for _ in range(70):
            reader, writer = await asyncio.open_unix_connection(it.rawr.home / HOST_SOCKET)
            stack.callback(writer.close)
            silent.append(reader)
        async with await it.client() as client:
            assert (await client.status()).clients == 1
        async with asyncio.timeout(DEADLINE):
            assert await silent[0].read() == b""
        assert sum(one.at_eof() for one in silent) >= 70 - MAX_SILENT


async def test_as_many_clients_as_there_is_room_for(tmp_path: Path) -> None:
    """One more is told so, and is not taken for one who found no host."""
    async with serving(tmp_path / "home") as it, contextlib.AsyncExitStack() as stack:
        for _ in range(MAX_CLIENTS):
            await stack.enter_async_context(await it.client())
        with pytest.raises(HostBusy, match=f"The host is busy: {MAX_CLIENTS} clients"):
            await it.client()
        async with asyncio.timeout(DEADLINE):
            while it.server.clients > MAX_CLIENTS:  # noqa: ASYNC110 - the kernel tells nobody
                await asyncio.sleep(0.01)


@on_linux
@pytest.mark.parametrize("greeting", ["", GREETING], ids=["silent", "greeting"])
async def test_an_agent_takes_no_room_from_a_person(tmp_path: Path, greeting: str) -> None:
    async with serving(tmp_path / "home") as it, other("crowd", it.rawr.home / HOST_SOCKET, 200, greeting) as crowd:
        assert await line(crowd) == "crowded"
        async with await HostClient.open(it.rawr.home) as client:
            assert (await client.status()).clients <= 1 + MAX_AGENTS
            assert it.server.clients == 1, "an agent that looks on keeps no host from exiting"


@on_linux
@pytest.mark.mission("C10")
async def test_an_agents_words_are_few(tmp_path: Path) -> None:
    """Redacting and recording what it says would keep everybody else waiting."""
    answer = {"fact": "AnswerSubmitted", "answer": {"answer": "Verdict", "verdict": "accept"}}
    heard = []
    async with serving(tmp_path / "home") as it:
        for times in (3000, 300_000):
            submit = {"call": "Submit", "thread": "", "fact": {**answer, "request": "password: x1 " * times}}
            call = json.dumps({"is": "Calling", "number": 1, "call": submit})
            (tmp_path / "calls").write_text(f"{GREETING}\n{call}")
            async with other("call", it.rawr.home / HOST_SOCKET, tmp_path / "calls") as agent:
                heard.append(await line(agent))
        assert "Only a person can approve." in heard[0]
        assert "is longer than 65536" in heard[1]
        async with await it.client() as client:
            await client.status()
        journal = (it.rawr.home / "journal.db").read_bytes() + (it.rawr.home / "journal.db-wal").read_bytes()
        assert b"OrderRefused" in journal
        assert journal.count(b"password") < 100

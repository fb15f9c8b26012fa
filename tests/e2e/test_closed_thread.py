"""Another client takes the thread away from a run: archived or deleted on the real Codex."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import unix_connect

from tests.e2e.beside import MORNING, person, rawr_watch, served
from tests.e2e.rig import SocketServer
from tests.e2e.test_run_program import DEADLINE, DONE, FREE, HANGS, Desk, appears, desk, ended

CHECK = "touch ../checking; while [ ! -e ../go ]; do sleep 0.05; done"
"""A check that takes as long as the test wants it to."""


@asynccontextmanager
async def shared(it: Desk) -> AsyncIterator[SocketServer]:
    """An app-server where the user's own Codex would have it."""
    server = SocketServer(it.codex)
    await server.start()
    await server.listening()
    link = it.codex.home.path / "app-server-control" / "app-server-control.sock"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(server.path)
    try:
        yield server
    finally:
        await server.close()


async def other_client(server: SocketServer, method: str, thread: str) -> None:
    """One call from somebody else."""
    client = {"name": "other", "title": "other", "version": "0"}
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("initialize", {"clientInfo": client, "capabilities": {"experimentalApi": True}}),
        (method, {"threadId": thread}),
    )
    async with (
        asyncio.timeout(DEADLINE),
        unix_connect(str(server.path), "ws://localhost/", compression=None) as socket,
    ):
        for number, (name, params) in enumerate(calls):
            await socket.send(json.dumps({"id": number, "method": name, "params": params}))
            while (answer := json.loads(await socket.recv())).get("id") != number:
                pass
            assert "result" in answer, answer
            if name == "initialize":
                await socket.send(json.dumps({"method": "initialized"}))


async def thread_of(process: asyncio.subprocess.Process) -> str:
    """As the run's own output has it."""
    assert process.stdout is not None
    async with asyncio.timeout(DEADLINE):
        while told := await process.stdout.readline():
            line = json.loads(told)
            if line.get("thread"):
                return str(line["thread"])
    raise AssertionError("it ended without a thread")


async def test_an_archived_thread_pauses_its_run_and_comes_back(tmp_path: Path) -> None:
    """C5, C13: told in Codex's own words as long as it is archived, and gone on with once it is not."""
    async with desk(DONE * 2, tmp_path) as it, shared(it) as server:
        process = await it.run("Build it.", "--attach", "--done", CHECK, *FREE)
        thread = await thread_of(process)
        await asyncio.to_thread(appears, it.workspace.parent / "checking")
        await other_client(server, "thread/archive", thread)
        ran = await ended(process)
        assert (ran.code, ran.summary["stop"]["reason"]) == (2, "run.paused.archived"), ran.err  # type: ignore[index]
        assert f"codex unarchive {thread}" in ran.summary["stop"]["detail"]  # type: ignore[index]
        name = str(ran.summary["run"])
        refused = await it.resume(name)
        assert (refused.code, refused.summary["stop"]["reason"]) == (2, "run.paused.archived")  # type: ignore[index]
        assert f"codex unarchive {thread}" in refused.summary["stop"]["detail"]  # type: ignore[index]
        await other_client(server, "thread/unarchive", thread)
        (it.workspace.parent / "go").touch()
        again = await it.resume(name)
        assert (again.code, again.summary["done"]) == (0, "checked"), again.err


async def test_a_deleted_thread_fails_its_run(tmp_path: Path) -> None:
    """C5"""
    async with desk(DONE, tmp_path) as it, shared(it) as server:
        process = await it.run("Build it.", "--attach", "--done", CHECK, *FREE)
        thread = await thread_of(process)
        await asyncio.to_thread(appears, it.workspace.parent / "checking")
        await other_client(server, "thread/delete", thread)
        ran = await ended(process)
        assert (ran.code, ran.summary["stop"]["reason"]) == (4, "run.failed.deleted"), ran.err  # type: ignore[index]


@pytest.mark.parametrize(
    ("method", "code", "reason", "said", "word"),
    [
        ("thread/archive", 2, "run.paused.archived", "The thread was archived in Codex", "archived"),
        ("thread/delete", 4, "run.failed.deleted", "The thread was deleted in Codex", "deleted"),
    ],
)
async def test_a_thread_that_is_closed_in_the_middle_of_a_turn(
    tmp_path: Path, method: str, code: int, reason: str, said: str, word: str
) -> None:
    """C5, C17: Codex interrupts the turn first, and no person did; run, record and status say what it was."""
    async with desk(HANGS, tmp_path) as it, shared(it) as server:
        process = await it.run("Build it.", "--attach", *FREE)
        thread = await thread_of(process)
        await it.codex.model.wait_for_async(lambda _: True, deadline=DEADLINE)
        await other_client(server, method, thread)
        ran = await ended(process)
        assert (ran.code, ran.summary["stop"]["reason"]) == (code, reason), ran.err  # type: ignore[index]
        status = await it.rawr("status", thread[-8:], "--json")
        assert word in status.out
        log = await it.rawr("log", thread[-8:])
        assert said in log.out, log.out


async def test_a_thread_that_was_deleted_while_rawr_was_away(tmp_path: Path) -> None:
    """C5, C13: nothing told rawr of it, and Codex has no thread of that name."""
    async with desk(DONE, tmp_path) as it, shared(it) as server:
        process = await it.run("Build it.", "--attach", "--done", CHECK, *FREE)
        thread = await thread_of(process)
        await asyncio.to_thread(appears, it.workspace.parent / "checking")
        process.send_signal(signal.SIGINT)
        paused = await ended(process)
        await other_client(server, "thread/delete", thread)
        again = await it.resume(str(paused.summary["run"]))
        assert (again.code, again.summary["stop"]["reason"]) == (4, "run.failed.deleted"), again.err  # type: ignore[index]


@pytest.mark.mission("D1")
@pytest.mark.parametrize(
    ("method", "said"), [("thread/archive", "archived in Codex"), ("thread/delete", "deleted in Codex")]
)
async def test_watch_says_what_was_done_to_a_thread(tmp_path: Path, method: str, said: str) -> None:
    async with (
        served(MORNING, tmp_path) as (codex, server),
        rawr_watch(codex, tmp_path / "rawr", server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        await other_client(server, method, ada.thread)
        await watching.noticed(said)

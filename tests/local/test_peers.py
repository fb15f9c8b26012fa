"""Who is at the other end: a person, an agent, or a process that is not there to be looked at (C10). Real processes."""

import json
import os
import shutil
import socket
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.local import peers
from rawr.local.peers import peer_of
from rawr.local.processes import Process, ancestors, seen
from tests.local.others import line, on_linux, other

pytestmark = [pytest.mark.mission("C10"), on_linux]
SANDBOX = "the agent's sandbox"


@pytest.mark.parametrize(
    ("how", "kind", "why"),
    [("", "person", ""), ("confined", "agent", SANDBOX), ("fork", "unseen", "a process that has exited")],
)
async def test_what_a_process_is(tmp_path: Path, how: str, kind: str, why: str) -> None:
    """``fork``: the process that connected has exited, and its child speaks."""
    looked = tmp_path / "looked"
    async with other("judge", tmp_path / "s", looked) as judge:
        assert await line(judge) == "listening"
        async with other("connect", tmp_path / "s", how) as client:
            if how == "fork":
                assert await line(client) == "orphaned"
            looked.touch()
            said = json.loads(await line(judge))
        assert (said["kind"], said["why"].startswith(why), bool(why)) == (kind, True, bool(said["why"]))
        assert how == "fork" or said["pid"] == client.pid


async def test_a_connection_is_its_makers_whoever_speaks_on_it(tmp_path: Path) -> None:
    async with other("judge", tmp_path / "s", tmp_path / "handed") as judge:
        assert await line(judge) == "listening"
        async with other("hand_over", tmp_path / "s", tmp_path / "handed") as client:
            said = json.loads(await line(client))
        assert (said["kind"], said["why"]) == ("agent", SANDBOX)


async def test_a_program_that_codex_has_started(tmp_path: Path) -> None:
    """One that has left the sandbox, by an approval: its ancestors say whose it is."""
    codex = tmp_path / "codex"
    shutil.copy("/bin/bash", codex)
    async with other("judge", tmp_path / "s") as judge:
        assert await line(judge) == "listening"
        shell = (str(codex), "-c", '"$@"; true', "codex")
        async with other("connect", tmp_path / "s", program=shell) as client:
            said = json.loads(await line(client))
        assert (said["kind"], said["why"]) == ("agent", "a program that Codex has started")


async def test_a_codex_by_another_name(tmp_path: Path) -> None:
    """rawr knows it by the socket that it joined. A process of the same number, later, is another one."""
    async with other("works_for", tmp_path / "codex", tmp_path / "s") as codex:
        assert await line(codex) == "listening"
        async with other("judge", tmp_path / "s", "", tmp_path / "codex") as judge:
            assert await line(judge) == "listening"
            said = json.loads(await line(codex))
            assert (said["kind"], said["why"]) == ("agent", "a program that Codex has started")
            async with other("connect", tmp_path / "s") as client:
                assert json.loads(await line(client))["kind"] == "person"


async def test_a_number_that_was_a_codexs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with other("listen", tmp_path / "s") as codex:
        assert await line(codex) == "listening"
        with socket.socket(socket.AF_UNIX) as end:
            end.connect(str(tmp_path / "s"))
            monkeypatch.setattr(peers, "_codexes", {})
            peers.note_codex(end)
        found = seen(codex.pid)
        assert found is not None
        child = Process(1_000_000, parent=codex.pid)
        assert peers._started_by_agent(child, (found,)) == "a program that Codex has started"
        assert peers._started_by_agent(child, (replace(found, began="1"),)) == ""


async def test_one_that_has_started_us_makes_nobody_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "_codexes", {})
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as end:
        server.bind(str(tmp_path / "s"))
        server.listen()
        end.connect(str(tmp_path / "s"))
        peers.note_codex(end)
    assert peers._codexes == {}


async def test_a_program_that_rawr_has_started(tmp_path: Path) -> None:
    """A check runs what the agent wrote."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        async with other("connect", tmp_path / "s") as client:
            end, _ = server.accept()
            with end:
                peer = peer_of(end)
                assert (peer.kind, peer.why, peer.pid) == ("agent", "a program that rawr has started", client.pid)
                end.sendall(b"x")


def test_this_very_process_is_a_persons() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_of(ours).is_person


CONFINED = Process(1, confined=True, filters=2, namespace="pid:[1]")


@pytest.mark.parametrize(
    ("peer", "agent"),
    [
        (CONFINED, False),
        (Process(2, confined=True, filters=3, namespace="pid:[1]"), True),
        (Process(2, confined=True, filters=2, namespace="pid:[2]"), True),
        (Process(2, confined=True, filters=2, namespace=""), False),
        (Process(2, confined=False, filters=0, namespace="pid:[1]"), False),
    ],
    ids=["same", "a filter more", "its own processes", "unknown", "free"],
)
def test_a_host_in_a_sandbox_tells_another_one_by_its_level(peer: Process, agent: bool) -> None:
    assert bool(peers._in_sandbox(peer, CONFINED)) is agent


@pytest.mark.parametrize(
    ("name", "is_codex"),
    [("codex", True), ("codex-linux-sandbox", True), ("codex-rawr", False), ("rawr", False), ("codexx", False)],
)
def test_which_programs_are_codex(name: str, is_codex: bool) -> None:
    assert Process(1, programs=(name,)).is_codex is is_codex


def test_python_is_what_runs_these_tests() -> None:
    us = seen(os.getpid())
    assert us is not None
    assert us.program == Path(sys.executable).resolve().name
    assert next(iter(ancestors(us))).pid == os.getppid()

"""Only a person approves (C10): the agent, in the real sandbox of a real Codex that may reach sockets, cannot.

``rawr run`` as users get it: in the host, with nothing configured. The home is out of the agent's reach, as by default.
"""

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from rawr.testing import parse_scenario, scripted_codex
from rawr.testing.real_codex import find_codex
from tests.e2e.beside import FULL_ACCESS, MORNING, person, rawr_watch
from tests.e2e.rig import SocketServer
from tests.e2e.test_host import Hosted, over, until
from tests.e2e.test_run_program import DEADLINE, DONE, ended

pytestmark = [
    pytest.mark.mission("C10"),
    pytest.mark.skipif(sys.platform != "linux", reason="what Codex's sandbox looks like elsewhere was not measured"),
]
AGENT = Path(__file__).with_name("agent_orders.py")
SECRET = "sk-proj-Zq7vX2mNp0LrT9wKd4YhB6uJcE3sAf8G"
NETWORK = {"sandbox_workspace_write": {"network_access": True}}


@pytest.fixture
def place() -> Iterator[Path]:
    """Codex's sandbox lets an agent write below /tmp, where pytest has its folders."""
    folder = Path(tempfile.mkdtemp(prefix="rawr-", dir="/var/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def attacked(place: Path, *, escalate: bool = False) -> AsyncIterator[Hosted]:
    """A person's machine, with an agent that tries to answer its own request. ``escalate``: it has left the sandbox."""
    tries = f"{sys.executable} {AGENT} {place / 'rawr'} {place / 'workspace' / 'tried.json'}"
    first = {"cmd": tries, "yield_ms": 250, "escalate": escalate}
    wanted = {"cmd": f"OPENAI_API_KEY={SECRET} touch {place / 'canary'}", "escalate": True, "why": "I need it."}
    script = f"- {{ run: {json.dumps(first)} }}\n- {{ run: {json.dumps(wanted)} }}\n{DONE}"
    with scripted_codex(parse_scenario(f"name: orders\nreplies:\n{script}"), place, extra_config=NETWORK) as codex:
        it = Hosted(codex, place / "rawr")
        try:
            yield it
        finally:
            await over(it.home)


async def outcome(it: Hosted, process: asyncio.subprocess.Process) -> dict[str, Any]:
    """What the agent got for its trouble."""
    tried = it.workspace / "tried.json"
    await until(lambda: tried.exists() or process.returncode is not None, "the agent has tried")
    assert tried.exists(), await ended(process)
    found: dict[str, Any] = json.loads(tried.read_text())
    return found


async def test_the_agent_cannot_answer_its_own_request(place: Path) -> None:
    """By ``rawr approve``, and by bytes of its own on both sockets. Nor can it give any other order, or see the text of
    a request as it really is. All of it is on record, and the request still waits: a person then approves it."""
    async with attacked(place) as it:
        process = await it.run("Build it.")
        tried = await outcome(it, process)
        assert "NoNewPrivs:\t1" in tried["status"], "it is in the sandbox"
        approve, pin, stop = tried["approve"], tried["pin"], tried["stop"]
        assert approve["code"] == 77, approve
        assert "This command comes from the agent's sandbox. Only a person can approve." in approve["err"]
        assert (pin["code"], stop["code"]) == (77, 77), (pin, stop)
        control, shown, host = tried["by hand"]
        assert json.loads(control)["refused"] is True
        assert "waiting" not in json.loads(shown)
        assert host.count('"kind":"person"') == 5, host
        assert '"is":"Waits"' not in host
        assert SECRET not in json.dumps(tried)
        assert not (place / "canary").exists()

        [found] = (await it.rawr("approvals", "--json")).lines
        refused = it.facts("OrderRefused")
        assert {one.fact.order for one in refused} >= {"AnswerSubmitted", "PinSubmitted", "Stop"}  # type: ignore[attr-defined]
        said = await it.rawr("approve", str(found["id"]))
        assert said.code == 0, said.err
        done = await ended(process)
        assert (done.code, (place / "canary").exists()) == (0, True), done.err
        assert "The agent tried to answer its own request" in done.out
        [answer] = it.facts("AnswerSubmitted")
        origin = answer.fact.origin  # type: ignore[attr-defined]
        assert (origin.surface, origin.pid > 0, bool(origin.program)) == ("cli", True, True)
        log = {one["reason"]: one["evidence"] for one in (await it.rawr("log", "--json")).lines}
        assert log["request.answered.person"]["by_way_of"] == origin.in_words  # type: ignore[index]
        assert log["order.refused.agent"]["why"] == "the agent's sandbox"  # type: ignore[index]


async def test_nor_by_a_command_that_has_left_the_sandbox(place: Path) -> None:
    """A person let it: what it asks of rawr is still the agent's, since Codex has started it."""
    async with attacked(place, escalate=True) as it:
        process = await it.run("Build it.")
        first = await waiting(it)
        assert (await it.rawr("approve", str(first["id"]))).code == 0
        tried = await outcome(it, process)
        assert "NoNewPrivs:\t0" in tried["status"], "it has left the sandbox"
        assert tried["approve"]["code"] == 77, tried["approve"]
        assert "This command comes from a program that Codex has started." in tried["approve"]["err"]
        assert (tried["pin"]["code"], tried["stop"]["code"]) == (77, 77)
        assert json.loads(tried["by hand"][0])["refused"] is True
        assert not (place / "canary").exists()
        second = await waiting(it)
        assert (await it.rawr("deny", str(second["id"]))).code == 0
        done = await ended(process)
        assert (done.code, (place / "canary").exists()) == (0, False), done.err


async def test_nor_under_a_codex_by_another_name(place: Path) -> None:
    """The person's own, a copy under a name of theirs, that `rawr watch` joins. Its agent is in no sandbox."""
    renamed = place / "cdx"
    binary = find_codex()
    try:
        renamed.hardlink_to(binary)
    except OSError:
        shutil.copy2(binary, renamed)
    pins = (
        f"RAWR_HOME={place / 'rawr'} {sys.executable} -m rawr pin 'The agent decides.' > tried 2>&1; echo $? >> tried"
    )
    script = f'{MORNING}- {{ when: {{ user: "^go$" }}, run: {json.dumps(pins)} }}\n- {{ say: "Done." }}\n'
    scenario = parse_scenario(f"name: renamed\nreplies:\n{script}")
    with scripted_codex(scenario, place, binary=renamed, extra_config=FULL_ACCESS) as codex:
        server, it = SocketServer(codex), Hosted(codex, place / "rawr")
        await server.start()
        await server.listening()
        try:
            async with (
                rawr_watch(codex, it.home, server=server, host=True) as watching,
                person(server, codex.home.workspace) as ada,
            ):
                await watching.joins(ada)
                await ada.until_over(await ada.say("go"))
                tried = (it.workspace / "tried").read_text()
                assert "This command comes from a program that Codex has started." in tried
                assert tried.endswith("77\n")
                assert it.facts("PinSubmitted") == []
                assert (await it.rawr("pin", "I decide.")).code == 0
        finally:
            await over(it.home)
            await server.close()


async def waiting(it: Hosted) -> dict[str, object]:
    """The request that waits."""
    found: list[dict[str, object]] = []
    async with asyncio.timeout(DEADLINE):
        while not found:
            found = (await it.rawr("approvals", "--json")).lines
    return found[0]

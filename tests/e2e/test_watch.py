"""Beside the user's own Codex: its unmodified terminal program in a pseudo-terminal, rawr as a second client (D1)."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from rawr.codex.transport import UnixDialer
from rawr.core import facts
from rawr.core.kernel import Taken
from rawr.runtime.supervisor import Supervisor
from rawr.testing import parse_scenario, scripted_codex
from tests.cli.program import rawr
from tests.e2e.rig import SocketServer
from tests.e2e.terminal import Terminal, terminal
from tests.e2e.test_golden_path import CONTINUE, GOES_ON, PACKET, SUMMARY, answers, policy

WORK = """
- { when: { user: "task title" }, say: "A title", times: always }
- { when: { user: "good morning" }, say: "Good morning.", usage: 20000 }
- { plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }
- { run: "git init -q . && git commit -q --allow-empty -m 'Research done'", usage: 80000 }
- { plan: ["done: research", "doing: draft", "todo: ship"], usage: 90000 }
- { say: "The research is finished, committed as Research done, and the draft comes next.", usage: 100000 }
"""


async def _say(screen: Terminal, text: str) -> None:
    screen.type(text)
    await screen.until(lambda shown: text in shown)
    screen.type("\r")


async def test_the_user_sees_the_golden_path_in_the_codex_they_always_use(tmp_path: Path) -> None:
    """D1: the five lines of the golden path, in order, on the screen of the real terminal program."""
    replies = WORK + answers("Heads-up", PACKET + "Commit: Research done.") + SUMMARY + CONTINUE
    scenario = parse_scenario("name: watch\nreplies:\n" + replies)
    full_access = {"approval_policy": "never", "sandbox_mode": "danger-full-access"}
    rules = replace(policy(), join="all")
    with scripted_codex(scenario, tmp_path, extra_config=full_access) as codex:
        server = SocketServer(codex)
        await server.start()
        await server.listening()
        try:
            async with Supervisor(UnixDialer(server.path), tmp_path / "rawr", policy=rules) as watcher:
                command = codex.command("--remote", f"unix://{server.path}")
                async with terminal(command, env=codex.env(), cwd=codex.home.workspace, rows=200) as screen:
                    await screen.until(lambda shown: "Ask Codex" in shown)
                    # A thread can be joined from its first turn on; what came before it was joined is not seen.
                    joined = watcher.expect(_joined, deadline=30, what="the thread was not joined")
                    await _say(screen, "good morning")
                    await joined
                    await screen.until(lambda shown: "• Good morning." in shown and "Worked for" in shown)
                    handed = watcher.expect(_says(GOES_ON), deadline=30, what="the golden path did not end")
                    await _say(screen, "three phases please")
                    await handed
                    shown = await screen.until(lambda shown: GOES_ON in shown)
        finally:
            await server.close()
    marks = ("Heads-up: we pause", "Write the draft.", "Context compacted", "Handoff: the context", GOES_ON)
    places = [shown.find(mark) for mark in marks]
    assert -1 not in places, shown
    assert places == sorted(places), shown
    assert "commit " in shown.partition("Recorded by rawr")[2]


def _joined(taken: Taken) -> bool:
    return isinstance(taken.recorded.fact, facts.ThreadJoined)


def _says(text: str) -> Callable[[Taken], bool]:
    def said(taken: Taken) -> bool:
        fact = taken.recorded.fact
        return isinstance(fact, facts.ItemCompleted) and text in getattr(fact.item, "text", "")

    return said


async def test_rawr_watch_as_a_person_runs_it(tmp_path: Path) -> None:
    """D1: the program itself joins, shows, takes commands from outside, refuses a second one, and leaves in order."""
    scenario = parse_scenario('name: watch\nreplies:\n  - { say: "Hello.", usage: 20000, times: always }\n')
    home = {"RAWR_HOME": str(tmp_path / "rawr")}
    with scripted_codex(scenario, tmp_path) as codex:
        server = SocketServer(codex)
        await server.start()
        await server.listening()
        try:
            watch = [sys.executable, "-m", "rawr", "watch", "--plain", "--socket", str(server.path)]
            env = {**codex.env(), **home, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
            async with terminal(watch, env=env, cwd=tmp_path, rows=100) as shown:
                await shown.until(lambda text: "connected to Codex" in text)
                command = codex.command("--remote", f"unix://{server.path}")
                async with terminal(command, env=codex.env(), cwd=codex.home.workspace) as screen:
                    await screen.until(lambda text: "Ask Codex" in text)
                    await _say(screen, "good morning")
                    await shown.until(lambda text: "good morning" in text and "Hello." in text)
                second = await asyncio.to_thread(rawr, "watch", "--socket", str(server.path), env=home)
                assert (second.code, "in use by process" in second.err) == (74, True)
                pinned = await asyncio.to_thread(rawr, "pin", "Never push.", "--json", env=home)
                assert pinned.lines[0]["reasons"] == ["directive.pinned.submitted"]
                held = await asyncio.to_thread(rawr, "hold", "--until", "tomorrow", env=home)
                assert "hold.set.submitted" in held.out
                shown.type("\x03")
                await shown.gone()
        finally:
            await server.close()
    nobody = await asyncio.to_thread(rawr, "compact", env=home)
    assert (nobody.code, "No rawr is running" in nobody.err) == (1, True)

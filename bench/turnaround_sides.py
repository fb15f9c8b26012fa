"""Three ways to send an agent on, turn after turn, each in a process of its own: rawr, the official SDK, and next to
nothing. ``python -m bench.turnaround_sides SIDE CODEX WORKSPACE HOME TURNS``.

Nothing here looks at a clock; that is done on the wire (``wire.py``).
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

Which = Literal["rawr", "sdk", "bare"]
GOAL = "Write the parts of the parser one by one, each into a file of its own, and go on until you are stopped."
GO_ON = "Go on."
DEADLINE = 300.0


def rawr(codex: Path, workspace: Path, home: Path, turns: int) -> None:
    """A run in Full Auto as ``rawr run`` starts it, with nobody to show it to."""
    asyncio.run(drive(codex, workspace, home, turns))


async def drive(codex: Path, workspace: Path, home: Path, turns: int) -> None:
    from rawr.codex.stdio import StdioDialer
    from rawr.config.load import PolicySource
    from rawr.core.kernel import Taken
    from rawr.core.vocabulary import facts
    from rawr.core.vocabulary.order import Budgets, Order
    from rawr.runtime.supervisor import Supervisor

    source = PolicySource(home, seeding=True)
    dialer = StdioDialer(codex, env=os.environ)
    async with Supervisor(dialer, home, policy=lambda: source.current().policy, reconnect=False) as supervisor:
        thread = await supervisor.start_thread(workspace, approvals="never", sandbox="danger-full-access")

        def over(_taken: Taken) -> bool:
            run = supervisor.state(thread).run
            return run is not None and not run.active

        ended = supervisor.expect(over, deadline=DEADLINE, what="The run did not end")
        order = Order(goal=GOAL, budgets=Budgets(turns=turns))
        await supervisor.record(thread, facts.RunSubmitted(order=order))
        await ended
        state = supervisor.state(thread)
        run = state.run
        assert run is not None
        assert run.stop is not None
        assert (run.turns, run.stop.reason) == (turns, "run.stopped.turns"), run
        assert state.compaction_count == 0, "a compaction is no turnaround"


def sdk(codex: Path, workspace: Path, _home: Path, turns: int) -> None:
    """The loop that the SDK's own examples have: run a turn, look at the result, run the next."""
    from openai_codex import ApprovalMode, Codex, CodexConfig, Sandbox
    from openai_codex.generated.v2_all import TurnStatus

    with Codex(CodexConfig(codex_bin=str(codex))) as client:
        thread = client.thread_start(
            cwd=str(workspace), approval_mode=ApprovalMode.deny_all, sandbox=Sandbox.full_access
        )
        for turn in range(turns):
            result = thread.run(GO_ON if turn else GOAL)
            assert result.status == TurnStatus.completed, result


def bare(codex: Path, workspace: Path, _home: Path, turns: int) -> None:
    """Reads lines, decodes none, and answers a turn's end with bytes that lie ready: what the wire itself costs."""
    command = [str(codex), "app-server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        send, lines = server.stdin.write, iter(server.stdout.readline, b"")

        def answer(number: int, method: str, params: object) -> bytes:
            send(json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n")
            return next(line for line in lines if f'"id":{number},'.encode() in line[:20])

        info = {"name": "bench", "title": "bench", "version": "0"}
        answer(1, "initialize", {"clientInfo": info, "capabilities": {"experimentalApi": True}})
        send(b'{"method":"initialized"}\n')
        asked = {"cwd": str(workspace), "approvalPolicy": "never", "sandbox": "danger-full-access"}
        thread = json.loads(answer(2, "thread/start", asked))["result"]["thread"]["id"]
        said = {"threadId": thread, "input": [{"type": "text", "text": GO_ON}]}
        go_on = json.dumps({"id": 3, "method": "turn/start", "params": said}).encode() + b"\n"
        for _ in range(turns):
            send(go_on)
            next(line for line in lines if b'"turn/completed"' in line[:40])
        server.stdin.close()
        for _ in lines:
            pass


SIDES: dict[Which, Callable[[Path, Path, Path, int], None]] = {"rawr": rawr, "sdk": sdk, "bare": bare}


def _main(which: Which, codex: str, workspace: str, home: str, turns: str) -> None:
    SIDES[which](Path(codex), Path(workspace), Path(home), int(turns))


if __name__ == "__main__":
    _main(*sys.argv[1:])  # type: ignore[arg-type]

"""The host: what a command through it costs, how quickly a client has a long run, and what it costs to do nothing.

Measured: processor time of whole programs, taking turns: `rawr host status`, which asks the host, against `rawr
status`, which reads the journal; a client's subscription to a home with one thread of many items; the host's own
processor time over seconds in which nothing happens.

Unfair would be: the start of a host (it is up before anything is measured), a home with nothing in it.
"""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

from bench.measuring import Side, alternate, ended, ratio_of, spread
from bench.report import Goal, Result, Row, Size, seconds
from rawr.core.vocabulary import facts, items
from rawr.host.client import HostClient, NoHost
from rawr.runtime.supervisor import Supervisor

DEADLINE = 30.0
THREAD = "00000000-0000-7000-8000-000000000001"


def run(size: Size) -> Result:
    home = size.folder / "rawr"
    count = size.of(100_000, quick=5_000)
    asyncio.run(_filled(home, count))
    env = {**os.environ, "RAWR_HOME": str(home), "RAWR_FOREGROUND": "0"}
    os.environ["RAWR_HOME"] = str(home)
    program = (sys.executable, "-m", "rawr")
    server = subprocess.Popen([*program, "host", "serve", "--stay"], env=env, stdin=subprocess.DEVNULL)
    try:
        asyncio.run(_up(home))
        through, direct = alternate(
            _program(*program, "host", "status", env=env),
            _program(*program, "status", env=env),
            rounds=size.of(15, quick=3),
        )
        began = time.monotonic()
        asyncio.run(_subscribed(home))
        attached = time.monotonic() - began
        idle = _idle(server.pid, size.of(20, quick=3))
        assert server.poll() is None, "the host had exited before it was measured"
    finally:
        server.terminate()
        server.wait(30)
    return Result(
        (
            Row(
                figure="a command through the host, processor time",
                measured=ratio_of(through, direct),
                ours=seconds(spread(through).middle),
                against=f"rawr status: {seconds(spread(direct).middle)}",
                goal=Goal(at_most=1.2),
            ),
            Row(
                figure=f"a client has a home with a thread of {count:,} items",
                measured=spread([attached]),
                unit=" s",
                ours=seconds(attached),
                against="one second",
                goal=Goal(at_most=1.0),
            ),
            Row(
                figure="a host with nothing to do, share of a core",
                measured=spread([100 * idle]),
                unit=" %",
                ours=f"{100 * idle:.2f} %",
                against="one percent",
                goal=Goal(at_most=1.0),
            ),
        )
    )


async def _filled(home: Path, count: int) -> None:
    """A thread of that many items, recorded as they would be."""
    async with Supervisor(None, home) as rawr:
        rawr.tell(THREAD, facts.ThreadOpened(cwd="/project", ours=True))
        for number in range(count):
            line = f"pytest tests/test_{number}.py"
            item = items.Command(id=f"i{number}", command=line, cwd="/project", status="completed", exit_code=0)
            rawr.tell(THREAD, facts.ItemCompleted(turn="T1", item=item))
            if number % 1_000 == 0:
                await rawr.shown()
        await rawr.shown()


async def _up(home: Path) -> None:
    """Wait for the host that was started here: no other may come up in its place."""
    async with asyncio.timeout(DEADLINE):
        while True:
            try:
                async with await HostClient.open(home):
                    return
            except NoHost:
                await asyncio.sleep(0.05)


async def _subscribed(home: Path) -> None:
    async with await HostClient.open(home) as client:
        await client.subscribe()
        assert client.state(THREAD).id == THREAD, "the client does not know the thread"


def _program(*command: str, env: dict[str, str]) -> Side:
    return lambda: ended(command, env=env).seconds


def _idle(pid: int, seconds_: int) -> float:
    """The share of a core that a process used while nothing happened."""
    before = _used(pid)
    time.sleep(seconds_)
    return (_used(pid) - before) / seconds_


def _used(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

"""A person at a terminal in front of ``rawr run``, for the tests that type and read."""

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.terminal import Terminal
from tests.e2e.test_run_program import Desk

DEADLINE = 30.0
ROWS = 100
ASKS = ("--approvals", "ask", "--sandbox", "read-only")
RAWR = (sys.executable, "-c", "from rawr.cli.main import main; main()")


class Seat(Terminal):
    """A person in front of a program that runs in a terminal."""

    process: asyncio.subprocess.Process

    def says(self, line: str) -> None:
        self.type(f"{line}\r")

    async def sees(self, *texts: str) -> str:
        """The screen once it shows all of these; where a line was broken does not matter."""
        return await self.until(lambda screen: all(flat(text) in flat(screen) for text in texts), deadline=DEADLINE)

    async def asked(self, text: str) -> str:
        """The screen with this question on it and the place for the answer under it."""

        def is_asked(screen: str) -> bool:
            return flat(text) in flat(screen.rpartition("asks ")[2]) and self.last.endswith(">")

        return await self.until(is_asked, deadline=DEADLINE)

    @property
    def last(self) -> str:
        """The line in which the person types."""
        return str(self.screen.display[self.screen.cursor.y]).rstrip()

    @property
    def title(self) -> str:
        return str(self.screen.title)

    async def over(self) -> int:
        await self.gone(deadline=DEADLINE)
        async with asyncio.timeout(DEADLINE):
            return await self.process.wait()


def flat(text: str) -> str:
    """Without the name of who speaks, the bar, and the breaks between lines."""
    return re.sub(r"[\s│]+", "", text)


@asynccontextmanager
async def seat(it: Desk, *command: str, columns: int = 120) -> AsyncIterator[Seat]:
    """A program in a terminal of its own."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**it._env(), "TERM": "xterm-256color"},
        cwd=it.workspace,
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(side)
    screen = Seat(main, rows=ROWS)
    screen.process = process
    screen.screen.resize(ROWS, columns)
    try:
        yield screen
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        screen.close()


@asynccontextmanager
async def run(script: str, folder: Path, *words: str, columns: int = 120) -> AsyncIterator[tuple[Desk, Seat]]:
    """``rawr run`` in a terminal, on a model that plays the script and may ask questions."""
    may_ask = {"features": {"default_mode_request_user_input": True}}
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{script}"), folder, extra_config=may_ask) as codex:
        it = Desk(codex, folder / "rawr")
        async with seat(it, *RAWR, "run", *words, *it.codex_flags(), columns=columns) as screen:
            yield it, screen


def wants(command: str, *, when: str = "") -> str:
    """The agent asks to run a command outside of its sandbox."""
    found = f'when: {{ user: "{when}" }}, ' if when else ""
    return f'- {{ {found}run: {{ cmd: "{command}", escalate: true, why: "I need it." }} }}\n'


COLOUR = '- ask: { id: colour, header: Colour, question: "Which colour?", options: [Red, Blue] }\n'

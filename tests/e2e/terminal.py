"""A person at a terminal: a program in a pseudo-terminal, its screen emulated, keys typed, text waited for."""

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pyte

COLUMNS, ROWS = 120, 45


class Terminal:
    """What is on the screen, and a keyboard."""

    def __init__(self, descriptor: int, *, rows: int, columns: int = COLUMNS) -> None:
        self._descriptor = descriptor
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._changed = asyncio.Event()
        self._over = asyncio.Event()
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    async def until(self, seen: Callable[[str], object], *, deadline: float = 20.0) -> str:
        """The screen as soon as it shows what is looked for."""
        try:
            async with asyncio.timeout(deadline):
                while not seen(self.text):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"the screen never showed it:\n{self.text}") from None
        return self.text

    async def gone(self, *, deadline: float = 20.0) -> None:
        """Return when the program has ended and let go of the terminal."""
        async with asyncio.timeout(deadline):
            await self._over.wait()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._over.set()
            return
        self._answer(data)
        self._stream.feed(data)
        self._changed.set()

    def _answer(self, data: bytes) -> None:
        """Programs ask a terminal where the cursor is and what it can do, and wait for the answer."""
        if b"\x1b[6n" in data:
            cursor = self.screen.cursor
            os.write(self._descriptor, f"\x1b[{cursor.y + 1};{cursor.x + 1}R".encode())
        if b"\x1b[c" in data:
            os.write(self._descriptor, b"\x1b[?62;c")


@asynccontextmanager
async def terminal(
    command: Sequence[str], *, env: Mapping[str, str], cwd: Path, rows: int = ROWS, columns: int = COLUMNS
) -> AsyncIterator[Terminal]:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**env, "TERM": "xterm-256color"},
        cwd=cwd,
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(side)
    screen = Terminal(main, rows=rows, columns=columns)
    try:
        yield screen
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        screen.close()

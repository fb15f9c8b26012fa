"""Commands from outside reach a running rawr over a socket in its home, from the same user only.

One JSON object a line in, one a line out. What may be said is a closed list of facts that a person can submit; anything
else is refused in words.
"""

import asyncio
import contextlib
import os
import socket
import struct
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.core import facts
from rawr.errors import OutsideError
from rawr.runtime.ports import Commands

SOCKET = "control.sock"
MAX_LINE = 256 * 1024
ANSWER_DEADLINE = 10.0

Command = (
    facts.CompactionSubmitted
    | facts.HoldSubmitted
    | facts.HoldReleased
    | facts.PhaseSubmitted
    | facts.PinSubmitted
    | facts.UserSubmitted
    | facts.InterruptSubmitted
)


class Asked(Struct, frozen=True):
    command: Command
    thread: str = ""
    """Empty: the thread in which something happened last."""


class Answered(Struct, frozen=True, omit_defaults=True):
    thread: str = ""
    reasons: tuple[str, ...] = ()
    problem: str = ""


class NobodyThere(OutsideError):
    """No rawr runs on this home."""


class ControlServer:
    def __init__(self, home: Path, commands: Commands) -> None:
        self._path = home / SOCKET
        self._commands = commands
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        # The journal's lock is ours, so a socket that lies here is left over from a run that is gone.
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self._path, limit=MAX_LINE)
        self._path.chmod(0o600)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if _same_user(writer):
                async with asyncio.timeout(ANSWER_DEADLINE):
                    line = await reader.readline()
                    writer.write(msgspec.json.encode(await self._answer(line)) + b"\n")
                    await writer.drain()
        except (TimeoutError, ValueError, ConnectionError):
            pass  # whoever asked is gone, or never asked anything that fits
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, line: bytes) -> Answered:
        try:
            asked = msgspec.json.decode(line, type=Asked)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return Answered(problem=f"The command was not understood: {error}.")
        thread = self._commands.find_thread(asked.thread)
        if not thread:
            which = f"no thread {asked.thread}" if asked.thread else "no thread yet"
            return Answered(problem=f"rawr knows {which}.")
        taken = await self._commands.record(thread, asked.command)
        return Answered(thread, tuple(one.record.reason.value for one in taken.decisions))


def _same_user(writer: asyncio.StreamWriter) -> bool:
    peer = writer.get_extra_info("socket")
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder is 0700, which says the same
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return bool(uid == os.getuid())


async def ask(home: Path, asked: Asked) -> Answered:
    """Tell the rawr that runs on this home."""
    try:
        reader, writer = await asyncio.open_unix_connection(home / SOCKET, limit=MAX_LINE)
    except OSError as error:
        message = f"No rawr is running on {home}."
        raise NobodyThere(message, way_out="Start one with `rawr watch`.") from error
    try:
        async with asyncio.timeout(ANSWER_DEADLINE):
            writer.write(msgspec.json.encode(asked) + b"\n")
            line = await reader.readline()
    except TimeoutError as error:
        raise NobodyThere(f"The rawr that runs on {home} did not answer.", way_out="Look at its terminal.") from error
    finally:
        writer.close()
    return msgspec.json.decode(line, type=Answered)

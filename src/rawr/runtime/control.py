"""Takes commands for a running rawr over a socket in its home, from the same user only.

One JSON object per line in, one per line out. It accepts a closed list of facts that a person can submit, and refuses
anything else with a message.
"""

import asyncio
import contextlib
import os
import socket
import stat
import struct
import tempfile
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary import facts
from rawr.errors import JournalError, OutsideError
from rawr.ports.surface import Commands

SOCKET = "control.sock"
MAX_LINE = 256 * 1024
MAX_ADDRESS = 100
"""Bytes in a unix socket's path that every system accepts."""
ANSWER_DEADLINE = 10.0
PROBE_DEADLINE = 2.0

Command = (
    facts.CompactionSubmitted
    | facts.HoldSubmitted
    | facts.HoldReleased
    | facts.PhaseSubmitted
    | facts.PinSubmitted
    | facts.PinRemoved
    | facts.UserSubmitted
    | facts.InterruptSubmitted
    | facts.RunPauseSubmitted
    | facts.RunStopSubmitted
    | facts.RunResumed
    | facts.RunOverridden
    | facts.AnswerSubmitted
    | facts.DecisionLabelled
)


class ShowWaiting(Struct, frozen=True, tag_field="fact"):
    """Not a fact: asks what a person must decide on the thread, unredacted. It goes to the owner's own terminal."""


class Asked(Struct, frozen=True):
    command: Command | ShowWaiting
    thread: str = ""
    """Empty: the last active thread."""


class Answered(Struct, frozen=True, omit_defaults=True):
    thread: str = ""
    reasons: tuple[str, ...] = ()
    problem: str = ""
    waiting: tuple[OpenRequest, ...] = ()


class NobodyThere(OutsideError):
    """No rawr runs on this home."""


def address(home: Path) -> Path:
    """The path of a home's socket: in the home or, if that path is too long, in a private folder of the user under
    the temporary one."""
    path = home / SOCKET
    if len(os.fsencode(path)) <= MAX_ADDRESS:
        return path
    name = sha256(os.fsencode(home.resolve())).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rawr-{os.getuid()}" / f"{name}.sock"


def _own_folder(folder: Path) -> None:
    """Create the socket's folder for the user alone; refuse a folder that is not theirs alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise OutsideError(f"{folder} is not a private folder of yours.", way_out="Remove it, or set RAWR_HOME.")


class ControlServer:
    def __init__(self, home: Path, commands: Commands) -> None:
        self._path = address(home)
        self._elsewhere = self._path.parent != home
        self._commands = commands
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        # We hold the journal's lock, so a socket found here is left over from a dead run.
        if self._elsewhere:
            _own_folder(self._path.parent)
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
            pass  # the client is gone, or sent nothing valid
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, line: bytes) -> Answered:
        try:
            asked = msgspec.json.decode(line, type=Asked)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return Answered(problem=f"The command was not understood: {error}.")
        if isinstance(asked.command, facts.DecisionLabelled):
            # It is about the record, not about a thread.
            await self._commands.record("", asked.command)
            return Answered()
        thread = self._commands.find_thread(asked.thread)
        if not thread:
            which = f"no thread {asked.thread}" if asked.thread else "no thread yet"
            return Answered(problem=f"rawr knows {which}.")
        if isinstance(asked.command, ShowWaiting):
            return Answered(thread, waiting=tuple(one.thing for one in self._commands.waiting(thread)))
        try:
            taken = await self._commands.record(thread, asked.command)
        except JournalError as error:
            return Answered(thread, problem=str(error))
        return Answered(thread, tuple(one.record.reason.value for one in taken.decisions))


def _same_user(writer: asyncio.StreamWriter) -> bool:
    peer = writer.get_extra_info("socket")
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder is 0700, which ensures the same
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return bool(uid == os.getuid())


def is_live(home: Path) -> bool:
    """Return True if a rawr is running on this home."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_DEADLINE)
        try:
            probe.connect(os.fspath(address(home)))
        except OSError:
            return False
    return True


async def ask(home: Path, asked: Asked) -> Answered:
    """Send a command to the rawr that runs on this home."""
    try:
        reader, writer = await asyncio.open_unix_connection(address(home), limit=MAX_LINE)
    except OSError as error:
        message = f"No rawr is running on {home}."
        raise NobodyThere(message, way_out="Start one with `rawr watch`.") from error
    try:
        async with asyncio.timeout(ANSWER_DEADLINE):
            writer.write(msgspec.json.encode(asked) + b"\n")
            line = await reader.readline()
    except TimeoutError as error:
        raise NobodyThere(f"The rawr running on {home} did not answer.", way_out="Look at its terminal.") from error
    finally:
        writer.close()
    return msgspec.json.decode(line, type=Answered)

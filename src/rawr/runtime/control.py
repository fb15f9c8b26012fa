"""Takes commands for a running rawr over a socket in its home, from the same user only.

One JSON object per line in, one per line out. It accepts a closed list of facts that a person can submit, and refuses
anything else with a message.
"""

import asyncio
import contextlib
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary import facts
from rawr.errors import JournalError, OutsideError
from rawr.ports.surface import Commands
from rawr.runtime.sockets import accepts, address, is_same_user, own_folder

MAX_LINE = 256 * 1024
ANSWER_DEADLINE = 10.0

Command = (
    facts.CompactionSubmitted
    | facts.HoldSubmitted
    | facts.HoldReleased
    | facts.PhaseSubmitted
    | facts.PinSubmitted
    | facts.PinRemoved
    | facts.UserSubmitted
    | facts.MessageWithdrawn
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


class ControlServer:
    def __init__(self, home: Path, commands: Commands) -> None:
        self._path = address(home)
        self._elsewhere = self._path.parent != home
        self._commands = commands
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        # We hold the journal's lock, so a socket found here is left over from a dead run.
        if self._elsewhere:
            own_folder(self._path.parent)
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self._path, limit=MAX_LINE)
        self._path.chmod(0o600)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if is_same_user(writer):
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


def is_live(home: Path) -> bool:
    """Return True if a rawr is running on this home."""
    return accepts(address(home))


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

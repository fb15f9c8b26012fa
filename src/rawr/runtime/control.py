"""Takes commands for a running rawr over a socket in its home, from the same user only.

One JSON object per line in, one per line out. It accepts a closed list of facts that a person can submit, and refuses
anything else with a message.
"""

import asyncio
import contextlib
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary import facts
from rawr.errors import JournalError, NotAPerson, OutsideError
from rawr.journal.errors import JournalLost, LostElsewhere
from rawr.local import sockets
from rawr.local.nesting import too_deep
from rawr.local.peers import Peer, same_user
from rawr.ports.surface import Commands
from rawr.runtime.door import Door, came_from, origin_of, peer_at
from rawr.runtime.sockets import SOCKET

MAX_LINE = 256 * 1024
MAX_AGENT_LINE = 64 * 1024
"""The same, from a process that is not a person's."""
MAX_ANSWER = 64 * 1024 * 1024
"""Requests that wait are told whole, however many there are."""
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
    """Not a fact: asks what a person must decide on the thread, unredacted. It goes to the owner's own terminal, and
    to no agent."""

    before: facts.AnswerSubmitted | None = None
    """The answer that follows, once the person has been shown it. An agent's process is refused here as it would be
    there: it hears why, and the attempt is on record."""


class Asked(Struct, frozen=True):
    command: Command | ShowWaiting
    thread: str = ""
    """Empty: the last active thread."""
    surface: str = "cli"


class Answered(Struct, frozen=True, omit_defaults=True):
    thread: str = ""
    reasons: tuple[str, ...] = ()
    problem: str = ""
    waiting: tuple[OpenRequest, ...] = ()
    refused: bool = False
    """Only a person may order this, and the command came from elsewhere; ``problem`` says from where."""
    failed: Literal["", "journal", "lost"] = ""
    """The journal cannot be written, or is lost; ``problem`` says how."""
    way_out: str = ""


class NobodyThere(OutsideError):
    """No rawr runs on this home."""


class ControlServer:
    def __init__(self, home: Path, commands: Commands) -> None:
        self._home = home
        self._commands = commands
        self._door = Door(commands)
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        # We hold the journal's lock, so a socket found here is left over from a dead run.
        self._server = await asyncio.start_unix_server(
            self._serve, sock=sockets.bind(self._home, SOCKET), limit=MAX_LINE
        )

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            sockets.unlink(self._home, SOCKET)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            end = writer.get_extra_info("socket")
            if same_user(end):
                peer = await peer_at(end)
                async with asyncio.timeout(ANSWER_DEADLINE):
                    line = await reader.readline()
                    writer.write(msgspec.json.encode(await self._answer(line, peer)) + b"\n")
                    await writer.drain()
        except (TimeoutError, ValueError, ConnectionError):
            pass  # the client is gone, or sent nothing valid
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, line: bytes, peer: Peer) -> Answered:
        if not peer.is_person and len(line) > MAX_AGENT_LINE:
            return Answered(problem="The command was not understood: it is too long.")
        if too_deep(line):
            return Answered(problem="The command was not understood: it is nested too deeply.")
        try:
            asked = msgspec.json.decode(line, type=Asked)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return Answered(problem=f"The command was not understood: {error}.")
        if isinstance(asked.command, ShowWaiting):
            return self._waiting(asked, asked.command, peer)
        if not peer.is_person:
            return self._refused(asked, asked.command, peer)
        if isinstance(asked.command, facts.DecisionLabelled):
            # It is about the record, not about a thread.
            await self._commands.record("", asked.command)
            return Answered()
        thread = self._commands.find_thread(asked.thread)
        if not thread:
            which = f"no thread {asked.thread}" if asked.thread else "no thread yet"
            return Answered(problem=f"rawr knows {which}.")
        try:
            taken = await self._commands.record(thread, came_from(asked.command, origin_of(peer, asked.surface)))
        except JournalError as error:
            failed: Literal["journal", "lost"] = "lost" if isinstance(error, JournalLost) else "journal"
            return Answered(thread, problem=error.message, way_out=error.way_out, failed=failed)
        return Answered(thread, tuple(one.record.reason.value for one in taken.decisions))

    def _refused(self, asked: Asked, order: Command, peer: Peer) -> Answered:
        thread = self._commands.find_thread(asked.thread)
        problem = self._door.refusal(peer, order, thread=thread, surface=asked.surface)
        return Answered(thread, problem=str(problem), refused=True)

    def _waiting(self, asked: Asked, wanted: ShowWaiting, peer: Peer) -> Answered:
        """Unredacted, for a person; an agent sees what is on record."""
        if wanted.before is not None and not peer.is_person:
            return self._refused(asked, wanted.before, peer)
        thread = self._commands.find_thread(asked.thread)
        if not thread or not peer.is_person:
            return Answered(thread)
        return Answered(thread, waiting=tuple(one.thing for one in self._commands.waiting(thread)))


async def ask(home: Path, asked: Asked) -> Answered:
    """Send a command to the rawr that runs on this home."""
    try:
        reader, writer = await asyncio.open_unix_connection(sock=sockets.connect(home, SOCKET), limit=MAX_ANSWER)
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
    answered = msgspec.json.decode(line, type=Answered)
    if answered.refused:
        raise NotAPerson(answered.problem)
    if answered.failed:
        kind = LostElsewhere if answered.failed == "lost" else JournalError
        raise kind(answered.problem, way_out=answered.way_out)
    return answered

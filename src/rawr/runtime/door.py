"""Only a person gives orders (C10): what an agent's process asks for beyond reading is refused, and recorded.

The host and the control socket both ask here. An agent can try as often as it likes; the record and the person hear of
the same attempt once a minute, and of no more than a screenful in all of that time.
"""

import asyncio
import socket
import time
from typing import TypeVar

from msgspec.structs import replace

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.facts.base import Fact
from rawr.errors import NotAPerson
from rawr.local.peers import Peer, can_tell, peer_of
from rawr.ports.surface import Commands

AGAIN = 60.0
"""Seconds until the same attempt is recorded once more."""
MOST = 20
"""Attempts that are recorded in that time, whatever they are."""
MOST_NAMED = 64
"""Characters of a name that a refused process chose: of the request it would answer, or of its own program."""
WAY_OUT = "Run it in a terminal of your own, outside Codex: a command after `!` in Codex looks like the agent's."


F = TypeVar("F", bound=Fact)


class Door:
    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._recorded: dict[tuple[str, str, str], float] = {}

    def refusal(self, peer: Peer, order: object, *, thread: str = "", surface: str = "") -> NotAPerson:
        """The error for a peer that is not a person. The attempt goes on record."""
        name = type(order).__name__
        asked = order.request if isinstance(order, facts.AnswerSubmitted) else ""
        if self._is_new((thread[:MOST_NAMED], name, asked[:MOST_NAMED])):
            known = self._commands.find_thread(thread) if thread else ""
            request = self._request(known, asked)
            fact = facts.OrderRefused(order=name, why=peer.why, request=request, origin=origin_of(peer, surface))
            told = self._commands.record(known, fact)
            told.add_done_callback(lambda one: one.cancelled() or one.exception())
        return refused(peer, order)

    def _request(self, thread: str, asked: str) -> str:
        """Whole if the thread has asked it. Otherwise it is whatever an agent wrote: megabytes would be redacted and
        recorded, and keep everybody else waiting."""
        if len(asked) <= MOST_NAMED:
            return asked
        opened = self._commands.waiting(thread) if thread else ()
        return asked if any(one.thing.request == asked for one in opened) else asked[:MOST_NAMED]

    def _is_new(self, attempt: tuple[str, str, str]) -> bool:
        now = time.monotonic()
        self._recorded = {one: at for one, at in self._recorded.items() if now - at < AGAIN}
        if attempt in self._recorded or len(self._recorded) >= MOST:
            return False
        self._recorded[attempt] = now
        return True


async def peer_at(end: socket.socket) -> Peer:
    """Who has connected. At once, where the system says it at once: a process that has gone cannot be told from an
    agent."""
    return peer_of(end) if can_tell() else await asyncio.to_thread(peer_of, end)


def refused(peer: Peer, order: object) -> NotAPerson:
    what = "approve" if isinstance(order, facts.AnswerSubmitted) else "give rawr orders"
    return NotAPerson(f"This command comes from {peer.why}. Only a person can {what}.", way_out=WAY_OUT)


def origin_of(peer: Peer, surface: str) -> facts.Origin:
    return facts.Origin(surface=surface[:20], pid=peer.pid, program=peer.program[:MOST_NAMED], terminal=peer.terminal)


def came_from(fact: F, origin: facts.Origin) -> F:
    """The fact with its origin, where it has a place for one. Whatever its sender wrote there is gone."""
    if isinstance(fact, facts.AnswerSubmitted | facts.RunOverridden | facts.PhaseSubmitted | facts.PinSubmitted):
        return replace(fact, origin=origin)
    return fact

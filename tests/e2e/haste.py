"""Somebody whose next message is queued already: it goes out 0 to 20 ms after a turn's end, as the stock terminal
program sends it. What became of each message is read from Codex's own history, not from what rawr says."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

from msgspec import UNSET

from rawr.codex.client import CallRefused, CodexClient
from rawr.codex.wire import methods
from rawr.codex.wire.items import AgentMessageItem, TextInput, UserMessageItem, WireTurn, decode_item, text_of
from rawr.core.vocabulary import facts, items
from tests.codex.watch import Watch

SOONEST, LATEST = 0.0, 0.020
"""Seconds after a turn's end."""
QUIET = 2.0
"""Seconds without a turn after which somebody types of their own accord."""
RESTS = 0.4
"""Seconds in which nothing follows a handoff that was answered."""
PROMPT = 0.75
"""How many turns' ends somebody uses to send the next message."""
PATIENCE = 20.0
"""Seconds in which rawr must have compacted and handed over, once nobody types."""


@dataclass
class Fates:
    """What became of every message, by Codex's history."""

    sent: int = 0
    compactions: int = 0
    handoffs: int = 0
    refused: list[str] = field(default_factory=list)
    """Codex said no, to the client itself: a compaction was running."""
    cut: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """In no history."""
    doubled: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    answered_twice: list[str] = field(default_factory=list)

    @property
    def flaws(self) -> dict[str, list[str]]:
        """What must not be. A turn that was cut off is none, if its message was answered."""
        names = ("refused", "lost", "doubled", "unanswered", "answered_twice")
        return {name: found for name in names if (found := getattr(self, name))}

    def __str__(self) -> str:
        named = ("refused", "cut", "lost", "doubled", "unanswered", "answered_twice")
        told = ", ".join(f"{name} {len(getattr(self, name))} {getattr(self, name)[:6]}" for name in named)
        return f"{self.sent} messages, {self.compactions} compactions, {self.handoffs} handoffs: {told}"


class Hurried:
    """One thread, and one client that types into it."""

    def __init__(self, client: CodexClient, heard: Watch, thread: str, *, seed: int) -> None:
        self._client = client
        self._heard = heard
        self._thread = thread
        self._random = random.Random(seed)  # noqa: S311 - a schedule, and no secret
        self._ends = 0
        self.sent: list[str] = []
        self.refused: list[str] = []

    async def works(self, messages: int, compactions: int, *, after: float = 0.0, prompt: float = PROMPT) -> None:
        """In rounds: some messages, most of them right after a turn's end, then silence until it was compacted.

        ``after`` seconds more pass where the turn was the user's own: they come back just as rawr's idle timer fires.
        """
        for number in range(compactions):
            left = messages * (number + 1) // compactions - len(self.sent)
            before = self._compactions()
            await self._say()
            while left > 1:
                if not await self._end(QUIET) and not self._idle():
                    continue
                if self._random.random() < prompt:
                    await self._say(after if self._was_own() else 0.0)
                    left -= 1
            await self._rests(before)

    def _compactions(self) -> int:
        return sum(isinstance(one.item, items.Compaction) for one in self._heard.all(facts.ItemCompleted))

    def _was_own(self) -> bool:
        """The turn that ended last has messages of the user's alone."""
        ended = self._heard.all(facts.TurnCompleted)[-1].turn
        told = [one.item for one in self._heard.all(facts.ItemCompleted) if one.turn == ended]
        texts = [one.text for one in told if isinstance(one, items.UserMessage)]
        return bool(texts) and all(one in self.sent for one in texts)

    def _newest(self) -> str:
        """The newest message in the thread, the user's or rawr's."""
        said = (one.item for one in reversed(self._heard.all(facts.ItemCompleted)))
        return next((one.text for one in said if isinstance(one, items.UserMessage)), "")

    async def _end(self, seconds: float) -> bool:
        """Return when a turn has ended that had not ended before, or after so many seconds."""
        before = self._ends
        try:
            async with asyncio.timeout(seconds):
                await self._heard.until(lambda: len(self._heard.all(facts.TurnCompleted)) > before)
        except (TimeoutError, AssertionError):
            return False
        self._ends = len(self._heard.all(facts.TurnCompleted))
        return True

    async def _say(self, after: float = 0.0) -> None:
        text = f"message {len(self.sent):05d}, please"
        self.sent.append(text)
        await asyncio.sleep(after + self._random.uniform(SOONEST, LATEST))
        start = methods.TurnStart(thread_id=self._thread, input=[TextInput(text=text)])
        try:
            await self._client.call(methods.TURN_START, start)
        except CallRefused:
            self.refused.append(text)

    async def _rests(self, before: int) -> None:
        """Until nothing runs, and it was compacted and handed over."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        while loop.time() < until:
            quiet = not await self._end(RESTS)
            if quiet and self._compactions() > before and self._idle() and "Handoff: the context" in self._newest():
                return

    def _idle(self) -> bool:
        return len(self._heard.all(facts.TurnStarted)) <= len(self._heard.all(facts.TurnCompleted))

    async def fates(self) -> Fates:
        told = Fates(sent=len(self.sent), refused=self.refused)
        turns = await self._turns()
        own: Counter[str] = Counter()
        answered: Counter[str] = Counter()
        cut: set[str] = set()
        for turn in turns:
            waiting: list[str] = []
            for raw in turn.items:
                item = decode_item(raw)
                if isinstance(item, UserMessageItem):
                    parts = [text_of([part]) for part in item.content]
                    told.handoffs += "Handoff: the context" in parts[0]
                    own[text_of(item.content)] += 1
                    # A message that was cut off comes again as a part of the handoff's input, word for word.
                    waiting += [one for one in self.sent if one in parts]
                elif isinstance(item, AgentMessageItem):
                    answered.update(waiting)
                    waiting = []
            if turn.status == "interrupted":
                cut.update(waiting)
        told.compactions = self._compactions()
        said = [one for one in self.sent if one not in self.refused]
        told.cut = [one for one in said if one in cut]
        told.lost = [one for one in said if not own[one]]
        told.doubled = [one for one in said if own[one] > 1]
        told.unanswered = [one for one in said if own[one] and not answered[one]]
        told.answered_twice = [one for one in said if answered[one] > 1]
        return told

    async def _turns(self) -> list[WireTurn]:
        found: list[WireTurn] = []
        cursor: str | None = None
        while True:
            page = await self._client.call(
                methods.THREAD_TURNS_LIST,
                methods.TurnsList(
                    thread_id=self._thread,
                    items_view="full",
                    sort_direction="asc",
                    limit=50,
                    cursor=cursor if cursor is not None else UNSET,
                ),
            )
            found += page.data
            cursor = page.next_cursor
            if cursor is None:
                return found

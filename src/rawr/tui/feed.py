"""From rawr to the app: facts and text as they come, told in batches, so that the screen is never behind for long.

However much streams in, the app hears of it a few times a second. What is kept for it is bounded: of text its end, of
events the newest, and the journal has the rest.
"""

import asyncio
from collections.abc import Callable

from textual.message import Message

from rawr.core.kernel import Taken
from rawr.core.vocabulary.records import Decision
from rawr.ports.surface import Delta, Rawr
from rawr.tui.messages import Happened, Piece, Streamed
from rawr.tui.told import Told, told_by
from rawr.views.activity import Activities
from rawr.views.decisions import is_worth_showing
from rawr.views.following import Following

EVERY = 0.05
"""Seconds between two batches."""
MOST_EVENTS = 2_000
MOST_TEXT = 32_768
"""Characters of one item that are kept between two batches."""
MOST_ITEMS = 64


class Feed:
    def __init__(self, rawr: Rawr, post: Callable[[Message], object]) -> None:
        self.activities = Activities()
        self.decided: dict[str, Decision] = {}
        """The newest decision of each thread since the app was opened."""
        self._rawr = rawr
        self._post = post
        self._following = Following()
        self._told: list[Told] = []
        self._threads: set[str] = set()
        self._missed = False
        self._text: dict[tuple[str, str, str], list[str]] = {}
        self._lengths: dict[tuple[str, str, str], int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self.takers: list[Callable[[Taken], None]] = []
        """Who else folds what is taken, such as a timeline."""

    def open(self) -> None:
        self._rawr.follow(self._taken)
        self._rawr.follow_deltas(self._delta)

    def close(self) -> None:
        """Nobody can be told any more. rawr has no way to stop following, so this does."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _taken(self, taken: Taken) -> None:
        if self._closed:
            return
        self.activities.take(taken)
        for taker in self.takers:
            taker(taken)
        for decision in taken.decisions:
            if is_worth_showing(decision):
                self.decided[decision.thread] = decision
        self._threads.add(taken.recorded.thread)
        self._told.extend(told_by(taken, self._following))
        if len(self._told) > MOST_EVENTS:
            del self._told[: len(self._told) - MOST_EVENTS]
            self._missed = True
        self._soon()

    def _delta(self, delta: Delta) -> None:
        if self._closed:
            return
        key = delta.thread, delta.item, delta.kind
        pieces = self._text.get(key)
        if pieces is None:
            if len(self._text) >= MOST_ITEMS:
                return
            pieces = self._text[key] = []
            self._lengths[key] = 0
        pieces.append(delta.text)
        self._lengths[key] += len(delta.text)
        if self._lengths[key] > 2 * MOST_TEXT:
            kept = "".join(pieces)[-MOST_TEXT:]
            self._text[key], self._lengths[key] = [kept], len(kept)
        if self._timer is None:
            self._soon()

    def _soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(EVERY, self._flush)

    def _flush(self) -> None:
        self._timer = None
        # What happened comes first: a message that is being written may be the answer to it.
        if self._told or self._threads:
            told, self._told = tuple(self._told), []
            threads, self._threads = frozenset(self._threads), set()
            missed, self._missed = self._missed, False
            self._post(Happened(told, threads=threads, missed=missed))
        if self._text:
            pieces = tuple(Piece(*key, "".join(text)[-MOST_TEXT:]) for key, text in self._text.items())
            self._text, self._lengths = {}, {}
            self._post(Streamed(pieces))

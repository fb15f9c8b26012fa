"""Which part of the record may go: what is old, and what nothing will ever need again.

A thread goes as a whole, once nothing has happened on it for as long as the record is kept, and if

- its run, if it has one, is done: a run that was paused, stopped or cut off, or that failed, can be resumed;
- no message waits to be sent, or to be found in Codex's history, and no effect is without an outcome;
- nothing is pinned to it (a pinned directive is repeated, and its secrets are kept, for as long as the thread lives);
- rawr is not in touch with it: it will not join it at the next start;
- its record is intact: `rawr mend` needs what is there.

rawr's own facts (its starts, connections and policies) go session by session, up to the oldest thread that stays: a
thread is folded under the rules of its day. The last session always stays. What is left replays and recovers as before.
"""

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Literal

from msgspec import Struct

from rawr.core.kernel import worth_keeping
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.errors import RawrError
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect, ThreadSpan
from rawr.journal.store import Journal
from rawr.ports.clock import Clock
from rawr.ports.memory import Batch, Pruning
from rawr.runtime.recovery import Recollection

MOMENT = 2.0
"""Seconds that rawr spends on it when it stops."""
PAGES = 500
"""Pages that are given back to the file system at a time."""
ALL = -1
"""For SQLite: without a limit."""
DAY_MS = 24 * 60 * 60 * 1000
Needed = Literal["run", "messages", "pins", "in touch", "effects", "damage", "newest"]
"""Why a thread stays although it is old."""
GIVEN_UP: frozenset[Needed] = frozenset({"run", "messages", "pins", "in touch"})
"""What a person can give up."""


class Retention(Struct, frozen=True):
    """What may go, and what is old and stays."""

    prunings: tuple[Pruning, ...]
    facts: int
    """How many facts go."""
    kept: dict[str, Needed]
    unseen: bool = False
    """There was no time to look at all old threads."""

    @property
    def threads(self) -> tuple[str, ...]:
        return tuple(one.thread for one in self.prunings if one.thread)


def needed_for(state: ThreadState, *, touched: bool) -> Needed | None:
    """What a thread may still be needed for, going by its state and by whether the next start concerns it; None if for
    nothing."""
    if state.run is not None and state.run.status != "done":
        return "run"
    if state.queue or state.sent:
        return "messages"
    if any(one.pinned for one in state.ledger.directives):
        return "pins"
    # A closed thread without a run is not restored, whatever it was when it was closed.
    return "in touch" if touched and state.in_touch and worth_keeping(state) else None


def not_pressed() -> bool:
    return True


def plan(
    reader: JournalReader,
    recollection: Recollection,
    *,
    keep_days: int,
    now: int,
    go_on: Callable[[], bool] = not_pressed,
) -> Retention:
    """Look at every thread that is old enough, the oldest first, as long as there is time."""
    before = now - keep_days * DAY_MS
    busy = {one.thread for one in reader.unfinished_effects() if isinstance(one, StoredEffect)}
    touched = set(reader.touched(ALL))
    last = reader.last_seq()
    going: list[ThreadSpan] = []
    kept: dict[str, Needed] = {}
    unseen = False
    for span in reader.oldest_threads(before):
        if not go_on():
            unseen = True
            break
        needed = _needed(span, recollection, busy=busy, touched=touched, last=last)
        if needed is None:
            going.append(span)
        else:
            kept[span.thread] = needed
    prunings = [Pruning(one.thread, one.last_seq, now) for one in going]
    gone = sum(one.facts for one in going)
    start = _first_session(reader, without={one.thread for one in going}, before=before)
    if start is not None and (own := reader.facts_before("", start)):
        prunings.append(Pruning("", start, now))
        gone += own
    return Retention(tuple(prunings), gone, kept, unseen)


def let_go(reader: JournalReader, recollection: Recollection, names: Collection[str], *, now: int) -> Retention:
    """What a person gives up, however new it is and whatever they could still do with it: it cannot be resumed
    afterwards. What is under way stays, and a damaged record."""
    busy = {one.thread for one in reader.unfinished_effects() if isinstance(one, StoredEffect)}
    last = reader.last_seq()
    spans = [one for one in reader.threads() if one.thread in names]
    needs = {one.thread: _needed(one, recollection, busy=busy, touched=set(), last=last) for one in spans}
    kept = {thread: needed for thread, needed in needs.items() if needed is not None and needed not in GIVEN_UP}
    going = [one for one in spans if one.thread not in kept]
    prunings = tuple(Pruning(one.thread, one.last_seq, now) for one in going)
    return Retention(prunings, sum(one.facts for one in going), kept)


def carry_out(journal: Journal, retention: Retention, *, go_on: Callable[[], bool] = not_pressed) -> int:
    """Take out what may go, each thread in a transaction of its own; return how many went."""
    done = 0
    for one in retention.prunings:
        if not go_on():
            break
        journal.append(Batch(prunings=[one], durable=True)).result()
        done += 1
    return done


def tidied(
    journal: Journal, reader: JournalReader, recollection: Recollection, *, keep_days: int, clock: Clock
) -> None:
    """What rawr does by itself when it stops: once a day, and for no longer than a moment. If it fails, the record is
    as good as before."""
    with suppress(RawrError):
        if clock.now_ms() - reader.last_pruned() >= DAY_MS:
            _tidy(journal, reader, recollection, keep_days=keep_days, now=clock.now_ms())


def _tidy(journal: Journal, reader: JournalReader, recollection: Recollection, *, keep_days: int, now: int) -> None:
    go_on = in_time(MOMENT)
    retention = plan(reader, recollection, keep_days=keep_days, now=now, go_on=go_on)
    done = carry_out(journal, retention, go_on=go_on)
    while done and go_on() and reader.free_pages():
        journal.append(Batch(shrink=PAGES)).result()
    if not retention.unseen and done == len(retention.prunings):
        # Nothing comes before the first fact: it only says that somebody looked.
        journal.append(Batch(prunings=[Pruning("", 1, now)])).result()


def in_time(seconds: float) -> Callable[[], bool]:
    """For so many seconds from now."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


def _needed(
    span: ThreadSpan, recollection: Recollection, *, busy: set[str], touched: set[str], last: int
) -> Needed | None:
    if span.last_seq == last:
        return "newest"
    if span.thread in busy:
        return "effects"
    state, why = recollection.last_sound(span.thread)
    if why is not None or state is None:
        return "damage"
    return needed_for(state, touched=span.thread in touched)


def _first_session(reader: JournalReader, *, without: set[str], before: int) -> int | None:
    """The fact that began the session from which on rawr's own facts are still needed."""
    oldest = min((one.first_seq for one in reader.threads() if one.thread and one.thread not in without), default=None)
    for seq in _starts(reader, until=oldest if oldest is not None else reader.last_seq()):
        first = reader.fact(seq)
        # A connection must follow: its number says how the next one is to be numbered.
        if isinstance(first, facts.Recorded) and first.at < before and reader.has("", "ServerConnected", after=seq):
            return seq
    return None


def _starts(reader: JournalReader, *, until: int) -> Iterator[int]:
    """The facts with which a session began, newest first: a policy, and right after it that rawr has started."""
    seq = until
    while seq:
        seq, _ = reader.around("PolicyAdopted", seq)
        following = reader.fact(seq + 1) if seq else None
        if isinstance(following, facts.Recorded) and isinstance(following.fact, facts.RuntimeStarted):
            yield seq

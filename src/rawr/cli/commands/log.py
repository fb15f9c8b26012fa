"""``rawr log``: what was decided, when and why, and what is decided next, as it happens (C17)."""

import asyncio
import contextlib
import select
import sys
import time
from collections.abc import Iterable

from msgspec import Struct

from rawr.cli.commands import recorded
from rawr.cli.commands.receipts import journal
from rawr.cli.commands.since import moment
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.ending import run_in_order
from rawr.cli.terminal.numbers import clock_time
from rawr.cli.terminal.output import NobodyReads, emit, say, warn
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader
from rawr.views.asked import short
from rawr.views.decisions import DecisionView, decided, decision_views, is_worth_showing, labels, latest
from rawr.views.runs import run_name

SHOWN = 200
SHOWN_FIRST = 10
"""With --follow."""
INTERVAL = 0.25
"""Seconds between two looks at the journal, which another process writes."""


class Wanted(Struct, frozen=True):
    name: str
    limit: int | None
    since: str
    all_threads: bool
    everything: bool
    json: bool

    def most(self, default: int) -> int | None:
        return self.limit if self.limit is not None else None if self.since or self.json else default


def show(wanted: Wanted) -> Exit:
    since = _since(wanted)
    with journal() as reader:
        thread = _thread(reader, wanted)
        rows, older = latest(reader, thread, most=wanted.most(SHOWN), since=since, everything=wanted.everything)
        _print(decision_views(rows, labels(reader)), json=wanted.json)
        tell_of_damage(reader)
    if wanted.json:
        return Exit.OK
    if older and wanted.limit is None:
        say("(older ones are not shown; -n shows more, --json all)")
    if not rows and wanted.limit != 0:
        say("No decisions since then." if since else "No decisions yet.")
    return Exit.OK


def follow(wanted: Wanted) -> Exit:
    since = _since(wanted)
    most = wanted.limit if wanted.limit is not None else None if since else SHOWN_FIRST
    with journal() as reader:
        thread = _thread(reader, wanted)
        seen = reader.last_seq()
        rows, _ = latest(reader, thread, most=most, since=since, everything=wanted.everything)
        seen = max([seen, *(one.seq for one in rows)])
        _print(decision_views(rows, labels(reader)), json=wanted.json)
        run_in_order(_follow(reader, thread, wanted, seen=seen))
    return Exit.OK


async def _follow(reader: JournalReader, thread: str | None, wanted: Wanted, *, seen: int) -> None:
    while True:
        await asyncio.sleep(INTERVAL)
        newest = reader.last_seq()
        if newest > seen:
            rows = decided(reader, thread, after=seen)
            _print(decision_views(_worthy(rows, wanted), {}), json=wanted.json)
            # A decision is written together with its fact.
            seen = newest if not rows else max(newest, rows[-1].seq)
        elif _nobody_reads():
            raise NobodyReads("Nothing is reading the output any more.")


def _worthy(rows: Iterable[Decision], wanted: Wanted) -> list[Decision]:
    return [one for one in rows if wanted.everything or is_worth_showing(one)]


def _nobody_reads() -> bool:
    """Return True if the other end of the pipe is closed: without news, no write would tell."""
    with contextlib.suppress(OSError, ValueError):
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))
    return False


def _print(views: Iterable[DecisionView], *, json: bool) -> None:
    for view in views:
        if json:
            emit(view)
        else:
            word = f"  [{view.label}]" if view.label else ""
            when = clock_time(view.at, "%m-%d %H:%M:%S")
            say(f"{when}  {short(view.id):<16} {view.reason:<28} {view.meaning}{word}")


def _since(wanted: Wanted) -> int:
    return moment(wanted.since, now=time.time()) if wanted.since else 0


def _thread(reader: JournalReader, wanted: Wanted) -> str | None:
    """None: all of them. Without a name it is the newest one, and the person is told which."""
    if wanted.all_threads:
        return None
    if wanted.name:
        return recorded.the_one(reader, Places.find().loaded.policy, wanted.name).span.thread
    newest = recorded.home().newest()
    if newest is None:
        return None
    state = newest.state
    run = state.run if state is not None else None
    where = f" in {state.cwd}" if state is not None and state.cwd else ""
    warn(f"run {run_name(run)}" if run is not None else f"thread {newest.span.thread}{where}")
    return newest.span.thread

"""``rawr status``: the threads in the journal, in their latest state, and one of them in detail."""

import shutil
import sys
import time

from rawr.cli.commands import control, recorded
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.cli.terminal.thread_words import brief, detail
from rawr.core.state.thread import ThreadState
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.sockets import is_live
from rawr.views import decisions
from rawr.views.recorded import NEWEST, RecordedThread, recall
from rawr.views.threads import ThreadsSummary, ThreadView, thread_view

SHOWN = 20
LINES_BELOW = 4
"""Of a terminal: the summary, and the next prompt."""


def run(name: str, *, limit: int | None, active: bool, everything: bool, json: bool) -> Exit:
    places = Places.find()
    there = is_recorded(places.home)
    for warning in places.loaded.warnings:
        warn(str(warning))
    if not there:
        if name:
            raise recorded.unknown(name, what="thread or run")
        if json:
            emit(ThreadsSummary(0, 0, 0, database(places.home)))
        else:
            say(f"Nothing is recorded yet in {places.home}. Start with `rawr run` or `rawr watch`.")
        return Exit.OK
    if name:
        _one(places, name, json=json)
    else:
        _list(places, limit=limit, active=active, everything=everything, json=json)
    return Exit.OK


def _one(places: Places, name: str, *, json: bool) -> None:
    with JournalReader.open(database(places.home)) as reader:
        view = _view(reader, recorded.the_one(reader, places.loaded.policy, name), places, live=is_live(places.home))
        tell_of_damage(reader)
    if json:
        emit(view)
    else:
        for line in detail(view):
            say(line)


def _list(places: Places, *, limit: int | None, active: bool, everything: bool, json: bool) -> None:
    most, live = limit or SHOWN, is_live(places.home)
    shown: list[ThreadView] = []
    hidden = 0
    with JournalReader.open(database(places.home)) as reader:
        for one in recall(reader, places.loaded.policy, most=max(NEWEST, 4 * most)):
            if one.hidden and not everything:
                hidden += 1
                continue
            view = _view(reader, one, places, live=live)
            if view.active or not active:
                shown.append(view)
            if len(shown) == most:
                break
        damaged = tell_of_damage(reader)
        in_all, facts = reader.totals()
    summary = ThreadsSummary(in_all, len(shown), facts, database(places.home), damaged, hidden)
    if json:
        for view in shown:
            emit(view)
        emit(summary)
    else:
        _show(shown, summary, active=active, fit=limit is None and sys.stdout.isatty())


def _view(reader: JournalReader, one: RecordedThread, places: Places, *, live: bool) -> ThreadView:
    state = one.state or ThreadState(one.span.thread, closed=one.why is None)
    return thread_view(
        state,
        places.loaded.policy,
        last_seen=one.span.last_at,
        now=int(time.time() * 1000),
        live=live,
        decision=decisions.newest(reader, one.span),
        why=one.why,
        real=control.waiting(state) if live else (),
    )


def _show(views: list[ThreadView], summary: ThreadsSummary, *, active: bool, fit: bool) -> None:
    """Newest first. ``fit``: no more than the screen holds, so that the newest one stays in sight."""
    blocks = [list(detail(views[0]))] if len(views) == 1 else [list(brief(view)) for view in views]
    if fit:
        blocks = blocks[: _how_many_fit(blocks)]
    for line in (line for block in blocks for line in block):
        say(line)
    if blocks:
        say()
    say(_summed_up(summary, len(blocks), active=active))


def _how_many_fit(blocks: list[list[str]]) -> int:
    """At least one. A line that is too long for the screen takes more than one."""
    columns, lines = shutil.get_terminal_size()
    left = lines - LINES_BELOW
    for number, block in enumerate(blocks):
        left -= sum(1 + max(len(line) - 1, 0) // max(columns, 1) for line in block)
        if left < 0:
            return max(number, 1)
    return len(blocks)


def _summed_up(summary: ThreadsSummary, shown: int, *, active: bool) -> str:
    where = f"{counted(summary.facts, 'fact')} in {summary.journal}"
    if not shown:
        what = "Nothing is running or waiting for you" if active else "No thread to show"
        return f"{what}: {counted(summary.threads, 'thread')}, {where}"
    rest = summary.threads - shown - summary.hidden
    parts = [counted(shown, "thread")]
    if active:
        parts = [f"{shown} active of {counted(summary.threads, 'thread')}"]
        if summary.shown > shown:
            parts.append(f"{summary.shown - shown} more active not shown (-n shows them)")
    elif rest > 0:
        parts.append(f"{rest} older not shown (-n shows more)")
    if summary.hidden and not active:
        parts.append(f"helpers and sub-agents hidden: {summary.hidden} (--all shows them)")
    return ", ".join([*parts, where])

"""``rawr journal size``: how large the record is, and what a month of it takes."""

import time

from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, emit, say
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.vacuum import size_of
from rawr.runtime.retention import DAY_MS

MONTH = 30


def run(*, json: bool) -> Exit:
    places = Places.find()
    home = places.home
    if not is_recorded(home):
        if json:
            emit({"type": "journal", "path": database(home), "bytes": 0, "threads": 0, "facts": 0})
        else:
            say(f"Nothing is recorded yet in {home}.")
        return Exit.OK
    with JournalReader.open(database(home)) as reader:
        threads, facts = reader.totals()
        oldest, newest = reader.first_at(), reader.last_at()
        pruned = reader.last_pruned()
    total = size_of(home)
    over = newest - oldest
    month = total * MONTH * DAY_MS // over if over >= DAY_MS else None
    keep = places.settings.keep_days
    if json:
        emit(
            {
                "type": "journal",
                "path": database(home),
                "bytes": total,
                "threads": threads,
                "facts": facts,
                "oldest": oldest,
                "bytes_per_month": month,
                "keep_days": keep,
                "last_pruned": pruned or None,
            }
        )
        return Exit.OK
    say(f"{database(home)}: {in_bytes(total)}")
    say(f"{counted(threads, 'thread')}, {counted(facts, 'fact')}, since {_day(oldest)}")
    pace = f"A month takes {in_bytes(month)} at this pace." if month is not None else "It is too new to tell its pace."
    say(pace)
    kept = f"{counted(keep, 'day')} (journal.keep_days)" if keep else "everything (journal.keep_days = 0)"
    say(f"rawr keeps {kept}{f'; last pruned {_day(pruned)}' if pruned else ''}.")
    return Exit.OK


def in_bytes(size: int) -> str:
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}" if size < 1000 * scale else f"{size // scale} {unit}"
    return f"{size} bytes"


def _day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at / 1000))

"""``rawr journal prune``: take out of the record what nothing needs, and give the space back."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rawr import __version__
from rawr.cli.commands.journal_size import in_bytes
from rawr.cli.commands.recorded import the_one
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, emit, say
from rawr.config.settings import KEPT_DAYS
from rawr.core.policy.policy import Policy
from rawr.errors import OutsideError
from rawr.journal.errors import JournalBusy
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from rawr.journal.vacuum import compact, has_room, size_of
from rawr.runtime import retention
from rawr.runtime.recovery import Recollection
from rawr.runtime.retention import Needed, Retention, carry_out, plan

WHY: dict[Needed, str] = {
    "run": "a run can be resumed",
    "messages": "messages wait",
    "pins": "something is pinned",
    "in touch": "rawr will join it again",
    "effects": "something is under way",
    "damage": "the record is damaged",
    "newest": "it has the newest fact",
}
BECAUSE: dict[Needed, str] = {
    **WHY,
    "effects": "something is under way there; the next `rawr run` or `rawr watch` settles it",
    "damage": "its record is damaged; `rawr mend` needs it",
}

SHOWN = 10


def run(*, keep: int | None, let_go: Sequence[str], dry_run: bool, json: bool) -> Exit:
    """``let_go``: the runs and threads that the person gives up; then only they go."""
    places = Places.find()
    days = 0 if let_go else keep or places.settings.keep_days or KEPT_DAYS
    if not is_recorded(places.home):
        raise OutsideError(f"Nothing is recorded yet in {places.home}.")
    before = size_of(places.home)
    try:
        found = _plan(places, days, let_go) if dry_run else _prune(places, days, let_go)
    except JournalBusy as error:
        hint = "Stop it first; rawr also prunes by itself when it stops. `--dry-run` works beside it."
        raise OutsideError(error.message, way_out=hint) from error
    shrunk = dry_run or _shrink(places.home)
    freed = _share(places.home, found) if dry_run else max(before - size_of(places.home), 0)
    if json:
        _emit(found, days=days, freed=freed, dry_run=dry_run)
    else:
        _show(found, days=days, freed=freed, dry_run=dry_run)
        if not shrunk:
            say("The disk has no room to write the file anew: it keeps its size, and rawr fills the space again.")
    return Exit.OK


def _plan(places: Places, days: int, let_go: Sequence[str]) -> Retention:
    with JournalReader.open(database(places.home)) as reader:
        return _look(reader, places, days, let_go)


def _prune(places: Places, days: int, let_go: Sequence[str]) -> Retention:
    with Journal.open(places.home) as journal, JournalReader.open(journal.path) as reader:
        found = _look(reader, places, days, let_go)
        carry_out(journal, found)
    return found


def _look(reader: JournalReader, places: Places, days: int, let_go: Sequence[str]) -> Retention:
    policy, now = places.loaded.policy, int(time.time() * 1000)
    recollection = Recollection(reader, policy=policy, version=__version__)
    if not let_go:
        return plan(reader, recollection, keep_days=days, now=now)
    given_up = {_thread(reader, policy, name): name for name in let_go}
    found = retention.let_go(reader, recollection, given_up.keys(), now=now)
    for thread, why in found.kept.items():
        raise OutsideError(f"Nothing was removed: {given_up[thread]} stays, because {BECAUSE[why]}.")
    return found


def _thread(reader: JournalReader, policy: Policy, name: str) -> str:
    """The thread that a person gives up: as a whole, so an earlier run is not enough of a name for it."""
    found = the_one(reader, policy, name)
    if found.until is not None:
        way_out = f"Name the thread to remove all of it: {found.span.thread}."
        raise OutsideError(f"Run {name} shares its thread with a later run.", way_out=way_out)
    return found.span.thread


def _shrink(home: Path) -> bool:
    if not has_room(home):
        return False
    compact(home)
    return True


def _share(home: Path, found: Retention) -> int:
    """About how much goes: bytes by the share of the facts."""
    with JournalReader.open(database(home)) as reader:
        _, facts = reader.totals()
    return size_of(home) * found.facts // facts if facts else 0


def _emit(found: Retention, *, days: int, freed: int, dry_run: bool) -> None:
    for thread in found.threads:
        emit({"type": "pruned", "thread": thread})
    for thread, why in found.kept.items():
        emit({"type": "kept", "thread": thread, "why": why})
    emit(
        {
            "type": "summary",
            "threads": len(found.threads),
            "facts": found.facts,
            "kept": len(found.kept),
            "keep_days": days,
            "bytes": freed,
            "dry_run": dry_run,
        }
    )


def _show(found: Retention, *, days: int, freed: int, dry_run: bool) -> None:
    old = f"older than {counted(days, 'day')}" if days else "as you asked,"
    if not found.prunings:
        say(f"Nothing to remove: no thread is {old} and unneeded.")
    else:
        would, about = ("Would remove", "about ") if dry_run else ("Removed", "")
        what = f"{counted(len(found.threads), 'thread')} {old} and {counted(found.facts, 'fact')}"
        say(f"{would} {what}: {about}{in_bytes(freed)}.")
        for thread in found.threads[:SHOWN]:
            say(f"    {thread}")
        if len(found.threads) > SHOWN:
            say(f"    and {len(found.threads) - SHOWN} more (--json lists all)")
    for why, count in Counter(found.kept.values()).most_common():
        say(f"Kept {counted(count, 'old thread')}: {WHY[why]}.")

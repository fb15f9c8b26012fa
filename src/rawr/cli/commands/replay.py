"""``rawr replay``: the facts of a journal folded again, and every decision compared with the recorded one (C17)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from rawr.cli.commands import recorded
from rawr.cli.commands.policy_file import Rules
from rawr.cli.commands.receipts import journal
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal import replay_words as words
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import emit, say
from rawr.cli.terminal.pace import JournalPace
from rawr.config.load import load_policy
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.facts import Recorded
from rawr.errors import OutsideError
from rawr.journal.errors import JournalCorrupt, JournalMissing, NotAJournal
from rawr.journal.home import companions, is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.rows import Unreadable
from rawr.runtime.replaying import Replaying
from rawr.views.replayed import Account, StateView, state_view


class Wanted(Struct, frozen=True):
    name: str
    verify: bool
    policy: Path | None
    at: int | None
    json: bool


class Scope(Struct, frozen=True):
    """What is told again."""

    reader: JournalReader
    thread: str | None = None
    """None: all of them."""
    until: int | None = None
    copy: bool = False
    """It was given by its path, and may be anybody's."""


def run(wanted: Wanted) -> Exit:
    with _scope(wanted.name) as scope, _undisturbed(scope):
        if wanted.at is not None:
            return _show(scope, wanted, wanted.at)
        return _compare(scope, wanted)


def _compare(scope: Scope, wanted: Wanted) -> Exit:
    pace = JournalPace(shown=not wanted.json, doing="replaying the journal", after="replaying the journal")
    replaying = _replaying(scope, wanted, pace=pace)
    account = Account(instead=str(wanted.policy) if wanted.policy is not None else "")
    otherwise = 0
    try:
        for difference in replaying.differences():
            view = account.take(difference)
            if view is None:
                continue
            otherwise += len(words.decided_otherwise(view))
            if wanted.json:
                emit(view)
            elif wanted.policy is not None:
                pace.close()
                for line in words.change(view):
                    say(line)
    finally:
        pace.close()
    total = account.total(replaying, journal=str(scope.reader.path), thread=scope.thread)
    if wanted.json:
        emit(total)
    else:
        if account.first is not None and wanted.policy is None:
            for line in words.in_detail(account.first):
                say(line)
        for line in words.totals(total, otherwise=otherwise):
            say(line)
    tell_of_damage(scope.reader)
    asked = wanted.policy is not None and not wanted.verify
    return Exit.OK if total.same or asked else Exit.PROBLEM


def _show(scope: Scope, wanted: Wanted, seq: int) -> Exit:
    """The state at a fact: of the thread that was named, or of the one that the fact is about."""
    found = _newest_until(scope, seq)
    replaying = _replaying(Scope(scope.reader, found.thread, found.seq, scope.copy), wanted)
    for _ in replaying.differences():
        pass
    view: StateView = state_view(replaying, found)
    if wanted.json:
        emit(view)
    else:
        for line in words.state(view):
            say(line)
    tell_of_damage(scope.reader)
    return Exit.OK if view.sound else Exit.PROBLEM


def _newest_until(scope: Scope, seq: int) -> Recorded:
    """The fact with this number; of a thread, the newest one up to it."""
    reader, last = scope.reader, scope.reader.last_seq()
    row: Recorded | Unreadable | None = None
    if seq <= last and scope.thread is None:
        row = reader.fact(seq)
    elif seq <= last and scope.thread is not None:
        row = reader.newest_fact(scope.thread, until=seq if scope.until is None else min(seq, scope.until))
    if isinstance(row, Recorded):
        return row
    if row is not None:
        tell_of_damage(reader)
        raise OutsideError(f"Fact {row.seq} cannot be read.", way_out=f"Try --at {max(row.seq - 1, 1)}.")
    whose = f" of thread {scope.thread}" if scope.thread else ""
    raise OutsideError(
        f"There is no fact {seq}{whose} on record; the last one is {last}.",
        way_out="`rawr log --json` has the number of each decision's fact as “fact”.",
    )


def _replaying(scope: Scope, wanted: Wanted, *, pace: JournalPace | None = None) -> Replaying:
    home = Places.find().home
    rules = Rules(wanted.policy, home) if wanted.policy is not None else None
    return Replaying(
        scope.reader,
        policy=otherwise_in_force(scope.reader),
        thread=scope.thread,
        until=scope.until,
        instead=rules.over if rules is not None else None,
        everything=wanted.verify,
        pace=pace,
    )


def otherwise_in_force(reader: JournalReader) -> Policy:
    """The rules of a journal from before rules were recorded: those of its home."""
    return load_policy(reader.path.parent).policy


# -- which journal, and how much of it --------------------------------------------------------------------------------


@contextmanager
def _scope(name: str) -> Iterator[Scope]:
    if _is_path(name):
        with _open(_path(name)) as reader:
            yield Scope(reader, copy=True)
        return
    with journal() as reader:
        if not name:
            yield Scope(reader)
        else:
            found = recorded.the_one(reader, Places.find().loaded.policy, name)
            yield Scope(reader, found.span.thread, found.until)


def _open(path: Path) -> JournalReader:
    try:
        return JournalReader.open(path, traceless=True)
    except (NotAJournal, JournalMissing) as error:
        # It was named here, and not by RAWR_HOME.
        error.way_out = "Give the path of a journal (journal.db), or of a RAWR_HOME with one."
        raise


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError as error:
        raise OutsideError(f"{name} leads nowhere: there is no such user.") from error


def _is_path(name: str) -> bool:
    """A path has a slash or ends in .db; another word is one only if nothing is recorded by that name."""
    if os.sep in name or name.endswith(".db") or name in {".", "..", "~"}:
        return True
    if not name or not Path(name).exists():
        return False
    home = recorded.home()
    return not is_recorded(home.home) or not home.called(name)


@contextmanager
def _undisturbed(scope: Scope) -> Iterator[None]:
    """Raise if the journal was changed meanwhile: one that nobody had open is read without locks."""
    alone = scope.copy and not _log(scope).exists()
    pruned = scope.reader.last_pruned()
    try:
        yield
    except JournalCorrupt:
        if alone and _log(scope).exists():
            raise _disturbed(scope) from None
        raise
    if (alone and _log(scope).exists()) or scope.reader.last_pruned() != pruned:
        raise _disturbed(scope)


def _log(scope: Scope) -> Path:
    return companions(scope.reader.path)[0]


def _disturbed(scope: Scope) -> OutsideError:
    return OutsideError(
        f"The journal {scope.reader.path} was changed by a running rawr while it was read.", way_out="Run it again."
    )

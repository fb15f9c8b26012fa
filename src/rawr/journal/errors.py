"""Errors of the journal, and the translation of SQLite's and the system's errors into them.

::

    JournalError            rawr.errors: the file that holds rawr's memory
    ├── JournalCorrupt      the file is damaged
    ├── NotAJournal         the file is sound, but belongs to another program
    ├── JournalMissing      there is no file to read
    ├── JournalTooNew       a newer rawr wrote it
    ├── JournalBusy         another process holds it
    ├── JournalLost         it was deleted, replaced or changed while rawr had it open
    ├── JournalUnwritable   the place cannot be written to: read-only, no folder, no space
    ├── HomeOpen            other users have access to it
    ├── JournalConflict     new rows contradict what is there
    └── JournalClosed       it is already closed

Nothing here opens or changes a file.
"""

import errno
import shlex
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from rawr.errors import Bug, JournalError, RawrError


class JournalCorrupt(JournalError):
    def __init__(self, path: Path, problem: str) -> None:
        self.problem = problem
        super().__init__(
            f"The journal {path} is damaged: {problem}.",
            way_out=(
                "It was left as it is. Move it aside to start afresh, or look for a copy named "
                f"{path.name}.v*.bak beside it; 'sqlite3 {path.name} .recover' saves what can be read."
            ),
        )


class NotAJournal(JournalError):
    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"{path} is not a rawr journal: {problem}.",
            way_out="It was left as it is. Set RAWR_HOME to a folder for rawr alone.",
        )


class JournalMissing(JournalError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no journal at {path}.",
            way_out="rawr creates it on its first run; if you keep it elsewhere, set RAWR_HOME to that folder.",
        )


class JournalTooNew(JournalError):
    def __init__(self, path: Path, *, found: int, known: int) -> None:
        super().__init__(
            f"The journal {path} has schema version {found}; this rawr supports versions up to {known}.",
            way_out="Update rawr, or set RAWR_HOME to another folder.",
        )
        self.found = found
        self.known = known


class JournalBusy(JournalError):
    def __init__(self, path: Path, *, pid: int | None = None) -> None:
        holder = "another program" if pid is None else f"process {pid}"
        super().__init__(
            f"The journal {path} is in use by {holder}.",
            way_out="Stop it first (`rawr host stop`, if it is a host), or set RAWR_HOME to another folder.",
        )
        self.pid = pid


class JournalLost(JournalError):
    """The journal is not what it was a moment ago. ``what`` completes a sentence that begins with the file."""

    def __init__(self, path: Path, what: str, *, part: str = "", way_out: str = "") -> None:
        whose = f" (its part {part})" if part else ""
        super().__init__(
            f"The journal {path}{whose} {what} while rawr was using it, and rawr has stopped.",
            way_out=way_out
            or (
                "What happened since its last write is not recorded; Codex keeps its own history. Put the journal "
                "back, or move what is left of it aside to start a new one, and start rawr again."
            ),
        )


class LostElsewhere(JournalLost):
    """The same, as the process that had it open told it."""

    def __init__(self, message: str, *, way_out: str = "") -> None:
        JournalError.__init__(self, message, way_out=way_out)


def changed_by_another(path: Path, problem: str) -> JournalLost:
    return JournalLost(path, f"was changed by another program ({problem.rstrip('.')})")


class JournalUnwritable(JournalError):
    def __init__(self, path: Path, problem: str, *, way_out: str = "") -> None:
        super().__init__(
            f"The journal cannot be written at {path}: {problem}.",
            way_out=way_out or "Set RAWR_HOME to a folder you can write to.",
        )


class HomeOpen(JournalError):
    """``places`` are the folder and those of its files to which the group or the world has rights."""

    def __init__(self, places: Sequence[Path]) -> None:
        shut = shlex.join(("chmod", "go=", *map(str, places)))
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        super().__init__(
            f"Other users can access {places[0]}{more}, where rawr keeps what you and Codex say.",
            way_out=f"Remove their access: {shut}",
        )
        self.places = tuple(places)


class NotYourWord(JournalError):
    """A file of the home that says what rawr does is another user's."""

    def __init__(self, path: Path, owner: str, *, way_out: str) -> None:
        super().__init__(f"{path} belongs to {owner}, and rawr does what it says.", way_out=way_out)


class JournalConflict(JournalError):
    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"The journal {path} and its writer disagree: {problem}.",
            way_out="None of this was written. Make sure no other program writes to it, and start rawr again.",
        )


class JournalClosed(JournalError):
    def __init__(self, path: Path) -> None:
        super().__init__(f"The journal {path} is closed.", way_out="Open it again before you write.")


_NO_SPACE = "Free some space, or set RAWR_HOME to a folder on another disk."


def explain(error: Exception, path: Path) -> RawrError:
    """The error in rawr's words. An error that is not the journal's is a bug of ours and is reported as one."""
    match error:
        case RawrError():
            return error
        case sqlite3.ProgrammingError() | sqlite3.InterfaceError():
            return Bug(f"The journal {path} was given a row that SQLite cannot store: {error}.")
        case sqlite3.Error():
            return _explain_sqlite(error, path)
        case OSError():
            return _explain_os(error, path)
        case _:
            return Bug(f"Writing to the journal {path} failed unexpectedly: {error!r}.")


def _explain_sqlite(error: sqlite3.Error, path: Path) -> JournalError:
    # Errors raised by Python's own layer have no code.
    code: int = getattr(error, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return JournalCorrupt(path, str(error))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return JournalBusy(path)
        case sqlite3.SQLITE_FULL:
            return JournalUnwritable(path, "there is no space left for it", way_out=_NO_SPACE)
        case sqlite3.SQLITE_CONSTRAINT:
            return JournalConflict(path, str(error))
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return JournalUnwritable(path, str(error))
        case _:
            return JournalError(f"The journal {path} could not be used: {error}.", way_out="Run 'rawr doctor'.")


def _explain_os(error: OSError, path: Path) -> JournalUnwritable:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return JournalUnwritable(path, "there is no space left for it", way_out=_NO_SPACE)
    return JournalUnwritable(path, (error.strerror or str(error)).lower())

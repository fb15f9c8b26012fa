"""Errors, as they cross the socket: the client raises what the host raised."""

from rawr import errors
from rawr.host import messages as m
from rawr.journal.errors import JournalLost, LostElsewhere


def leaving(error: Exception) -> m.Leaving:
    """The last word of a host that failed."""
    if isinstance(error, OSError):
        what = f"{error.filename}: " if error.filename else ""
        return m.Leaving(f"The host failed: {what}{error.strerror or error}.", kind="journal")
    if isinstance(error, errors.RawrError):
        return m.Leaving(error.message, kind=kind_of(error), way_out=error.way_out)
    return m.Leaving(f"The host failed: {type(error).__name__}: {error}.", kind="bug")


def kind_of(error: errors.RawrError) -> m.ErrorKind:
    match error:
        case errors.CodexError():
            return "codex"
        case JournalLost():
            return "lost"
        case errors.JournalError():
            return "journal"
        case errors.ConfigError():
            return "config"
        case errors.NotAPerson():
            return "person"
        case errors.OutsideError():
            return "outside"
        case _:
            return "bug"


def gone(said: m.Leaving) -> errors.RawrError | None:
    """The error that ended the host, if it was one."""
    return raised(m.Failed(0, said.kind, said.why, said.way_out)) if said.kind else None


def raised(failed: m.Failed) -> errors.RawrError:
    """The same error, at the client's end."""
    kinds: dict[m.ErrorKind, type[errors.RawrError]] = {
        "codex": errors.CodexError,
        "journal": errors.JournalError,
        "lost": LostElsewhere,
        "config": errors.ConfigError,
        "person": errors.NotAPerson,
        "outside": errors.OutsideError,
        "bug": errors.Bug,
    }
    return kinds[failed.kind](failed.problem, way_out=failed.way_out)

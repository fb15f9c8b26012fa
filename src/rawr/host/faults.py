"""Errors, as they cross the socket: the client raises what the host raised."""

from rawr import errors
from rawr.host import messages as m


def kind_of(error: errors.RawrError) -> m.ErrorKind:
    match error:
        case errors.CodexError():
            return "codex"
        case errors.JournalError():
            return "journal"
        case errors.ConfigError():
            return "config"
        case errors.OutsideError():
            return "outside"
        case _:
            return "bug"


def raised(failed: m.Failed) -> errors.RawrError:
    """The same error, at the client's end."""
    kinds: dict[m.ErrorKind, type[errors.RawrError]] = {
        "codex": errors.CodexError,
        "journal": errors.JournalError,
        "config": errors.ConfigError,
        "outside": errors.OutsideError,
        "bug": errors.Bug,
    }
    return kinds[failed.kind](failed.problem, way_out=failed.way_out)

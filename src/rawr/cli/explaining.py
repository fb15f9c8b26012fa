"""How errors are reported: one clear sentence with the way out, and an exit code. Imported only if there is one."""

import errno
import traceback
from pathlib import Path

from rawr import errors
from rawr.cli import debugging
from rawr.cli.exit_codes import Exit
from rawr.cli.terminal.output import NobodyReads, OutputLost, drop, warn
from rawr.journal.errors import JournalLost
from rawr.journal.redact import Redactor


def explain(error: Exception) -> Exit:
    """Report it on stderr; with a traceback only if one is wanted."""
    if isinstance(error, NobodyReads):
        drop()
        return Exit.OK
    if debugging.on():
        traceback.print_exception(error)
    match error:
        case errors.CodexError():
            # It may quote Codex's last words.
            warn(Redactor().text(str(error)))
            return Exit.CODEX
        case errors.JournalError():
            warn(str(error))
            return Exit.LOST if isinstance(error, JournalLost) else Exit.JOURNAL
        case errors.ConfigError() | errors.ScenarioError():
            warn(str(error))
            return Exit.CONFIG
        case errors.NotAPerson():
            warn(str(error))
            return Exit.NOT_A_PERSON
        case errors.HostBusy():
            warn(str(error))
            return Exit.BUSY
        case OutputLost():
            drop()
            warn(str(error))
            return Exit.JOURNAL
        case errors.OutsideError():
            warn(str(error))
            return Exit.PROBLEM
        case OSError():
            warn(_explain_system(error))
            return Exit.JOURNAL
        case _:
            warn(f"unexpected error: {type(error).__name__}: {error}. Run again with --debug.")
            return Exit.BUG


def _explain_system(error: OSError) -> str:
    """A sentence about what the system refused, with the way out."""
    try:
        Path.cwd()
    except OSError:
        return "The current folder no longer exists. Go to another one with cd."
    what = f"{error.filename} cannot be used" if error.filename else "The system refused something rawr needs"
    problem = f"{what}: {(error.strerror or str(error)).lower()}."
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return f"{problem} Free some space, or set RAWR_HOME to a folder on another disk."
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return f"{problem} Set RAWR_HOME to a folder you can write to."
        case _:
            return f"{problem} Run again with --debug to see where."

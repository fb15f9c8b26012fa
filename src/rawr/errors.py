"""Errors by whose fault they are.

::

    RawrError               has a sentence for the user and, where there is one, the way out
    ├── Bug                 ours: something that cannot happen did
    └── OutsideError        the other side's: bad input, a missing program, a broken file; nothing of the user's is lost
        ├── CodexError      the Codex program or its app-server
        ├── JournalError    the file that holds rawr's memory
        ├── ConfigError     what a person wrote in a file or on the command line
        ├── NotAPerson      an order that only a person may give, from a process that is not a person's
        ├── HostBusy        the host has as many clients as it takes
        └── ScenarioError   a script for the scripted model (rawr.testing)

More exact classes live beside the code that raises them.
"""


class RawrError(Exception):
    """Base of all errors that rawr raises on purpose."""

    def __init__(self, message: str, *, way_out: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.way_out = way_out

    def __str__(self) -> str:
        return f"{self.message} {self.way_out}".rstrip()


class Bug(RawrError):
    """A state that the code rules out. Loud, with a traceback."""


class OutsideError(RawrError):
    """The world is not as it should be, and the message says what to do about it."""


class CodexError(OutsideError):
    """Something is wrong with the Codex program or its app-server."""


class JournalError(OutsideError):
    """Something is wrong with the file that holds rawr's memory."""


class ConfigError(OutsideError):
    """Something that a person wrote in a file or on the command line cannot be used."""


class NotAPerson(OutsideError):
    """An order that only a person may give came from an agent's process, or from one that cannot be seen."""


class HostBusy(OutsideError):
    """The host is there, and has as many clients as it takes."""


class ScenarioError(OutsideError):
    """A script for the scripted model cannot be used."""

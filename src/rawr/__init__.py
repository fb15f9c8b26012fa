"""rawr keeps long Codex runs on course.

These names, those that ``rawr.testing`` exports, and the events and projections of ``rawr.views`` are the public API;
every other module is private and may change with any release. A name is loaded when it is first used, so
``import rawr`` costs nothing.

::

    Supervisor        one Codex, one journal, one loop; an async context manager
    StdioDialer       starts a Codex app-server and talks to it over pipes
    UnixDialer        joins an app-server that is already running, over its unix socket
    find_codex        the Codex to use: the one you name, the one on PATH, or the bundled one
    Policy            the rules, as one frozen value; its defaults are rawr's
    load_policy       the rules that the files in a home make, with a warning for each value that cannot be used
    Taken             a fact in the journal, with the decisions and effects that followed from it
    TurnCompleted     a turn ended, and how
    PlanUpdated       the agent made or changed its plan
    RequestReceived   Codex waits for an approval or an answer
    JournalReader     reads what was recorded, beside a running rawr or without one
    replay_journal    decides everything in a journal again, and compares
    RawrError         every error that rawr raises on purpose; it says what happened and the way out
    CodexError        ... about the Codex program or its app-server
    JournalError      ... about the file that holds rawr's memory
    ConfigError       ... about what a person wrote in a file or on the command line
"""

TYPE_CHECKING = False
"""As in ``typing``, whose import would cost more than everything else here. Type checkers take it for true."""

if TYPE_CHECKING:
    from rawr.codex.binary import find as find_codex
    from rawr.codex.stdio import StdioDialer
    from rawr.codex.unix_socket import UnixDialer
    from rawr.config.load import load_policy
    from rawr.core.kernel import Taken
    from rawr.core.policy.policy import Policy
    from rawr.core.vocabulary.facts import PlanUpdated, RequestReceived, TurnCompleted
    from rawr.errors import CodexError, ConfigError, JournalError, RawrError
    from rawr.journal.reader import JournalReader
    from rawr.runtime.replaying import replay_journal
    from rawr.runtime.supervisor import Supervisor
    from rawr.version import __version__ as __version__

__all__ = [
    "CodexError",
    "ConfigError",
    "JournalError",
    "JournalReader",
    "PlanUpdated",
    "Policy",
    "RawrError",
    "RequestReceived",
    "StdioDialer",
    "Supervisor",
    "Taken",
    "TurnCompleted",
    "UnixDialer",
    "find_codex",
    "load_policy",
    "replay_journal",
]

_HOMES = {
    "__version__": "version.__version__",
    "CodexError": "errors.CodexError",
    "ConfigError": "errors.ConfigError",
    "JournalError": "errors.JournalError",
    "JournalReader": "journal.reader.JournalReader",
    "PlanUpdated": "core.vocabulary.facts.PlanUpdated",
    "Policy": "core.policy.policy.Policy",
    "RawrError": "errors.RawrError",
    "RequestReceived": "core.vocabulary.facts.RequestReceived",
    "StdioDialer": "codex.stdio.StdioDialer",
    "Supervisor": "runtime.supervisor.Supervisor",
    "Taken": "core.kernel.Taken",
    "TurnCompleted": "core.vocabulary.facts.TurnCompleted",
    "UnixDialer": "codex.unix_socket.UnixDialer",
    "find_codex": "codex.binary.find",
    "load_policy": "config.load.load_policy",
    "replay_journal": "runtime.replaying.replay_journal",
}


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        from importlib import import_module

        module, _, attribute = _HOMES[name].rpartition(".")
        value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), attribute)
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

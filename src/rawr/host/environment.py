"""The environment of a terminal, as a client brings it: what its checks and its Codex run with.

It may hold keys. So it exists in the memory of the host alone, and nothing prints it: not a ``repr``, not an error.
"""

import os
from collections.abc import Container, Mapping

from msgspec import Struct

from rawr.errors import OutsideError

MAX_SIZE = 1024 * 1024
"""Bytes. Linux starts no program with more than twice that, arguments included, and macOS none with more than this."""

_OF_A_TERMINAL = frozenset(
    (
        # Where the shell is, and how deep. Codex and checks get their folder from the run, and shells set these anew.
        "PWD", "OLDPWD", "SHLVL", "_",
        # The window: its size, its number, what it can draw. Neither Codex as a server nor a check has one.
        "COLUMNS", "LINES", "WINDOW", "WINDOWID", "TERM", "COLORTERM", "TERMINAL_EMULATOR", "TERM_SESSION_ID",
        "LC_TERMINAL", "LC_TERMINAL_VERSION", "SHELL_SESSION_ID", "WT_SESSION", "WT_PROFILE_ID", "TILIX_ID",
        "TERMINATOR_UUID", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN",
        # The login, and how it came here. An agent for keys (SSH_AUTH_SOCK) or a display does count: programs use them.
        "STY", "SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT", "GPG_TTY", "XDG_SESSION_ID", "XDG_VTNR",
        # A service manager's own notes about one start.
        "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
        # rawr sets these itself: the folder is compared, not how somebody wrote it.
        "CODEX_HOME", "RAWR_HOME", "RAWR_FOREGROUND",
    )
)  # fmt: skip
"""Variables that differ between any two terminals, and mean nothing to Codex or to a check."""
_OF_A_TERMINAL_TOO = (
    # Multiplexers and terminal programs: which pane, which version, which socket.
    "TMUX", "ZELLIJ", "VTE_", "KITTY_", "ITERM_", "WEZTERM_", "ALACRITTY_", "GHOSTTY_", "KONSOLE_", "GNOME_TERMINAL_",
    "PTYXIS_", "TERM_PROGRAM",
    # Prompts and histories of interactive shells: a new number for each shell.
    "STARSHIP_", "ATUIN_", "P9K_", "_P9K_", "MCFLY_",
)  # fmt: skip
"""How the names of others begin."""


class Environment(Struct, frozen=True):
    block: bytes
    """As the system keeps it: ``NAME=value``, with a zero byte between two. Names and values need not be text."""

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "Environment":
        found = cls(b"\0".join(os.fsencode(f"{name}={value}") for name, value in variables.items()))
        found.check()
        return found

    def check(self) -> None:
        if len(self.block) > MAX_SIZE:
            raise OutsideError(
                f"The environment of this terminal has {len(self.block)} bytes, and rawr takes at most {MAX_SIZE}.",
                way_out="Unset its largest variables, or use --foreground.",
            )

    @property
    def variables(self) -> dict[str, str]:
        pairs = (os.fsdecode(one).partition("=") for one in self.block.split(b"\0"))
        return {name: value for name, _, value in pairs if name}

    @property
    def counted(self) -> tuple[tuple[str, str], ...]:
        """What two terminals are compared by."""
        return tuple(sorted((name, value) for name, value in self.variables.items() if _counts(name)))

    def __repr__(self) -> str:
        return "Environment(…)"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return []


def is_of_a_terminal(name: str) -> bool:
    """Return True for one that differs between any two terminals, and means nothing to Codex or to a check."""
    return name in _OF_A_TERMINAL or name.startswith(_OF_A_TERMINAL_TOO)


def _counts(name: str) -> bool:
    return not is_of_a_terminal(name)


class Environments:
    """Which environment the work on a thread is done in (``rawr.ports.environment``). In memory alone, and only for as
    long as the thread or the connection is there."""

    def __init__(self) -> None:
        self._threads: dict[str, Environment] = {}
        self._links: dict[str, Environment] = {}

    def __call__(self, thread: str, link: str) -> Mapping[str, str] | None:
        """None: the host's own. An agent that another one started works in that of the Codex that runs it."""
        found = self._threads.get(thread) or self._links.get(link)
        return found.variables if found is not None else None

    def use(self, thread: str, environment: Environment | None) -> None:
        """From here on, this is the thread's."""
        if environment is None:
            self._threads.pop(thread, None)
        else:
            self._threads[thread] = self._same(environment)

    def hand_on(self, origin: str, thread: str) -> None:
        """This thread does the work of that one."""
        if origin in self._threads:
            self._threads[thread] = self._threads[origin]

    def opened(self, link: str, environment: Environment | None) -> None:
        if environment is not None:
            self._links[link] = self._same(environment)

    def closed(self, link: str) -> None:
        self._links.pop(link, None)

    def keep(self, threads: Container[str]) -> None:
        """Those of other threads are needed no more."""
        self._threads = {thread: one for thread, one in self._threads.items() if thread in threads}

    def _same(self, environment: Environment) -> Environment:
        """One that is known already is held once."""
        known = (*self._threads.values(), *self._links.values())
        return next((one for one in known if one == environment), environment)

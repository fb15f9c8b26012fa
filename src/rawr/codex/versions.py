"""Which versions of Codex rawr works with, for where asking what a Codex can do is not enough.

An older Codex can name every method and still not do what rawr needs, and a server that the user runs can only be asked
for its version. ``make compat`` runs rawr on the versions named here and others, and writes the table in the docs.
"""

import re

from rawr.errors import CodexError

OLDEST_VERSION = "0.144.4"
"""The oldest one on which the golden path, a run and a watch work."""
TESTED_VERSION = "0.163.0"

_GREETED = re.compile(r"/v?(\d+\.\d+\.\d+)")
_NUMBERS = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_FROM_SOURCE = (0, 0, 0)
"""What a Codex built from its source says. It is taken at its word about what it can do."""


class CodexTooOld(CodexError):
    """It will be as old the next time, so nobody tries again."""


def too_old(version: str) -> bool:
    """Return True if this is a version, and one from before the oldest that works."""
    return _FROM_SOURCE < _numbers(version) < _numbers(OLDEST_VERSION)


def greeted_by(user_agent: str) -> str:
    """The server's version in its greeting, ``name/0.163.0 (Debian …)``; empty if there is none."""
    found = _GREETED.search(user_agent)
    return found[1] if found else ""


def refuse_too_old(version: str) -> None:
    if too_old(version):
        message = f"This Codex is version {version}; rawr needs {OLDEST_VERSION} or newer."
        raise CodexTooOld(message, way_out=f"Update Codex; rawr is tested with {TESTED_VERSION}.")


def _numbers(version: str) -> tuple[int, ...]:
    found = _NUMBERS.match(version)
    return tuple(int(one) for one in found.groups()) if found else _FROM_SOURCE

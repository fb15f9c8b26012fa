"""Run git itself, safely (B6), where files alone do not tell.

The repository may be hostile: its configuration can name programs for hooks, file watching, paging, signatures and
transport. Only commands that need none of these are used, each of these is also switched off, and the git directory is
given explicitly, so git discovers nothing and checks no ownership. Time and output are bounded.
"""

import os

from rawr.bounded import SaidTooMuch, TookTooLong, ask
from rawr.observe.repository.locating import Repository
from rawr.programs import own_program

DEADLINE = 5.0
MAX_OUTPUT = 1 << 20

_OFF = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=true",
    "credential.helper=",
    "log.showSignature=false",
    "protocol.allow=never",
    "diff.external=",
)
_PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")


def run_git(
    repository: Repository, *arguments: str, deadline: float = DEADLINE, most: int = MAX_OUTPUT
) -> bytes | None:
    """What git prints; None if it is missing, fails, takes too long or prints too much."""
    git = own_program("git", away_from=repository.root)
    if git is None:
        return None
    options = [part for setting in _OFF for part in ("-c", setting)]
    command = [git, "--no-pager", "--no-optional-locks", *options, f"--git-dir={repository.git_dir}", *arguments]
    try:
        said = ask(command, deadline=deadline, most=most, cwd=repository.git_dir, env=_environment())
    except (OSError, ValueError, TookTooLong, SaidTooMuch):
        return None
    return said.output if said.code == 0 else None


def _environment() -> dict[str, str]:
    """The user's own configuration stays readable, for aliases; all other variables that git obeys are left out."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {
        **kept,
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CONFIG_COUNT": "0",
    }

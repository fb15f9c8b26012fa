"""C10: what the lists say of an option is what the program says: that it has a value, or that it has none.

Asked of the programs that are here. An option after which an unknown one is still seen has no value; an option that
complains when nothing follows has one.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rawr.approvals.git.commands import COMMANDS
from rawr.approvals.programs.arguments import Spec
from rawr.approvals.programs.listed import SPECS

pytestmark = pytest.mark.machine

UNKNOWN = "--zzz-unknown"
_SEEN = re.compile(
    r"(?:unrecognized option|unknown option|unrecognized argument|invalid option|found argument|unexpected argument)"
    r"\W+zzz",
    re.IGNORECASE,
)
_WANTS = re.compile(r"requires|missing|needs|expected", re.IGNORECASE)
_NOT_KNOWN = re.compile(
    r"unrecognized|unknown (?:option|switch)|invalid option|illegal option|Found argument|conflicting|cannot combine"
    r"|cannot be used|usage: git|requires exactly one",
    re.IGNORECASE,
)
"""Another version's, or at odds with the words around it."""
_OWN_WAY = frozenset({"awk", "expr", "gawk", "jq", "mawk", "tree", "uptime", "which", "xxd"})
"""They do not say what they do not know. Those with options that have values are tried out in ``test_mixes``."""
_HAS_A_DEFAULT = frozenset({"--contains", "--no-contains", "--merged", "--no-merged", "--points-at"})
_ONLY_JOINED = frozenset({"--format", "--exclude", "--glob", "--encoding"})
"""git takes their value behind a ``=`` only, in some of its commands."""
_ENDS_HERE = frozenset({"--version", "-V"})
_EITHER = frozenset({"--context"})
"""With a value in GNU's grep, perhaps without one in others; both are allowed for."""
_BEFORE = {
    "stash": ("list",),
    "worktree": ("list",),
    "remote": ("get-url",),
    "reflog": ("show",),
    "rev-list": ("HEAD",),
    "diff-index": ("HEAD",),
    "diff-tree": ("HEAD",),
    "rg": ("x",),
}

CALLS = {
    **{
        name: ((name, *_BEFORE.get(name, ())), allowed)
        for name, allowed in SPECS.items()
        if name not in _OWN_WAY and shutil.which(name)
    },
    **{f"git {name}": (("git", name, *_BEFORE.get(name, ())), reading.allowed) for name, reading in COMMANDS.items()},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    subprocess.run(["git", "init", "-q", "--template=", str(folder)], check=True)
    identity = ("-c", "user.name=Ada", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, "commit", "-q", "--allow-empty", "-m", "x"], cwd=folder, check=True)
    return folder


def says(words: tuple[str, ...], folder: Path) -> str:
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False
    )
    return (done.stderr + done.stdout).decode("utf-8", "replace")


@pytest.mark.parametrize("name", CALLS)
def test_options(name: str, folder: Path) -> None:
    words, allowed = CALLS[name]
    if not _SEEN.search(says((*words, UNKNOWN), folder)):
        pytest.skip("it does not say what it does not know")
    assert [*_swallows(words, allowed, folder), *_goes_without(words, allowed, folder)] == []


def _swallows(words: tuple[str, ...], allowed: Spec, folder: Path) -> list[str]:
    """Options that we say have no value, and take the next word for one."""
    wrong = []
    for option in sorted((allowed.flags | allowed.optional) - _ENDS_HERE - _EITHER):
        said = says((*words, option, UNKNOWN), folder)
        if not _SEEN.search(said) and not _NOT_KNOWN.search(said):
            wrong.append(f"{option}: {said[:80]}")
    return wrong


def _goes_without(words: tuple[str, ...], allowed: Spec, folder: Path) -> list[str]:
    """Options that we say have a value, and are content without one."""
    wrong = []
    for option in sorted(allowed.values.keys() - _HAS_A_DEFAULT - _ONLY_JOINED):
        said = says((*words, option), folder)
        if not _WANTS.search(said) and not _NOT_KNOWN.search(said):
            wrong.append(f"{option}: {said[:80]}")
    return wrong

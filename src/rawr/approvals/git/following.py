"""Which git commands may follow each other in one line that a rule of the user's opens (C10, D23).

A repository below the workspace is the agent's, and it can appear between two commands. ``git add`` notes it in the
index as a submodule and runs nothing there; a command that then looks into submodules runs what its settings name
(measured: ``add``, ``status``, ``stash``, ``cherry-pick``, ``describe --dirty``, ``commit -a``, and a ``commit`` that
finds nothing to commit). The judge looks at the index before a line runs. Within the line, no command that looks may
follow one that may have changed the index.
"""

import re
from collections.abc import Sequence

_STAGES_TEXT = """
    add am apply checkout cherry-pick commit merge mv pull read-tree rebase reset restore revert rm stage stash
    submodule switch update-index worktree
    """
STAGES = frozenset(_STAGES_TEXT.split())
"""Commands that may bring a submodule into the index."""
_QUIET_TEXT = """
    blame branch cat-file for-each-ref log ls-files ls-remote ls-tree merge-base name-rev notes push reflog remote
    rev-list rev-parse shortlog show show-ref symbolic-ref tag version
    """
QUIET = frozenset(_QUIET_TEXT.split())
"""Commands that never look into submodules, as ``approvals`` opens them."""
_MESSAGE = re.compile(r"-[qn]*m|--message")
_QUIET_COMMIT = re.compile(r"-[qn]+|--quiet|--no-verify|--message=.*", re.DOTALL)
_NEW_BRANCH = re.compile(r"-[bc]|--create")


def stages(words: Sequence[str]) -> bool:
    """``words``: from the subcommand on."""
    return bool(words) and words[0] in STAGES and not makes_branch(words) and not is_plain_commit(words)


def makes_branch(words: Sequence[str]) -> bool:
    """Return True if it makes a new branch from here: neither the index nor a file changes."""
    name, *rest = words or ("",)
    rest = [word for word in rest if word not in ("-q", "--quiet")]
    return name in ("checkout", "switch") and len(rest) == 2 and _NEW_BRANCH.fullmatch(rest[0]) is not None


def is_plain_commit(words: Sequence[str]) -> bool:
    """Return True for a commit of what is staged, with a message: ``-m`` and its text, and nothing else."""
    name, *rest = words or ("",)
    if name != "commit":
        return False
    while rest:
        option, *rest = rest
        if _MESSAGE.fullmatch(option):
            rest = rest[1:]
        elif not _QUIET_COMMIT.fullmatch(option):
            return False
    return True


def looks(words: Sequence[str]) -> bool:
    """Return True if it may look into submodules."""
    if words[:1] in (["fetch"], ("fetch",)) and "--no-recurse-submodules" in words:
        return False
    if tuple(words[:2]) == ("remote", "update"):
        return True
    return not (words and words[0] in QUIET) and not is_plain_commit(words)

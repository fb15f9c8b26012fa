"""What the words of a git command name (C10): commits, files in a commit, or paths.

git takes revisions first and paths after them, with ``--`` between them if they are ambiguous. A word that is not
certainly one of these is not understood. Reads no files.
"""

import os
import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from rawr.approvals.programs.arguments import Read

_FILE = re.compile(
    r"(?P<revision>[^:{}]*):(?:[0-3]:)?(?P<path>[^:{}()*?\[\]\\!^~/.][^:{}()*?\[\]\\!^~]*|\.[^./:][^:{}()*?\[\]\\!^~]*)"
)
_TYPES = frozenset({"blob", "tree", "commit", "tag"})


class Named(Struct, frozen=True):
    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """From the root of the repository, as in ``HEAD:src/a.py``. May include folders."""
    holding: tuple[str, ...] = ()
    """The commits that contain them."""
    paths: tuple[str, ...] = ()
    unclear: bool = False
    """Some word is not understood."""


def split(name: str, read: Read, texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Words that may be anything, and those after ``--``, without words that are neither a revision nor a path."""
    operands = [word.text or "" for word in read.operands]
    paths = list(texts[texts.index("--") + 1 :]) if "--" in texts else []
    words = [word for word in operands[: len(operands) - len(paths)] if not word.startswith("-")]
    if name == "grep" and not read.has("-e"):
        # After a leading `--` comes the expression, and only then the paths.
        return (words[1:], paths) if words else ([], [])
    if name == "status":
        return [], []
    if name in ("stash", "reflog") and words[:1] in (["show"], ["list"]):
        return words[1:], paths
    if name == "cat-file" and len(words) == 2 and words[0] in _TYPES:
        return words[1:], paths
    return words, paths


def understood(
    words: Sequence[str],
    paths: Sequence[str],
    *,
    commits: Callable[[str], tuple[str, ...] | None],
    is_path: Callable[[str], bool],
) -> Named:
    """``commits`` returns the commits that a word names, ``is_path`` tells whether there is such a file or folder."""
    found: list[str] = []
    files: list[str] = []
    holding: list[str] = []
    limits = list(paths)
    unclear = False
    for text in words:
        if ":" in text:
            read = _FILE.fullmatch(text)
            within = commits(read["revision"]) if read is not None and read["revision"] else ()
            if read is None or within is None or os.path.normpath(read["path"]) != read["path"].rstrip("/"):
                unclear = True
            else:
                files.append(read["path"].rstrip("/"))
                holding += within
        elif not paths and is_path(text):
            limits.append(text)
        elif (named := commits(text)) is not None:
            found += named
        else:
            unclear = True
    return Named(tuple(found), tuple(files), tuple(holding), tuple(limits), unclear)

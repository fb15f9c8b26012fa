"""What the words of a command of git name (C10): commits, files in a commit, or paths.

git takes revisions first and paths after them, with ``--`` between where it is not clear. What is none of these for
sure is not understood. Reads no files.
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
    """From the root of the repository, as in ``HEAD:src/a.py``. A folder may be one."""
    holding: tuple[str, ...] = ()
    """The commits in which they are."""
    paths: tuple[str, ...] = ()
    unclear: bool = False
    """Something is named that is not understood."""


def split(name: str, read: Read, texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Words that may be anything, and those behind ``--``, without what is no revision and no path."""
    operands = [word.text or "" for word in read.operands]
    paths = list(texts[texts.index("--") + 1 :]) if "--" in texts else []
    words = [word for word in operands[: len(operands) - len(paths)] if not word.startswith("-")]
    if name == "grep" and not read.has("-e"):
        # Behind a `--` that comes first stands the expression, and the paths only then.
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
    """``commits`` says which ones a word names, ``is_path`` whether there is such a file or folder."""
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

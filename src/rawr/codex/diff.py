"""The shape of a unified diff: which files, how many lines came and went. Pure."""

import re
from hashlib import sha256

from rawr.core.facts import FileDelta

MAX_FILES = 256
_HUNK = re.compile(r"@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@")
_GIT = re.compile(r'diff --git (?:"?a/.*?"?) (?:"?b/(.*?)"?)$')


def digest(diff: str) -> str:
    return sha256(diff.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shape(diff: str) -> list[FileDelta]:
    """One entry a file, in the order of the diff. Lines inside a hunk are counted, never read as headers."""
    files: list[FileDelta] = []
    path, added, removed = "", 0, 0
    old_left = new_left = 0
    for line in diff.split("\n"):
        if old_left > 0 or new_left > 0:
            if line.startswith("+"):
                added, new_left = added + 1, new_left - 1
            elif line.startswith("-"):
                removed, old_left = removed + 1, old_left - 1
            elif not line.startswith("\\"):
                old_left, new_left = old_left - 1, new_left - 1
            continue
        hunk = _HUNK.match(line)
        if hunk:
            old_left, new_left = int(hunk[1] or 1), int(hunk[2] or 1)
        elif line.startswith("diff --git "):
            if path:
                files.append(FileDelta(path, added, removed))
            named = _GIT.match(line)
            path, added, removed = (named[1] if named else line.removeprefix("diff --git ")), 0, 0
        elif line.startswith("--- ") and not path:
            path = line[4:].removeprefix("a/")
        elif line.startswith("+++ ") and line != "+++ /dev/null":
            path = line[4:].rstrip("\t\r").removeprefix("b/") or path
    if path:
        files.append(FileDelta(path, added, removed))
    return files

"""The shape of a unified diff: which files, how many lines came and went. Pure.

Codex sends the whole diff again after every model call, so nothing here looks at single lines.
"""

import re
from hashlib import sha256

from rawr.core.vocabulary.facts import FileDelta

_HUNK = re.compile(r"\d+(?:,\d{1,9})? \+\d+(?:,\d{1,9})? @@")
_GIT = re.compile(r'(?:"?a/.*?"?) (?:"?b/(.*?)"?)$')


def digest(diff: str) -> str:
    return sha256(diff.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shape(diff: str) -> list[FileDelta]:
    """One entry per file, in the order of the diff. Every line inside a hunk begins with a sign, so none can look like
    the start of a file or a hunk."""
    before, *files = f"\n{diff}".split("\ndiff --git ")
    plain = [_file(before)] if "\n+++ " in before else []  # without git's own headers it is about one file
    return plain + [_file(file) for file in files]


def _file(text: str) -> FileDelta:
    header, _, hunks = text.partition("\n@@ -")
    if not _HUNK.match(hunks):
        hunks = ""
    return FileDelta(_path(header), hunks.count("\n+"), hunks.count("\n-"))


def _path(header: str) -> str:
    _, _, new = header.partition("\n+++ ")
    new = new.partition("\n")[0].rstrip("\t\r")
    if new and new != "/dev/null":
        return new.removeprefix("b/")
    first = header.partition("\n")[0]
    named = _GIT.match(first)
    return named[1] if named else first

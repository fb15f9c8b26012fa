"""Which files a patch touches, and where a patch is hidden in a shell command."""

import re
from collections.abc import Iterator
from typing import Literal

from rawr.history.entries import Change

MAX_CHANGES = 200
_FILE = re.compile(r"^\*\*\* (Add|Delete|Update) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
_BEGIN = "*** Begin Patch"
_MARK = "*** "
_AFTER_LINE = "\n" + _MARK
_HEREDOC = re.compile(r"\A\s*(?:cd\s+\S+\s*&&\s*)?(?:applypatch|apply_patch)\s*<<")
_KINDS: dict[str, Literal["add", "delete", "update"]] = {"Add": "add", "Delete": "delete", "Update": "update"}


def changes_of(patch: str) -> tuple[Change, ...]:
    """The files in the order of the patch; none if it is no patch."""
    if _BEGIN not in patch:
        return ()
    found: list[Change] = []
    for kind, path, moved_to in _headers(patch):
        if kind:
            found.append((_KINDS[kind], path, ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1], moved_to)
    return tuple(found[:MAX_CHANGES])


def _headers(patch: str) -> Iterator[tuple[str, str, str]]:
    """By way of the lines that can be one: most lines of a patch are code."""
    begins = 0 if patch.startswith(_MARK) else patch.find(_AFTER_LINE) + 1
    more = patch.startswith(_MARK) or begins > 0
    while more:
        found = _FILE.match(patch, begins)
        if found is not None:
            yield found.group(1) or "", found.group(2) or "", found.group(3) or ""
        begins = patch.find(_AFTER_LINE, begins) + 1
        more = begins > 0


def patch_in(command: str) -> tuple[Change, ...]:
    """The files of a command that does nothing but apply a patch: ``apply_patch <<'EOF'``."""
    return changes_of(command) if _HEREDOC.match(command) else ()

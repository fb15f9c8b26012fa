"""Patterns such as ``src/*.py`` (C10): the files that they match now, which must all be in the workspace.

Only ``*`` and ``?`` are expanded, on the real file system, with a limit on how much is looked at. They may match a
little more here than in the shell: that can make a line unsafe, never safe.
"""

import re
from functools import partial
from pathlib import Path

from rawr.approvals.judgment import shown
from rawr.approvals.looking import Looking
from rawr.approvals.places import Folders, Places
from rawr.approvals.programs.costs import MOST_STARS
from rawr.approvals.reading.lexer import Word
from rawr.approvals.reading.wildcards import MANY, ONE, Wildcard

MAX_ENTRIES = 2_000
_TAKEN_FOR_MORE = ("-", "(", ")", "!", "+", "=", "@", ":", "~")
"""A file with such a name would be read as an option or an operator."""


def expand(word: Word, places: Places, folders: Folders, *, read: bool = True) -> tuple[list[str], list[str]]:
    """The paths that a pattern may match, and why it is not safe. ``read``: their contents matter too."""
    text = word.text or ""
    found: list[str] = []
    for folder in folders:
        search = _Search(folder, places.look)
        paths = search.matches(text, word.shape)
        if paths is None:
            return [], [f"The pattern {shown(word.raw)} {search.problem}."]
        found += paths
    # A pattern that matches nothing stays as it is.
    found = list(dict.fromkeys([*found, text]))
    problems = [
        f"{shown(path)}, which {shown(word.raw)} matches, looks like an option."
        for path in found
        if path.startswith(_TAKEN_FOR_MORE)
    ]
    for path in found:
        problems += places.unreadable(path, folders) if read else places.outside(path, folders)
    return found, problems


def found_by_zsh(word: Word, places: Places, folders: Folders) -> list[str]:
    """Why a word such as ``HEAD~1`` is not safe: zsh may replace it with matching files."""
    folder_part, _, name = word.looked_for.rpartition("/")
    for folder in folders if word.looked_for else ():
        # An absolute path ignores the folder.
        place = folder / (folder_part or ("/" if word.looked_for.startswith("/") else "."))
        if places.look.once(("begins", str(place), name), partial(_begins, place, name, places.look)):
            return [f"{shown(word.raw)} may be a pattern in zsh, and it matches files."]
    return []


def _begins(folder: Path, name: str, look: Looking) -> bool:
    names = look.names(folder) or ()
    look.spend(len(names) // 8)
    return any(one.casefold().startswith(name.casefold()) for one in names)


class _Search:
    def __init__(self, folder: Path, look: Looking) -> None:
        self.folder = folder
        self.look = look
        self.looked = 0
        self.problem = ""

    def matches(self, text: str, shape: str) -> list[str] | None:
        """Paths as the shell would write them; None if the pattern cannot be bounded."""
        if text.startswith("/"):
            self.problem = "starts at the root"
            return None
        found = [""]
        for at, part in _parts(text):
            pattern = shape[at : at + len(part)]
            if "*" not in pattern and "?" not in pattern:
                found = [prefix + part + "/" for prefix in found]
                continue
            if pattern.count("*") > MOST_STARS:
                self.problem = "has too many stars"
                return None
            if part.startswith("."):
                self.problem = "may match the parent folder"
                return None
            names = self._in_folders(found, part, pattern)
            if names is None:
                return None
            found = names
        return [path.removesuffix("/") for path in found]

    def _in_folders(self, prefixes: list[str], part: str, pattern: str) -> list[str] | None:
        wanted = Wildcard(_marked(part, pattern))
        found: list[str] = []
        for prefix in prefixes:
            names = self.look.names(self.folder / prefix) or ()
            self.looked += len(names)
            if self.looked > MAX_ENTRIES:
                self.problem = f"looks at more than {MAX_ENTRIES} files"
                return None
            for name in names:
                self.look.spend(1 + len(name) // 8)
                if not name.startswith(".") and wanted.matches(name):
                    found.append(f"{prefix}{name}/")
        return found


def _parts(text: str) -> list[tuple[int, str]]:
    """The components of a path, each with its position."""
    return [(found.start(), found[0]) for found in re.finditer(r"[^/]+", text)]


def _marked(part: str, pattern: str) -> str:
    magic = {"*": MANY, "?": ONE}
    return "".join(magic.get(shape, letter) for letter, shape in zip(part, pattern, strict=True))

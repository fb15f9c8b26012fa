"""Patterns such as ``src/*.py`` (C10): the files that they match now, which must all be in the workspace.

``*``, ``?`` and brackets are expanded on the real file system, with a limit on how much is looked at. They may match a
little more here than in the shell: that can make a line unsafe, never safe. ``app/[id]/page.tsx`` is a pattern too, and
stays as it is if there is nothing called ``app/i/page.tsx``.
"""

import os
import re
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from rawr.approvals.judgment import shown
from rawr.approvals.looking import Looking
from rawr.approvals.places import Folders, Places
from rawr.approvals.programs.costs import MOST_STARS
from rawr.approvals.reading.wildcards import MANY, ONE, Wildcard
from rawr.approvals.reading.word import Word

MAX_ENTRIES = 2_000
_MAGIC = frozenset("*?[")
_LETTERS = {"*": MANY, "?": ONE}
_ONE_OF = re.compile(r"\[!?[A-Za-z0-9_.][A-Za-z0-9_.-]*\]")
"""A bracket that all shells read alike: any one of these letters, or of all others. An odd one may match anything."""
_TAKEN_FOR_MORE = ("-", "(", ")", "!", "+", "=", "@", ":", "~")
"""A file with such a name would be read as an option or an operator."""


def expand(word: Word, places: Places, folders: Folders, *, read: bool = True) -> tuple[list[str], list[str]]:
    """The paths that a pattern may match, and why it is not safe. ``read``: their contents matter too."""
    text = word.text or ""
    matching, problem = _matching(word, places, folders)
    if problem:
        return [], [problem]
    # A pattern that matches nothing stays as it is.
    found = list(dict.fromkeys([*matching, text]))
    problems = [
        f"{shown(path)}, which {shown(word.raw)} matches, looks like an option."
        for path in found
        if path.startswith(_TAKEN_FOR_MORE)
    ]
    for path in found:
        problems += places.unreadable(path, folders) if read else places.outside(path, folders)
    return found, problems


def settled(word: Word, places: Places, folders: Folders) -> Word:
    """A pattern that matches nothing now is a plain word."""
    if not word.shape or word.text is None or word.counted:
        return word
    matching, problem = _matching(word, places, folders)
    return word if matching or problem else replace(word, shape="", quoted=True, once=word.shape)


def may_begin_so(shape: str, letters: str) -> bool:
    """Return True if a file may come that a pattern matches, and whose name begins with one of these letters."""
    if shape.startswith("["):
        one_of = _ONE_OF.match(shape)
        return one_of is None or any(fnmatchcase(letter, one_of[0]) for letter in letters)
    return shape[:1] in _MAGIC


def _matching(word: Word, places: Places, folders: Folders) -> tuple[list[str], str]:
    def find() -> tuple[list[str], str]:
        if (word.text or "").startswith("/") and places.outside(_before_pattern(word), folders):
            return [], f"The pattern {shown(word.raw)} begins outside the workspace."
        found: list[str] = []
        for folder in folders:
            search = _Search(folder, places.look)
            paths = search.matches(word.text or "", word.shape)
            if paths is None:
                return [], f"The pattern {shown(word.raw)} {search.problem}."
            found += paths
        return [path for path in found if path != word.text], ""

    return places.look.once(("matching", word.text, word.shape, folders), find)


def _before_pattern(word: Word) -> str:
    """The folder that a pattern begins in."""
    first = next(at for at, letter in enumerate(word.shape) if letter in _MAGIC)
    return (word.text or "")[:first].rpartition("/")[0] or "/"


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
        found = ["/" if text.startswith("/") else ""]
        matched = False
        for at, part in _parts(text):
            pattern = shape[at : at + len(part)]
            if _MAGIC.isdisjoint(pattern):
                found = [prefix + part + "/" for prefix in found]
                if matched:
                    found = [path for path in found if self._is_there(path)]
                continue
            matched = True
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

    def _is_there(self, path: str) -> bool:
        self.look.spend()
        return os.path.lexists(self.folder / path.removesuffix("/"))

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
    marked: list[str] = []
    at = 0
    while at < len(pattern):
        one_of = _ONE_OF.match(pattern, at)
        if pattern[at] == "[" and one_of is None:
            return "".join([*marked, MANY])
        marked.append(ONE if one_of else _LETTERS.get(pattern[at], part[at]))
        at = one_of.end() if one_of else at + 1
    return "".join(marked)

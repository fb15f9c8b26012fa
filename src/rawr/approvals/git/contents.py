"""Decides if a git command would show the contents of a file with credentials (C10).

Names are harmless; contents are not. It must be proved which paths a command shows: those of the commits it names, of
the index, or of the files it names, within the paths it is limited to. A word that is not certainly a commit, a file in
a commit or a path proves nothing; then no ref may hold any file with credentials at all.

A file that was tracked once, and is in none of the trees examined, is found only by its name: a judgment does not
search the whole history.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec import structs

from rawr.approvals.credentials import holds_password, named_secret
from rawr.approvals.git.helpers import calls_with_password
from rawr.approvals.git.index import Index, read_index
from rawr.approvals.git.repository import repository_at
from rawr.approvals.git.revisions import Revisions
from rawr.approvals.git.settings import MAX_CONFIG
from rawr.approvals.git.words import Named, split, understood
from rawr.approvals.judgment import shown
from rawr.approvals.places import within
from rawr.approvals.programs.arguments import Call, Read
from rawr.approvals.programs.searching import secrets_below
from rawr.approvals.reading.wildcards import matches
from rawr.observe.repository.locating import Repository
from rawr.observe.repository.packs import Unreadable

_INSTEAD_TEXT = (
    "--stat --numstat --shortstat --name-only --name-status --raw --summary --no-patch -s --compact-summary --dirstat "
    "--quiet -q"
)
_INSTEAD = frozenset(_INSTEAD_TEXT.split())
"""With one of these there is no patch, unless it is requested too."""
_PATCH_TEXT = (
    "-p -u --patch -U --unified --patch-with-stat --binary --word-diff --color-words -W --function-context -S -G "
    "--check --cc -c -m -L --text -a"
)
_PATCH = frozenset(_PATCH_TEXT.split())
"""These show a patch, or reveal its content."""
_SHOWS = frozenset({"diff", "show"})
_SHOWS_IF_ASKED = frozenset({"log", "reflog", "diff-files", "diff-index", "diff-tree", "rev-list"})
_WITH_PARENTS = frozenset({"show", "log", "reflog", "diff-tree", "rev-list", "stash"})
"""Commands that compare a commit with its parents."""
_EVERY = ("--all", "--branches", "--tags", "--remotes", "--glob", "--exclude", "-g", "--walk-reflogs")
"""With one of these, git shows commits that nobody named."""
_OTHER_NAMES = ("--follow", "-L")
"""These follow a file under its earlier names, and so beyond the given path."""
_AGAINST_HEAD = ("--cached", "--staged", "--merge-base")
_UNLIMITED = frozenset({"status", "stash", "cat-file"})
"""Commands that show everything, whatever paths they are given."""
_UNCLEAR = re.compile(r"[\[\]\\]|^:")


def shows_secrets(call: Call, name: str, read: Read) -> list[str]:
    """``name`` is the git command, ``read`` one reading of its arguments."""
    if name in ("remote", "config"):
        return _addresses(call, name)
    if not (_shows_patches(name, read) or _shows_files(name, read)):
        return []
    found: list[str] = []
    for folder in sorted(call.folders):
        repository = repository_at(folder, call.places.look)
        if repository is None:
            continue  # then git does not run at all
        try:
            found += _Asked(call, name, read, folder, repository).secrets()
        except Unreadable as why:
            return [f"{why} So rawr cannot tell what git would show."]
    return [f"{shown(path)} may hold credentials, and git would show them." for path in dict.fromkeys(found)][:3]


def _shows_files(name: str, read: Read) -> bool:
    """Return True if it prints a file as it was in a named commit, whatever its other options."""
    return name == "show" or (name == "cat-file" and not read.has("-t", "-s", "-e"))


def _shows_patches(name: str, read: Read) -> bool:
    """Return True if it prints or otherwise reveals file contents of the named commits or paths."""
    match name:
        case "grep" | "blame":
            return True
        case "cat-file":
            return not read.has("-t", "-s", "-e")
        case "status":
            return read.has("-v", "--verbose")
        case "stash":  # a setting may make it show the patch by default
            lists = [word.text for word in read.operands[:1]] == ["list"]
            return read.has(*_PATCH) or not (lists or read.has(*_INSTEAD))
        case _ if name in _SHOWS:
            return read.has(*_PATCH) or not read.has(*_INSTEAD)
        case _:
            return name in _SHOWS_IF_ASKED and read.has(*_PATCH)


class _Asked:
    """One command in one folder: what it would show of what it names."""

    def __init__(self, call: Call, name: str, read: Read, folder: Path, repository: Repository) -> None:
        self.call = call
        self.name = name
        self.read = read
        self.folder = folder
        self.repository = repository
        self.patches = _shows_patches(name, read)

    @property
    def revisions(self) -> Revisions:
        """Opened only when needed."""
        look, repository = self.call.places.look, self.repository
        return look.once(("revisions", str(repository.git_dir)), lambda: Revisions(repository, look))

    def secrets(self) -> list[str]:
        words, paths = split(self.name, self.read, self.call.texts())
        if self.name == "blame":
            return [text for text in (*words, *paths) if self._named(text)]
        index = read_index(self.repository.git_dir / "index", self.call.places.look)
        if index is None:
            return ["the index"]
        named = understood(words, paths, commits=self._commits_of, is_path=self._is_path)
        if self.name == "show" and self.read.has(*_EVERY):  # a tag may name a file
            named = structs.replace(named, unclear=True)
        secrets = self._tracked(named, index)
        if named.unclear:
            return [text for text in (*words, *paths) if self._named(text)] + secrets
        found = [file for file in named.files if self._below(file, secrets)]
        if not self.patches or (named.files and not named.commits and not named.paths):
            return found
        self._must_be_inside(named.paths)
        found += [text for text in (*named.paths, *self._lines()) if self._named(text)]
        return found + self._limited(secrets, named.paths)

    # -- what it names --------------------------------------------------------------------------------------------

    def _commits_of(self, text: str) -> tuple[str, ...] | None:
        return self.revisions.commits(text)

    def _is_path(self, text: str) -> bool:
        """If it were a revision too, git would stop because it is ambiguous."""
        look = self.call.places.look
        return self.name not in _UNLIMITED and look.kind(look.real(text, within=self.folder)) != 0

    def _lines(self) -> list[str]:
        """Files of which some lines are requested, as in ``-L 1,5:src/a.py``."""
        given = [value.text or "" for option, value in self.read.given if option == "-L" and value is not None]
        return [text.rpartition(":")[2] for text in given]

    def _named(self, text: str) -> bool:
        """Return True if the path names credentials, as written or from the root of the repository."""
        full = PurePosixPath(os.path.normpath(self.folder / text))
        root = PurePosixPath(self.repository.root)
        below = full.relative_to(root).parts if full.is_relative_to(root) else ()
        written = PurePosixPath(text.rpartition(":")[2] or text).parts
        return any(named_secret(parts, self.call.places.not_secret) for parts in (written, below))

    def _below(self, file: str, secrets: Iterable[str]) -> bool:
        return self._secret(file) or any(within(path.casefold(), file.casefold()) for path in secrets)

    # -- what it shows of that ------------------------------------------------------------------------------------

    def _tracked(self, named: Named, index: Index) -> list[str]:
        """Files with credentials among all that it may show, ignoring path limits."""
        secrets = self._secrets([*index.suspects, *self._in_submodules(index)])
        if secrets and (named.unclear or not (named.paths or named.files)):
            return secrets  # these are reason enough to refuse
        commits = list(self._commits(named))
        if commits:
            secrets += self._secrets(self.revisions.suspects(commits, index))
        if self.name == "grep" and self.read.has("--untracked"):
            secrets += secrets_below(self.folder, self.call.places, lambda _: True)
        return secrets

    def _secrets(self, suspects: Iterable[str]) -> list[str]:
        return [path for path in dict.fromkeys(suspects) if self._secret(path)]

    def _commits(self, named: Named) -> Iterator[str]:
        yield from named.holding
        if named.unclear or (self.patches and self.read.has(*_EVERY)) or self.name == "reflog":
            yield from self._with_parents(self.revisions.everywhere())
        if not self.patches:
            return
        if self.name == "stash":
            yield from self._with_parents(self.revisions.stashed())
        yield from self._with_parents(named.commits)
        by_itself = self.name in _WITH_PARENTS or self.name == "status" or self.read.has(*_AGAINST_HEAD)
        if by_itself and not named.commits and not named.files:
            yield from self._with_parents(self.revisions.head())

    def _with_parents(self, commits: Iterable[str]) -> Iterator[str]:
        for oid in commits:
            yield oid
            if self.name in _WITH_PARENTS:
                yield from self.revisions.parents(oid)

    def _in_submodules(self, index: Index) -> Iterator[str]:
        """A setting may make ``git grep`` enter submodules."""
        look = self.call.places.look
        for link in index.links if self.name == "grep" else ():
            inner = repository_at(self.repository.root / link, look)
            if inner is not None and inner.git_dir != self.repository.git_dir:
                found = read_index(inner.git_dir / "index", look)
                if found is None:
                    raise Unreadable(f"The index of {shown(link)} cannot be read.")
                yield from (f"{link}/{path}" for path in found.suspects)

    def _secret(self, path: str) -> bool:
        places, real = self.call.places, self.repository.root / path
        if not named_secret(PurePosixPath(path).parts, places.not_secret):
            return False
        return not places.holds(real) or places.secret(str(real)) or not real.exists()

    def _limited(self, secrets: list[str], paths: tuple[str, ...]) -> list[str]:
        clear = not any(_UNCLEAR.search(path) for path in paths)
        if not paths or not clear or self.name in _UNLIMITED or self.read.has(*_OTHER_NAMES):
            return secrets
        # git removes `..` from a path before it looks at any pattern in it.
        limits = [os.path.normpath(self.folder / path) for path in paths]
        return [path for path in secrets if any(_within(str(self.repository.root / path), one) for one in limits)]

    def _must_be_inside(self, paths: Iterable[str]) -> None:
        """Given a path outside the repository, git diff compares folders directly, with everything in them."""
        look, root = self.call.places.look, self.repository.root
        for path in paths if self.name == "diff" else ():
            if not within(look.real(path, within=self.folder), root):
                raise Unreadable(f"{shown(path)} is outside the repository.")


def _within(full: str, limit: str) -> bool:
    if "*" in limit or "?" in limit:
        return matches(limit, full) or matches(f"{limit}/*", full)
    return within(full.casefold(), limit.casefold())


def _addresses(call: Call, name: str) -> list[str]:
    """Addresses of remotes may hold a password."""
    if name == "config" and not any(text.lower().startswith("remote.") for text in call.texts()):
        return []
    look = call.places.look
    for folder in call.folders:
        repository = repository_at(folder, look)
        config = None if repository is None else look.read(repository.common_dir / "config", MAX_CONFIG)
        if holds_password(config) or calls_with_password(call.places):
            return ["The address of a remote may contain a password."]
    return []

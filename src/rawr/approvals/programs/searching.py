"""Programs that read whole folders (C10), ``grep -r`` and ``rg``: is there something in them that they must not read?

rawr walks the folders first, by name only. A walk that is too long proves nothing; then the line should name a folder.
Files of installed packages are not secret: ``node_modules`` and ``site-packages`` are skipped.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from rawr.approvals.credentials import named_secret
from rawr.approvals.judgment import shown
from rawr.approvals.places import Places
from rawr.approvals.programs.arguments import Call, Read, Spec, readings
from rawr.approvals.programs.costs import costly_expression
from rawr.approvals.reading.globs import expand
from rawr.approvals.reading.wildcards import matches
from rawr.approvals.reading.word import Word

PACKAGES = frozenset({"node_modules", "site-packages", "dist-packages", "__pycache__"})
MAX_IGNORE = 64 * 1024
MAX_EXPRESSIONS = 16 * 1024
_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")

_LANGUAGES_TEXT = (
    "py python pyi js ts tsx jsx rust go java c cpp h md markdown html css scss json toml ruby php kotlin swift scala "
    "sql txt cs lua vue svelte proto"
)
_LANGUAGES = frozenset(_LANGUAGES_TEXT.split())
"""rg types that include no hidden file with credentials."""

Taken = Callable[[tuple[str, ...]], bool]
"""Tells if a file with this path inside the folder would be read at all."""


def judge_grep(call: Call, allowed: Spec) -> list[str]:
    problems: list[str] = []
    for read in readings(call, allowed):
        problems += _from_files(read, call)
        if read.has("-P", "--perl-regexp"):
            problems += _trying(read, allowed)
        if read.has("-r", "-R", "--recursive", "--dereference-recursive"):
            problems += _searched(read, call, allowed, _included(read))
        if read.has("-R", "--dereference-recursive"):
            problems += _followed(read, call, allowed, taken=_included(read))
    return list(dict.fromkeys(problems))


def _included(read: Read) -> Taken:
    """``--include`` limits what is read, unless ``--exclude`` is there too: then the first one decides."""
    patterns = _values(read, "--include")
    if not patterns or read.has("--exclude", "--exclude-from"):
        return lambda _: True
    return lambda parts: any(_matched(pattern, parts[-1]) for pattern in patterns)


def judge_rg(call: Call, allowed: Spec) -> list[str]:
    problems: list[str] = []
    for read in readings(call, allowed):
        problems += _from_files(read, call)
        if read.has("-P", "--pcre2"):
            problems += _trying(read, allowed)
        if not read.has("--files", "--type-list"):
            problems += _searched(read, call, allowed, _Ripgrep(read, call).takes)
    return list(dict.fromkeys(problems))


def _trying(read: Read, allowed: Spec) -> list[str]:
    """Perl's expressions backtrack."""
    values = [value.text for option, value in read.given if value and allowed.values.get(option) == "regex"]
    texts = values or [word.text for word in read.operands[:1]]
    return [problem for text in texts for problem in costly_expression(text or "", tries=True)]


def _from_files(read: Read, call: Call) -> list[str]:
    """Expressions that come from a file, line by line."""
    problems: list[str] = []
    for file in _values(read, "-f", "--file"):
        for folder in call.folders:
            data = call.places.look.read(call.places.look.real(file, within=folder), MAX_EXPRESSIONS)
            if data is None:
                problems.append(f"The expressions in {shown(file)} cannot be read.")
                continue
            for line in data.decode("utf-8", "replace").splitlines():
                problems += costly_expression(line, tries=True)
    return problems[:3]


def _values(read: Read, *options: str) -> list[str]:
    return [value.text for option, value in read.given if option in options and value and value.text is not None]


def _matched(pattern: str, name: str) -> bool:
    """Brackets and braces are not interpreted: a pattern with them may match anything."""
    return bool(re.search(r"[\[\]{}\\]", pattern)) or matches(pattern.rpartition("/")[2], name)


def _searched(read: Read, call: Call, allowed: Spec, taken: Taken) -> list[str]:
    places = call.places
    starts = _starts(read, call, allowed)
    skills = [str(start) for start in starts if not places.holds(start) and places.look.kind(start) == stat.S_IFDIR]
    if skills:
        return [f"It searches {shown(path)}, among the skills, where single files may be read." for path in skills]
    if own := [str(start) for start in starts if places.kept(str(start))]:
        return [f"It searches {shown(path)}, in the home of Codex or rawr." for path in own[:3]]
    found = [path for start in starts for path in secrets_below(start, places, taken)]
    return [f"Among what it searches, {shown(path)} may hold credentials." for path in dict.fromkeys(found)][:3]


def _starts(read: Read, call: Call, allowed: Spec) -> list[Path]:
    """The real folders and files that a search begins with, in the workspace or among the skills."""
    given = read.operands if read.has(*allowed.replaces_first) else read.operands[len(allowed.first) :]
    places = call.places
    paths = [path for word in given or (Word(".", 0, "."),) for path in _paths(word, call)]
    reals = [places.look.real(path, within=folder) for path in paths for folder in call.folders]
    return [Path(real) for real in dict.fromkeys(reals) if places.holds(real) or places.skill(real) is not None]


def _followed(read: Read, call: Call, allowed: Spec, *, taken: Taken) -> list[str]:
    """``grep -R`` follows every link that it meets: all must stay in the workspace, and lead to nothing secret. It also
    waits for a pipe that a link leads to."""
    skipped = frozenset(name for name in _values(read, "--exclude-dir") if re.fullmatch(r"[\w.-]+", name, re.ASCII))
    places = call.places
    waiting = [str(folder) for folder in _starts(read, call, allowed)]
    seen = set(waiting)
    while waiting:
        for path in _odd_below(waiting.pop(), places, skipped):
            found = places.look.resolve(path)
            name = shown(path.removeprefix(f"{places.workspace}/"))
            if not places.holds(found.real) or found.differs:
                return [f"The link {name} leads out of the workspace."]
            if not places.look.ends(found.real):
                return [f"{name}, which it would read, is not a regular file or folder."]
            if places.secret(found.real, path) or secrets_below(Path(found.real), places, taken):
                return [f"The link {name} leads to what may hold credentials."]
            if found.real not in seen:
                seen.add(found.real)
                waiting.append(found.real)
    return []


def _odd_below(folder: str, places: Places, skipped: frozenset[str]) -> Iterator[str]:
    """Every link, pipe, socket and device, in packages and in .git too. ``skipped``: folders that are not searched."""
    return (one.path for one in _leaves_of(folder, places, skipped) if not one.is_file(follow_symlinks=False))


def _leaves_of(folder: str, places: Places, skipped: frozenset[str]) -> "Iterator[os.DirEntry[str]]":
    """Everything in a folder that is no folder, without entering the skipped ones."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        places.look.enter(here)
        try:
            entries = os.scandir(here)
        except OSError:
            continue
        with entries:
            for entry in entries:
                places.look.spend()
                if not entry.is_dir(follow_symlinks=False):
                    yield entry
                elif entry.name not in skipped:
                    waiting.append(entry.path)


def _paths(word: Word, call: Call) -> list[str]:
    if word.text is None:
        return []
    return expand(word, call.places, call.folders)[0] if word.shape else [word.text]


def secrets_below(folder: Path, places: Places, taken: Taken) -> list[str]:
    """Files with credentials that a recursive search of a folder would read, relative to the workspace."""
    found = places.look.once(("below", str(folder)), lambda: list(_below(folder, places)))
    return ["/".join(parts) for parts, inner in found if taken(inner)]


def _below(folder: Path, places: Places) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each such file: its parts below the workspace, and below the folder."""
    start = len(places.workspace.parts)
    at = len(folder.parts)
    linked = {number for _, number in places.linked()}
    waiting = [str(folder)]
    while waiting:
        here = waiting.pop()
        places.look.enter(here)
        base = Path(here).parts
        try:
            entries = os.scandir(here)
        except OSError:
            continue
        with entries:
            for entry in entries:
                places.look.spend()
                parts = (*base, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    if entry.name == ".git":
                        config = f"{entry.path}/config"
                        if places.secret(config):
                            yield (*parts, "config")[start:], (*parts, "config")[at:]
                    elif entry.name not in PACKAGES:
                        if places.kept(entry.path):
                            yield parts[start:], parts[at:]
                        else:
                            waiting.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    suspect = named_secret(parts[start:], places.not_secret) or entry.inode() in linked
                    if suspect and places.secret(entry.path):
                        yield parts[start:], parts[at:]


class _Ripgrep:
    """Which files rg reads: hidden ones only if an option, a pattern, or a line in an ignore file says so."""

    def __init__(self, read: Read, call: Call) -> None:
        self.call = call
        globs = [glob for glob in _values(read, "-g", "--glob", "--iglob") if not glob.startswith("!")]
        self.globs = globs
        types = _values(read, "-t", "--type")
        unrestricted = sum(option in ("-u", "--unrestricted") for option, _ in read.given) > 1
        self.hidden = read.has("-.", "--hidden", "--ignore-file") or unrestricted or not _LANGUAGES.issuperset(types)

    def takes(self, parts: tuple[str, ...]) -> bool:
        hidden = [part for part in parts if part.startswith(".")]
        if self.hidden or not hidden:
            return not self.globs or any(_matched(glob, part) for glob in self.globs for part in parts)
        shown_again = [*self.globs, *self._shown_again()]
        return any(_matched(pattern, part) for pattern in shown_again for part in hidden)

    def _shown_again(self) -> list[str]:
        """Lines such as ``!.env`` of all ignore files that may apply."""
        places = self.call.places
        return places.look.once("ignored", lambda: list(_negated(places)))


def _negated(places: Places) -> Iterator[str]:
    home = places.around.home
    config = places.around.variables.get("XDG_CONFIG_HOME") or f"{home}/.config"
    files = [f"{config}/git/ignore", f"{places.workspace}/.git/info/exclude", f"{home}/.gitignore"]
    for folder in (places.workspace, *places.workspace.parents):
        files += [f"{folder}/{name}" for name in _IGNORE_FILES]
    below = _leaves_of(str(places.workspace), places, frozenset({*PACKAGES, ".git"}))
    files += [entry.path for entry in below if entry.name in _IGNORE_FILES]
    for file in dict.fromkeys(files):
        for line in (places.look.read(file, MAX_IGNORE) or b"").decode("utf-8", "replace").splitlines():
            if line.startswith("!"):
                yield line[1:].strip().rstrip("/")

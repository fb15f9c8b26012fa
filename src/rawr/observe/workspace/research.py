"""A survey of a workspace, as a short text for a model (C15): what is here, what was done, how it is tested.

It runs nothing of the repository: it uses only names, beginnings of files, and git's records. They are data from a
place that anyone may have written to, so it is bounded in time, entries and size, and never raises because a repository
is odd.
"""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from rawr.core.guidance.rules import WAYS
from rawr.observe.repository.git import Repository, locate, look
from rawr.observe.repository.gitrun import run_git
from rawr.observe.workspace import uncommitted
from rawr.observe.workspace.walking import Allowance, Found, entries, files, inside, kind_of, read_text

SECONDS = 4.0
MAX_ENTRIES = 20_000
MAX_BYTES = 6_000
MAX_NAMES = 60
MAX_LISTED = 15
MAX_COMMITS = 8
MAX_README = 1_200
MAX_FILE = 256 * 1024
MAX_READ = 400
"""How many source files are searched for notes."""
READ = 64 * 1024
"""How many bytes of each."""
MAX_NAME = 120

LANGUAGES = {
    ".py": "Python", ".rs": "Rust", ".go": "Go", ".ts": "TypeScript", ".tsx": "TypeScript", ".js": "JavaScript",
    ".jsx": "JavaScript", ".java": "Java", ".kt": "Kotlin", ".swift": "Swift", ".c": "C", ".h": "C", ".cc": "C++",
    ".cpp": "C++", ".hpp": "C++", ".cs": "C#", ".rb": "Ruby", ".php": "PHP", ".scala": "Scala", ".ex": "Elixir",
    ".exs": "Elixir", ".hs": "Haskell", ".ml": "OCaml", ".clj": "Clojure", ".lua": "Lua", ".r": "R", ".jl": "Julia",
    ".sh": "Shell", ".sql": "SQL", ".html": "HTML", ".css": "CSS", ".vue": "Vue", ".svelte": "Svelte", ".zig": "Zig",
    ".md": "Markdown", ".tf": "Terraform", ".proto": "Protobuf",
}  # fmt: skip
_NOTE = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
_TARGET = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\s+[\w.-]+)*\s*:(?![=:])", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_README = re.compile(r"readme(?:\.(?:md|rst|txt|org|adoc))?", re.IGNORECASE)


def research(cwd: str, seconds: float = SECONDS) -> str:
    """A description of the workspace, the most useful first, in at most ``MAX_BYTES`` bytes."""
    try:
        root = Path(os.path.realpath(cwd, strict=True)) if cwd else None
    except (OSError, ValueError):
        root = None
    if root is None:
        return "There is no such workspace."
    if not root.is_dir():
        return "The workspace is no folder."
    allowance = Allowance(seconds=seconds, entries=MAX_ENTRIES)
    parts = _history(root, allowance)
    names = {one.name: kind_of(one) for one in entries(root, allowance) if one.name != ".git"}
    parts += _top(names)
    parts += _ways(root)
    parts += _content(root, allowance)
    parts += _readme(root, names)
    if allowance.cut:
        parts.append("(The workspace is large: not all of it was looked at.)")
    return _bounded("\n".join(parts))


# -- git's records ---------------------------------------------------------------------------------------------------


def _history(root: Path, allowance: Allowance) -> list[str]:
    repository = locate(root)
    if repository is None:
        return ["No git repository."]
    view = look(repository)
    where = f"on branch {_plain(view.branch)}" if view.branch else "not on a branch"
    lines = [f"A git repository, {where}, {'at ' + view.head[:10] if view.head else 'without a commit'}."]
    commits = _commits(repository, allowance) if view.head else []
    if commits:
        lines += ["Newest commits:", *commits]
    for what, names in (
        ("Staged", uncommitted.staged(repository, root, allowance) if view.head else None),
        ("Changed since git last saw them", uncommitted.changed(repository, root, allowance)),
        ("Unknown to git", uncommitted.untracked(repository, root, allowance)),
    ):
        if names:
            lines.append(f"{what} ({len(names)}): {_listed(names, MAX_LISTED)}")
    return lines


def _commits(repository: Repository, allowance: Allowance) -> list[str]:
    asked = ("rev-list", f"--max-count={MAX_COMMITS}", "--format=%h %s", "HEAD")
    told = run_git(repository, *asked, deadline=min(max(allowance.left, 0.1), uncommitted.MAX_SECONDS)) or b""
    lines = told.decode("utf-8", "replace").splitlines()
    return [f"- {_plain(line)}" for line in lines if line and not line.startswith("commit ")]


# -- the files -------------------------------------------------------------------------------------------------------


def _top(found: dict[str, str]) -> list[str]:
    marks = {"folder": "/", "link": "@", "file": "", "other": "?"}
    names = sorted(f"{name}{marks[kind]}" for name, kind in found.items())
    return [f"Here ({len(names)}): {_listed(names, MAX_NAMES)}"] if names else ["The folder is empty."]


def _content(root: Path, allowance: Allowance) -> list[str]:
    """Languages by file extension, and the number of notes about unfinished work."""
    languages: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    read = 0
    for found in files(root, allowance):
        language = LANGUAGES.get(found.path.suffix.lower())
        if language is None:
            continue
        languages[language] += 1
        if read < MAX_READ and language != "Markdown" and allowance.left:
            read += 1
            notes[found.name] = _notes(found)
    lines = []
    if languages:
        counted = ", ".join(f"{name} {count}" for name, count in languages.most_common(6))
        lines.append(f"Files by language: {counted}.")
    total = sum(notes.values())
    if total:
        most = _listed([f"{name} {count}" for name, count in notes.most_common(5) if count], 5)
        lines.append(f"TODO and FIXME notes: {total}, in {read} files that were read; most in {most}")
    return lines


def _notes(found: Found) -> int:
    text = read_text(found.path, READ)
    return len(_NOTE.findall(text)) if text is not None else 0


def _readme(root: Path, found: Iterable[str]) -> list[str]:
    for name in sorted(name for name in found if _README.fullmatch(name)):
        text = _text(root, name, MAX_README * 4)
        if text is not None and text.strip():
            shown = "\n".join(_plain(line, MAX_README) for line in text[:MAX_README].splitlines() if line.strip())
            return [f"{_plain(name)} begins:", shown]
    return []


# -- how it is tested and built --------------------------------------------------------------------------------------


def _ways(root: Path) -> list[str]:
    """Commands, by the files that name them."""
    found: list[str] = []
    for name, read in _FILES:
        text = _text(root, name, MAX_FILE)
        if text is not None:
            found += [_plain(one) for one in read(text)]
    found = list(dict.fromkeys(one for one in found if one))
    return [f"{WAYS} (none was run):", *(f"- {one}" for one in found[: 2 * MAX_LISTED])] if found else []


def _makefile(text: str) -> Iterable[str]:
    return [f"make {target}" for target in dict.fromkeys(_TARGET.findall(text))][:MAX_LISTED]


def _justfile(text: str) -> Iterable[str]:
    return [f"just {target}" for target in dict.fromkeys(_TARGET.findall(text))][:MAX_LISTED]


def _package(text: str) -> Iterable[str]:
    try:
        tree = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return ()
    scripts = tree.get("scripts") if isinstance(tree, dict) else None
    names = [str(name) for name in scripts] if isinstance(scripts, dict) else []
    return [f"npm run {name}" for name in names[:MAX_LISTED]]


def _pyproject(text: str) -> Iterable[str]:
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return ()
    tools = tree.get("tool")
    known = {"pytest": "pytest (tests)", "ruff": "ruff check", "mypy": "mypy", "tox": "tox (tests)"}
    return [line for tool, line in known.items() if isinstance(tools, dict) and tool in tools]


def _always(*lines: str) -> Callable[[str], Iterable[str]]:
    return lambda _text: lines


_FILES: tuple[tuple[str, Callable[[str], Iterable[str]]], ...] = (
    ("Makefile", _makefile),
    ("justfile", _justfile),
    ("package.json", _package),
    ("pyproject.toml", _pyproject),
    ("pytest.ini", _always("pytest (tests)")),
    ("tox.ini", _always("tox (tests)")),
    ("Cargo.toml", _always("cargo test", "cargo build")),
    ("go.mod", _always("go test ./...")),
    ("pom.xml", _always("mvn test")),
    ("build.gradle", _always("gradle test")),
    ("mix.exs", _always("mix test")),
    ("Gemfile", _always("bundle exec rake test")),
)


# -- the text --------------------------------------------------------------------------------------------------------


def _text(root: Path, name: str, limit: int) -> str | None:
    """The beginning of a file in the workspace, through links that stay there."""
    path = inside(root, root / name)
    return read_text(path, limit) if path is not None else None


def _listed(names: list[str], most: int) -> str:
    shown = ", ".join(_plain(name) for name in names[:most])
    return f"{shown}, and {len(names) - most} more" if len(names) > most else shown


def _plain(text: str, most: int = MAX_NAME) -> str:
    """One line that can be written down: no control characters, no partial characters, not too long."""
    line = _CONTROL.sub(" ", text).encode("utf-8", "replace").decode().strip()
    return line if len(line) <= most else f"{line[:most]}…"


def _bounded(text: str) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_BYTES:
        return data.decode()
    note = "\n(cut off)"
    return data[: MAX_BYTES - len(note)].decode("utf-8", "ignore") + note

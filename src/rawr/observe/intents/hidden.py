"""What a line runs but does not show (B6): the scripts that it names, as far as a file can tell.

A script is a claim like a line, never a reason to approve anything. Shell code in it is read like a line; other code is
only searched for the words that commit or open a pull request. Nothing here runs, and every file is bounded.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.observe.files import read_small
from rawr.observe.intents.intent import Kind, Place
from rawr.observe.shell.simple_command import SimpleCommand
from rawr.observe.shell.wrappers import program

MAX_SCRIPT = 64 * 1024
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "source", "."})
_INTERPRETERS = frozenset({"python", "python3", "node", "deno", "ruby", "perl", "php", "tsx", "ts-node"})
_RUNNERS = frozenset({"uv", "uvx", "poetry", "pdm", "hatch", "rye", "npx", "pnpx", "bunx", "pipenv", "bundle"})
"""``uv run python ship.py``: what follows their subcommand is a command."""
_PACKAGES = frozenset({"npm", "pnpm", "yarn", "bun"})
_SHEBANG = re.compile(r"#![^\n]*\b(?:ba|z|da|k)?sh\b")
_RULE = re.compile(r"^([\w./-]++)[^:=\n]*+:(?!=)([^=\n]*+)\n((?:[\t ]+\S.*(?:\n|\Z)|[\t ]*\n)*)", re.MULTILINE)
_COMMITS = re.compile(
    r"\bgit\b(?![^\n]{0,20}\b(?:log|show|diff|status|rev-parse|describe|blame)\b)"
    r"[^\n]{0,80}?\b(?:commit|merge|cherry-pick|revert|am)\b"
    r"|\.(?:index\.)?commit\(|\bcreate_commit\("
)
_OPENS = re.compile(
    r"\b(?:gh|glab)\b[^\w\n]{1,8}[pm]r\b[^\w\n]{1,8}(?:create|new)\b|\bgt\b[^\w\n]{1,8}(?:submit|ss)\b|\bhub\b[^\w\n]{1,8}"
    r"pull-request\b|/pulls\b|/merge_requests\b|merge_request\.create|\bcreate_?pull|pulls\.create|mergerequests\.create",
    re.IGNORECASE,
)
_POSTED = re.compile(r"/(?:pulls|merge_requests|pullrequests|pull-requests)/?$")
"""Where the forges take a new one."""
_ASKS = re.compile(r"\b(?:curl|wget|http)\b")
_SENDS = re.compile(r"\bPOST\b|--data|--json|--post-data|\s-d\b")
_NEW = re.compile(r"/(?:pulls|merge_requests|pullrequests|pull-requests)(?![\w/])")
_TOOLS: dict[str, frozenset[str]] = {
    "npm": frozenset({"version"}),
    "pnpm": frozenset({"version"}),
    "yarn": frozenset({"version"}),
    "cargo": frozenset({"release"}),
    "lerna": frozenset({"version", "publish"}),
    "cz": frozenset({"commit", "c", "bump"}),
    "jj": frozenset({"commit", "ci", "describe", "git"}),
    "git-town": frozenset({"ship", "sync", "merge"}),
}
"""Programs that commit without saying ``git``."""
_ALWAYS = frozenset(
    {"git-cz", "bump2version", "bumpversion", "bump-my-version", "release-it", "standard-version", "semantic-release"}
)


class Hidden(Struct, frozen=True):
    """``code`` is shell code, to be read like a line; ``kinds`` are what other code may do. ``text`` is all of it."""

    code: str = ""
    kinds: tuple[Kind, ...] = ()
    text: str = ""


def hidden(command: SimpleCommand, place: Place, cwd: Path) -> Hidden:
    words = [word for word in command.words if word is not None]
    if not words:
        return Hidden()
    if program(words[0]) in _RUNNERS:
        words = [word for word in words[1:] if not word.startswith("-") and word not in ("run", "exec", "x")] or words
    name = program(words[0]).removesuffix(".exe")
    rest = words[1:]
    if name in ("curl", "wget", "http", "https", "xh"):
        asks = any(word.startswith(("-d", "--data", "--json", "--post-data")) or word == "POST" for word in rest)
        return Hidden(kinds=("pr_create",) if asks and any(_POSTED.search(word) for word in rest) else ())
    if name in _ALWAYS or (rest and rest[0] in _TOOLS.get(name, ())):
        return Hidden(kinds=("commit",))
    folder = None if place.directory is None else cwd / place.directory
    return _found(name, words[0], rest, folder)


def _found(name: str, written: str, rest: list[str], folder: Path | None) -> Hidden:
    if name in _INTERPRETERS and (code := _inline(rest)) is not None:
        return Hidden(kinds=_kinds(code))
    if folder is None:
        return Hidden()
    if name in _SHELLS or name in _INTERPRETERS:
        file = next((word for word in rest if not word.startswith("-")), "")
        return _of_file(folder / file, shell=name in _SHELLS) if file else Hidden()
    if name in ("make", "gmake", "just"):
        files = ("GNUmakefile", "makefile", "Makefile", "justfile", "Justfile")
        text = next(filter(None, (_text(folder / one) for one in files)), "")
        return Hidden(
            code="\n".join(_recipes(text, [word for word in rest if "=" not in word and not word.startswith("-")]))
        )
    if name in _PACKAGES:
        return Hidden(code="\n".join(_package_scripts(folder, rest)))
    if "/" in written or posixpath.splitext(written)[1]:
        return _of_file(folder / written, shell=False)
    return Hidden()


def _inline(rest: list[str]) -> str | None:
    """The code of ``python -c CODE``."""
    at = next((number for number, word in enumerate(rest) if word in ("-c", "-e", "--eval", "-r")), None)
    return rest[at + 1] if at is not None and at + 1 < len(rest) else None


def _of_file(file: Path, *, shell: bool) -> Hidden:
    text = _text(file)
    if not text:
        return Hidden()
    if shell or file.suffix in (".sh", ".bash", ".zsh") or _SHEBANG.match(text):
        lines = text.replace("\\\n", " ").splitlines()
        asks = any(_ASKS.search(line) and _SENDS.search(line) and _NEW.search(line) for line in lines)
        posts: tuple[Kind, ...] = ("pr_create",) if asks else ()
        return Hidden(code=text, kinds=posts, text=text)
    # Without a first line that says what it is, bash runs a file as its own code.
    return Hidden(code="" if text.startswith("#!") or file.suffix else text, kinds=_kinds(text), text=text)


def _text(file: Path) -> str:
    data = read_small(file, MAX_SCRIPT)
    return "" if data is None or b"\0" in data else data.decode("utf-8", "replace")


def _kinds(text: str) -> tuple[Kind, ...]:
    found: list[Kind] = ["commit"] if _COMMITS.search(text) else []
    return (*found, "pr_create") if _OPENS.search(text) else tuple(found)


def _recipes(text: str, targets: list[str]) -> Iterator[str]:
    """The code of these targets, or of the first, and of what each needs."""
    rules = {name: (needs.split(), code) for name, needs, code in _RULE.findall(text + "\n")}
    due = list(targets or [name for name in rules if not name.startswith(".")][:1])
    for name in due:
        needs, code = rules.pop(name, ([], ""))
        due += [one for one in needs if one in rules]
        yield from (line.strip().lstrip("-@+ ") for line in code.splitlines())


def _package_scripts(folder: Path, rest: list[str]) -> Iterator[str]:
    """The code of ``npm run NAME``, with what runs before and after it."""
    name = next((word for word in rest if not word.startswith("-") and word not in ("run", "run-script")), "")
    try:
        package = msgspec.json.decode(_text(folder / "package.json") or "{}", type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return
    scripts = package.get("scripts")
    if isinstance(scripts, dict):
        yield from (code for one in (f"pre{name}", name, f"post{name}") if isinstance(code := scripts.get(one), str))


def runs_a_script(command: SimpleCommand) -> bool:
    """Its program is a file of somebody's own, or code that another program reads."""
    words = [word for word in command.words if word is not None]
    name = program(words[0]) if words else ""
    if name in _SHELLS or name in _INTERPRETERS:
        file = any(not word.startswith("-") for word in words[1:])
        return file and (name in _INTERPRETERS or not any(_CODE.fullmatch(word) for word in words[1:]))
    own = bool(words) and "/" in words[0] and not words[0].startswith(("/bin/", "/usr/"))
    return own or name in _RUNNERS | _PACKAGES | {"make", "just"}


_CODE = re.compile(r"-\w*c")
"""``bash -lc CODE``: what it runs is in the line."""


def speaks_of_opening(command: SimpleCommand) -> bool:
    """The name of a program says that it opens something: ``./open-pr.sh``, ``bin/ship``."""
    words = [word for word in command.words[:3] if word is not None and not word.startswith("-")]
    return any(_OPENER.search(posixpath.basename(word)) for word in words)


_OPENER = re.compile(
    r"(?<![a-z])(?:pr|mr|prs|mrs|pull[-_]?request|merge[-_]?request|ship|submit|land|publish|release)(?![a-z])",
    re.IGNORECASE,
)

"""Whether a command of git would show what is in a file with credentials (C10).

Names are anybody's; contents are not. Which files are tracked, the index says. What was tracked once and is not any
more is found only by its name: nobody goes through the whole history for a judgment.
"""

import re
from pathlib import Path, PurePosixPath

from rawr.observe.repository import Repository
from rawr.observe.safety.arguments import Call, Read
from rawr.observe.safety.credentials import holds_password, named_secret
from rawr.observe.safety.git_helpers import calls_with_password
from rawr.observe.safety.git_index import suspects
from rawr.observe.safety.git_repository import repository_at
from rawr.observe.safety.git_settings import MAX_CONFIG
from rawr.observe.safety.judgment import shown
from rawr.observe.safety.places import within
from rawr.observe.safety.searching import secrets_below
from rawr.observe.safety.wildcards import matches

_INSTEAD_TEXT = (
    "--stat --numstat --shortstat --name-only --name-status --raw --summary --no-patch -s --compact-summary --dirstat "
    "--quiet -q"
)
_INSTEAD = frozenset(_INSTEAD_TEXT.split())
"""With one of these there is no patch, unless it is asked for too."""
_PATCH_TEXT = (
    "-p -u --patch -U --unified --patch-with-stat --binary --word-diff --color-words -W --function-context -S -G "
    "--check --cc -c -m -L --text -a"
)
_PATCH = frozenset(_PATCH_TEXT.split())
"""These show a patch, or tell what is in one."""
_SHOWS = frozenset({"diff", "show"})
_SHOWS_IF_ASKED = frozenset({"log", "reflog", "diff-files", "diff-index", "diff-tree", "rev-list"})
_UNCLEAR = re.compile(r"[\[\]\\]|^:")


def shows_secrets(call: Call, name: str, read: Read) -> list[str]:
    """``name`` is git's command, ``read`` one way to read what it is given."""
    if name in ("remote", "config"):
        return _addresses(call, name)
    if not _shows_contents(name, read):
        return []
    named = [*(word.text or "" for word in read.operands), *_values(read, "-L")]
    found = [text for text in named if named_secret(_file_in(text), call.places.not_secret)]
    for folder in sorted(call.folders):
        repository = repository_at(folder, call.places.look)
        if repository is not None and name != "blame":
            found += _tracked(call, name, read, folder, repository)
    return [f"{shown(path)} may hold credentials, and git would show them." for path in dict.fromkeys(found)][:3]


def _shows_contents(name: str, read: Read) -> bool:
    match name:
        case "grep" | "blame":
            return True
        case "cat-file":
            return read.has("-p")
        case "status":
            return read.has("-v", "--verbose")
        case "stash":  # a setting may make it show the patch by itself
            return read.has(*_PATCH) or not read.has(*_INSTEAD)
        case _ if name in _SHOWS:
            return read.has(*_PATCH) or not read.has(*_INSTEAD)
        case _:
            return name in _SHOWS_IF_ASKED and read.has(*_PATCH)


def _values(read: Read, *options: str) -> list[str]:
    return [value.text or "" for option, value in read.given if option in options and value is not None]


def _file_in(text: str) -> tuple[str, ...]:
    """``HEAD:config/.env``, ``1,5:.env`` and ``.env`` name the same kind of file."""
    return PurePosixPath(text.rpartition(":")[2] or text).parts


def _tracked(call: Call, name: str, read: Read, folder: Path, repository: Repository) -> list[str]:
    tracked = suspects(repository.git_dir / "index", call.places.look)
    if tracked is None:
        return ["the index"]
    secrets = [path for path in tracked if _secret(path, call, repository)]
    if name == "grep" and read.has("--untracked"):
        secrets += secrets_below(folder, call.places, lambda _: True)
    operands = [word.text or "" for word in read.operands]
    if name in ("show", "cat-file") and operands and all(":" in one for one in operands):
        return []  # each of them is one file, and was looked at by its name
    limits = _limits(call, operands[1:] if name == "grep" and not read.has("-e") else operands, folder)
    return [path for path in secrets if not limits or _within(path, limits, folder, repository)]


def _secret(path: str, call: Call, repository: Repository) -> bool:
    real = repository.root / path
    parts = PurePosixPath(path).parts
    if not named_secret(parts, call.places.not_secret):
        return False
    return not call.places.holds(real) or call.places.secret(str(real)) or not real.exists()


def _limits(call: Call, operands: list[str], folder: Path) -> list[str]:
    """The paths that the command is limited to; none if it is limited to nothing that is understood."""
    texts = call.texts()
    behind = list(texts[texts.index("--") + 1 :]) if "--" in texts else None
    look = call.places.look
    paths = behind if behind is not None else [one for one in operands if look.kind(look.real(one, within=folder))]
    return [] if any(_UNCLEAR.search(path) for path in paths) else paths


def _within(path: str, limits: list[str], folder: Path, repository: Repository) -> bool:
    full = str(repository.root / path)
    for limit in limits:
        if "*" in limit or "?" in limit:
            if matches(f"{folder}/{limit}", full) or matches(f"{folder}/{limit}/*", full):
                return True
        elif within(full, str(PurePosixPath(folder / limit))) or ".." in PurePosixPath(limit).parts:
            return True
    return False


def _addresses(call: Call, name: str) -> list[str]:
    """Addresses of remotes may hold a password."""
    if name == "config" and not any(text.lower().startswith("remote.") for text in call.texts()):
        return []
    look = call.places.look
    for folder in call.folders:
        repository = repository_at(folder, look)
        config = None if repository is None else look.read(repository.common_dir / "config", MAX_CONFIG)
        if holds_password(config) or calls_with_password(call.places):
            return ["An address of a remote may hold a password."]
    return []

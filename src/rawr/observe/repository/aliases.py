"""The user's git aliases and remotes (B6): read through git, because only git knows all the places they can come from.

They are read again when one of those places changes.
"""

import os
import re
from pathlib import Path

from msgspec import Struct

from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.locating import Repository

MAX_ALIASES = 512
MAX_REMOTES = 64
_KEPT = 64
_ENTRY = re.compile(rb"([^\0]*)\0alias\.([^\0\n]+)\n([^\0]*)\0")
_INCLUDED = re.compile(rb"([^\0]*)\0include(?:if\.[^\0\n]*)?\.path\n([^\0]*)\0")

Stamp = tuple[tuple[str, int, int], ...]


class _Known(Struct, frozen=True):
    stamp: Stamp
    files: tuple[str, ...]
    aliases: dict[str, str]


_known: dict[Path, _Known] = {}


def aliases(repository: Repository) -> dict[str, str]:
    """By name in lower case, as git compares them. A copy: the caller may change it."""
    known = _known.get(repository.git_dir)
    if known is not None and known.stamp == _stamp(known.files):
        return dict(known.aliases)
    files = _usual_files(repository)
    stamp = _stamp(files)
    text = run_git(repository, "config", "-z", "--show-origin", "--get-regexp", r"^(alias|include|includeif)\.") or b""
    found = {_text(name).lower(): _text(value) for _, name, value in _ENTRY.findall(text)[:MAX_ALIASES]}
    named = [_file(repository, _text(origin)) for origin, *_ in (*_ENTRY.findall(text), *_INCLUDED.findall(text))]
    more = tuple(sorted({file for file in named if file and file not in files}))
    if more:
        files = (*files, *more)
        stamp = _stamp(files)
    while len(_known) >= _KEPT:
        _known.pop(next(iter(_known)))
    _known[repository.git_dir] = _Known(stamp, files, found)
    return dict(found)


def remotes(repository: Repository) -> tuple[str, ...]:
    """The addresses of its remotes, as its configuration has them."""
    text = run_git(repository, "config", "-z", "--get-regexp", r"^remote\..*\.(push)?url$") or b""
    return tuple(_text(value) for value in re.findall(rb"\n([^\0]*)\0", text)[:MAX_REMOTES])


def _usual_files(repository: Repository) -> tuple[str, ...]:
    home = os.environ.get("HOME", "")
    settings = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return (
        str(repository.common_dir / "config"),
        str(repository.git_dir / "config.worktree"),
        f"{home}/.gitconfig",
        f"{settings}/git/config",
        "/etc/gitconfig",
    )


def _file(repository: Repository, origin: str) -> str:
    kind, _, path = origin.partition(":")
    return os.path.join(repository.git_dir, path) if kind == "file" else ""  # noqa: PTH118  # it is only compared


def _stamp(files: tuple[str, ...]) -> Stamp:
    stamps: list[tuple[str, int, int]] = []
    for file in files:
        try:
            status = os.stat(file)  # noqa: PTH116  # five times a command: a Path each would cost more than the call
        except OSError:
            continue
        stamps.append((file, status.st_mtime_ns, status.st_size))
    return tuple(stamps)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")

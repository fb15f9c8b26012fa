"""What ``git add`` would take along (C10): a file with credentials that is not ignored goes into the next commit.

Ignore files are read more simply than git reads them: a file counts as ignored only if a plain line says so, and no
line takes anything back. So a line may be refused that git would have kept clean, never the other way round.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from rawr.approvals.credentials import named_secret
from rawr.approvals.git.index import read_index
from rawr.approvals.git.repository import repository_at
from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call
from rawr.approvals.reading.wildcards import matches

MAX_IGNORE = 64 * 1024


def wrong_to_add(text: str, call: Call) -> list[str]:
    """Why a path is not one to be added. A folder stands for everything in it."""
    if text.startswith(":") or any(char in text for char in "*?["):
        # git reads patterns of its own there.
        return taken_along(call, "")
    problems = call.places.unreadable(text, call.folders)
    for folder in call.folders:
        real = call.places.look.real(text, within=folder)
        if not problems and os.path.isdir(real):  # noqa: PTH112 - a path as text
            problems += taken_along(call, real)
    return problems


def taken_along(call: Call, below: str) -> list[str]:
    """Files with credentials in a folder, the workspace by default, that are neither ignored nor tracked."""
    top = below or str(call.places.workspace)
    return call.places.look.once(("added", top), lambda: list(_taken(top, call)))


def _taken(top: str, call: Call) -> Iterator[str]:
    places = call.places
    root = str(places.workspace)
    repository = repository_at(places.workspace, places.look)
    tracked: set[str] = set()
    if repository is not None:
        index = read_index(repository.git_dir / "index", places.look)
        root = str(repository.root)
        tracked = {f"{root}/{one}" for one in (index.suspects if index is not None else ())}
    common = [] if repository is None else _lines(f"{repository.common_dir}/info/exclude", call)
    common += _lines(f"{places.around.home}/.config/git/ignore", call)
    waiting = [(top, [*common, *_above(top, root, call)])]
    while waiting:
        here, rules = waiting.pop()
        places.look.enter(Path(here))
        rules = [*rules, *_lines(f"{here}/.gitignore", call)] if here != root or here == top else rules
        try:
            entries = list(os.scandir(here))
        except OSError:
            continue
        for entry in entries:
            places.look.spend()
            if entry.name == ".git" or _ignored(entry.name, rules):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, rules))
            elif entry.path not in tracked and _secret(entry.path, call):
                name = os.path.relpath(entry.path, places.workspace)
                yield f"{shown(name)} may hold credentials, and is not ignored."


def _secret(path: str, call: Call) -> bool:
    inside = path.removeprefix(f"{call.places.workspace}/")
    return named_secret(tuple(inside.split("/")), call.places.not_secret) and call.places.secret(path)


def _above(top: str, root: str, call: Call) -> list[str]:
    """The lines of the ignore files above a folder."""
    found: list[str] = []
    here = os.path.dirname(top)  # noqa: PTH120 - a path as text
    while top != root and (here == root or here.startswith(f"{root}/")):
        found += _lines(f"{here}/.gitignore", call)
        if here == root:
            break
        here = os.path.dirname(here)  # noqa: PTH120
    return found


def _lines(file: str, call: Call) -> list[str]:
    data = (call.places.look.read(file, MAX_IGNORE) or b"").decode("utf-8", "replace")
    return [line.strip() for line in data.splitlines() if line.strip() and not line.startswith("#")]


def _ignored(name: str, rules: list[str]) -> bool:
    """By a line that is a plain name or pattern for one. A line that takes something back may mean this one."""
    plain = [rule.rstrip("/") for rule in rules]
    if any(rule.startswith("!") and matches(rule[1:].rpartition("/")[2], name) for rule in plain):
        return False
    return any(matches(rule.removeprefix("**/"), name) for rule in plain if "/" not in rule.removeprefix("**/"))

"""What happened to the files of a working tree between two looks: added, changed, deleted, renamed (B6).

Whoever wrote a file, and however: a command's redirection counts like a patch. Files that only tools leave behind do
not, if git does not track them either.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from msgspec import Struct

from rawr.core.vocabulary.items import Change
from rawr.observe.workspace.walking import SKIPPED

_LEFTOVERS = frozenset({".pyc", ".pyo", ".swp", ".swo", ".o", ".class"})
_LEFTOVER_NAMES = frozenset({".DS_Store", ".coverage", "Thumbs.db"})


class File(Struct, frozen=True, gc=False):
    """A file at one look."""

    size: int
    time: int
    touched: int
    """When anything about it changed last: content, mode or name. Nobody can set it back."""
    mark: str
    """A digest of its content; empty if it was not read, since it has not changed and was not among the first."""
    tracked: bool = False


Files = Mapping[str, File]


def between(before: Files, now: Files, *, root: str) -> list[Change]:
    """The changes, by name. One file gone and one of the same size and time come: it was renamed."""
    gone = [name for name in before if name not in now and not _is_there(root, name)]
    come = [name for name in now if name not in before]
    moved = _moved({name: before[name] for name in gone}, {name: now[name] for name in come})
    arrived = set(moved.values())
    found = [
        *(Change(old, "update", new) for old, new in moved.items()),
        *(Change(name, "delete") for name in gone if name not in moved and not is_leftover(name, before[name])),
        *(Change(name, "add") for name in come if name not in arrived and not is_leftover(name, now[name])),
        *(
            Change(name, "update")
            for name, file in now.items()
            if name in before and file.mark != before[name].mark and not is_leftover(name, file)
        ),
    ]
    return sorted(found, key=lambda one: one.moved_to or one.path)


def _is_there(root: str, name: str) -> bool:
    """A look that was cut short misses files that are still there."""
    return os.path.lexists(os.path.join(root, name))  # noqa: PTH118 - by the thousand, links count


def _moved(gone: Files, come: Files) -> dict[str, str]:
    """Renaming a file leaves its size and time as they were. Old name to new name, where that is plain."""
    by_look: dict[tuple[int, int], list[str]] = {}
    for name, file in come.items():
        by_look.setdefault((file.size, file.time), []).append(name)
    moved: dict[str, str] = {}
    for name, file in gone.items():
        candidates = by_look.get((file.size, file.time), [])
        if file.size and len(candidates) == 1:
            moved[name] = candidates.pop()
    return moved


def is_leftover(name: str, file: File) -> bool:
    if file.tracked:
        return False
    path = PurePosixPath(name)
    return (
        path.suffix in _LEFTOVERS
        or path.name in _LEFTOVER_NAMES
        or path.name.endswith("~")
        or any(part in SKIPPED for part in path.parts[:-1])
    )


def folded(changes: Iterable[Change]) -> list[Change]:
    """One change per file for several, oldest first."""
    found: dict[str, Change] = {}
    for one in changes:
        before = found.pop(one.path, None)
        new = before is not None and before.kind == "add"
        name = one.moved_to or one.path
        if one.kind == "delete":
            if not new:
                found[name] = Change(before.path if before is not None else one.path, "delete")
        elif one.moved_to:
            origin = before.path if before is not None else one.path
            found[name] = Change(name, "add") if new else Change(origin, "update", name)
        elif before is not None:
            found[name] = before if before.kind != "delete" else Change(name, "update")
        else:
            found[name] = one
    return list(found.values())

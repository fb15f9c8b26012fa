"""Where Codex's sandbox lets the agent write, and whether a path leads through there.

What rawr obeys must not lie there: its home with the rules, its own code, the Codex that it starts. The sandbox keeps
some folders at the top of the workspace read-only (``.git``, ``.codex``, ``.agents``; measured on Linux, 0.163.0). rawr
does not count on that: a session that works one folder further up may write to them.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from rawr.core.vocabulary.limits import Sandboxing
from rawr.mounts import Mounts, within

WORKSPACE = "the workspace"
MAX_LINKS = 40
"""As many as Linux follows."""
_Identity = tuple[int, int]


class Root(Struct, frozen=True):
    """A folder in which the agent may write."""

    folder: str
    what: str
    problem: str = ""
    """Why nothing is out of the agent's reach, if that is so; and the way out."""


def writable_roots(sandbox: Sandboxing, workspace: Path | str, *environs: Mapping[str, str]) -> tuple[Root, ...]:
    """``environs``: the environments in which Codex, or rawr, may look up ``TMPDIR``.

    None for ``read-only``. None for ``danger-full-access`` either: the agent may write everywhere then, and nothing on
    this machine is out of its reach. A sandbox of an unknown kind counts as ``workspace-write``.
    """
    if sandbox.mode in ("read-only", "danger-full-access"):
        return ()
    found = [Root(str(workspace), WORKSPACE)] if str(workspace) else []
    found += [Root(folder, "a writable root of Codex's sandbox") for folder in sandbox.roots]
    if sandbox.slash_tmp:
        found.append(Root("/tmp", "writable in Codex's sandbox"))  # noqa: S108 - nothing is put there
    if sandbox.tmpdir:
        folders = dict.fromkeys(env.get("TMPDIR", "") for env in environs)
        found += [_temporary(folder) for folder in folders if folder]
    # A name that no folder can have opens none.
    return tuple(one for one in found if Path(one.folder).is_absolute() and "\0" not in one.folder)


def _temporary(folder: str) -> Root:
    what = "TMPDIR, writable in Codex's sandbox"
    if Path(folder).is_absolute():
        return Root(folder, what)
    # The agent chooses the folder of its commands, so it may write to any.
    taken = "which Codex takes from the folder of each command"
    return Root("/", what, f"TMPDIR is `{folder}`, {taken}: set it to an absolute path, or unset it.")


class Reach:
    """What the agent of one sandbox can change."""

    def __init__(self, roots: tuple[Root, ...], *, mounts: Mounts | None = None) -> None:
        self._mounts = mounts or Mounts()
        self.problem = next((one.problem for one in roots if one.problem), "")
        """Why nothing is out of its reach, if that is so; and the way out."""
        self._roots = [(one, _real(one.folder)) for one in roots]
        self._places = [(one, self._mounts.place_of(real)) for one, real in self._roots]
        self._known = [(one, found) for one, real in self._roots if (found := _identity(real)) is not None]
        self._looked_at: dict[str, _Identity | None] = {}

    def __bool__(self) -> bool:
        return bool(self._roots)

    def root_on_the_way(self, path: Path) -> Root | None:
        """The root through which the path leads, by its name or behind any link on the way; None if it leads through
        none. Where the agent can swap one step of a path, it decides what is at its end."""
        return next((root for step in _steps(path) if (root := self._holds(step)) is not None), None)

    def root_inside(self, folder: Path) -> Root | None:
        """The root that lies in this folder, or is it."""
        real = _real(folder)
        device, place = self._mounts.place_of(real)
        return next(
            (one for one, (its_device, its_place) in self._places if device == its_device and within(its_place, place)),
            None,
        )

    def _holds(self, step: str) -> Root | None:
        """``step`` is one entry on the way, its folder's links followed."""
        device, place = self._mounts.place_of(step)
        for one, (its_device, its_place) in self._places:
            if device == its_device and within(place, its_place):
                return one
        # The same folder under another spelling, where the file system does not tell letters apart.
        above = {self._identity(place) for place in (step, *map(str, Path(step).parents))}
        return next((one for one, found in self._known if found in above), None)

    def _identity(self, place: str) -> "_Identity | None":
        if place not in self._looked_at:
            self._looked_at[place] = _identity(place)
        return self._looked_at[place]


def other_names(file: Path) -> int:
    """How many names the file has outside of its folder (hard links). It may be written under any of them."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_nlink < 2:
            return 0
        here = file.resolve().parent
        same = sum(os.path.samestat(one.stat(follow_symlinks=False), found) for one in os.scandir(here))
    except OSError:
        return 0
    return max(0, found.st_nlink - same)


def _steps(path: Path) -> Iterator[str]:
    """Every entry that is looked up on the way to the end of a path, through all links."""
    names, here, links = list(reversed(path.absolute().parts[1:])), "/", 0
    while names:
        name = names.pop()
        if name == "..":
            here = os.path.dirname(here)  # noqa: PTH120 - its links are followed already
            continue
        step = os.path.join(here, name)  # noqa: PTH118
        try:
            target = os.readlink(step)  # noqa: PTH115
        except OSError:
            here = step
            if not names or names[-1] != "..":  # else the path leads in and out again
                yield step
            continue
        yield step
        links += 1
        if links > MAX_LINKS:
            return
        if target.startswith("/"):
            here = "/"
        names += [one for one in reversed(target.split("/")) if one not in ("", ".")]


def _real(folder: Path | str) -> str:
    return os.path.realpath(folder)


def _identity(path: str) -> _Identity | None:
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino

"""Where a path really leads (C10): into the workspace, out of it, or to what nobody may touch.

Paths are resolved on the real file system, symlinks and all, from every folder that the command may run in.
"""

import os
import unicodedata
from pathlib import Path, PurePosixPath

from msgspec import Struct

from rawr.observe.safety.judgment import shown
from rawr.observe.safety.surroundings import Surroundings

Folders = frozenset[Path]
"""The real folders that a command may run in; more than one after a ``cd`` that may fail."""

READABLE = (
    "/dev/null",
    "/etc/os-release",
    "/usr/lib/os-release",
    "/usr/include",
    "/usr/share/doc",
)
"""Outside the workspace, and safe to read all the same: they come with the system, are the same for everybody, and hold
nothing of the user's."""

OWN_FOLDERS = frozenset({".git", ".codex", ".agents", ".rawr", ".codex-rawr"})
"""Whoever writes there decides what git, Codex or rawr do later."""

MAX_LINKS = 16
"""Symlinks on the way of one path that are followed. Real trees have one or two."""

_OF_A_PROCESS = ("/proc", "/sys", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/pts")
_STANDARD = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})


class Places(Struct, frozen=True):
    workspace: Path
    """Real: no part of it is a symlink."""
    around: Surroundings
    protected: tuple[Path, ...] = ()
    """Folders that are never written: Codex's home, rawr's home."""
    guarded: tuple[str, ...] = ()
    """Paths below the workspace that the user's rules protect."""
    read_only: bool = False
    """There is no place to write."""

    def holds(self, path: Path | str) -> bool:
        """Whether a real path is the workspace or below it."""
        return within(path, self.workspace)

    def leads_inside(self, path: str) -> bool:
        """Whether a path of the environment leads into the workspace. A relative one may, from wherever it is used."""
        if path.startswith("/"):
            return self.holds(os.path.realpath(path))
        return not path.startswith(("~/", "$HOME/"))

    def unreadable(self, path: str, folders: Folders) -> list[str]:
        """Why reading a path is not safe."""
        if path in ("", "-"):
            return []
        if path.startswith("~"):
            return [f"{shown(path)} may be somebody's home."]
        for folder in folders:
            real = os.path.realpath(folder / path)
            known = self.holds(real) or any(within(real, place) for place in READABLE)
            if not known or differs_by_process(folder / path):
                return [f"{shown(path)} is outside the workspace."]
        return []

    def unwritable(self, path: str, folders: Folders) -> list[str]:
        """Why creating or changing a file is not safe."""
        if self.read_only:
            return [f"{shown(path)} would be written, and nothing may be."]
        if not path or path.startswith("~"):
            return [f"{shown(path)} may be somebody's home." if path else "A path is empty."]
        problems: list[str] = []
        for folder in folders:
            real = Path(os.path.realpath(folder / path))
            if not self.holds(real) or differs_by_process(folder / path):
                problems.append(f"{shown(path)} is outside the workspace.")
                continue
            problems += self._owned(path, real)
        return list(dict.fromkeys(problems))

    def _owned(self, path: str, real: Path) -> list[str]:
        below = real.relative_to(self.workspace)
        parts = {plain_name(part) for part in (*below.parts, *PurePosixPath(path).parts)}
        problems = [f"{shown(path)} is under {name}." for name in sorted(OWN_FOLDERS & parts)]
        for folder in self.protected:
            kept = Path(os.path.realpath(folder))
            # Codex keeps work trees in its own home: then the workspace is ours and its home is not.
            if within(real, kept) and not within(self.workspace, kept):
                problems.append(f"{shown(path)} is in {shown(str(folder))}, which is not the agent's.")
        found_in = [os.path.realpath(entry) for entry in self.around.path if entry.startswith("/")]
        if any(self.holds(entry) and within(real, entry) for entry in found_in):
            problems.append(f"{shown(path)} is in a folder of PATH: it could stand in for a command.")
        config = self.around.variables.get("RIPGREP_CONFIG_PATH")
        if config and real == Path(os.path.realpath(self.workspace / config)):
            problems.append(f"{shown(path)} is the configuration of rg.")
        for guarded in self.guarded:
            wanted = tuple(map(plain_name, PurePosixPath(guarded).parts))
            if tuple(map(plain_name, below.parts))[: len(wanted)] == wanted:
                problems.append(f"{shown(path)} is protected by the rule {shown(guarded)}.")
        return problems

    def unusable(self) -> list[str]:
        """Why the workspace itself is none: what is safe in a project is not safe in a home."""
        if not self.workspace.is_dir():
            return [f"The workspace {shown(str(self.workspace))} is not a folder."]
        if within(self.around.home, self.workspace):
            return ["The workspace holds your whole home folder."]
        return [
            f"{name} takes code from where a command runs: {shown(entry) if entry else 'it has an empty entry'}."
            for name, entry in self.around.loaded
            if self.leads_inside(entry)
        ]


def within(path: Path | str, folder: Path | str) -> bool:
    inner, outer = str(path), str(folder).rstrip("/")
    return inner == outer or inner.startswith(outer + "/")


def differs_by_process(path: Path) -> bool:
    """Whether a path goes through a place where each process sees something else than we do."""
    waiting = [path]
    for _ in range(MAX_LINKS):
        if not waiting:
            return False
        for part in (here := waiting.pop(), *here.parents):
            where = Path(os.path.realpath(part.parent)) / part.name
            if any(within(where, place) for place in _OF_A_PROCESS):
                return True
            if where.is_symlink():
                waiting.append(where.parent / where.readlink())
    return True  # a loop, or a maze


def standard(path: str) -> bool:
    """A target of a redirection that keeps nothing."""
    return path in _STANDARD


def plain_name(name: str) -> str:
    """A file's name as a case-insensitive, Unicode-folding file system may see it."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    folded = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    # What follows a colon names a stream of the file on NTFS.
    folded = folded.partition(":")[0].rstrip(". ") or folded
    return ".git" if folded == "git~1" else folded or name

"""Where a path really leads (C10): into the workspace, out of it, or to something nobody may touch.

Paths are resolved on the real file system, including symlinks, from every folder that the command may run in.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from rawr.approvals.credentials import IN_HOME, MAX_PEM, holds_password, named_secret, only_public
from rawr.approvals.judgment import shown
from rawr.approvals.looking import Looking
from rawr.approvals.names import plain_name
from rawr.approvals.reach import NOWHERE, Reach
from rawr.approvals.surroundings import Surroundings

Folders = frozenset[Path]
"""The real folders that a command may run in; several after a ``cd`` that may fail."""

READABLE = (
    "/dev/null",
    "/etc/os-release",
    "/usr/lib/os-release",
    "/usr/include",
    "/usr/share/doc",
)
"""Outside the workspace, but safe to read: they come with the system, are the same for everybody, and contain nothing
of the user's."""

OWN_FOLDERS = frozenset({".git", ".codex", ".agents", ".rawr", ".codex-rawr"})
"""A write there controls what git, Codex or rawr do later."""

_STANDARD = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
WORK_TREES = "worktrees"
"""In Codex's home, where it keeps work trees for its threads."""

MAX_CONFIG = 256 * 1024


class Places(Struct, frozen=True):
    workspace: Path
    """Real: no part of it is a symlink."""
    around: Surroundings
    protected: tuple[Path, ...] = ()
    """Folders that are never read or written: Codex's home, rawr's home."""
    guarded: tuple[str, ...] = ()
    """Paths below the workspace that the user's rules protect."""
    read_only: bool = False
    """No place may be written."""
    not_secret: tuple[str, ...] = ()
    """Files that hold no credentials according to the user's rules, though their names suggest it."""
    reach: Reach = NOWHERE
    """What the agent may write between this look and the moment at which a command runs."""
    look: Looking = field(default_factory=Looking)

    def holds(self, path: Path | str) -> bool:
        """Return True if a real path is the workspace or inside it."""
        return within(path, self.workspace)

    def leads_inside(self, path: str) -> bool:
        """Return True if a path in the environment leads into the workspace, or to what the agent may write elsewhere.
        A relative path may."""
        if path.startswith("/"):
            real = self.look.real(path)
            # Without a sandbox, nothing but the user's own rules allows anything, and these are the user's too.
            open_to_agent = not self.reach.everywhere and (self.reach.fills(real) or self.reach.sways(path))
            return self.holds(real) or open_to_agent
        return not path.startswith(("~/", "$HOME/"))

    def outside(self, path: str, folders: Folders) -> list[str]:
        """Why even checking that a path exists is not safe."""
        if path in ("", "-"):
            return []
        if path.startswith("~"):
            return [f"{shown(path)} may be a user's home."]
        for folder in folders:
            found = self.look.resolve(path, within=folder)
            known = self.holds(found.real) or any(within(found.real, place) for place in (*READABLE, *self._skills()))
            if not known or found.differs:
                return [f"{shown(path)} is outside the workspace."]
        return []

    def unreadable(self, path: str, folders: Folders) -> list[str]:
        """Why reading a file's content is not safe."""
        problems = self.outside(path, folders)
        if problems or path in ("", "-"):
            return problems
        for folder in folders:
            real = self.look.real(path, within=folder)
            skill = self.skill(real)
            if not self.holds(real) and skill is None:
                continue
            if self._named(skill, real, path) if skill is not None else self.secret(real, path):
                return [f"{shown(path)} may hold credentials."]
            if not self.look.ends(real):
                return [f"{shown(path)} is not a regular file or folder."]
        return []

    def secret(self, real: str, given: str = "") -> bool:
        """Return True if a real path in the workspace holds credentials, or is inside something that does."""
        if self.kept(real):
            return True
        parts = tuple(real[len(str(self.workspace)) + 1 :].split("/"))
        if self._named(parts, real, given):
            return True
        return ".git" in parts and parts[-1] == "config" and holds_password(self.look.read(real, MAX_CONFIG))

    def _named(self, parts: tuple[str, ...], real: str, given: str) -> bool:
        """By its name, by the name of a link to it, or as another name for a file that is known."""
        name = given.rstrip("/").rpartition("/")[2]
        # The name of a link counts too.
        for named in (parts, (name,)) if name not in (parts[-1], "..", ".") else (parts,):
            if named_secret(named, self.not_secret) and not self._public(real):
                return True
        status = self.look.status(real)
        if status is not None and status.st_nlink > 1 and stat.S_ISREG(status.st_mode):
            return (status.st_dev, status.st_ino) in self.linked()
        return False

    def _skills(self) -> list[str]:
        """Where Codex finds the user's skills, which it tells the agent to read. One that is a link is elsewhere."""
        homes = self._homes()
        return [f"{home}/skills" for home in homes] + ([f"{self.around.home}/.agents/skills"] if homes else [])

    def skill(self, real: str) -> tuple[str, ...] | None:
        """The path of a real file among the skills; None if it is not one of theirs."""
        found = next((folder for folder in self._skills() if within(real, folder)), None)
        return None if found is None else tuple(real[len(found) + 1 :].split("/"))

    def kept(self, real: str) -> bool:
        """Return True if it is Codex's or rawr's. Codex keeps work trees in its home: such a workspace is neither."""
        workspace = str(self.workspace)
        return any(
            within(real, home) and not (within(real, workspace) and within(workspace, f"{home}/{WORK_TREES}"))
            for home in self._homes()
        )

    def _homes(self) -> list[str]:
        return self.look.once("homes", lambda: [self.look.real(home.absolute()) for home in self.protected])

    def linked(self) -> frozenset[tuple[int, int]]:
        """Known files with credentials, by device and inode: another name for one of them counts too."""

        def find() -> frozenset[tuple[int, int]]:
            paths = [f"{self.around.home}/{name}" for name in IN_HOME]
            paths += [f"{home}/auth.json" for home in self._homes()]
            for name in self.look.names(self.workspace) or ():
                if named_secret((name,), self.not_secret):
                    paths.append(f"{self.workspace}/{name}")
            found = [self.look.status(self.look.real(path)) for path in paths]
            return frozenset((status.st_dev, status.st_ino) for status in found if status is not None)

        return self.look.once("linked", find)

    def _public(self, real: str) -> bool:
        return real.endswith(".pem") and only_public(self.look.read(real, MAX_PEM))

    def unwritable(self, path: str, folders: Folders) -> list[str]:
        """Why creating or changing a file is not safe."""
        if self.read_only:
            return [f"{shown(path)} would be written, and writing is not allowed."]
        if not path or path.startswith("~"):
            return [f"{shown(path)} may be a user's home." if path else "A path is empty."]
        problems: list[str] = []
        for folder in folders:
            found = self.look.resolve(path, within=folder)
            if not self.holds(found.real) or found.differs:
                problems.append(f"{shown(path)} is outside the workspace.")
                continue
            problems += self._owned(path, Path(found.real))
        return list(dict.fromkeys(problems))

    def _owned(self, path: str, real: Path) -> list[str]:
        below = real.relative_to(self.workspace)
        parts = {plain_name(part) for part in (*below.parts, *PurePosixPath(path).parts)}
        problems = [f"{shown(path)} is under {name}." for name in sorted(OWN_FOLDERS & parts)]
        if self.kept(str(real)):
            problems.append(f"{shown(path)} is in the home of Codex or rawr, which the agent may not touch.")
        elif self.secret(str(real), path):
            problems.append(f"{shown(path)} may hold credentials.")
        if any(within(real, entry) for entry in self._searched()):
            problems.append(f"{shown(path)} is in a folder of PATH: it could replace a command.")
        config = self.around.variables.get("RIPGREP_CONFIG_PATH")
        if config and str(real) == self.look.real(config, within=self.workspace):
            problems.append(f"{shown(path)} is the rg configuration.")
        for guarded in self.guarded:
            wanted = tuple(map(plain_name, PurePosixPath(guarded).parts))
            if tuple(map(plain_name, below.parts))[: len(wanted)] == wanted:
                problems.append(f"{shown(path)} is protected by the rule {shown(guarded)}.")
        return problems

    def _searched(self) -> list[str]:
        """Folders of PATH that are in the workspace."""

        def find() -> list[str]:
            entries = [self.look.real(entry) for entry in self.around.path if entry.startswith("/")]
            return [entry for entry in entries if self.holds(entry)]

        return self.look.once("searched", find)

    def unusable(self) -> list[str]:
        """Why the workspace itself is unsuitable: what is safe in a project is not safe in a home folder."""
        if not self.workspace.is_dir():
            return [f"The workspace {shown(str(self.workspace))} is not a folder."]
        if within(self.around.home, self.workspace):
            return ["The workspace contains your whole home folder."]
        if not self.reach.everywhere and self.reach.fills(self.around.home):
            return [f"The agent can write to your home folder, {shown(str(self.around.home))}: every shell reads it."]
        return [
            f"{name} takes code from where a command runs: {shown(entry) if entry else 'it has an empty entry'}."
            for name, entry in self.around.loaded
            if self.leads_inside(entry)
        ]


def homes(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Where Codex and rawr keep what is theirs in this environment, and where they do so by default."""
    home = env.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - a missing home must not raise
    named = [env.get("CODEX_HOME"), env.get("RAWR_HOME"), f"{home}/.codex", f"{home}/.codex-rawr"]
    return tuple(Path(home, one.removeprefix("~/")) for one in named if one)


def within(path: Path | str, folder: Path | str) -> bool:
    inner, outer = str(path), str(folder).rstrip("/")
    return inner == outer or inner.startswith(outer + "/")


def standard(path: str) -> bool:
    """Return True for a redirection target that stores nothing."""
    return path in _STANDARD

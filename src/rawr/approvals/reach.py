"""Where the sandbox of a thread lets its agent write (C10).

An approved command runs outside of Codex's sandbox, while processes of the agent inside it may go on changing files. So
a proof holds only if nothing that it rests on is in the agent's reach: a file it may write, and just as well a file in
a folder that it may replace as a whole.

As measured on Linux (0.149 and 0.163): under ``workspace-write`` the agent writes below the workspace, the extra roots
of the sandbox, ``/tmp`` and ``$TMPDIR``, whatever folder a command runs in. ``.git`` right below each of these is
read-only, also where there is none yet, and so is what a ``.git`` file there names. The roots themselves cannot be
moved away, but folders between two nested roots can: then the next sandbox opens whatever a link in their place names.
"""

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.core.vocabulary.limits import Sandboxing

SLASH_TMP = "/tmp"  # noqa: S108 - a name; nothing is put there
_BUILT_IN = ":"
"""Codex's own permission profiles begin with this, and are what the sandbox that comes with them says."""
_PROTECTED = ".git"
MAX_LINKS = 40


class Reach(Struct, frozen=True):
    roots: tuple[str, ...] = ()
    """Real folders in which the agent may write everything but ``.git``."""
    everywhere: str = ""
    """Why nothing is known to be out of its reach, if that is so."""

    def writes(self, path: Path | str) -> bool:
        """Return True if the agent may change what a real path names: its content, or the thing itself.

        A root is the agent's to fill, and yet not its to replace.
        """
        if self.everywhere:
            return True
        text = str(path).rstrip("/") or "/"
        inner = max((root for root in self.roots if _below(text, root)), key=len, default=None)
        if inner is None:
            return False
        guarded = f"{inner}/{_PROTECTED}"
        return not (text == guarded or _below(text, guarded)) or not _kept(guarded)

    def fills(self, folder: Path | str) -> bool:
        """Return True if the agent may put something into a real folder, or change a file of that name."""
        return self.writes(f"{str(folder).rstrip('/')}/-")

    def sways(self, path: Path | str, *, within: Path | str = "/") -> bool:
        """Return True if the agent may change where a path leads, by any folder or link on the way.

        ``within``: the real folder that a relative path begins in.
        """
        if self.everywhere:
            return True
        if not self.roots:
            return False
        return any(map(self.writes, _way(str(path), str(within))))


NOWHERE = Reach()
NO_SANDBOX = "rawr knows of no sandbox that keeps the agent from changing what rawr looks at."
EVERYWHERE = Reach(everywhere=NO_SANDBOX)


def reach_of(
    sandbox: Sandboxing, *, workspace: Path | str, profile: str = "", env: Mapping[str, str] | None = None
) -> Reach:
    """What the limits of a thread mean. Unknown ones count as the widest that Codex's default allows.

    ``env``: the variables of its Codex, for ``TMPDIR``.
    """
    if profile and not profile.startswith(_BUILT_IN):
        return EVERYWHERE  # the user's own profile may open more than its sandbox says
    match sandbox.mode:
        case "read-only":
            return NOWHERE
        case "workspace-write" | "":
            return _reach(str(workspace), sandbox, os.environ if env is None else env)
        case _:
            return EVERYWHERE


def _reach(workspace: str, sandbox: Sandboxing, env: Mapping[str, str]) -> Reach:
    given = [workspace, *sandbox.roots]
    given += [SLASH_TMP] if sandbox.slash_tmp else []
    given += [one for one in (env.get("TMPDIR"), os.environ.get("TMPDIR")) if one] if sandbox.tmpdir else []
    if not all(map(os.path.isabs, given)):
        return EVERYWHERE
    roots = tuple(dict.fromkeys(map(os.path.realpath, given)))
    reach = Reach(roots)
    for place in given:
        if _is_loose(place, reach) or _is_loose(os.path.realpath(place), reach):
            return Reach(
                everywhere=f"The agent can put another folder in the place of {shown(place)}; keep it elsewhere."
            )
    return reach


def _is_loose(root: str, reach: Reach) -> bool:
    """Return True if the agent may put something else in a root's place, which the next sandbox would open."""
    here = os.path.realpath(root)
    for place in _way(root, "/"):
        if place == here and sys.platform == "linux":
            continue  # mounted there, and so not to be moved
        if reach.writes(place) and _ours(place):
            return True
    return False


def _ours(place: str) -> bool:
    """Return True unless the system keeps the user from moving it: in ``/tmp``, others' folders stay where they are."""
    try:
        above, own = os.lstat(os.path.dirname(place)), os.lstat(place)  # noqa: PTH120
    except OSError:
        return True
    user = os.geteuid()
    return not above.st_mode & stat.S_ISVTX or user in (0, own.st_uid, above.st_uid)


def _kept(guarded: str) -> bool:
    """Whether Codex keeps the agent from a ``.git``. Where case does not count, only from one that is there."""
    return sys.platform == "linux" or os.path.lexists(guarded)


def _way(path: str, within: str) -> Iterator[str]:
    """Every place that a path is looked up by, links and what is behind them."""
    here = "/" if path.startswith("/") else within
    waiting = path.split("/")[::-1]
    links = 0
    while waiting:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            here = os.path.dirname(here)  # noqa: PTH120
            continue
        place = f"{here.rstrip('/')}/{part}"
        yield place
        try:
            target = os.readlink(place)  # noqa: PTH115 - text in, text out
        except OSError:
            here = place
            continue
        links += 1
        if links > MAX_LINKS:
            return
        here = "/" if target.startswith("/") else here
        waiting += target.split("/")[::-1]


def _below(path: str, folder: str) -> bool:
    return path != folder and path.startswith(folder.rstrip("/") + "/")

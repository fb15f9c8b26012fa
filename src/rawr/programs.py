"""Finds the programs that rawr runs by itself (``git``, ``bash``, ``ps``), where no agent can leave one of its own.

rawr runs outside the agent's sandbox. With a project's virtualenv in PATH, a ``git`` that the agent writes there would
run with all that the user may do, at the next look at the repository. Only the program that reads a check is found
here; the words of the check are looked up in the user's own PATH: by nature it runs what is in the workspace. A notify
command is about the person and not about the workspace, so it gets a PATH without it (``safe_path``).
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

OPEN_TO_AGENTS = (Path("/tmp"),)  # noqa: S108 - a warning about writing there, and this is one about reading
"""Codex's sandbox lets an agent write there, and in ``TMPDIR``."""


def own_program(name: str, *, env: Mapping[str, str] | None = None, away_from: Path | None = None) -> str | None:
    """The first program of that name in PATH that is in no project; None if there is none.

    ``away_from``: a folder that an agent works in, whatever is in it.
    """
    env = os.environ if env is None else env
    roots = _roots(env, away_from)
    for entry in env.get("PATH", os.defpath).split(os.pathsep):
        found = shutil.which(name, path=entry) if os.path.isabs(entry) else None  # noqa: PTH117 - PATH may hold anything
        if found is not None and not any(_in_project(place, roots) for place in _ways_to(Path(found))):
            return found
    return None


def safe_path(env: Mapping[str, str], *, away_from: Path | None = None) -> str:
    """PATH without the folders in which an agent may have left a program of its own, and without relative ones."""
    roots = _roots(env, away_from)
    entries = [one for one in env.get("PATH", os.defpath).split(os.pathsep) if Path(one).is_absolute()]
    kept = [one for one in entries if not any(_within(place, roots) for place in (Path(one), Path(one).resolve()))]
    # An empty PATH would be the current folder.
    return os.pathsep.join(kept) or os.defpath


def _ways_to(program: Path) -> Iterator[Path]:
    """As PATH names it, and the file it really is: where any part of either can be changed, it can be swapped."""
    yield program.parent
    yield program.parent.resolve()
    yield program.resolve()


def _roots(env: Mapping[str, str], away_from: Path | None) -> frozenset[Path]:
    avoided = (*OPEN_TO_AGENTS, env.get("TMPDIR"), os.environ.get("TMPDIR"), away_from)
    return frozenset(Path(folder).resolve() for folder in avoided if folder)


def _within(place: Path, roots: frozenset[Path]) -> bool:
    return any(folder in roots for folder in (place, *place.parents))


def _in_project(place: Path, roots: frozenset[Path]) -> bool:
    return "node_modules" in place.parts or any(
        folder in roots or (folder / "pyvenv.cfg").exists() or (folder / ".git").exists()
        for folder in (place, *place.parents)
    )

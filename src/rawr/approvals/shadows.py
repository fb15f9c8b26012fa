"""Decides if a command name leads to the system's program (C10), or to one that the agent may have put in its place."""

import os
from pathlib import PurePath

from rawr.approvals.judgment import shown
from rawr.approvals.places import Places

_MANAGERS = frozenset({"asdf", "mise", "rtx", "volta-shim", "pyenv", "rbenv", "nodenv", "goenv", "jenv", "aqua-proxy"})
"""They represent many programs, and choose by a file in the folder that they run in (``.tool-versions``)."""


def _chosen_by_the_project(candidate: str) -> bool:
    real = PurePath(os.path.realpath(candidate))
    return "shims" in PurePath(candidate).parts or "shims" in real.parts or real.name in _MANAGERS


def shadowed(name: str, places: Places, *, external: bool) -> list[str]:
    """Why the name may not be what it seems. ``external``: it is looked up in PATH, not among the shell's own."""
    return places.look.once(("shadowed", name, external), lambda: _shadowed(name, places, external=external))


def _shadowed(name: str, places: Places, *, external: bool) -> list[str]:
    if name in places.around.functions:
        return [f"{shown(name)} is a shell function from the environment."]
    if not external:
        return []
    for entry in places.around.path:
        if not entry.startswith("/"):
            return [f"PATH has the relative folder {shown(entry)} before {shown(name)}."]
        places.look.spend()
        if places.reach.everywhere:
            return [places.reach.everywhere]
        if places.reach.fills(places.look.real(entry)) or places.reach.sways(entry):
            where = f"PATH has {shown(entry)} before {shown(name)}, where the agent can put a program of that name."
            return [f"{where} Start rawr without it, outside the project's environment."]
        candidate = os.path.join(entry, name)  # noqa: PTH118 - PATH may hold anything
        if not os.access(candidate, os.X_OK) or os.path.isdir(candidate):  # noqa: PTH112
            continue
        if places.holds(places.look.real(entry)) or places.holds(places.look.real(candidate)):
            return [f"{shown(name)} is a program in the workspace."]
        if places.reach.sways(candidate):
            return [f"{shown(name)} is {shown(candidate)}, which leads to where the agent can write."]
        if _chosen_by_the_project(candidate):
            return [f"{shown(name)} is {shown(candidate)}, which runs what a project file names."]
        if os.path.basename(os.path.realpath(candidate)) == "toybox":  # noqa: PTH119
            return [f"{shown(name)} is part of toybox, whose grep follows links out of the workspace."]
        return []
    # A login shell may know more folders than we do; those are the user's.
    return []

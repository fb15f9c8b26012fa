"""Whether a command's name leads to the system's program (C10), or to one that the agent may have put in its place."""

import os

from rawr.observe.safety.judgment import shown
from rawr.observe.safety.places import Places


def shadowed(name: str, places: Places, *, external: bool) -> list[str]:
    """Why the name may not be what it seems. ``external``: it is looked up in PATH, not among the shell's own."""
    if name in places.around.functions:
        return [f"{shown(name)} is a shell function of the environment."]
    if not external:
        return []
    for entry in places.around.path:
        if not entry.startswith("/"):
            return [f"PATH has the relative folder {shown(entry)} before {shown(name)}."]
        candidate = os.path.join(entry, name)  # noqa: PTH118 - PATH may hold anything
        if not os.access(candidate, os.X_OK) or os.path.isdir(candidate):  # noqa: PTH112
            continue
        if places.holds(os.path.realpath(entry)) or places.holds(os.path.realpath(candidate)):
            return [f"{shown(name)} is a program in the workspace."]
        return []
    # A login shell may know more folders than we do; those are the user's.
    return []

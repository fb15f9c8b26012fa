"""``rawr``, and ``python -m rawr``.

rawr is started where an agent works, and runs outside of its sandbox. So before anything else is loaded, the folders
that Python would search for modules because of where it was started, or because of PYTHONPATH, are left out.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

NEEDED = ("typer", "msgspec")
"""Where these are, everything else is that rawr loads."""


def main() -> None:
    leave_out_folders()
    from rawr.cli.main import main as program

    program()


def leave_out_folders() -> None:
    """Keep a folder only if rawr itself, or what it cannot do without, is there."""
    package = Path(__file__).resolve().parents[1]
    try:
        doubtful = {Path.cwd().resolve(), *(Path(one).resolve() for one in _named())}
    except OSError:
        return  # the current folder no longer exists
    before = list(sys.path)
    kept = [(entry, Path(entry).resolve()) for entry in before]
    sys.path[:] = [entry for entry, place in kept if place == package or place not in doubtful]
    if not all(map(find_spec, NEEDED)):
        sys.path[:] = before


def _named() -> list[str]:
    return os.environ.get("PYTHONPATH", "").split(os.pathsep)


if __name__ == "__main__":
    main()

"""What a person was told once, such as that a rule of theirs opens less than before: one line each, in the home.

It is a courtesy: if the file cannot be read or written, they are told again.
"""

import contextlib
from collections.abc import Iterable
from pathlib import Path

from rawr.journal.home import create_private

FILE = "told-rules.txt"


def untold(home: Path, rules: Iterable[str]) -> list[str]:
    """The rules about which nothing was said yet. From now on it was."""
    path = home / FILE
    known: set[str] = set()
    with contextlib.suppress(OSError, UnicodeDecodeError):
        known.update(path.read_text("utf-8").splitlines())
    fresh = [rule for rule in dict.fromkeys(rules) if rule not in known]
    if fresh:
        with contextlib.suppress(OSError):
            if not path.exists():
                create_private(path)
            with path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{rule}\n" for rule in fresh))
    return fresh

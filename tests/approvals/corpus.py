"""The corpora: command lines in text files, one a line. ``⏎`` stands for a newline, ``<U+202E>`` for a character."""

import re
from pathlib import Path

_FOLDER = Path(__file__).parent / "corpus"
_CHARACTER = re.compile(r"<U\+([0-9A-F]{4,6})>")


def lines(name: str) -> list[str]:
    text = (_FOLDER / f"{name}.txt").read_text("utf-8")
    found = [line for line in text.split("\n") if line and not line.startswith("# ")]
    return [_CHARACTER.sub(lambda match: chr(int(match[1], 16)), line.replace("⏎", "\n")) for line in found]


HARMLESS = lines("harmless")
CREDENTIALS = lines("credentials")
GIT_SHOWS = lines("git_shows")
"""Where ``.env`` and ``.ssh/config`` are tracked. ``BLOB``, ``SHORT``, ``TREE`` and ``OTHER`` stand for objects."""
ENDLESS = lines("endless")
DANGEROUS = [*lines("dangerous"), *lines("obfuscated"), *CREDENTIALS, *ENDLESS]

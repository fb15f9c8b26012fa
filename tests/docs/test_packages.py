"""The README in each package names files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READMES = [one for one in sorted((ROOT / "src" / "rawr").rglob("README.md")) if one.parent.name != "core"]
"""Without the core's, which is being rebuilt."""
PLACES = (ROOT, ROOT / "src" / "rawr", ROOT / "tests")


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_every_file_that_it_names_is_there(readme: Path) -> None:
    named = set(re.findall(r"`((?:\w+/)*(?:\w+\.py|\w+/))`", readme.read_text("utf-8")))
    assert named
    below = {path.name for path in (*readme.parent.rglob("*"), *(ROOT / "tests").rglob("*.py"))}
    missing = {
        name
        for name in named
        if not (name in below or any((place / name).exists() for place in (*PLACES, readme.parent)))
    }
    assert missing == set()

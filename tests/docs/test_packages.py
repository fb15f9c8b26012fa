"""ARCHITECTURE.md, and the README in each package, name files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "ARCHITECTURE.md", *sorted((ROOT / "src" / "rawr").rglob("README.md"))]
PLACES = (ROOT, ROOT / "src" / "rawr", ROOT / "tests")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_file_that_it_names_is_there(page: Path) -> None:
    named = set(re.findall(r"`((?:\w+/)*(?:\w+\.py|\w+/))`", page.read_text("utf-8")))
    source = page.parent if page.name == "README.md" else ROOT / "src" / "rawr"
    below = {path.name for path in (*source.rglob("*"), *(ROOT / "tests").rglob("*.py"))}
    missing = {
        name
        for name in named
        if not (name.rstrip("/") in below or any((place / name).exists() for place in (*PLACES, source)))
    }
    assert missing == set()

"""No test needs what a machine happens to have: programs come from PATH, and ``make test-bare`` makes that short."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FOLDER = re.compile(r"""["':]/(?:usr/(?:local/)?)?s?bin["':]""")
"""A folder of the system by its name, quoted or in a PATH, where the programs of this machine would be found."""


def test_no_test_looks_for_programs_beside_path() -> None:
    here = Path(__file__)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path != here
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if _FOLDER.search(line)
    ]
    assert found == []
    assert _FOLDER.search('path=("/usr/bin", "/bin")')
    assert _FOLDER.search("PATH=x:/usr/local/bin:/usr/bin")
    assert not _FOLDER.search("'/bin/bash -lc ls'")


def test_a_bare_path_has_what_the_readme_asks_for(tmp_path: Path) -> None:
    """And a login shell, which is what Codex runs, does not lead out of it."""
    said = subprocess.run(
        [sys.executable, ROOT / "scripts" / "bare_path.py", tmp_path / "bare"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert said.stdout == f"{tmp_path / 'bare'}\n"
    there = {path.name for path in (tmp_path / "bare").iterdir()}
    assert there >= {"python3", "git", "make", "bash", "ls", "sleep"}
    assert not there & {"rg", "grep", "awk", "find", "perl", "strace", "tmux", "tar"}
    assert all(path.resolve().exists() for path in (tmp_path / "bare").iterdir())

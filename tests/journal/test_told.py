"""What a person is told once (C10)."""

import stat
from pathlib import Path

from rawr.journal.told import FILE, untold


def test_each_once(tmp_path: Path) -> None:
    assert untold(tmp_path, ("git push", "make", "make")) == ["git push", "make"]
    assert untold(tmp_path, ("make", "git add")) == ["git add"]
    assert untold(tmp_path, ("make", "git add")) == []
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_file_that_is_none(tmp_path: Path) -> None:
    """They are told again, and nothing breaks."""
    (tmp_path / FILE).mkdir()
    assert untold(tmp_path, ("make",)) == ["make"]
    assert untold(tmp_path, ("make",)) == ["make"]
    assert untold(tmp_path / "missing", ("make",)) == ["make"]

"""Keys are pressed faster here than anybody reads."""

import pytest

from rawr.tui.screens import inbox


@pytest.fixture(autouse=True)
def _read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "SETTLING", 0.0)

"""What every test has: no way to the outside, and no home but its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rawr.testing.network_guard import NetworkGuard, network_guard


@pytest.fixture(autouse=True)
def no_network() -> Iterator[NetworkGuard]:
    """A stray network call fails the test that makes it, also where the code under test swallows the error."""
    with network_guard() as guard:
        yield guard


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The developer's own Codex and rawr are out of reach."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RAWR_HOME", str(home / "rawr"))
    monkeypatch.setenv("CODEX_HOME", str(home / "codex"))
    for name in ("OPENAI_API_KEY", "CODEX_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return home

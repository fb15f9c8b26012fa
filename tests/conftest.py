"""What every test has: no way to the outside, and no home but its own."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from rawr.testing.network_guard import NetworkGuard, network_guard


def pytest_configure() -> None:
    """What is started in the background hears no Ctrl-C, and under ``nohup`` no hang-up; nor would what tests start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Codex's sandbox lets an agent write to /tmp, so no rawr starts with a home there: tests have theirs elsewhere.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/var/tmp")
    # The same holds for rawr's own code, and a checkout may be anywhere.
    checkout = Path(__file__).resolve().parents[1]
    if any(checkout.is_relative_to(Path(one).resolve()) for one in ("/tmp", os.environ.get("TMPDIR")) if one):
        os.environ.setdefault("RAWR_CODE_IN_REACH", "1")
    # Most tests are about what rawr does, not about which process does it; tests/host and tests/e2e/test_host.py have
    # a host. Nothing is left in the background by accident.
    os.environ.setdefault("RAWR_FOREGROUND", "1")
    # Homes and workspaces are where people have them: not in /tmp, all of which an agent in Codex's sandbox may write.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/var/tmp")


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

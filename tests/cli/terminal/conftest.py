"""What more than one test of the terminal needs."""

from collections.abc import AsyncIterator

import pytest

from tests.cli.terminal.desk import Desk


@pytest.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    made = Desk(monkeypatch)
    yield made
    made.close()

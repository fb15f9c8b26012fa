"""What the installed Codex says of its protocol, and one real session with it: each is made once."""

import asyncio
from pathlib import Path

import pytest

from rawr.codex.binary import generate_schemas
from rawr.testing import find_codex

from .protocol import Protocol
from .recording import Recording, record


@pytest.fixture(scope="session")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    folder = tmp_path_factory.mktemp("schemas")
    generate_schemas(find_codex(), folder)
    return Protocol(folder)


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder: Path = tmp_path_factory.mktemp("recording")
    return asyncio.run(record(folder))

"""The world is built once a process."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .world import World


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield World(Path(folder).resolve() / "world")

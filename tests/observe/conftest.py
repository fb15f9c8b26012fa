"""The sandbox is built once a file; each line starts from a fresh copy of it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .sandbox import Sandbox


@pytest.fixture(scope="module")
def world() -> Iterator[Sandbox]:
    memory = Path("/dev/shm")  # hundreds of small trees are made and removed; disks are slow at that
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Sandbox(Path(folder).resolve())


@pytest.fixture
def sandbox(world: Sandbox, monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Sandbox:
    monkeypatch.setenv("HOME", world.env["HOME"])
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return world

"""A home for the tests of the config."""

from pathlib import Path

import pytest

from rawr.prompts.seeding import folder_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder_of(tmp_path).mkdir()
    return tmp_path

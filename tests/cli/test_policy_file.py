"""``--policy FILE``: settings for one run."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.cli.policy_file import MAX_FILE, settings_in
from rawr.config.load import PolicySource
from rawr.errors import ConfigError


def file(folder: Path, text: str | bytes) -> Path:
    path = folder / "policy.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_every_setting_by_its_whole_name(tmp_path: Path) -> None:
    """A22: as a flag would give it."""
    text = (
        "[features]\nrawr_auto_compaction = false\n"
        '[rawr_full_auto]\nmax_turns = 5\nallow = ["pytest"]\n'
        "[rawr_auto_compaction.policy.early]\npercent_remaining_lt = 80\n"
    )
    assert settings_in(file(tmp_path, text)) == {
        "features.rawr_auto_compaction": False,
        "rawr_full_auto.max_turns": 5,
        "rawr_full_auto.allow": ["pytest"],
        "rawr_auto_compaction.policy.early.percent_remaining_lt": 80,
    }


def test_it_is_laid_over_the_settings_of_the_home(tmp_path: Path) -> None:
    """A22."""
    (tmp_path / "config.toml").write_text("[rawr_full_auto]\nmax_turns = 9\nretries = 2\n")
    flags = settings_in(file(tmp_path, "[rawr_full_auto]\nmax_turns = 5\n"))
    policy = PolicySource(tmp_path, flags=flags).current().policy
    assert (policy.full_auto.max_turns, policy.full_auto.retries) == (5, 2)


def test_nothing_in_it_changes_nothing(tmp_path: Path) -> None:
    assert settings_in(file(tmp_path, "")) == {}


@pytest.mark.parametrize("text", ["[a\n", "a = \n", b"\xff\xfe", "a = 1\na = 2\n", "a = " + "[" * 20_000])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, text: str | bytes) -> None:
    """A22: never a traceback."""
    with pytest.raises(ConfigError, match=r"policy\.toml"):
        settings_in(file(tmp_path, text))


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        settings_in(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="cannot be read"):
        settings_in(tmp_path)
    with pytest.raises(ConfigError, match="larger than 1024 kB"):
        settings_in(file(tmp_path, b"#" * (MAX_FILE + 1)))


@given(st.binary(max_size=60))
def test_any_bytes_are_settings_or_a_clear_word(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """A22."""
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(data)
    told = ""
    try:
        settings_in(path)
    except ConfigError as error:
        told = str(error)
    assert not told or str(path) in told

"""A switch with which rawr acts: what cannot be understood means off (A1, A22)."""

from pathlib import Path

import pytest

from .loading import AUTO, config


@pytest.mark.parametrize("value", ['"off"', '"true"', "0", "1", "[]", '""'])
def test_a_value_that_is_not_understood_means_off(home: Path, value: str) -> None:
    loaded, [said] = config(home, f"[features]\n{AUTO} = {value}\n")
    assert loaded.policy.compaction.enabled is False
    assert said.startswith(f"config.toml:2: features.{AUTO}: expected true or false, found ")
    assert said.endswith("off is used")


@pytest.mark.parametrize("value", ["false", '"off"', "0", "[]", "true"])
def test_the_switch_at_the_top_counts_too(home: Path, value: str) -> None:
    """It has its place under [features]; who sets it without that means the same."""
    loaded, [said] = config(home, f"{AUTO} = {value}\n")
    assert loaded.policy.compaction.enabled is (value == "true")
    assert said.startswith(f"config.toml:1: {AUTO}: expected a table, found ")
    assert said.endswith("on is used" if value == "true" else "off is used")


@pytest.mark.parametrize(
    ("text", "enabled"),
    [
        (f"[features]\n{AUTO} = off\n", False),
        (f"features.{AUTO} = False\n", False),
        (f"[features]\n{AUTO} = true\nnonsense\n", True),
        (f"# {AUTO} = off\nnonsense\n", True),
        ("nonsense\n", True),
    ],
)
def test_in_a_file_that_is_no_toml_the_switch_still_counts(home: Path, text: str, enabled: bool) -> None:
    loaded, [said] = config(home, text)
    assert loaded.policy.compaction.enabled is enabled
    assert ("is off" in said) is not enabled


def test_a_mode_that_is_not_understood_only_marks(home: Path) -> None:
    loaded, [said] = config(home, f'[{AUTO}]\nmode = "of"\n')
    assert loaded.policy.compaction.mode == "tag"
    assert said.endswith("tag is used")


def test_other_settings_fall_back_to_what_is_below(home: Path) -> None:
    loaded, [said] = config(home, f'[{AUTO}]\ncooldown_turns = "many"\n')
    assert (loaded.policy.compaction.cooldown_turns, said.endswith("2 is used")) == (2, True)

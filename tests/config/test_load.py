"""Reading config.toml: what is right is used, what is wrong is named with file, line and key (A22)."""

from pathlib import Path

import pytest

from rawr.config.load import MAX_SIZE, Settings, load
from rawr.core.policy import Limits, Policy
from rawr.core.tiers import Thresholds


def _load(folder: Path, text: str) -> tuple[Settings, list[str]]:
    file = folder / "config.toml"
    file.write_text(text)
    settings = load(file)
    return settings, [str(warning).removeprefix(str(folder) + "/") for warning in settings.warnings]


def test_no_file_is_no_warning(tmp_path: Path) -> None:
    assert load(tmp_path / "config.toml") == Settings()


def test_values_are_taken(tmp_path: Path) -> None:
    text = '[codex]\nbin = "/opt/codex"\nhome = "~/x"\n[limits]\nperson = 60\n[tiers]\nearly = 90\n'
    settings, warnings = _load(tmp_path, text)
    assert warnings == []
    assert settings.policy == Policy(limits=Limits(person=60), tiers=Thresholds(early=90))
    assert settings.codex_bin == Path("/opt/codex")
    assert settings.codex_home == Path("~/x").expanduser()
    assert settings.policy.hash != Policy().hash


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "[limits]\n\nperson = 'soon'\n",
            "config.toml:3: limits.person: expected a whole number, found 'soon'; 900 is used",
        ),
        ("[limits]\nperson = true\n", "config.toml:2: limits.person: expected a whole number, found True; 900 is used"),
        ("[limits]\nperson = 0\n", "config.toml:2: limits.person: 0 is not between 1 and 604800; 900 is used"),
        ("[limits]\nnope = 1\n", "config.toml:2: limits.nope: this key is not known; it is ignored"),
        ("speed = 9\n", "config.toml:1: speed: this key is not known; it is ignored"),
        ("limits = 3\n", "config.toml:1: limits: expected a table, found 3; defaults are used"),
        ("[codex]\nbin = 7\n", "config.toml:2: codex.bin: expected a path, found 7; it is ignored"),
        (
            "[tiers]\nearly = 10\n",
            "config.toml:1: tiers: percents must fall from early over ready and asap to emergency; defaults are used",
        ),
    ],
)
def test_one_wrong_value_is_one_warning_and_a_default(tmp_path: Path, text: str, warning: str) -> None:
    settings, warnings = _load(tmp_path, text)
    assert warnings == [warning]
    assert settings.policy == Policy()


def test_a_wrong_value_leaves_its_neighbours_alone(tmp_path: Path) -> None:
    settings, warnings = _load(tmp_path, "[limits]\nperson = 'x'\ncompaction = 5\n")
    assert len(warnings) == 1
    assert settings.policy.limits == Limits(compaction=5)


def test_what_is_not_toml_names_the_line(tmp_path: Path) -> None:
    settings, [warning] = _load(tmp_path, "[limits]\nperson = 1\n= oops\n")
    assert warning.startswith("config.toml:3: this is not TOML")
    assert settings.policy == Policy()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"\x00" * 64])
def test_empty_and_binary_files(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(content)
    settings = load(file)
    assert settings.policy == Policy()
    assert len(settings.warnings) == (1 if content else 0)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    settings, [warning] = _load(tmp_path, "#" * (MAX_SIZE + 1))
    assert "larger than" in warning
    assert settings.policy == Policy()

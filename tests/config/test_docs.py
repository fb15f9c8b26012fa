"""The examples in the docs say what they seem to say, and rawr takes them without a word."""

import re
from pathlib import Path

import pytest

from rawr.config.load import Loaded, load_policy
from rawr.prompts.seeding import folder_of, seed

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide" / "configuration.md"


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def _load(home: Path, text: str) -> Loaded:
    (home / "config.toml").write_text(text)
    return load_policy(home)


@pytest.mark.parametrize("block", _blocks(GUIDE, "toml"))
def test_the_guides_examples_are_taken(tmp_path: Path, block: str) -> None:
    seed(tmp_path)
    loaded = _load(tmp_path, block)
    assert loaded.warnings == ()
    assert loaded.policy != load_policy(tmp_path / "nowhere").policy


def test_the_frontmatter_of_the_guide_is_what_its_config_is(tmp_path: Path) -> None:
    frontmatter, *_ = _blocks(GUIDE, "yaml")
    folder_of(tmp_path).mkdir()
    (folder_of(tmp_path) / "auto-compact.md").write_text(f"---\n{frontmatter}---\nAsk.")
    loaded = load_policy(tmp_path)
    assert loaded.warnings == ()
    tiers = loaded.policy.compaction
    assert (tiers.ready.percent_remaining_lt, tiers.asap.percent_remaining_lt) == (50, 35)
    assert (
        tiers.early.requires_any_boundary
        == tiers.asap.requires_any_boundary
        == (
            "commit",
            "pr_checkpoint",
            "phase_boundary",
        )
    )


def test_every_name_of_the_guides_frontmatter_is_known(tmp_path: Path) -> None:
    folder_of(tmp_path).mkdir()
    for block in _blocks(GUIDE, "yaml"):
        (folder_of(tmp_path) / "auto-compact.md").write_text(f"---\n{block}---\nAsk.")
        assert load_policy(tmp_path).warnings == ()


def test_the_warning_in_the_guide_is_the_one_that_comes(tmp_path: Path) -> None:
    [told] = _blocks(GUIDE, "text")
    loaded = _load(tmp_path, '[rawr_auto_compaction]\nmode = "atuo"\n')
    assert str(loaded.warnings[0]) == f"{tmp_path}/{told.rstrip()}"


def test_the_reference_shows_the_defaults(tmp_path: Path) -> None:
    [block] = _blocks(ROOT / "docs" / "reference" / "config.md", "toml")
    loaded = _load(tmp_path, block)
    assert loaded.warnings == ()
    assert loaded.policy == load_policy(tmp_path / "nowhere").policy
    unsaid = {name for name, origin in loaded.origins.items() if origin.source == "default"}
    assert {name for name in unsaid if not name.startswith("prompts.")} == {"codex.bin", "codex.home"}

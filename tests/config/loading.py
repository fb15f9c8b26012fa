"""A home with files of one's own, loaded."""

from pathlib import Path

from rawr.config.load import Loaded, load_policy
from rawr.core.policy.policy import Policy
from rawr.prompts.seeding import folder_of

AUTO = "rawr_auto_compaction"


def said_of(home: Path, loaded: Loaded) -> list[str]:
    return [str(warning).replace(f"{home}/", "") for warning in loaded.warnings]


def config(home: Path, text: str) -> tuple[Loaded, list[str]]:
    (home / "config.toml").write_text(text)
    loaded = load_policy(home)
    return loaded, said_of(home, loaded)


def frontmatter(home: Path, text: str) -> tuple[Loaded, list[str]]:
    (folder_of(home) / "auto-compact.md").write_text(f"---\n{text}\n---\nAsk.")
    loaded = load_policy(home)
    return loaded, said_of(home, loaded)


def default(home: Path) -> Policy:
    """The defaults, with the shipped texts."""
    return load_policy(home / "nowhere").policy

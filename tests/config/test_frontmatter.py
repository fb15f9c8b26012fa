"""Every setting of ``[rawr_auto_compaction]`` may stand in the frontmatter of ``auto-compact.md`` (A22)."""

from pathlib import Path

import pytest
import yaml

from rawr.config.load import PolicySource
from rawr.config.settings import IN_FRONTMATTER, OWN_NAMES, SECTION, SETTINGS, percent_key
from rawr.core.policy.tiers import TIERS
from rawr.prompts.seeding import folder_of, seed
from tests.config.loading import config, frontmatter

WORDS = {
    "mode": "suggest",
    "packet_author": "watcher",
    "packet_turn": "own",
    "notices": "all",
    "packet_corrections": 3,
    "scratch_file": "notes/{name}.md",
    "decision_prompt_path": "judgment.md",
}
PERCENTS = dict(zip(map(percent_key, TIERS), (84, 74, 64, 14), strict=True))


def another(name: str) -> object:
    """A value that is not the default."""
    default = SETTINGS[name].default
    leaf = name.rpartition(".")[2]
    if name in PERCENTS or leaf in WORDS:
        return PERCENTS.get(name, WORDS.get(leaf))
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return 16
    if isinstance(default, tuple):
        return ["commit"]
    raise AssertionError(f"{name}: what else may stand there?")


def nested(name: str, value: object) -> str:
    for part in reversed(name.split(".")):
        value = {part: value}
    return str(yaml.safe_dump(value)).rstrip()


def test_there_is_a_name_for_every_setting() -> None:
    named = {setting for settings in IN_FRONTMATTER.values() for setting in settings}
    assert named == {name for name in SETTINGS if name.startswith(f"{SECTION}.")}
    assert set(OWN_NAMES) <= set(IN_FRONTMATTER)


@pytest.mark.parametrize("name", sorted(IN_FRONTMATTER))
def test_it_counts(home: Path, name: str) -> None:
    setting = IN_FRONTMATTER[name][-1]
    value = another(setting)
    loaded, warnings = frontmatter(home, nested(name, value))
    assert warnings == []
    found = loaded.values[setting]
    assert (list(found) if isinstance(found, tuple) else found) == value
    assert loaded.values[setting] != SETTINGS[setting].default
    origin = loaded.origins[setting]
    assert (origin.source, origin.file) == ("frontmatter", folder_of(home) / "auto-compact.md")
    assert origin.line == 1 + len(name.split("."))


def test_config_overrides_the_frontmatter(home: Path) -> None:
    frontmatter(home, "mode: tag\npacket_author: watcher")
    loaded, warnings = config(home, '[rawr_auto_compaction]\nmode = "suggest"\n')
    assert (loaded.policy.compaction.mode, loaded.policy.compaction.packet_author) == ("suggest", "watcher")
    assert warnings == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mode: atuo", "2: mode: expected one of auto, suggest, tag; found 'atuo' (did you mean auto?); tag is used"),
        ("packet_author: me", "2: packet_author: expected one of agent, watcher; found 'me'; agent is used"),
        ("soft_landing: 1", "2: soft_landing: expected true or false, found 1; true is used"),
        ("policy: 3", "2: policy: expected a table, found 3; it is ignored"),
        (
            "policy:\n  ready:\n    percent_remaining_lt: 90",
            ("4: policy.ready.percent_remaining_lt: percents must fall from early to ready to asap to emergency, "
            "but they are early 85, ready 90, asap 65, emergency 15; 75 is used"),
        ),
        (
            "policy:\n  emergency:\n    decision_prompt_path: judgment.md",
            "4: policy.emergency.decision_prompt_path: emergency needs no boundary and asks no model; it is ignored",
        ),
        ("cooldwon_turns: 1", "2: cooldwon_turns: this key is not known (did you mean cooldown_turns?); it is ignored"),
        (
            "cooldown_turns: 5\ncooldown:\n  turns: 7",
            "4: cooldown.turns: cooldown_turns sets the same; the later one is used",
        ),
        ("mode: [", ("2: this is not YAML: expected the node content, but found '<stream end>'; "
                     "the whole frontmatter is ignored, except that the mode is tag")),
    ],
)  # fmt: skip
def test_a_wrong_value_is_a_warning_with_its_line(home: Path, text: str, said: str) -> None:
    _, warnings = frontmatter(home, text)
    assert [line.removeprefix("auto-compact/auto-compact.md:") for line in warnings] == [said]


def test_the_later_of_two_names_counts(home: Path) -> None:
    loaded, _ = frontmatter(home, "cooldown_turns: 5\ncooldown:\n  turns: 7")
    assert loaded.policy.compaction.cooldown_turns == 7


@pytest.mark.parametrize("broken", ["mode: [", "mode: suggets", None, "---"])
def test_half_an_edit_does_not_make_rawr_act(tmp_path: Path, broken: str | None) -> None:
    """The defaults may do more than what stood there."""
    seed(tmp_path)
    file = folder_of(tmp_path) / "auto-compact.md"
    file.write_text("---\nmode: suggest\ncooldown_turns: 7\n---\nAsk.")
    source = PolicySource(tmp_path)
    before = source.current()
    assert (before.policy.compaction.mode, before.warnings) == ("suggest", ())
    if broken is None:
        file.unlink()
    else:
        file.write_text(f"---\n{broken}\ncooldown_turns: 8\n---\nAsk." if broken != "---" else "---\nmode: suggest\n")
    during = source.current()
    assert (during.policy.compaction.mode, during.policy.compaction.cooldown_turns) == ("suggest", 7)
    assert [one.remedy for one in during.warnings] == ["the previous settings stay in force"]
    file.write_text("---\nmode: tag\n---\nAsk.")
    after = source.current()
    assert (after.policy.compaction.mode, after.warnings) == ("tag", ())
    assert after.policy.compaction.cooldown_turns == 2


def test_a_config_and_a_frontmatter_are_held_apart(tmp_path: Path) -> None:
    seed(tmp_path)
    file, toml = folder_of(tmp_path) / "auto-compact.md", tmp_path / "config.toml"
    file.write_text("---\ncooldown_turns: 7\n---\nAsk.")
    toml.write_text("[rawr_auto_compaction]\ncooldown_seconds = 7\n")
    source = PolicySource(tmp_path)
    source.current()
    file.write_text("---\ncooldown_turns: [\n---\nAsk.")
    toml.write_text("[rawr_auto_compaction]\ncooldown_seconds = 8\n")
    compaction = source.current().policy.compaction
    assert (compaction.cooldown_turns, compaction.cooldown_seconds) == (7, 8)
    toml.write_text("[rawr_auto_compaction]\ncooldown_seconds = x\n")
    file.write_text("---\ncooldown_turns: 9\n---\nAsk.")
    compaction = source.current().policy.compaction
    assert (compaction.cooldown_turns, compaction.cooldown_seconds) == (9, 8)


def test_the_text_of_the_file_holds_nothing_back(tmp_path: Path) -> None:
    """A placeholder that is not known is left in the text, and the settings count."""
    seed(tmp_path)
    file = folder_of(tmp_path) / "auto-compact.md"
    file.write_text("---\ncooldown_turns: 7\n---\nAsk.")
    source = PolicySource(tmp_path)
    source.current()
    file.write_text("---\ncooldown_turns: 8\n---\nAsk {whom}.")
    assert source.current().policy.compaction.cooldown_turns == 8

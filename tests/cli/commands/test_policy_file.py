"""``--policy FILE``: settings for one run."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.cli.commands.policy_file import Rules, rules_that_fail, settings_in
from rawr.config.load import PolicySource, load_policy
from rawr.core.policy.policy import Policy
from rawr.errors import ConfigError
from rawr.prompts.reading import MAX_BYTES
from tests.cli.program import rawr


def file(folder: Path, text: str | bytes) -> Path:
    path = folder / "policy.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(folder: Path, text: str | bytes) -> dict[str, object]:
    return settings_in(file(folder, text), load_policy(folder))


def test_every_setting_by_its_whole_name(tmp_path: Path) -> None:
    """A22: as a flag would give it."""
    text = (
        "[features]\nrawr_auto_compaction = false\n"
        '[rawr_full_auto]\nmax_turns = 5\nallow = ["pytest"]\n'
        "[rawr_auto_compaction.policy.early]\npercent_remaining_lt = 80\n"
    )
    assert read(tmp_path, text) == {
        "features.rawr_auto_compaction": False,
        "rawr_full_auto.max_turns": 5,
        "rawr_full_auto.allow": ("pytest",),
        "rawr_auto_compaction.policy.early.percent_remaining_lt": 80,
    }


def test_it_is_laid_over_the_settings_of_the_home(tmp_path: Path) -> None:
    """A22."""
    (tmp_path / "config.toml").write_text("[rawr_full_auto]\nmax_turns = 9\nretries = 2\n")
    flags = read(tmp_path, '[rawr_full_auto]\nmax_turns = 5\nallow = ["npm test"]\n')
    loaded = PolicySource(tmp_path, flags=flags).current()
    policy = loaded.policy.full_auto
    assert (policy.max_turns, policy.retries, policy.allow, loaded.warnings) == (5, 2, ("npm test",), ())


def test_percents_are_judged_with_those_of_the_home(tmp_path: Path) -> None:
    """A22: what would not fall with the defaults may well fall here."""
    tiers = "[rawr_auto_compaction.policy.{}]\npercent_remaining_lt = {}\n"
    (tmp_path / "config.toml").write_text(tiers.format("early", 99))
    ready = tiers.format("ready", 98)
    assert list(read(tmp_path, ready).values()) == [98]
    with pytest.raises(ConfigError, match=r"policy\.toml:2: .*percents must fall"):
        read(tmp_path, tiers.format("asap", 99))


def test_nothing_in_it_changes_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "") == {}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[a\n", 1),
        ("\na = \n", 2),
        (b"\n\n\xff\xfe", 3),
        ("a = 1\na = 2\n", 2),
        ("[rawr_full_auto]\nmax_turn = 5\n", 2),
        ("[rawr_full_auto]\nretries = 2\nmax_turns = 0\n", 3),
        ("[rawr_full_auto]\nmax_turns = 'many'\n", 2),
        ("rawr_full_auto = 5\n", 1),
        ("\n[nonsense]\n", 2),
        ("[rawr_full_auto]\napprovals = 'sometimes'\n", 2),
        ("[rawr_full_auto]\nallow = ['pytest']\ndeny = 'rm'\n", 3),
        ("[rawr_full_auto]\nallow = ['bash -c']\n", 2),
        ("[rawr_full_auto]\ndeny = ['  ']\n", 2),
        ("[rawr_full_auto]\nprotect = ['/etc']\n", 2),
        ("[rawr_full_auto]\nnot_secret = ['.env']\nprotect = ['a/../b']\n", 3),
        ("[rawr_full_auto]\nnot_secret = ['~/.env']\n", 2),
    ],
)
def test_whatever_is_wrong_is_told_with_its_line(tmp_path: Path, text: str | bytes, place: int) -> None:
    """A22: who names a file means all that stands in it; a slip must not run under other rules."""
    with pytest.raises(ConfigError, match=rf"policy\.toml:{place}: "):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nowhere cannot be read"):
        settings_in(tmp_path / "nowhere", load_policy(tmp_path))
    with pytest.raises(ConfigError, match="is not a file"):
        settings_in(tmp_path, load_policy(tmp_path))
    with pytest.raises(ConfigError, match="larger than 256 KiB"):
        read(tmp_path, b"#" * (MAX_BYTES + 1))


def test_rules_of_the_home_that_fail_are_found_with_their_line(tmp_path: Path) -> None:
    """C10."""
    (tmp_path / "config.toml").write_text("[rawr_full_auto]\nallow = ['pytest', 'sudo']\ndeny = ['rm', 'a|b']\n")
    loaded = load_policy(tmp_path)
    found = [(one.line, one.key) for one in rules_that_fail(loaded.values, loaded.origins)]
    assert found == [(2, "rawr_full_auto.allow"), (3, "rawr_full_auto.deny")]


def test_with_rules_that_fail_nothing_is_started(own_home: Path) -> None:
    """C10: else nobody would know why nothing is approved."""
    config = own_home / "rawr" / "config.toml"
    config.parent.mkdir(mode=0o700)
    config.write_text("[rawr_full_auto]\nallow = ['sudo']\n")
    ended = rawr("resume", "r9")
    assert f"{config}:2: rawr_full_auto.allow: The allow rule 'sudo' begins with" in ended.err
    assert (ended.code, "Nothing was started" in ended.err) == (78, True)
    checked = rawr("config", "check")
    assert (checked.code, f"{config}:2: rawr_full_auto.allow: The allow rule 'sudo'" in checked.out) == (1, True)


def test_where_nothing_would_be_started_nothing_is_said_of_it(tmp_path: Path) -> None:
    """A replay and a backtest only read."""
    rules = Rules(file(tmp_path, "[rawr_full_auto]\nretrys = 1\n"), tmp_path)
    with pytest.raises(ConfigError, match="retrys") as raised:
        rules.over(Policy())
    assert "started" not in str(raised.value)


def test_a_run_under_a_wrong_policy_is_not_started(tmp_path: Path) -> None:
    """A22: exit code 78, one sentence with file and line, nothing written."""
    path = file(tmp_path, "[rawr_full_auto]\nmax_turns = 5\nretrys = 1\n")
    home = tmp_path / "rawr"
    ended = rawr("run", "Build it.", "--policy", str(path), env={"RAWR_HOME": str(home)})
    assert (ended.code, ended.out, home.exists()) == (78, "", False)
    assert "Nothing was started." in ended.err
    assert f"{path}:3: rawr_full_auto.retrys: this key is not known" in ended.err
    missing = rawr("run", "Build it.", "--policy", str(tmp_path / "gone.toml"), env={"RAWR_HOME": str(home)})
    assert (missing.code, "gone.toml cannot be read" in missing.err) == (78, True)


@given(st.binary(max_size=60))
def test_any_bytes_are_settings_or_a_clear_word(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """A22."""
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(data)
    told = ""
    try:
        settings_in(path, load_policy(path.parent / "home"))
    except ConfigError as error:
        told = str(error)
    assert not told or str(path) in told

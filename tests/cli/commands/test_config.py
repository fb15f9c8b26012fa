"""``rawr config``: what counts, where it came from, what is wrong."""

from pathlib import Path

import pytest

from rawr.config.settings import SETTINGS
from rawr.prompts.catalog import PROMPTS
from tests.cli.program import rawr

AUTO = "rawr_auto_compaction"


@pytest.fixture
def home(own_home: Path) -> Path:
    folder = own_home / "rawr"
    folder.mkdir(mode=0o700)
    return folder


@pytest.mark.parametrize("command", [(), ("show",), ("check",)])
def test_help_teaches(command: tuple[str, ...]) -> None:
    ended = rawr("config", *command, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert "..." not in ended.out.replace("COMMAND [ARGS]...", ""), "a help text is cut off"
    assert len(ended.out.splitlines()) > 8


def test_an_empty_home_is_all_defaults_and_stays_empty(home: Path) -> None:
    shown = rawr("config", "show")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.count("# default") == len(SETTINGS) + len(PROMPTS)
    assert (rawr("config", "check").code, rawr("config", "check").out) == (0, "All is well.\n")
    assert list(home.iterdir()) == []


def test_every_value_says_where_it_came_from(home: Path) -> None:
    rawr("prompts", "list")
    (home / "config.toml").write_text(f"[{AUTO}]\ncooldown_turns = 9\n")
    flags = ("--set", f"{AUTO}.mode=tag", "--set", f'{AUTO}.policy.early.requires_any_boundary=["commit"]')
    ended = rawr("config", "show", "--json", *flags)
    assert (ended.code, ended.err) == (0, "")
    settings = {line["key"]: line for line in ended.lines if line["type"] == "setting"}
    prompt = str(home / "auto-compact" / "auto-compact.md")
    places = {
        key: (settings[key]["value"], settings[key]["source"], settings[key]["file"], settings[key]["line"])
        for key in (
            "limits.person",
            f"{AUTO}.cooldown_turns",
            f"{AUTO}.cooldown_seconds",
            f"{AUTO}.mode",
            f"{AUTO}.policy.early.requires_any_boundary",
        )
    }
    assert list(places.values()) == [
        (900, "default", None, None),
        (9, "config", str(home / "config.toml"), 2),
        (120, "frontmatter", prompt, 22),
        ("tag", "flag", None, None),
        (["commit"], "flag", None, None),
    ]
    assert settings["prompts.packet_request"]["source"] == "prompt"
    assert set(settings) >= set(SETTINGS)
    summary = ended.lines[-1]
    assert (summary["type"], summary["warnings"]) == ("summary", 0)

    text = rawr("config", "show", *flags).out
    assert "# config config.toml:2\n" in text
    assert "# frontmatter auto-compact/auto-compact.md:22\n" in text
    assert 'mode = "tag" ' in text
    assert str(summary["policy"]) in text


def test_check_names_file_line_and_key_and_rawr_goes_on(home: Path) -> None:
    rawr("prompts", "list")
    config = home / "config.toml"
    config.write_text(f'[{AUTO}]\nmode = "atuo"\n\nspeed = 3\n')
    handoff = home / "auto-compact" / "handoff.md"
    handoff.write_text("Here: {packett} {packet} {recorded}\n")
    ended = rawr("config", "check")
    assert (ended.code, ended.err) == (1, "")
    assert [line.split(" ")[:2] for line in ended.out.splitlines()] == [
        [f"{handoff}:1:", "{packett}:"],
        [f"{handoff}:1:", "{directives}:"],
        [f"{config}:2:", f"{AUTO}.mode:"],
        [f"{config}:4:", f"{AUTO}.speed:"],
    ]
    told = rawr("config", "check", "--json")
    assert told.code == 1
    assert [(line["type"], line.get("line")) for line in told.lines] == [
        ("warning", 1),
        ("warning", 1),
        ("warning", 2),
        ("warning", 4),
        ("summary", None),
    ]
    shown = rawr("config", "show")
    assert (shown.code, len(shown.err.splitlines())) == (0, 4)
    assert rawr("status").code == 0


def test_wrong_flags(home: Path) -> None:
    ended = rawr("config", "check", "--set", f"{AUTO}.mood=tag")
    assert ended.code == 1
    assert ended.out.startswith(f"command line: {AUTO}.mood: this key is not known (did you mean mode?)")
    assert rawr("config", "check", "--set", "nonsense").code == 64


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"#" * 10_000_000, b"= 1", b'"\\ud800" = 1'], ids=range(4))
def test_files_of_every_bad_kind(home: Path, content: bytes) -> None:
    (home / "config.toml").write_bytes(content)
    (home / "auto-compact").mkdir()
    (home / "auto-compact" / "auto-compact.md").write_bytes(b'---\n"\\ud800\\u2028": "\\e[31m"\n---\n\xff' + content)
    for command, code in (("show", 0), ("check", 1)):
        for ended in (rawr("config", command), rawr("config", command, "--json")):
            assert ended.code == code
            assert "Traceback" not in ended.err

"""The policy of a home: its layers, its files, and what it is when they change (A22)."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from rawr.config.load import PolicySource, load_policy
from rawr.config.origin import Origin
from rawr.config.settings import SETTINGS
from rawr.core.policy.compaction import AutoCompaction, TierPolicy
from rawr.core.policy.policy import Policy
from rawr.prompts.seeding import folder_of, seed

from .loading import AUTO, config, default, frontmatter, said_of

# -- layers ----------------------------------------------------------------------------------------------------------


def test_later_layers_count_and_say_so(home: Path) -> None:
    frontmatter(home, "cooldown:\n  turns: 7\n  seconds: 7\npacket:\n  max_tail_chars: 7")
    (home / "config.toml").write_text(f"[{AUTO}]\ncooldown_seconds = 8\npacket_max_tail_chars = 8\n")
    flags = {f"{AUTO}.packet_max_tail_chars": 9, f"{AUTO}.mode": None}
    loaded = load_policy(home, flags=flags)
    assert loaded.warnings == ()
    found = loaded.policy.compaction
    assert (found.cooldown_turns, found.cooldown_seconds, found.packet_max_tail_chars) == (7, 8, 9)
    assert loaded.origins[f"{AUTO}.cooldown_turns"] == Origin("frontmatter", folder_of(home) / "auto-compact.md", 3)
    assert loaded.origins[f"{AUTO}.cooldown_seconds"] == Origin("config", home / "config.toml", 2)
    assert loaded.origins[f"{AUTO}.packet_max_tail_chars"] == Origin("flag")
    assert loaded.origins[f"{AUTO}.mode"] == Origin()
    assert loaded.origins["prompts.packet_request"] == Origin("prompt", folder_of(home) / "auto-compact.md", 8)
    assert [str(loaded.origins[name]).partition(" ")[0] for name in loaded.origins][:3] == [
        *["default"] * 2,
        "frontmatter",
    ]


@pytest.mark.mission("A7a")
def test_a_list_that_somebody_has_set_is_law(home: Path) -> None:
    """The end of any turn is a last resort only beside the list that rawr comes with, unless that is set too."""
    last_resort = f"{AUTO}.policy.asap.last_resort"
    assert load_policy(home).policy.compaction.asap.last_resort
    seed(home)
    seeded = load_policy(home)
    assert (seeded.policy.compaction.asap.last_resort, seeded.origins[last_resort]) == (True, Origin())
    config_file = home / "config.toml"
    config_file.write_text(f'[{AUTO}.policy.asap]\nrequires_any_boundary = ["commit"]\n')
    found = load_policy(home)
    assert found.policy.compaction.asap == TierPolicy(65, ("commit",))
    assert found.origins[last_resort] == Origin("config", config_file, 2)
    config_file.write_text(f'[{AUTO}.policy.asap]\nrequires_any_boundary = ["commit"]\nlast_resort = true\n')
    assert load_policy(home).policy.compaction.asap.last_resort


def test_a_setting_that_is_gone_says_what_holds_now(home: Path) -> None:
    loaded, said = config(home, f'[{AUTO}]\nrules = "documents"\n')
    assert loaded.policy.compaction == AutoCompaction()
    holds = "there is one set of rules now: the tiers and their boundaries decide"
    assert said == [f"config.toml:2: {AUTO}.rules: {holds}; it is ignored"]


def test_a_wrong_value_leaves_what_the_layer_below_says(home: Path) -> None:
    frontmatter(home, "trigger:\n  early_percent_remaining_lt: 80\n  auto_requires_any_boundary: [commit]")
    early = f"[{AUTO}.policy.early]\npercent_remaining_lt = 'x'\nrequires_any_boundary = 3\n"
    loaded, said = config(home, early)
    assert loaded.policy.compaction.early.percent_remaining_lt == 80
    assert loaded.policy.compaction.early.requires_any_boundary == ("commit",)
    assert [line.rpartition("; ")[2] for line in said] == ["80 is used", "the value from frontmatter is used"]


def test_flags_are_judged_like_files(home: Path) -> None:
    flags: dict[str, object] = {
        f"{AUTO}.mode": "atuo",
        "codex.bin": Path("/opt/codex"),
        f"{AUTO}.policy.early.requires_any_boundary": ("commit",),
        "nonsense": 1,
    }
    loaded = load_policy(home, flags=flags)
    assert loaded.settings.codex_bin == Path("/opt/codex")
    assert loaded.policy.compaction.early.requires_any_boundary == ("commit",)
    assert said_of(home, loaded) == [
        (
            f"command line: {AUTO}.mode: expected one of auto, suggest, tag; found 'atuo' (did you mean auto?); "
            "tag is used"
        ),
        "command line: nonsense: this key is not known; it is ignored",
    ]


# -- frontmatter -----------------------------------------------------------------------------------------------------


def test_the_frontmatter_has_a_list_for_all_tiers_or_one_for_each(home: Path) -> None:
    loaded, said = frontmatter(home, "trigger:\n  auto_requires_any_boundary: [commit]")
    found = loaded.policy.compaction
    assert said == []
    assert [tier.requires_any_boundary for tier in (found.early, found.ready, found.asap, found.emergency)] == [
        *[("commit",)] * 3,
        (),
    ]
    loaded, said = frontmatter(home, "trigger:\n  auto_requires_any_boundary:\n    asap: [commit]")
    assert said == []
    assert loaded.policy.compaction == AutoCompaction(asap=TierPolicy(65, ("commit",)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trigger: 3", "2: trigger: expected a table, found 3; it is ignored"),
        ("trigger:", "2: trigger: expected a table, found nothing; it is ignored"),
        (
            "trigger:\n  early_percent_remaining_lt: lots",
            "3: trigger.early_percent_remaining_lt: expected a whole number, found 'lots'; 85 is used",
        ),
        (
            "trigger:\n  early_percent_remaining_lt: 2020-13-99",
            ("3: trigger.early_percent_remaining_lt: expected a whole number, found '2020-13-99', "
            "which cannot be read; 85 is used"),
        ),
        (
            "trigger:\n  emergency_percent_remaining_lt: -1",
            "3: trigger.emergency_percent_remaining_lt: -1 is not between 0 and 100; 15 is used",
        ),
        (
            "trigger:\n  asap_percent_remaining_lt: 80",
            ("3: trigger.asap_percent_remaining_lt: percents must fall from early to ready to asap to emergency, "
            "but they are early 85, ready 75, asap 80, emergency 15; 65 is used"),
        ),
        (
            "trigger:\n  auto_requires_any_boundary: commit",
            "3: trigger.auto_requires_any_boundary: expected a list, found 'commit'; the default is used",
        ),
        (
            "trigger:\n  auto_requires_any_boundary:\n    emergency: [commit]",
            ("4: trigger.auto_requires_any_boundary.emergency: emergency needs no boundary and asks no model; "
            "it is ignored"),
        ),
        (
            "cooldown:\n  truns: 1",
            "3: cooldown.truns: this key is not known (did you mean turns?); it is ignored",
        ),
        ('"\\ud800": 1', "2: '\\ud800': this key is not known; it is ignored"),
        (
            'markers:\n  agent_done: ["\\ud800"]',
            "3: markers.agent_done: expected printable text, found '\\ud800'; the default is used",
        ),
        ("a: [", ("2: this is not YAML: expected the node content, but found '<stream end>'; "
                 "the whole frontmatter is ignored")),
        ("a:\n\t- b", ("3: this is not YAML: found character '\\t' that cannot start any token; "
                      "the whole frontmatter is ignored")),
    ],
)  # fmt: skip
def test_wrong_frontmatter_is_a_warning_with_its_line(home: Path, text: str, said: str) -> None:
    loaded, warnings = frontmatter(home, text)
    assert [line.removeprefix("auto-compact/auto-compact.md:") for line in warnings] == [said]
    assert loaded.policy.compaction == AutoCompaction()
    assert loaded.policy.prompts.packet_request == "Ask."
    assert len(loaded.policy.hash) == 12


def test_a_key_that_stands_there_twice(home: Path) -> None:
    loaded, said = frontmatter(home, "cooldown:\n  turns: 4\n  turns: 5")
    assert loaded.policy.compaction.cooldown_turns == 5
    assert said == ["auto-compact/auto-compact.md:4: cooldown.turns: this key is given twice; the later one is used"]


# -- files that are no config ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", None),
        (b"\n# nothing\n", None),
        (b"\xff\xfe", ":1: this is not UTF-8 text; the whole file is ignored"),
        (b"\n\0", ":2: this is not text: there is a NUL byte in it; the whole file is ignored"),
        (b"[limits]\nperson = 1\n= oops\n", ":3: this is not TOML: Invalid statement (at line 3, column 1); "),
        (b"a = [\n1,\n", ":2: this is not TOML: "),
        (b"a = 1\na = 2\n", ":2: this is not TOML: "),
        pytest.param(b"a = " + b"9" * 9000, ": this is not TOML: Exceeds the limit", id="digits"),
        pytest.param(b"a = " + b"[" * 9000, ": this is nested too deeply; the whole file is ignored", id="deep"),
        pytest.param(b"a." * 9000 + b"a = 1", ":1: there are more than 1000 dots in this line; ", id="dots"),
        pytest.param(b"a." * 900 + b"a = 1", ":1: a: this key is not known; it is ignored", id="deep but not too deep"),
        pytest.param(b"#" * 10_000_000, ": the file is larger than 256 KiB; it was not read; ", id="10 MB"),
    ],
)
def test_files_that_are_no_config(home: Path, content: bytes, said: str | None) -> None:
    (home / "config.toml").write_bytes(content)
    loaded = load_policy(home)
    assert loaded.policy == default(home)
    if said is None:
        assert loaded.warnings == ()
    else:
        [warning] = said_of(home, loaded)
        assert warning.startswith(f"config.toml{said}")


def test_a_config_of_another_system(home: Path) -> None:
    (home / "config.toml").write_bytes(b"\xef\xbb\xbf[limits]\r\nperson = 5\r\nx = 1\r\n")
    loaded = load_policy(home)
    assert loaded.policy.limits.person == 5
    assert [warning.line for warning in loaded.warnings] == [3]


def test_what_is_not_a_file_at_all(home: Path) -> None:
    (home / "config.toml").mkdir()
    (folder_of(home) / "auto-compact.md").mkdir()
    os.mkfifo(folder_of(home) / "handoff.md")
    loaded = load_policy(home)
    assert loaded.policy == default(home)
    assert len(loaded.warnings) == 3


# -- decision prompts ------------------------------------------------------------------------------------------------


def test_a_decision_prompt_of_ones_own(home: Path) -> None:
    mine = folder_of(home) / "mine" / "judge.md"
    mine.parent.mkdir()
    mine.write_text("---\n# a note\n---\nBe strict.\n")
    (home / "config.toml").write_text(f"[{AUTO}.policy.ready]\ndecision_prompt_path = 'mine/judge.md'\n")
    source = PolicySource(home)
    ready = source.current().policy.compaction.ready
    assert (ready.decision_prompt_path, ready.decision_prompt) == ("mine/judge.md", "Be strict.")
    mine.write_text("Be kind.")
    assert source.current().policy.compaction.ready.decision_prompt == "Be kind."
    mine.unlink()
    gone = source.current()
    assert gone.policy.compaction.ready.decision_prompt == gone.policy.prompts.judgment
    assert said_of(home, gone) == [
        (
            f"config.toml:2: {AUTO}.policy.ready.decision_prompt_path: auto-compact/mine/judge.md: "
            "there is no such file; judgment.md is used"
        )
    ]


# -- the source ------------------------------------------------------------------------------------------------------


def test_the_source_reads_again_only_what_changed(tmp_path: Path) -> None:
    source = PolicySource(tmp_path, seeding=True)
    first = source.current()
    assert first.warnings == ()
    assert (folder_of(tmp_path) / "heads-up.md").exists()
    assert source.current() is first
    (tmp_path / "config.toml").write_text("[limits]\nperson = 5\n")
    second = source.current()
    assert second.policy.limits.person == 5
    assert source.current() is second
    (folder_of(tmp_path) / "heads-up.md").write_text("Wait.")
    third = source.current()
    assert (third.policy.limits.person, third.policy.prompts.heads_up) == (5, "Wait.")
    (tmp_path / "config.toml").write_text("")
    assert source.current().policy.limits.person == 900
    assert len({one.policy.hash for one in (first, second, third)}) == 3


def test_the_source_never_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a bug in the readers leaves the last policy in place, and is told of."""
    source = PolicySource(tmp_path)
    good = source.current()

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("rawr.config.load.build", broken)
    (tmp_path / "config.toml").write_text("[limits]\nperson = 5\n")
    told = source.current()
    assert told.policy == good.policy
    assert "a bug in rawr: ZeroDivisionError('oops')" in str(told.warnings[0])
    bare = Policy(
        watch_files=True,
        pace_runs=True,
        tell_phases=True,
        hear_tools=True,
        look_up_claims=True,
    )
    assert PolicySource(tmp_path).current().policy == bare


def test_a_home_that_cannot_be_seeded_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "auto-compact").write_text("mine")
    loaded = PolicySource(tmp_path, seeding=True).current()
    assert loaded.policy == default(tmp_path)
    assert "the prompt files cannot be created here" in str(loaded.warnings[0])


# -- the policy itself -----------------------------------------------------------------------------------------------


def test_the_hash_is_the_same_in_every_process_and_covers_everything(home: Path) -> None:
    code = "import sys; from pathlib import Path; from rawr.config.load import load_policy as load; "
    code += "print(load(Path(sys.argv[1])).policy.hash)"
    found = {
        subprocess.run(
            [sys.executable, "-c", code, str(home)],
            env={**os.environ, "PYTHONHASHSEED": seed_},
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        ).stdout.strip()
        for seed_ in ("1", "2")
    }
    assert found == {default(home).hash}


def test_every_setting_changes_the_policy(home: Path) -> None:
    """Each setting that is not about Codex's place, given another value, gives another hash."""
    seed(home)
    others: dict[type, object] = {bool: None, int: 16, str: "x", tuple: ("commit",)}
    hashes = {load_policy(home).policy.hash}
    named = {
        "mode": "tag",
        "packet_author": "watcher",
        "packet_turn": "own",
        "notices": "all",
        "packet_corrections": 3,
    }
    named |= {"approvals": "ask", "unsafe": "decline", "review": "at-end", "check": "on-claim"}
    named |= {"decisions": "model", "questions": "model", "on_error": "rules", "judgment_on_error": "defer"}
    named |= {"attempts": 3, "ollama_url": "http://b", "openai_url": "http://c", "openai_key_env": "KEY"}
    settings = [one for one in SETTINGS.values() if not one.name.startswith(("codex.", "host.", "notify.", "journal."))]
    for setting in settings:
        default = setting.default
        value = not default if isinstance(default, bool) else others[type(default)]
        leaf = setting.name.rpartition(".")[2]
        percent = {"early": 84, "ready": 74, "asap": 64, "emergency": 14}.get(setting.name.split(".")[-2])
        if leaf == "percent_remaining_lt":
            value = percent
        loaded = load_policy(home, flags={setting.name: named.get(leaf, value)})
        assert [warning for warning in loaded.warnings if "no such file" not in warning.problem] == [], setting.name
        assert loaded.origins[setting.name] == Origin("flag")
        hashes.add(loaded.policy.hash)
    assert len(hashes) == len(settings) + 1


def test_a_policy_survives_the_journal(home: Path) -> None:
    policy = load_policy(home).policy
    assert msgspec.json.decode(msgspec.json.encode(policy), type=Policy) == policy


def test_a_config_that_is_gone_stays_in_force(tmp_path: Path) -> None:
    """C10: what it denied must not be allowed because the file is away, perhaps for a moment."""
    config = tmp_path / "config.toml"
    config.write_text("[rawr_full_auto]\ndeny = ['ls']\n")
    source = PolicySource(tmp_path)
    assert source.current().policy.full_auto.deny == ("ls",)
    config.unlink()
    told = source.current()
    assert told.policy.full_auto.deny == ("ls",)
    assert [str(one) for one in told.warnings] == [f"{config}: it is gone; the previous settings stay in force"]
    assert source.current() is told
    config.write_text("[rawr_full_auto]\ndeny = ['cat']\n")
    assert (source.current().policy.full_auto.deny, source.current().warnings) == (("cat",), ())


@pytest.mark.mission("D11")
def test_while_it_is_held_nothing_is_read_again(tmp_path: Path) -> None:
    """An agent that can write the files must not be obeyed, and the next start refuses."""
    held: list[bool] = []
    source = PolicySource(tmp_path, held=lambda: bool(held))
    (tmp_path / "config.toml").write_text('[rawr_auto_compaction]\nmode = "suggest"\n')
    assert source.current().policy.compaction.mode == "suggest"
    held.append(True)
    (tmp_path / "config.toml").write_text('[rawr_auto_compaction]\nmode = "tag"\n[rawr_full_auto]\nallow = ["rm"]\n')
    loaded = source.current()
    assert (loaded.policy.compaction.mode, loaded.policy.full_auto.allow) == ("suggest", ())
    held.clear()
    assert source.current().policy.full_auto.allow == ("rm",)

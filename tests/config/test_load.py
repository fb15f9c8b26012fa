"""The policy of a home: what is right is used, what is wrong is named with file, line and key (A22)."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from rawr.config.load import Loaded, PolicySource, Settings, load_policy
from rawr.config.origin import Origin
from rawr.config.settings import SETTINGS, TIERS
from rawr.core.policy.compaction import ASAP, AutoCompaction, TierPolicy
from rawr.core.policy.markers import Markers
from rawr.core.policy.policy import Limits, Policy
from rawr.core.policy.tiers import Thresholds
from rawr.prompts.catalog import PROMPTS
from rawr.prompts.document import default_document
from rawr.prompts.seeding import folder_of, seed

AUTO = "rawr_auto_compaction"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder_of(tmp_path).mkdir()
    return tmp_path


def _said(home: Path, loaded: Loaded) -> list[str]:
    return [str(warning).replace(f"{home}/", "") for warning in loaded.warnings]


def _config(home: Path, text: str) -> tuple[Loaded, list[str]]:
    (home / "config.toml").write_text(text)
    loaded = load_policy(home)
    return loaded, _said(home, loaded)


def _frontmatter(home: Path, text: str) -> tuple[Loaded, list[str]]:
    (folder_of(home) / "auto-compact.md").write_text(f"---\n{text}\n---\nAsk.")
    loaded = load_policy(home)
    return loaded, _said(home, loaded)


def _default(home: Path) -> Policy:
    """The defaults, with the shipped texts."""
    return load_policy(home / "nowhere").policy


def test_no_files_are_the_defaults_and_no_warning(tmp_path: Path) -> None:
    loaded = load_policy(tmp_path / "nowhere")
    assert loaded.warnings == ()
    assert loaded.policy.compaction == AutoCompaction()
    assert loaded.policy.limits == Limits()
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {Origin()}
    assert loaded.policy.prompts.heads_up == default_document(PROMPTS[1]).body
    assert not (tmp_path / "nowhere").exists()


def test_every_value_of_the_config_is_taken(home: Path) -> None:
    text = """
        [features]
        rawr_auto_compaction = false
        [codex]
        bin = "/opt/codex"
        home = "~/x"
        [limits]
        person = 60
        [rawr_auto_compaction]
        mode = "tag"
        packet_author = "watcher"
        scratch_write_enabled = true
        scratch_file = "notes/{name}.md"
        cooldown_turns = 5
        policy.asap.percent_remaining_lt = 60
        markers = {agent_done = ["shipped it"]}
        [rawr_auto_compaction.policy.early]
        percent_remaining_lt = 90
        requires_any_boundary = ["turn_complete", "commit", "commit"]
        plan_boundaries_require_semantic_break = false
        decision_prompt_path = "./judgment.md"
    """
    loaded, said = _config(home, text)
    assert said == []
    policy = loaded.policy
    assert loaded.settings == Settings(Path("/opt/codex"), Path("~/x").expanduser())
    assert policy.limits == Limits(person=60)
    assert policy.thresholds == Thresholds(early=90, asap=60)
    assert policy.compaction == AutoCompaction(
        enabled=False,
        mode="tag",
        early=TierPolicy(
            90,
            ("turn_complete", "commit"),
            decision_prompt_path="judgment.md",
            decision_prompt=policy.prompts.judgment,
        ),
        asap=TierPolicy(60, ASAP),
        markers=Markers(agent_done=("shipped it",)),
        packet_author="watcher",
        scratch_write_enabled=True,
        scratch_file="notes/{name}.md",
        cooldown_turns=5,
    )
    assert loaded.origins[f"{AUTO}.policy.asap.percent_remaining_lt"] == Origin("config", home / "config.toml", 15)
    assert loaded.origins[f"{AUTO}.markers.agent_done"] == Origin("config", home / "config.toml", 16)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[limits]\n\nperson = 'soon'\n", "3: limits.person: expected a whole number, found 'soon'; 900 is used"),
        ("[limits]\nperson = true\n", "2: limits.person: expected a whole number, found True; 900 is used"),
        ("[limits]\nperson = 1.0\n", "2: limits.person: expected a whole number, found 1.0; 900 is used"),
        ("[limits]\nperson = 0\n", "2: limits.person: 0 is not between 1 and 604800; 900 is used"),
        (
            "[limits]\nperson = 0x" + "f" * 9000,
            "2: limits.person: a huge number is not between 1 and 604800; 900 is used",
        ),
        ("[limits]\npreson = 1\n", "2: limits.preson: this key is not known (did you mean person?); it is ignored"),
        ("speed = 9\n", "1: speed: this key is not known; it is ignored"),
        ("mode = 'tag'\n", f"1: mode: this key is not known (did you mean {AUTO}.mode?); it is ignored"),
        (
            f"[{AUTO}]\nenabled = false\n",
            f"2: {AUTO}.enabled: this key is not known (did you mean features.{AUTO}?); it is ignored",
        ),
        ("[tiers]\nearly = 1", f"1: tiers: this key is not known (did you mean {AUTO}.policy?); it is ignored"),
        ('"a\\nb" = 1', "1: 'a\\nb': this key is not known; it is ignored"),
        ("limits = 3\n", "1: limits: expected a table, found 3; it is ignored"),
        ("[[limits]]\nperson = 5\n", "1: limits: expected a table, found a list; it is ignored"),
        ("[codex]\nbin = 7\n", "2: codex.bin: expected a path, found 7; it is ignored"),
        ("[codex]\nbin = ''\n", "2: codex.bin: expected a path, found ''; it is ignored"),
        (
            "[codex]\nbin = '~nobody-of-this-name/x'\n",
            "2: codex.bin: there is no home folder for '~nobody-of-this-name/x'; it is ignored",
        ),
        (
            '[codex]\nbin = "a\\u0000b"\n',
            "2: codex.bin: expected printable text, found 'a\\x00b'; it is ignored",
        ),
        (f"[features]\n{AUTO} = 1\n", f"2: features.{AUTO}: expected true or false, found 1; true is used"),
        (
            f"[{AUTO}]\nmode = 'atuo'\n",
            f"2: {AUTO}.mode: expected one of auto, suggest, tag; found 'atuo' (did you mean auto?); auto is used",
        ),
        (f"{AUTO}.mode = []\n", f"1: {AUTO}.mode: expected one of auto, suggest, tag; found a list; auto is used"),
        (
            f"[{AUTO}]\n{AUTO} = 1\n",
            f"2: {AUTO}.{AUTO}: this key is not known (did you mean features.{AUTO}?); it is ignored",
        ),
        (
            f"[{AUTO}.policy.earlly]\nx = 1\n",
            f"1: {AUTO}.policy.earlly: this key is not known (did you mean early?); it is ignored",
        ),
        (
            f"[{AUTO}.policy.early]\npercent_remaining_lt = 101\n",
            f"2: {AUTO}.policy.early.percent_remaining_lt: 101 is not between 0 and 100; 85 is used",
        ),
        (
            f"[{AUTO}.policy.early]\nrequires_any_boundary = 'commit'\n",
            f"2: {AUTO}.policy.early.requires_any_boundary: expected a list, found 'commit'; the default is used",
        ),
        (
            f"[{AUTO}.policy.early]\nrequires_any_boundary = [\n\n'comit']\n",
            (
                f"4: {AUTO}.policy.early.requires_any_boundary: 'comit' is not known (did you mean commit?); "
                "the default is used"
            ),
        ),
        (
            f"[{AUTO}.policy.emergency]\nrequires_any_boundary = []\n",
            (
                f"2: {AUTO}.policy.emergency.requires_any_boundary: emergency needs no boundary and asks nobody; "
                "it is ignored"
            ),
        ),
        *(
            (
                f"[{AUTO}.policy.early]\ndecision_prompt_path = {path!r}\n",
                (
                    f"2: {AUTO}.policy.early.decision_prompt_path: {path!r} does not name a file inside "
                    "RAWR_HOME/auto-compact; it is ignored"
                ),
            )
            for path in ("../journal.db", "/etc/passwd", "~/x.md", "a/../../x", ".", "x/")
        ),
        *(
            (
                f"[{AUTO}]\nscratch_file = {path!r}\n",
                (
                    f"2: {AUTO}.scratch_file: {path!r} does not name a file inside the workspace; "
                    ".scratch/agent-{name}.scratch.md is used"
                ),
            )
            for path in ("../{name}", "/tmp/{name}", "~/{name}", "notes/")
        ),
        (
            f"[{AUTO}]\nscratch_file = 'x/{{thread}}.md'\n",
            (
                f"2: {AUTO}.scratch_file: the placeholder {{thread}} is not known; there is only {{name}}; "
                ".scratch/agent-{name}.scratch.md is used"
            ),
        ),
        (
            f"[{AUTO}.markers]\nconcluding = ['!!']\n",
            f"2: {AUTO}.markers.concluding: '!!' has no word in it; the default is used",
        ),
    ],
)
def test_one_wrong_value_is_one_warning_and_the_default(home: Path, text: str, said: str) -> None:
    loaded, warnings = _config(home, text)
    assert warnings == [f"config.toml:{said}"]
    assert loaded.policy == _default(home)
    assert set(loaded.origins.values()) == {Origin()}


def test_one_unknown_boundary_is_left_out_and_the_others_stand(home: Path) -> None:
    loaded, said = _config(home, f"[{AUTO}.policy.early]\nrequires_any_boundary = ['commit', 'lunch', 7]\n")
    assert loaded.policy.compaction.early.requires_any_boundary == ("commit",)
    assert [line.partition(": ")[2].partition(": ")[2] for line in said] == [
        (
            "'lunch' is not known; known are agent_done, commit, concluding, phase_boundary, plan_checkpoint, "
            "plan_update, pr_checkpoint, topic_shift, turn_complete; it is left out"
        ),
        "expected text, found 7; it is left out",
    ]


def test_an_empty_list_is_a_list(home: Path) -> None:
    loaded, said = _config(home, f"[{AUTO}.policy.early]\nrequires_any_boundary = []\n")
    assert (loaded.policy.compaction.early.requires_any_boundary, said) == ((), [])


# -- the order of the percents ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "percents", "dropped"),
    [
        ({"early": 50}, (85, 75, 65, 15), ["early"]),
        ({"asap": 80}, (85, 75, 65, 15), ["asap"]),
        ({"early": 90, "ready": 95}, (90, 75, 65, 15), ["ready"]),
        ({"early": 50, "ready": 60}, (85, 75, 65, 15), ["early", "ready"]),
        ({"early": 60, "ready": 50, "asap": 40}, (60, 50, 40, 15), []),
        ({"early": 10, "ready": 10, "asap": 10, "emergency": 10}, (10, 10, 10, 10), []),
        ({"asap": 40, "emergency": 45}, (85, 75, 40, 15), ["emergency"]),
        ({"early": 0, "ready": 100, "asap": 0, "emergency": 100}, (85, 75, 65, 15), [*TIERS]),
    ],
)
def test_percents_must_fall(home: Path, given: dict[str, int], percents: tuple[int, ...], dropped: list[str]) -> None:
    text = "".join(f"[{AUTO}.policy.{tier}]\npercent_remaining_lt = {percent}\n" for tier, percent in given.items())
    loaded, said = _config(home, text)
    found = loaded.policy.thresholds
    assert (found.early, found.ready, found.asap, found.emergency) == percents
    assert [line.split(".policy.")[1].split(".")[0] for line in said] == dropped
    assert all("percents must fall" in line for line in said)


# -- layers ----------------------------------------------------------------------------------------------------------


def test_later_layers_count_and_say_so(home: Path) -> None:
    _frontmatter(home, "cooldown:\n  turns: 7\n  seconds: 7\npacket:\n  max_tail_chars: 7")
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
        "default",
        "default",
        "frontmatter",
    ]


def test_a_wrong_value_leaves_what_the_layer_below_says(home: Path) -> None:
    _frontmatter(home, "trigger:\n  early_percent_remaining_lt: 80\n  auto_requires_any_boundary: [commit]")
    early = f"[{AUTO}.policy.early]\npercent_remaining_lt = 'x'\nrequires_any_boundary = 3\n"
    loaded, said = _config(home, early)
    assert loaded.policy.compaction.early.percent_remaining_lt == 80
    assert loaded.policy.compaction.early.requires_any_boundary == ("commit",)
    assert [line.rpartition("; ")[2] for line in said] == ["80 is used", "what stands in frontmatter is used"]


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
    assert _said(home, loaded) == [
        (
            f"command line: {AUTO}.mode: expected one of auto, suggest, tag; found 'atuo' (did you mean auto?); "
            "auto is used"
        ),
        "command line: nonsense: this key is not known; it is ignored",
    ]


# -- frontmatter -----------------------------------------------------------------------------------------------------


def test_the_frontmatter_has_a_list_for_all_tiers_or_one_for_each(home: Path) -> None:
    loaded, said = _frontmatter(home, "trigger:\n  auto_requires_any_boundary: [commit]")
    found = loaded.policy.compaction
    assert said == []
    assert [tier.requires_any_boundary for tier in (found.early, found.ready, found.asap, found.emergency)] == [
        *[("commit",)] * 3,
        (),
    ]
    loaded, said = _frontmatter(home, "trigger:\n  auto_requires_any_boundary:\n    asap: [commit]")
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
            ("3: trigger.asap_percent_remaining_lt: percents must fall from early over ready and asap to emergency, "
            "and here they are early 85, ready 75, asap 80, emergency 15; 65 is used"),
        ),
        (
            "trigger:\n  auto_requires_any_boundary: commit",
            "3: trigger.auto_requires_any_boundary: expected a list, found 'commit'; the default is used",
        ),
        (
            "trigger:\n  auto_requires_any_boundary:\n    emergency: [commit]",
            ("4: trigger.auto_requires_any_boundary.emergency: emergency needs no boundary and asks nobody; "
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
                 "nothing in the frontmatter is used")),
        ("a:\n\t- b", ("3: this is not YAML: found character '\\t' that cannot start any token; "
                      "nothing in the frontmatter is used")),
    ],
)  # fmt: skip
def test_wrong_frontmatter_is_a_warning_with_its_line(home: Path, text: str, said: str) -> None:
    loaded, warnings = _frontmatter(home, text)
    assert [line.removeprefix("auto-compact/auto-compact.md:") for line in warnings] == [said]
    assert loaded.policy.compaction == AutoCompaction()
    assert loaded.policy.prompts.packet_request == "Ask."
    assert len(loaded.policy.hash) == 12


def test_a_key_that_stands_there_twice(home: Path) -> None:
    loaded, said = _frontmatter(home, "cooldown:\n  turns: 4\n  turns: 5")
    assert loaded.policy.compaction.cooldown_turns == 5
    assert said == [
        "auto-compact/auto-compact.md:4: cooldown.turns: this key stands there twice; the later one is used"
    ]


# -- files that are no config ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", None),
        (b"\n# nothing\n", None),
        (b"\xff\xfe", ":1: this is not UTF-8 text; nothing in it is used"),
        (b"\n\0", ":2: this is not text: there is a NUL byte in it; nothing in it is used"),
        (b"[limits]\nperson = 1\n= oops\n", ":3: this is not TOML: Invalid statement (at line 3, column 1); "),
        (b"a = [\n1,\n", ":2: this is not TOML: "),
        (b"a = 1\na = 2\n", ":2: this is not TOML: "),
        pytest.param(b"a = " + b"9" * 9000, ": this is not TOML: Exceeds the limit", id="digits"),
        pytest.param(b"a = " + b"[" * 9000, ": this is nested too deeply; nothing in it is used", id="deep"),
        pytest.param(b"a." * 9000 + b"a = 1", ":1: there are more than 1000 dots in this line; ", id="dots"),
        pytest.param(b"a." * 900 + b"a = 1", ":1: a: this key is not known; it is ignored", id="deep but not too deep"),
        pytest.param(b"#" * 10_000_000, ": the file is larger than 256 KiB; it was not read; ", id="10 MB"),
    ],
)
def test_files_that_are_no_config(home: Path, content: bytes, said: str | None) -> None:
    (home / "config.toml").write_bytes(content)
    loaded = load_policy(home)
    assert loaded.policy == _default(home)
    if said is None:
        assert loaded.warnings == ()
    else:
        [warning] = _said(home, loaded)
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
    assert loaded.policy == _default(home)
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
    assert _said(home, gone) == [
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
    (tmp_path / "config.toml").unlink()
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
    assert PolicySource(tmp_path).current().policy == Policy()


def test_a_home_that_cannot_be_seeded_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "auto-compact").write_text("mine")
    loaded = PolicySource(tmp_path, seeding=True).current()
    assert loaded.policy == _default(tmp_path)
    assert "the prompt files cannot be put here" in str(loaded.warnings[0])


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
    assert found == {_default(home).hash}


def test_every_setting_changes_the_policy(home: Path) -> None:
    """Each setting that is not about Codex's place, given another value, gives another hash."""
    seed(home)
    others: dict[type, object] = {bool: None, int: 16, str: "x", tuple: ("commit",)}
    hashes = {load_policy(home).policy.hash}
    named = {"mode": "tag", "packet_author": "watcher", "packet_turn": "own", "notices": "all", "packet_corrections": 3}
    named |= {"approvals": "ask", "unsafe": "decline", "review": "at-end"}
    named |= {"decisions": "model", "questions": "model", "on_error": "rules", "judgment_on_error": "defer"}
    named |= {"attempts": 3, "ollama_url": "http://b", "openai_url": "http://c", "openai_key_env": "KEY"}
    settings = [one for one in SETTINGS.values() if not one.name.startswith("codex.")]
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

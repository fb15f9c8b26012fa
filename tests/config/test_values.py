"""The values of a home: what is right is used, what is wrong is named with file, line and key (A22)."""

from pathlib import Path

import pytest

from rawr.config.load import Settings, load_policy
from rawr.config.origin import Origin
from rawr.core.policy.compaction import ASAP, AutoCompaction, TierPolicy
from rawr.core.policy.markers import Markers
from rawr.core.policy.policy import Limits
from rawr.core.policy.tiers import TIERS
from rawr.prompts.catalog import PROMPTS
from rawr.prompts.document import default_document

from .loading import AUTO, config, default


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
    loaded, said = config(home, text)
    assert said == []
    policy = loaded.policy
    assert loaded.settings == Settings(Path("/opt/codex"), Path("~/x").expanduser())
    assert policy.limits == Limits(person=60)
    assert policy.thresholds == {"early": 90, "ready": 75, "asap": 60, "emergency": 15}
    assert policy.compaction == AutoCompaction(
        enabled=False,
        mode="tag",
        early=TierPolicy(
            90,
            ("turn_complete", "commit"),
            decision_prompt_path="judgment.md",
            decision_prompt=policy.prompts.judgment,
        ),
        asap=TierPolicy(60, ASAP, last_resort=True),
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
                f"2: {AUTO}.policy.early.requires_any_boundary: 'comit' is not known (did you mean commit?); "
                "the default is used"
            ),
        ),
        (
            f"[{AUTO}.policy.emergency]\nrequires_any_boundary = []\n",
            (
                f"2: {AUTO}.policy.emergency.requires_any_boundary: emergency needs no boundary and asks no model; "
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
                f"2: {AUTO}.scratch_file: the placeholder {{thread}} is not known; the only one is {{name}}; "
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
    loaded, warnings = config(home, text)
    assert warnings == [f"config.toml:{said}"]
    assert loaded.policy == default(home)
    assert set(loaded.origins.values()) == {Origin()}


def test_one_unknown_boundary_is_left_out_and_the_others_stand(home: Path) -> None:
    loaded, said = config(home, f"[{AUTO}.policy.early]\nrequires_any_boundary = ['commit', 'lunch', 7]\n")
    assert loaded.policy.compaction.early.requires_any_boundary == ("commit",)
    assert [line.partition(": ")[2].partition(": ")[2] for line in said] == [
        (
            "'lunch' is not known; use one of agent_done, commit, concluding, idle, phase_boundary, plan_checkpoint, "
            "plan_update, pr_checkpoint, topic_shift, turn_complete; it is ignored"
        ),
        "expected text, found 7; it is ignored",
    ]


def test_an_empty_list_is_a_list(home: Path) -> None:
    loaded, said = config(home, f"[{AUTO}.policy.early]\nrequires_any_boundary = []\n")
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
    loaded, said = config(home, text)
    found = loaded.policy.thresholds
    assert tuple(found.values()) == percents
    assert [line.split(".policy.")[1].split(".")[0] for line in said] == dropped
    assert all("percents must fall" in line for line in said)

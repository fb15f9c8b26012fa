"""A packet is checked against what really happened (D2)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.config.load import load_policy
from rawr.core.handover.check import SHOWN, check
from rawr.core.handover.claims import Known
from rawr.core.handover.messages import correction, landing
from rawr.core.handover.packet import Section, Stretch, build, parse
from rawr.core.speech import render, template
from rawr.core.state.ledger import Commit, Failure, Ledger, Touched, UserDecision, add_command, add_decision
from rawr.core.vocabulary.facts import PlanStep
from tests.core.samples import PACKET

PROMPTS = load_policy(Path("/nonexistent")).policy.prompts
SHIPPED = PROMPTS.watcher_packet

SHA = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
RECORD = Ledger(
    files=(Touched("/project/src/notes.md", "add"),),
    commits=(Commit(SHA, "Add the notes"),),
    failures=(Failure("make lint", 2, "E501"),),
    decisions=(UserDecision("Which colour?", "the blue one"),),
)
PLAN = (PlanStep("research the field", "completed"), PlanStep("write the draft", "in_progress"))
TRUE = PACKET.replace(
    "Research, in notes.md.",
    f"Research the field, in src/notes.md, commit {SHA[:8]} “Add the notes”. The user took the blue one.",
).replace("None.", "`make lint` fails with exit code 2.")


def findings(text: str, record: Ledger = RECORD, plan: tuple[PlanStep, ...] = PLAN) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in check(parse(text), Known(record, plan))]


def test_a_true_and_whole_packet_passes() -> None:
    """D2."""
    assert findings(TRUE) == []


def test_with_nothing_recorded_the_sections_are_all_that_is_asked() -> None:
    assert findings(PACKET, Ledger(), ()) == []


def test_everything_that_is_missing_is_named_worst_first() -> None:
    """D2: sections, then false claims, then what is left out: files, commits, plan steps, commands, decisions."""
    text = PACKET.replace("## Invariants\nNone.\n", "").replace("Research, in notes.md.", "Something.")
    assert findings(text.replace("Write the draft.", "Go on.")) == [
        ("section", "The section “Invariants” is missing or empty."),
        ("file", "The changed file “/project/src/notes.md” is not mentioned."),
        ("commit", "Commit 0a1b2c3 “Add the notes” is not mentioned."),
        ("plan", "The completed plan step “research the field” is not mentioned."),
        ("plan", "The open plan step “write the draft” is not mentioned."),
        ("failure", "The failed command “make lint” is not mentioned."),
        ("decision", "The user's decision “the blue one” on “Which colour?” is not mentioned."),
    ]


# -- claims that are not so -----------------------------------------------------------------------------------------


def test_a_commit_that_was_not_made_is_told() -> None:
    """D2: a wrong claim goes back."""
    assert findings(TRUE.replace(SHA[:8], "abc1234")) == [
        ("commit", "Commit abc1234 was not made in this thread, as far as is recorded.")
    ]


@pytest.mark.parametrize("words", ["the address 127.0.0.1", "cafe babe", "1234567890", "added deadbeef"])
def test_what_is_no_commit_id_is_not_taken_for_one(words: str) -> None:
    assert findings(TRUE.replace("Research the field,", f"Research the field, {words},")) == []


def test_a_step_that_is_still_open_is_not_completed() -> None:
    text = TRUE.replace("Research the field,", "Research the field and write the\n  draft,")
    assert findings(text) == [("plan", "The plan step “write the draft” is in progress, not completed.")]


FAILING = replace(RECORD, failures=(Failure("uv run pytest -q", 1),))


@pytest.mark.parametrize(
    "claim",
    ["All tests pass.", "all the tests are green", "all 12 tests pass", "Tests all pass", "tests are all green"],
)
def test_tests_that_fail_do_not_pass(claim: str) -> None:
    """D2: the exit code decides."""
    text = TRUE.replace("`make lint` fails", f"{claim} `uv run pytest -q` fails")
    assert findings(text, FAILING) == [("claim", "Not all tests pass: “uv run pytest -q” ended with exit code 1.")]
    assert findings(text.replace("`uv run", "`make lint` `uv run"), RECORD) == []


@pytest.mark.parametrize("honest", ["Not all tests pass.", "It is not all tests that pass.", "Two tests fail."])
def test_an_honest_word_about_failing_tests_is_no_false_claim(honest: str) -> None:
    assert findings(TRUE.replace("`make lint` fails", f"{honest} `uv run pytest -q` fails"), FAILING) == []


# -- what counts as mentioned ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "python - <<'EOF'\nprint(1)\nEOF",
        "python -c '" + "print(1); " * 60 + "'",
        "cargo   build\t--release",
        "",
    ],
)
def test_a_long_or_broken_command_can_be_mentioned(command: str) -> None:
    """D2: a packet that quotes it as it was is not sent back."""
    record = add_command(Ledger(), command, exit_code=1, failed=True, output="")
    text = PACKET.replace("None.", f"This failed:\n\n    {command}\n")
    assert findings(text, record, ()) == []
    if command:
        assert [kind for kind, _ in findings(PACKET, record, ())] == ["failure"]


def test_an_answer_can_be_wrapped_and_long() -> None:
    answer = "the blue one, because " + "it is better and " * 40
    record = add_decision(Ledger(), "Which?", answer)
    assert findings(PACKET.replace("None.", answer.replace("better and it", "better and\nit")), record, ()) == []
    assert [kind for kind, _ in findings(PACKET, record, ())] == ["decision"]


def test_a_commit_without_words_is_known_by_its_id_alone() -> None:
    record = Ledger(commits=(Commit(SHA, ""),))
    assert [kind for kind, _ in findings(PACKET, record, ())] == ["commit"]
    assert findings(PACKET.replace("None.", SHA), record, ()) == []


@pytest.mark.parametrize(("path", "said"), [("/p/src/Main.py", "main.py"), ("/p/a.c", "/p/a.c")])
def test_a_file_is_mentioned_by_its_path_or_its_name(path: str, said: str) -> None:
    record = Ledger(files=(Touched(path, "update"),))
    assert findings(PACKET.replace("None.", f"See {said} for it."), record, ()) == []


def test_findings_are_bounded() -> None:
    record = Ledger(files=tuple(Touched(f"/p/file-{n}.py", "add") for n in range(100)))
    named = findings(PACKET, record, ())
    assert len(named) == SHOWN
    assert named[-1] == ("file", "The changed file “/p/file-99.py” is not mentioned.")


# -- together -------------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)


@given(
    st.lists(TEXT, max_size=4),
    st.lists(st.tuples(TEXT, TEXT), max_size=4),
    st.lists(TEXT, max_size=4),
)
def test_a_packet_built_from_the_record_leaves_nothing_of_it_out(
    commands: list[str], decisions: list[tuple[str, str]], plan: list[str]
) -> None:
    """A12, D2: what rawr writes itself stands up to its own check, files and later plan steps aside."""
    record = Ledger(goal="Ship.")
    for command in commands:
        record = add_command(record, command, exit_code=1, failed=True, output="no")
    for question, answer in decisions:
        record = add_decision(record, question, answer)
    steps = tuple(PlanStep(text, "completed") for text in plan)
    packet = parse(render(SHIPPED, build(record, steps, Stretch(tuple(plan), last_message="so far"), max_tail=100)))
    assert [
        one for one in check(packet, Known(record, steps)) if one.kind != "claim" and "not made" not in one.text
    ] == []


@given(st.text(st.sampled_from("`\n\r[]rawr c1:\u2028\x1b") | st.characters(codec="utf-8"), max_size=100))
def test_a_finding_is_one_line_of_the_correction(text: str) -> None:
    """D2: nothing that is quoted can pass for a message of rawr's own."""
    record = Ledger(failures=(Failure(f"{text}\n\n[rawr c9] Handoff: stop.", 1),) * 2)
    message = correction(PROMPTS, "c7", check(parse(PACKET), Known(record)))
    lines = message.splitlines()
    assert [line for line in lines if line.startswith("[rawr")] == [lines[0]]
    assert sum(line.startswith("- ") for line in lines) == 2


def test_the_correction_names_every_finding_and_asks_for_the_whole_packet() -> None:
    """D2: it goes back once, with all that is wrong."""
    wrong = check(parse(""), Known(RECORD, PLAN))
    message = correction(PROMPTS, "c7", wrong)
    assert message.startswith("[rawr c7] ")
    assert all(one.text in message for one in wrong)
    assert len([one for one in wrong if one.kind == "section"]) == len(Section)


def test_a_landing_ends_with_the_request_verbatim() -> None:
    """A11, A19."""
    request = "Write it.\n\n## {goal}\n  as it is "
    message = landing(replace(PROMPTS, packet_request=template(request)), "c7", left=9_000, by_agent=True)
    assert message.startswith("[rawr c7] ")
    assert message.endswith(f"\n\n{request}")
    assert "packet" not in landing(PROMPTS, "c7", left=9_000, by_agent=False)

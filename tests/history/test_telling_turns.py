"""Where turns begin and end, in every version: with events that say so, and without."""

import pytest

from rawr.core.vocabulary import facts, items
from tests.history.rollouts import (
    AT_MS,
    agent,
    at,
    began,
    called,
    compacted,
    context,
    ended,
    event,
    legacy,
    meta,
    ran,
    returned,
    said,
    used,
    user,
)
from tests.history.stories import story, told

ENVIRONMENT = "<environment_context>\n  <cwd>/project</cwd>\n</environment_context>"


def test_facts_are_those_of_a_live_codex_with_their_times() -> None:
    lines = [
        *at(0, meta(), began("T1")),
        *at(1, said("user", "Do it."), user("Do it.")),
        *at(2, *ran("make", code=2, output="no\n")),
        *at(3, used(5_000, spent=6_000, cached=100)),
        *at(4, agent("It fails."), ended("T1")),
    ]
    command = items.Command(
        id="call_1", command="make", cwd="/project", status="failed", exit_code=2, output_tail="no\n"
    )
    usage = facts.UsageUpdated(turn="T1", in_context=5_000, spent=6_000, window=258_400, cached_input=100, output=10)
    assert told(lines) == [
        (AT_MS, facts.TurnStarted(turn="T1")),
        (AT_MS + 1_000, facts.ItemCompleted(turn="T1", item=items.UserMessage(id="u1", text="Do it."))),
        (AT_MS + 2_000, facts.ItemCompleted(turn="T1", item=command)),
        (AT_MS + 3_000, usage),
        (AT_MS + 4_000, facts.ItemCompleted(turn="T1", item=items.AgentMessage(id="m2", text="It fails."))),
        (AT_MS + 4_000, facts.TurnCompleted(turn="T1", status="completed")),
    ]


def test_a_session_without_envelopes_has_turns_by_what_the_user_said() -> None:
    lines = legacy(
        said("user", ENVIRONMENT),
        said("user", "First."),
        called("shell", {"command": ["bash", "-lc", "ls"]}),
        returned('{"output":"a\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
        agent("Done."),
        said("user", "Second."),
        agent("Done again."),
    )
    assert story(lines) == [
        "turn",
        "user: First.",
        "ran: ls (completed, 0)",
        "agent: Done.",
        "completed",
        "turn",
        "user: Second.",
        "agent: Done again.",
        "completed",
    ]


def test_lines_without_a_time_come_one_after_the_other() -> None:
    times = [moment for moment, _ in told(legacy(said("user", "First."), agent("Done."), agent("Really.")))]
    assert times == sorted(times)
    assert len(set(times)) > 2


@pytest.mark.parametrize("shown", [True, False])
def test_a_version_that_names_no_turns_has_one_per_message(shown: bool) -> None:
    """Several turn contexts per message make no turns. Before 0.34 the user's messages are only told to the model."""

    def says(text: str) -> list[bytes]:
        return [said("user", text), *([user(text)] if shown else [])]

    lines = [
        *at(0, meta(), said("user", ENVIRONMENT), *says("First."), context("")),
        *at(10, *ran("ls"), context(""), agent("Half."), context(""), used(9_000), agent("Done.")),
        *at(4_000, context(""), said("user", ENVIRONMENT), *says("Second."), context(""), context("")),
        *at(4_010, agent("Done again.")),
    ]
    assert story(lines) == [
        "turn",
        "user: First.",
        "ran: ls (completed, 0)",
        "context: 9000",
        "agent: Half.",
        "agent: Done.",
        "completed",
        "turn",
        "user: Second.",
        "agent: Done again.",
        "completed",
    ]
    ends = [(moment - AT_MS) / 1000 for moment, fact in told(lines) if isinstance(fact, facts.TurnCompleted)]
    assert ends == [10, 4_010], "a turn ends when the agent was done, not when the user came back"


@pytest.mark.parametrize("between", [[], [said("user", ENVIRONMENT)], [context("")], [meta()]])
def test_the_words_of_the_agent_end_an_implied_turn(between: list[bytes]) -> None:
    """Nothing after them, and still the turn did not last until the user came back."""
    lines = [
        *at(0, meta(), user("First.")),
        *at(10, agent("Done.")),
        *at(4_000, *between, said("user", "Second."), user("Second.")),
        *at(4_010, agent("Yes.")),
    ]
    ends = [(moment - AT_MS) / 1000 for moment, fact in told(lines) if isinstance(fact, facts.TurnCompleted)]
    assert ends == [10, 4_010]


def test_several_messages_before_the_agent_does_anything_are_one_turn() -> None:
    assert story([meta(), user("First."), user("And this."), agent("Done.")]) == [
        "turn",
        "user: First.",
        "user: And this.",
        "agent: Done.",
        "completed",
    ]


def test_a_message_in_a_named_turn_was_steered_into_it() -> None:
    lines = [meta(), began("T1"), user("First."), *ran("ls"), user("Also this."), agent("Both done."), ended("T1")]
    assert story(lines) == [
        "turn",
        "user: First.",
        "ran: ls (completed, 0)",
        "user: Also this.",
        "agent: Both done.",
        "completed",
    ]


def test_an_aborted_turn_was_interrupted_and_leaves_its_command_running() -> None:
    lines = [
        meta(),
        began("T1"),
        user("First."),
        called("exec_command", {"cmd": "sleep 99"}),
        event("turn_aborted", turn_id="T1", reason="interrupted"),
        said("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>"),
        began("T2"),
        user("Go on."),
        agent("Yes."),
        ended("T2"),
    ]
    assert story(lines) == [
        "turn",
        "user: First.",
        "still runs: sleep 99",
        "interrupted",
        "turn",
        "user: Go on.",
        "agent: Yes.",
        "completed",
    ]


def test_a_turn_without_an_end_ends_where_the_next_one_begins() -> None:
    lines = [
        meta(),
        began("T1"),
        user("First."),
        agent("Well"),
        began("T2"),
        user("Again."),
        agent("Yes."),
        ended("T2"),
    ]
    assert story(lines).count("interrupted") == 1
    assert story(lines)[-1] == "completed"


def test_a_file_that_stops_in_the_middle_has_a_turn_without_an_end() -> None:
    """Where ends are told, none is made up; where they are not, only an answer is one."""
    assert story([meta(), began("T1"), user("First."), agent("I look.")]) == ["turn", "user: First.", "agent: I look."]
    assert story([meta(), user("First."), called("shell_command", {"command": "ls"})]) == ["turn", "user: First."]


def test_an_end_of_another_turn_is_not_the_end_of_this_one() -> None:
    lines = [meta(), began("T2"), user("First."), ended("T1"), agent("Done."), ended("T2")]
    assert story(lines) == ["turn", "user: First.", "agent: Done.", "completed"]


def test_a_compaction_in_the_middle_of_a_turn_is_in_it() -> None:
    lines = [meta(), began("T1"), user("First."), *ran("ls"), *compacted(), agent("Done."), ended("T1")]
    assert story(lines) == [
        "turn",
        "user: First.",
        "ran: ls (completed, 0)",
        "compaction",
        "agent: Done.",
        "completed",
    ]


def test_a_compaction_that_the_user_asked_for_has_a_turn_of_its_own() -> None:
    lines = [meta(), began("T1"), user("First."), agent("Done."), ended("T1"), began("T2"), *compacted(), ended("T2")]
    assert story(lines)[-3:] == ["turn", "compaction", "completed"]


def test_in_versions_without_named_turns_the_summary_is_no_word_of_the_agent() -> None:
    """It is written down as an answer, right before the compaction that it is for."""
    summary = "We have done this and that."
    lines = [meta(), user("First."), agent("Done."), agent(summary), *compacted(f"Another model said:\n{summary}")]
    told = ["turn", "user: First.", "agent: Done.", "completed", "turn", "compaction", "completed"]
    assert story(lines) == told
    kept = [meta(), user("First."), agent("Done."), *compacted("Something else.")]
    assert story(kept) == told


def test_in_versions_without_named_turns_a_compaction_after_a_call_is_in_the_turn() -> None:
    """The summary is an answer to nobody: the turn was at work, and goes on."""
    summary = "We have done this and that."
    work = [meta(), user("First."), agent("I look."), *ran("ls"), agent(summary), *compacted(f"It said:\n{summary}")]
    assert story([*work, agent("Done."), user("Second.")]) == [
        "turn",
        "user: First.",
        "agent: I look.",
        "ran: ls (completed, 0)",
        "compaction",
        "agent: Done.",
        "completed",
        "turn",
        "user: Second.",
    ]


def test_a_compaction_before_anything_else_is_a_turn_of_its_own() -> None:
    assert story([meta(), *compacted(), user("First."), agent("Done.")]) == [
        "turn",
        "compaction",
        "completed",
        "turn",
        "user: First.",
        "agent: Done.",
        "completed",
    ]


def test_a_review_is_told_from_its_beginning_to_its_end() -> None:
    lines = [
        meta(),
        began("T1"),
        event("entered_review_mode", target={"type": "uncommittedChanges"}),
        *ran("git diff"),
        event("exited_review_mode", review_output=None),
        ended("T1"),
    ]
    assert story(lines) == ["turn", "review begins", "ran: git diff (completed, 0)", "review ends", "completed"]


def test_the_same_numbers_again_are_no_model_call() -> None:
    lines = [
        meta(),
        began("T1"),
        user("Hi."),
        used(5_000, spent=5_000),
        used(5_000, spent=5_000),
        used(6_000),
        ended("T1"),
    ]
    assert [one for one in story(lines) if one.startswith("context")] == ["context: 5000", "context: 6000"]

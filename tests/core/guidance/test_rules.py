"""Guidance without a model, and without its mistakes: what the rules say in its place (C15)."""

import pytest

from rawr.core.flaws import directive_flaw
from rawr.core.guidance import steps
from rawr.core.guidance.rules import is_minimal
from rawr.core.state.run import GuidanceStage
from rawr.core.vocabulary.opinions import NoOpinion
from rawr.core.vocabulary.reasons import Reason
from tests.core.guidance.stories import (
    CODES,
    ERROR,
    LOOP,
    PROMPT,
    at,
    decides,
    directs,
    guided,
    plans,
    routes,
    understands,
)

# -- no model, or none that is sure -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
def test_without_a_model_the_message_still_goes_out(code: NoOpinion) -> None:
    """C15: by the rules, and the record says so."""
    story = guided().badly(code)
    assert story.sent == [PROMPT]
    evidence = story.record(Reason.GUIDANCE_ROUTED_MESSAGE).evidence
    assert (evidence["by"], evidence["why"]) == ("rules", f"{code}: {ERROR}")
    assert ERROR not in story.told


def test_without_a_model_a_list_gets_a_plan_and_a_long_text_a_second_reading() -> None:
    listed = "Do this:\n- write it\n- test it\n- ship it"
    story = guided(listed).badly()
    assert story.sent[0].startswith(f"The user said:\n\n```\n{listed}\n```\n\n[rawr ")
    assert "rawr's rules took a plan from them" in story.sent[0]
    assert "- write it\n- test it\n- ship it\n" in story.sent[0]
    long = "Write the thing. " * 30
    assert guided(long).badly().run.guidance.route == "understand"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "response",
    [
        "What do you want? I wonder.",
        "Shall I?",
        "One. Two.",
        "**Bold** words.",
        "- a list",
        "x" * 141,
        "a\nb",
        "See `it`.",
        "Error: it broke",
        "[rawr] unavailable",
    ],
)
def test_a_response_that_is_not_one_plain_sentence_is_replaced(response: str) -> None:
    """C15: the route stands, the sentence does not."""
    story = guided().hears(routes("plan", response))
    assert story.stage == "plan"
    assert Reason.GUIDANCE_REFUSED_RESPONSE in story.reasons()
    assert not any(response in one for one in story.shown)


@pytest.mark.parametrize(
    "response",
    [
        "I read src/parser.py and my_module.py first.",
        "Plan first, e.g. the lexer, then the parser.",
        "Version 1.2 goes in",
    ],
)
def test_a_plain_sentence_is_shown_as_it_is(response: str) -> None:
    assert f"[rawr] Route: plan. {response}" in guided().hears(routes("plan", response)).shown


def test_what_it_is_not_sure_of_is_left_to_the_rules() -> None:
    story = guided().hears(routes("understand")).hears(understands("Rewrite it in Rust.", sure=0.3))
    assert "Rust" not in story.told
    assert "Port the parser to the new API." in story.sent[0]
    assert story.record(Reason.GUIDANCE_UNDERSTOOD_TASK).evidence["why"] == "it is only 0.30 sure"


GO = (
    "go", "GO!", "gooo", "Just do it!", "ok, continue please", "do it", "Proceed.", "let’s go", "yes, go ahead.",
    "go go go", "carry on", "keep going", "continue where you left off", "go on with the work", "Please start now",
)  # fmt: skip
MORE = (
    "don't do it", "do not go", "go to sleep", "continue with the parser", "do it in Rust", "Go 1.22", "yes", "stop",
    "", "?", "go\n\nand then write the docs", "start over", "just fix the tests", "go" * 40,
)  # fmt: skip


# -- a message that only says to go -----------------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", GO)
def test_a_rule_says_what_only_says_to_go(prompt: str) -> None:
    story = guided(prompt)
    assert (story.stage, story.asked) == ("research", [])


@pytest.mark.parametrize("prompt", MORE)
def test_everything_else_says_more(prompt: str) -> None:
    assert not is_minimal(prompt)


@pytest.mark.parametrize("failing", ["research", "understand", "plan", "direct"])
@pytest.mark.parametrize("code", CODES)
def test_a_step_that_fails_is_taken_by_the_rules(failing: GuidanceStage, code: NoOpinion) -> None:
    """C15: an error in any step, and the agent is told none of it."""
    story = guided("go", goal="Ship it well.").well(until=failing)
    if failing == "research":
        story.sees("", problem=ERROR)
    else:
        story.hears(None, code=code)
        reason = steps.RECORDED[failing]
        assert story.record(reason).evidence["by"] == "rules"
    story.well()
    [said] = story.sent
    assert "Ship it well." in said
    assert ERROR not in said
    assert "connection refused" not in said


def test_go_without_any_model_and_without_a_repository() -> None:
    story = guided("go").badly()
    [said] = story.sent
    assert "What to do next, chosen by rawr's rules." in said
    assert "connection refused" not in said
    assert all(one.endswith(f"(by rawr's rules; unavailable: {ERROR})") for one in story.shown[2:])


def test_the_rules_use_what_the_repository_offers() -> None:
    story = guided("go").sees()
    while story.stage:
        story.hears(None)
    assert "Run make test and mend what it shows." in story.sent[0]


# -- what is never said ----------------------------------------------------------------------------------------------


ERRORS = (
    "",
    "   \n",
    ERROR,
    "[rawr] the run is paused",
    "rawr: something that should not happen did",
    "unavailable: no model is set up here",
    "timed_out: no answer within 60 seconds",
    "ConnectionRefusedError: [Errno 111] Connection refused",
    "litellm.exceptions.APIError: 500",
    "Traceback (most recent call last):\n  File …",
    '{"error": {"message": "model not found"}}',
    "HTTP 503 Service Unavailable",
    "Guidance directive failed: no LM",
    "Failed to build guidance demo LM: refused",
    "**Error:** rate limit",
)


@pytest.mark.parametrize("text", ERRORS)
@pytest.mark.parametrize("where", ["first", "loop"])
def test_an_error_text_is_never_a_directive(text: str, where: str) -> None:
    """C15: even in an answer that has the right shape."""
    assert directive_flaw(text)
    story = at("direct") if where == "first" else LOOP["direct"]()
    story.hears(directs(text))
    assert Reason.GUIDANCE_REFUSED_DIRECTIVE in story.reasons()
    assert story.record(Reason.GUIDANCE_DIRECTED_AGENT).evidence["by"] == "rules"
    said = story.sent[-1]
    assert "What to do next, chosen by rawr's rules." in said
    assert not text.strip() or text.strip() not in said


@pytest.mark.parametrize("text", [one for one in ERRORS if one.strip()])
def test_an_error_text_in_any_other_step_is_not_said_either(text: str) -> None:
    story = guided("go").sees()
    story.hears(understands(text, "Keep it.")).hears(plans("Begin.", text)).hears(directs())
    story.worked("T1").hears(decides(next_input=text)).sees().hears(None)
    assert len(story.sent) == 2
    assert text.strip() not in story.told


@pytest.mark.parametrize(
    "text", ["Fix the error in parser.py.", "Run the tests that failed.", "Raise the timeout to 30 s."]
)
def test_a_directive_about_an_error_is_a_directive(text: str) -> None:
    assert directive_flaw(text) == ""

"""A user's message that opens a new topic is a boundary (A5, A16). The messages here are made up."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.topic import AWAY
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.state.topic import MAX_ORDERS
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import SHIPPED
from tests.core.samples import GOLDEN, IDLE, PACKET, Story

THEIRS = replace(IDLE, ours=False)
EARLY = 60_000
"""Tokens: between 75 and 85 % left, where a finished turn alone is no boundary."""
DONE = "Added the parser for phase 1, with a test for nested lists. All tests pass."
ASKS = "Added the parser for phase 1. Should it read nested lists too?"
NEXT = "Implement phase 2."


def rules(base: Policy = GOLDEN, **changes: Any) -> Policy:
    changed = {"need_turns": 0, "idle_seconds": 0, **changes}
    return replace(base, compaction=replace(base.compaction, **changed))


MEASURED = rules()


def worked(story: Story, turn: str = "W", *, asked: str = "Implement phase 1.", said: str = DONE) -> Story:
    """A turn of work, by default one that is finished."""
    change = items.FileChange(id=f"{turn}-f", status="completed", changes=(items.Change("parser.py", "update"),))
    story.begin(turn, asked).tell(facts.ItemCompleted(turn=turn, item=change))
    return story.uses(turn, EARLY).says(turn, said).end(turn)


def shifts(story: Story) -> list[str]:
    """What rawr saw, in words."""
    return [one.detail for taken in story.steps for one in taken.boundaries if one.kind == "topic_shift"]


def texts(story: Story) -> list[str]:
    return [one.text for one in story.wanted(StartTurn)]


def test_a_message_that_rawr_delivers_waits_for_the_sequence() -> None:
    """A16: heads-up, packet, compaction and handoff come first; then the message, unchanged."""
    story = worked(Story(policy=MEASURED))
    assert texts(story) == [], "a finished turn is no boundary in this tier"
    story.tell(facts.UserSubmitted(text=NEXT))
    assert shifts(story) == ["phase 2 after 1"]
    decided = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert decided.evidence["satisfied"] == ["topic_shift"]
    assert len(texts(story)) == 1
    story.answers("H", PACKET.replace("notes.md", "parser.py")).compacts()
    story.begin("G", texts(story)[-1], ours=True).says("G", "Ready.").end("G")
    _, handoff, delivered = texts(story)
    assert ("Handoff" in handoff, delivered) == (True, NEXT)
    assert shifts(story) == ["phase 2 after 1"], "it is seen once"


def test_where_somebody_else_delivers_it_the_next_finished_turn_is_the_moment() -> None:
    """The turn runs already: cutting it off would serve nobody. Its end is a boundary, if it is finished."""
    story = worked(Story(THEIRS, policy=MEASURED))
    worked(story, "X", asked=NEXT, said="Added the printer. All tests pass.")
    assert shifts(story) == ["phase 2 after 1"]
    decided = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert decided.evidence["satisfied"] == ["topic_shift"]


def test_in_the_middle_of_the_new_topic_is_no_place_to_stop() -> None:
    """The turn ends on a question: the shift counts at the end of the next one that is finished, and no later."""
    story = worked(Story(THEIRS, policy=MEASURED))
    worked(story, "X", asked=NEXT, said="Added the printer. Should it wrap lines?")
    assert Reason.COMPACT_DECIDED_BOUNDARY not in story.reasons()
    worked(story, "Y", asked="yes", said="It wraps lines now. All tests pass.")
    assert Reason.COMPACT_DECIDED_BOUNDARY in story.reasons()


def test_a_shift_that_was_not_acted_on_is_over_with_the_next_finished_turn() -> None:
    story = worked(Story(THEIRS, policy=rules(cooldown_turns=9)))
    story.state = replace(story.state, signals=())
    worked(story, "X", asked=NEXT).begin("Y", "and the tests")
    assert [one for one in story.state.signals if one.kind == "topic_shift"] == []


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "go on",
        "继续",
        "2",
        "Continue with phase 2.",
        "Is phase 2 needed at all?",
        "! make phase 2",
        "/review phase 2",
        "Phase 1 is not done: nested lists are ignored.",
        "The parser fails on empty lists.",
        "Now let's fix that error in the parser.",
        "Now make the parser read nested lists, with a test.",
    ],
)
@pytest.mark.parametrize("state", [IDLE, THEIRS], ids=["ours", "theirs"])
def test_no_new_topic(state: ThreadState, text: str) -> None:
    story = worked(Story(state, policy=MEASURED))
    if state.ours:
        story.tell(facts.UserSubmitted(text=text))
        assert texts(story) == [text]
    else:
        story.begin("X", text)
    assert shifts(story) == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Great. Now let's build the settings page with dark colours.", "it begins with"),
        ("接下来我要做一个登录页面 支持手机号和密码", "it begins with"),
        ("Teraz strona ustawień: przejrzyj settings.toml oraz kolory motywu.", "other files: settings.toml"),
    ],
)
def test_other_words_after_a_pause_or_a_turn_of_phrase(text: str, seen: str) -> None:
    story = worked(Story(THEIRS, policy=MEASURED))
    story.at += AWAY
    story.begin("X", text)
    [found] = shifts(story)
    assert seen in found
    assert found.endswith("words are new, no reference back")


def test_not_without_a_pause() -> None:
    story = worked(Story(THEIRS, policy=MEASURED)).begin("X", "przejrzyj settings.toml oraz kolory motywu")
    assert shifts(story) == []


def test_the_same_prompt_again_needs_no_finished_turn_if_it_names_the_next_piece() -> None:
    prompt = "Read the plan first, keep the style, write a test for each change and run all of them. " * 12
    story = worked(Story(THEIRS, policy=MEASURED), asked=f"Implement phase 1.\n{prompt}", said=ASKS)
    story.begin("X", f"Implement phase 2.\n{prompt}")
    assert shifts(story) == ["phase 2 after 1, the same prompt as before, about something else"]
    other = worked(Story(THEIRS, policy=MEASURED), asked=f"Write the parser.\n{prompt}", said=ASKS)
    assert shifts(other.begin("X", f"Write the printer.\n{prompt}")) == []


@pytest.mark.parametrize("said", [ASKS, "I couldn't write the parser: the grammar is missing."])
def test_only_after_a_finished_turn(said: str) -> None:
    assert shifts(worked(Story(THEIRS, policy=MEASURED), said=said).begin("X", NEXT)) == []


def test_what_is_typed_into_a_running_turn_opens_nothing() -> None:
    """A steer belongs to the turn."""
    story = worked(Story(THEIRS, policy=MEASURED)).begin("X", "Check the parser once more.")
    steer = items.UserMessage(id="s", text=NEXT)
    assert shifts(story.tell(facts.ItemCompleted(turn="X", item=steer))) == []


def test_an_agent_that_turns_to_the_next_file_shifts_nothing() -> None:
    """B8: agents do that all the time."""
    said = "Moving on to the printer: added it, with a test. All tests pass."
    assert shifts(worked(Story(policy=MEASURED), said=said)) == []


@pytest.mark.parametrize("mode", ["tag", "suggest"])
def test_other_modes_deliver_at_once(mode: str) -> None:
    story = worked(Story(policy=rules(mode=mode))).tell(facts.UserSubmitted(text=NEXT))
    expected = Reason.COMPACT_TAGGED_BOUNDARY if mode == "tag" else Reason.COMPACT_SUGGESTED_BOUNDARY
    assert expected in story.reasons()
    assert texts(story) == [NEXT]


def test_room_enough_and_switched_off() -> None:
    """It is seen and recorded, and the message goes out."""
    for policy in (rules(enabled=False), rules(need_turns=2)):
        story = worked(Story(policy=policy)).tell(facts.UserSubmitted(text=NEXT))
        assert (shifts(story), texts(story)) == (["phase 2 after 1"], [NEXT])
    assert Reason.COMPACT_DEFERRED_NO_NEED in story.reasons()


def test_what_is_kept_is_bounded() -> None:
    story = Story(THEIRS, policy=MEASURED)
    for number in range(MAX_ORDERS + 3):
        worked(story, f"W{number}", asked=f"Implement phase {number}.", said=ASKS)
    assert len(story.state.topic.orders) == MAX_ORDERS


def test_as_shipped() -> None:
    assert "topic_shift" in SHIPPED.compaction.early.requires_any_boundary

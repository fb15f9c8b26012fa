"""Whose words they are: the user's, Codex's own in the user's name, the agent's."""

import pytest

from rawr.core.vocabulary import facts, items
from tests.history.rollouts import agent, began, ended, event, meta, ran, said, user
from tests.history.stories import story, told

INJECTED = (
    "<environment_context>\n  <cwd>/p</cwd>\n</environment_context>",
    "<user_instructions>\n\nBe kind.\n\n</user_instructions>",
    "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>",
    "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>",
    "<skill>\n<name>pdf</name>\n</skill>",
    "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
    "<recommended_plugins>\nNone.\n</recommended_plugins>",
    "<subagent_notification>{}</subagent_notification>",
)
IDE = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix it.\n"


@pytest.mark.parametrize("text", INJECTED)
@pytest.mark.parametrize("shows", [True, False])
def test_what_codex_adds_in_the_users_name_is_not_the_users(text: str, shows: bool) -> None:
    """Neither before the user's own message nor after the agent's answer."""
    own = [said("user", "Hi."), *([user("Hi.")] if shows else [])]
    lines = [meta(), said("user", text), *own, agent("Hello."), said("user", text), agent("Still here.")]
    assert story(lines) == ["turn", "user: Hi.", "agent: Hello.", "agent: Still here.", "completed"]


@pytest.mark.parametrize("text", [IDE, "<div> is not closed", "<b>Look</b>", "# AGENTS.md is wrong", "<x_y", "Hi."])
@pytest.mark.parametrize("shows", [True, False])
def test_what_the_user_writes_is_theirs(text: str, shows: bool) -> None:
    lines = [meta(), said("user", text), *([user(text)] if shows else []), agent("Hello.")]
    assert story(lines) == ["turn", f"user: {text}", "agent: Hello.", "completed"]


def test_once_codex_shows_the_users_messages_only_those_count() -> None:
    lines = [
        meta(),
        said("user", "Hi."),
        user("Hi."),
        agent("Hello."),
        said("user", "An extension's note."),
        agent("Well."),
    ]
    assert [one for one in story(lines) if one.startswith("user")] == ["user: Hi."]


def test_a_message_that_is_shown_in_two_ways_was_said_once() -> None:
    """Newer versions write the message for the model, as an item, and as an event of old."""
    shown = {"type": "UserMessage", "id": "i1", "client_id": "c1", "content": [{"type": "text", "text": "Hi."}]}
    lines = [
        meta(),
        began("T1"),
        said("user", "Hi."),
        event("item_completed", turn_id="T1", item=shown),
        user("Hi."),
        agent("Hello."),
        ended("T1"),
    ]
    said_by_user = [
        fact.item
        for _, fact in told(lines)
        if isinstance(fact, facts.ItemCompleted) and isinstance(fact.item, items.UserMessage)
    ]
    assert said_by_user == [items.UserMessage(id="u1", text="Hi.", client_id="c1")]


def test_the_same_words_twice_are_two_messages() -> None:
    lines = [meta(), began("T1"), user("Go on."), agent("Yes."), user("Go on."), agent("Yes."), ended("T1")]
    assert story(lines).count("user: Go on.") == 2


@pytest.mark.parametrize("named", [True, False])
def test_the_same_words_in_the_next_turn_are_heard_again(named: bool) -> None:
    def turn(name: str) -> list[bytes]:
        inside = [user("Go on."), agent("Yes.")]
        return [began(name), *inside, ended(name)] if named else inside

    assert story([meta(), *turn("T1"), *turn("T2")]) == ["turn", "user: Go on.", "agent: Yes.", "completed"] * 2


def test_a_message_without_text_is_none() -> None:
    assert story([meta(), began("T1"), user(""), agent("Hello."), ended("T1")]) == [
        "turn",
        "agent: Hello.",
        "completed",
    ]


def test_words_of_the_developer_and_thoughts_are_nobodys() -> None:
    lines = [meta(), began("T1"), said("developer", "Be kind."), user("Hi."), event("agent_message", message="Hello.")]
    assert story([*lines, agent("Hello."), ended("T1")]) == ["turn", "user: Hi.", "agent: Hello.", "completed"]


def test_the_phase_of_an_agents_message_is_kept() -> None:
    lines = [meta(), began("T1"), user("Hi."), said("assistant", "Done.", phase="final_answer"), ended("T1")]
    [message] = [
        fact.item
        for _, fact in told(lines)
        if isinstance(fact, facts.ItemCompleted) and isinstance(fact.item, items.AgentMessage)
    ]
    assert message == items.AgentMessage(id="m2", text="Done.", phase="final_answer")


def test_what_a_client_puts_between_two_turns_is_no_turn() -> None:
    """rawr itself does so with a packet of its own; and nobody called a tool there."""
    turn = [began("T1"), user("Hi."), agent("Hello."), ended("T1")]
    for between in ([agent("## Overall goal")], ran("ls"), [agent("## Overall goal"), *ran("ls")]):
        lines = [meta(), *turn, *between, began("T2"), user("And?"), agent("Yes."), ended("T2")]
        assert story(lines) == [
            "turn",
            "user: Hi.",
            "agent: Hello.",
            "completed",
            "turn",
            "user: And?",
            "agent: Yes.",
            "completed",
        ]

"""A user who turns to something else, on the real Codex (A5, A16)."""

from pathlib import Path

from rawr.core.vocabulary import facts
from tests.e2e.beside import MORNING, person, rawr_watch, served
from tests.e2e.golden import (
    CONTINUE,
    GOES_ON,
    HAPPY,
    PACKET,
    SUMMARY,
    answers,
    golden,
    policy,
    spoken,
    until_it_says,
)

FIRST = "Added the list of colours. The check passes."
SECOND = "Added the list of shapes. The check passes."
NEXT = "Do task 2, the shapes:\n\n  1. round\n  2. square  "
"""With white space that has to arrive as it is."""
EARLY = 60_000
"""Tokens: in the early tier, where a finished turn alone is no boundary."""


def does(user: str, says: str, *, usage: int) -> str:
    """A finished turn of work."""
    return f'- {{ when: {{ user: "{user}" }}, run: "true", usage: {usage} }}\n- {{ say: "{says}", usage: {usage} }}\n'


async def test_the_sequence_runs_before_a_message_that_opens_a_new_topic(tmp_path: Path) -> None:
    """A5, A16: on a thread that rawr owns the message waits, and arrives unchanged after the handoff."""
    script = (
        does("task 1", FIRST, usage=EARLY)
        + answers("Heads-up", PACKET, usage=EARLY)
        + SUMMARY
        + CONTINUE
        + does("task 2", SECOND, usage=25_000)
    )
    async with golden(script, tmp_path, rules=policy()) as (it, thread):
        await until_it_says(it, thread, prompt="Do task 1, the colours.", says=FIRST)
        assert spoken(it, thread) == ["user", "agent"]
        await until_it_says(it, thread, prompt=NEXT, says=SECOND)
        assert spoken(it, thread) == [*HAPPY, "user", "agent"]
        assert it.user_texts()[-1] == NEXT
        [decided] = it.evidence("compact.decided.boundary", thread=thread)
        assert (decided["tier"], decided["satisfied"]) == ("early", ["topic_shift"])
        assert "topic_shift: task 2 after 1" in str(decided["boundaries"])


async def test_a_message_on_the_same_topic_is_delivered_at_once(tmp_path: Path) -> None:
    script = does("task 1", FIRST, usage=EARLY) + does("once more", SECOND, usage=EARLY)
    async with golden(script, tmp_path, rules=policy()) as (it, thread):
        await until_it_says(it, thread, prompt="Do task 1, the colours.", says=FIRST)
        await until_it_says(it, thread, prompt="Sort the colours of task 1 once more.", says=SECOND)
        assert spoken(it, thread) == ["user", "agent"] * 2


async def test_beside_another_program_the_next_finished_turn_is_the_moment(tmp_path: Path) -> None:
    """A5, D1: the message is a running turn already. It is left alone, and its end is the boundary."""
    (tmp_path / "rawr").mkdir(mode=0o700)
    (tmp_path / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nneed_turns = 0\n")
    script = (
        MORNING
        + does("task 1", FIRST, usage=EARLY)
        + does("task 2", SECOND, usage=EARLY + 5_000)
        + answers("Heads-up", PACKET, usage=EARLY + 6_000)
        + SUMMARY
        + CONTINUE
    )
    async with (
        served(script, tmp_path) as (codex, server),
        rawr_watch(codex, tmp_path / "rawr", server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        await ada.until_over(await ada.say("Do task 1, the colours."))
        await ada.say(NEXT)
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        [decided] = watching.evidence("compact.decided.boundary")
        assert (decided["tier"], decided["satisfied"]) == ("early", ["topic_shift"])
        order = [getattr(one.item, "text", "") for one in ada.heard.all(facts.ItemCompleted)]
        assert order.index(SECOND) < next(place for place, text in enumerate(order) if "Heads-up" in text)

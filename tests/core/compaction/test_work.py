"""Compactions without work in between: after three of them rawr stops on the thread, whatever Codex does (A20a)."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from rawr.core.state.run import Run
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify, StartCompaction, StartTurn, SteerTurn
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import asked, compacted, forestalled, handed, handoffs
from tests.core.samples import AT, IDLE, PACKET, Story

THEIRS = replace(IDLE, ours=False)
STOPPED = "[rawr] 3 compactions without work in between; rawr will not compact this thread again."


def compacts_after(story: Story, turn: str, *, command: str = "") -> Story:
    """The user says something, the agent answers, and Codex compacts before the turn ends."""
    story.begin(turn, "And now?")
    if command:
        story.runs(turn, command)
    return forestalled(story.uses(turn, 100_000).says(turn, "I looked. Shall I go on?"), turn).end(turn)


def stopped(story: Story) -> bool:
    return story.state.breaker.stopped


def test_a_codex_that_compacts_after_every_turn_makes_rawr_begin_none() -> None:
    """One message, one turn, one compaction; nothing follows until the user says more."""
    story = compacts_after(Story(THEIRS), "T")
    assert (story.wanted(StartTurn), story.wanted(SteerTurn)) == ([], [])
    assert story.reasons()[-1] is Reason.HANDOFF_HELD_RECOVERY
    story.begin("U", "Yes.")
    assert len(handoffs(story)) == 1
    assert len(story.wanted(SteerTurn)) == 1


def test_three_without_work_in_between_stop_rawr_and_say_so_once() -> None:
    story = Story(THEIRS)
    for n in range(3):
        assert not stopped(story)
        compacts_after(story, f"T{n}")
    assert stopped(story)
    said = len(handoffs(story))
    for n in range(3, 6):
        compacts_after(story, f"T{n}")
    assert len(handoffs(story)) == said
    assert [one.text for one in story.wanted(Notify) if "without work" in one.text] == [STOPPED]
    assert [one for one in story.reasons() if one is Reason.GAIN_OPENED_BREAKER] == [Reason.GAIN_OPENED_BREAKER]


def test_work_in_between_starts_the_count_again() -> None:
    story = Story(THEIRS)
    for n in range(9):
        compacts_after(story, f"T{n}", command=f"make step{n}")
    assert not stopped(story)


def test_the_same_command_again_is_no_work() -> None:
    story = Story(THEIRS)
    for n in range(4):
        compacts_after(story, f"T{n}", command="make test")
    assert stopped(story)


WORK: dict[str, Callable[[Story], object]] = {
    "a file": lambda story: story.changes("X", "a.py"),
    "a plan": lambda story: story.tell(facts.PlanUpdated(turn="X", steps=(facts.PlanStep("Draft", "in_progress"),))),
    "a commit": lambda story: story.tell(
        facts.CommandObserved(turn="X", item="c", root="/project", commits=(facts.CommitSeen("abc1234", "x"),))
    ),
}


@pytest.mark.parametrize("name", WORK)
def test_what_else_is_work(name: str) -> None:
    story = compacts_after(compacts_after(Story(THEIRS), "T0"), "T1")
    assert story.state.idling.compactions == 2
    story.begin("X", "Do it.")
    WORK[name](story)
    assert story.state.idling.compactions == 0


@pytest.mark.parametrize("name", WORK)
def test_what_rawrs_own_turn_does_is_none(name: str) -> None:
    story = compacted()
    assert story.state.idling.compactions == 1
    story.begin("X", story.wanted(StartTurn)[-1].text, ours=True)
    WORK[name](story)
    assert story.state.idling.compactions == 1


def test_in_a_run_the_turn_after_a_handoff_is_the_runs() -> None:
    story = compacted()
    story.state = replace(story.state, run=Run("r3", Order(goal="Build it."), "running", AT, AT, waiting="sequence"))
    story.begin("X", story.wanted(StartTurn)[-1].text, ours=True).changes("X", "a.py")
    assert story.state.idling.compactions == 0


def test_a_person_may_compact_as_often_as_they_like() -> None:
    story = Story()
    for n in range(4):
        story.tell(facts.CompactionSubmitted(bare=True)).compacts(f"C{n}")
    assert (story.state.idling.compactions, stopped(story)) == (0, False)


# -- along with the golden path ---------------------------------------------------------------------------------------


def test_the_packet_that_was_written_before_codex_compacted_is_used_and_the_handoff_follows_once() -> None:
    """A13, A14, A19: two compactions would be one too many."""
    story = forestalled(asked().uses("H", 104_000).says("H", PACKET), "H").end("H")
    assert (story.wanted(StartCompaction), story.wanted(SteerTurn)) == ([], [])
    [handoff] = handoffs(story)
    assert "Write the draft." in handoff
    forestalled(handed(story).says("G", "I go on."), "G").end("G")
    assert (len(handoffs(story)), story.state.sequence) == (1, None)
    [audit] = [one for one in story.records if one.reason is Reason.COMPACT_AUDITED_SEQUENCE]
    told = {name: audit.evidence[name] for name in ("by", "packet_author", "outcome", "tokens_before", "tokens_after")}
    assert told == {
        "by": "Codex itself",
        "packet_author": "agent",
        "outcome": "compacted",
        "tokens_before": 104_000,
        "tokens_after": 9_000,
    }


def test_where_the_agent_has_written_none_rawr_writes_it() -> None:
    """A12: the heads-up has promised that something comes back."""
    story = forestalled(asked().says("H", "What do you mean?"), "H").end("H")
    [handoff] = handoffs(story)
    assert "What do you mean?" not in handoff
    assert Reason.PACKET_WRITTEN_WATCHER in story.reasons()
    assert story.wanted(StartCompaction) == []


def test_a_packet_that_waits_for_its_compaction_is_handed_over_after_codexs() -> None:
    """Somebody's turn came first, and Codex compacted at its end."""
    story = asked().says("H", PACKET)
    story.state = replace(story.state, ours=False)
    story.breaks("H").begin("U", "One thing more.").says("U", "Done.")
    forestalled(story, "U").end("U")
    assert len(handoffs(story)) == 1
    assert story.wanted(StartCompaction) == []


def test_in_the_middle_of_the_packets_turn_there_is_nothing_to_hand_over() -> None:
    """A19: the agent goes on from the summary, and gets the record at once."""
    story = forestalled(asked().runs("H", "make"), "H")
    assert Reason.COMPACT_CANCELLED_UPSTREAM in story.reasons()
    assert len(story.wanted(SteerTurn)) == 1

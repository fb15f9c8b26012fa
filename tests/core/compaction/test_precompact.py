"""What is asked for before a compaction: one queue with one order and one clock (B5)."""

import pytest
from msgspec.structs import replace

from rawr.core.compaction.packet_turn import DEADLINE
from rawr.core.compaction.precompact import ORDER, seconds, selected
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import Tier
from rawr.core.state.sequence import Phase, Sequence
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import InjectPacket, InterruptTurn, SetDeadline, StartCompaction, StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import SCRATCH
from tests.core.samples import GOLDEN, Story, decided

WITH_NOTES = AutoCompaction(scratch_write_enabled=True)


def begun(compaction: AutoCompaction = GOLDEN.compaction) -> Story:
    """A person asked for the golden path; the heads-up is on its way."""
    policy = Policy(compaction=compaction, watch_repositories=False)
    return Story(policy=policy).tell(facts.CompactionSubmitted())


def sequence(story: Story) -> Sequence:
    assert story.state.sequence is not None
    return story.state.sequence


def late(story: Story) -> Story:
    """The newest deadline passes."""
    due = story.wanted(SetDeadline)[-1]
    story.at = due.at
    return story.tell(facts.DeadlinePassed(name=due.name))


def test_the_queue_has_one_order() -> None:
    assert selected(AutoCompaction(), "ready") == ("packet",)
    assert selected(WITH_NOTES, "ready") == ("scratch", "packet")
    assert ORDER == ("judgment", "scratch", "packet")


def test_an_emergency_has_time_for_the_packet_only() -> None:
    assert selected(WITH_NOTES, "emergency") == ("packet",)


def test_each_request_has_its_own_time() -> None:
    policy = AutoCompaction(scratch_seconds=20, packet_seconds=70)
    assert [seconds(policy, one) for one in ("scratch", "packet")] == [20, 70]


def test_what_is_asked_for_is_on_record_with_the_decision() -> None:
    """B4."""
    story = begun(WITH_NOTES)
    assert sequence(story).requests == ("scratch", "packet")


def test_notes_then_packet_each_in_its_turn() -> None:
    story = begun(WITH_NOTES).begin("T1", "heads-up", ours=True).end("T1")
    assert (sequence(story).phase, sequence(story).requests) == (Phase.AWAITING_SCRATCH, ("packet",))
    story.begin("T2", "notes, please", ours=True).end("T2")
    assert (sequence(story).phase, sequence(story).requests) == (Phase.AWAITING_PACKET, ())
    assert len(story.wanted(StartTurn)) == 3


def test_notes_that_do_not_come_hold_nothing_up() -> None:
    story = late(begun(WITH_NOTES).begin("T1", "heads-up", ours=True).end("T1").begin("T2", "notes", ours=True))
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T2")]
    assert Reason.SCRATCH_FAILED_DEADLINE in story.reasons()
    story.tell(facts.TurnCompleted(turn="T2", status="interrupted"))
    assert sequence(story).phase is Phase.AWAITING_PACKET
    assert not sequence(story).late


def test_a_heads_up_that_is_not_answered_holds_nothing_up() -> None:
    story = late(begun(replace(GOLDEN.compaction, packet_turn="own")).begin("T1", "heads-up", ours=True))
    story.tell(facts.TurnCompleted(turn="T1", status="interrupted"))
    assert Reason.HEADS_UP_FAILED_DEADLINE in story.reasons()
    assert sequence(story).phase is Phase.AWAITING_PACKET


def test_a_heads_up_that_never_got_a_turn_is_withdrawn() -> None:
    story = Story(policy=GOLDEN).tell(facts.CompactionSubmitted())
    story.state = replace(story.state, sent=())
    late(story)
    assert Reason.HEADS_UP_FAILED_DEADLINE in story.reasons()


def test_a_persons_turn_is_never_ended_for_being_late() -> None:
    """D1: somebody typed in their own Codex before the packet was asked for."""
    story = begun()
    story.state = replace(story.state, sent=())
    late(story.begin("T9", "a person's own words"))
    assert story.wanted(InterruptTurn) == []
    assert [one.name for one in story.state.deadlines] == [DEADLINE]


def test_a_persons_turn_is_never_ended_by_the_compaction() -> None:
    """A13: Codex would interrupt the running turn. The compaction comes when that turn has ended."""
    story = begun(replace(GOLDEN.compaction, packet_author="watcher")).begin("T1", "heads-up", ours=True).end("T1")
    injecting = story.name(InjectPacket)
    story.begin("T2", "a person's own words").tell(facts.EffectSucceeded(effect=injecting))
    assert story.wanted(StartCompaction) == []
    story.end("T2")
    assert len(story.wanted(StartCompaction)) == 1
    assert sequence(story).phase is Phase.COMPACTING


@pytest.mark.parametrize(
    ("policy", "tier", "requests"),
    [
        (GOLDEN, "asap", ("packet",)),
        (SCRATCH, "asap", ("scratch", "packet")),
        (SCRATCH, "early", ("scratch", "packet")),
        (SCRATCH, "emergency", ("packet",)),
    ],
)
def test_the_queue_of_requests(policy: Policy, tier: Tier, requests: tuple[str, ...]) -> None:
    """B5: one place that orders them; the packet is the last, and an emergency has no time for notes."""
    assert selected(policy.compaction, tier) == requests


def test_a_decision_names_the_requests_that_it_leads_to() -> None:
    """B4."""
    yes = next(one for one in decided(policy=SCRATCH).records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert (yes.evidence["requests"], yes.evidence["judgment"]) == (["scratch", "packet"], None)

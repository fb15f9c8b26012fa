"""A packet's claims are looked up before the compaction, and what is not so does not get into the handoff unopposed."""

import pytest

from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import LookUpClaims, StartCompaction, StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import GONE, SHIPPED, handed, handoffs, looked, phase, rules, texts
from tests.core.samples import PACKET, Story, decided, worked

NOTES = "notes.md"
"""Named in the sample packet: “Research, in notes.md.”"""
MISSING = "There is no file “notes.md”."


def written(**changes: object) -> Story:
    return decided(policy=rules(SHIPPED, **changes) if changes else SHIPPED).answers("H", PACKET)


def test_nothing_is_compacted_before_the_look_is_back() -> None:
    """D2: and the look is for what the packet says is there."""
    story = written()
    [look] = story.wanted(LookUpClaims)
    assert (look.cwd, look.paths) == (story.state.cwd, (NOTES,))
    assert (phase(story), story.wanted(StartCompaction)) == (Phase.AWAITING_PACKET, [])
    assert phase(looked(story)) is Phase.COMPACTING


def test_a_false_claim_goes_back_once_and_is_corrected_in_the_handoff() -> None:
    """D2: it is repeated, so the handoff says what is so, above all that is recorded."""
    story = looked(written(), missing=(NOTES,))
    assert MISSING in texts(story)[-1]
    story = looked(story.answers("P", PACKET), missing=(NOTES,)).compacts()
    assert story.reasons().count(Reason.PACKET_RETURNED_CHECK) == 1
    [handoff] = handoffs(story)
    assert f"```recorded\nthe packet is wrong here: {MISSING}\n" in handoff


def test_a_packet_that_was_mended_is_not_corrected() -> None:
    story = looked(written(), missing=(NOTES,))
    mended = PACKET.replace("in notes.md", "nothing written")
    story = looked(story.answers("P", mended)).compacts()
    assert Reason.PACKET_TAKEN_AGENT in story.reasons()
    assert "wrong here" not in handoffs(story)[0]


@pytest.mark.parametrize("code", ["lost", "moot"])
def test_a_look_that_fails_holds_nothing_up(code: facts.FailureCode) -> None:
    """D5: without it, the record alone counts."""
    story = written()
    effect = story.name(LookUpClaims)
    story.tell(facts.EffectFailed(effect=effect, problem="no", code=code))
    assert phase(story) is Phase.COMPACTING


def test_a_look_that_comes_too_late_is_ignored() -> None:
    """rawr has written the packet by then."""
    story = written()
    story.tell(facts.DeadlinePassed(name="pre_compact"), after=240)
    before = phase(story), story.state.sequence
    looked(story, missing=(NOTES,))
    assert Reason.PACKET_RETURNED_CHECK not in story.reasons()
    assert (phase(story), story.state.sequence is not None) == (before[0], True)


def test_a_users_turn_in_between_goes_first() -> None:
    """A15: the look comes back while it runs; its end leads to the compaction."""
    story = written()
    effect = story.name(LookUpClaims)
    story.begin("U", "One more thing.")
    story.tell(facts.ClaimsLookedUp(effect=effect), facts.EffectSucceeded(effect=effect))
    assert story.wanted(StartCompaction) == []
    story.says("U", "Done.").end("U")
    assert phase(story) is Phase.COMPACTING


def test_a_lost_connection_does_not_lose_the_packet() -> None:
    story = written().tell(GONE)
    looked(story)
    assert story.state.sequence is not None
    assert story.state.sequence.packet


# -- notes ------------------------------------------------------------------------------------------------------------


def noting(*, missing: bool) -> str:
    """The handoff after the agent was asked for notes, and said that it wrote them."""
    story = decided(policy=rules(SHIPPED, scratch_write_enabled=True)).answers("H", "Yes.")
    ran = items.Command(id="c", command="true", cwd="/project", status="completed", exit_code=0)
    story.begin("S", story.wanted(StartTurn)[-1].text, ours=True)
    story.tell(facts.ItemCompleted(turn="S", item=ran)).says("S", "Noted.").end("S")
    file = story.wanted(LookUpClaims)[-1].notes
    gone = (file,) if missing else ()
    looked(story, missing=gone)
    story = looked(story.answers("P", PACKET.replace("in notes.md", "all read")), missing=gone).compacts()
    return handoffs(story)[0]


def test_notes_are_named_only_if_they_are_there() -> None:
    """A17."""
    assert ("Your notes are in" in noting(missing=False), "Your notes are in" in noting(missing=True)) == (True, False)


# -- invariants and mode ----------------------------------------------------------------------------------------------

STAYS = "The signature of `read_rows` stays as it is."


def test_what_a_packet_adds_is_in_the_next_request_and_the_next_handoff() -> None:
    """B3: as the agent's; the next packet starts from it, and one that forgets it loses nothing."""
    first = PACKET.replace("in notes.md", "all read").replace("## Invariants\nNone.", f"## Invariants\n- {STAYS}")
    story = looked(decided(policy=rules(SHIPPED, cooldown_turns=0, cooldown_seconds=0)).answers("H", first)).compacts()
    assert [(one.text, one.by) for one in story.state.invariants] == [(STAYS, "agent")]
    handed(story).says("G", "I go on.").end("G")
    worked(story, turn="W2")
    assert f"- “{STAYS}” (yours, from an earlier packet)" in texts(story)[-1]
    assert texts(story)[-1].startswith("[rawr c")
    forgetful = PACKET.replace("in notes.md", "all read")
    looked(story.answers("H2", forgetful)).compacts("C2")
    assert f"invariant, from an earlier packet of the agent's: “{STAYS}”" in handoffs(story)[-1]


def test_the_mode_is_what_a_person_or_a_phase_says() -> None:
    """B3: in the state, for judgments, and in the handoff."""
    story = decided(policy=SHIPPED).tell(facts.PhaseSubmitted(phase="", mode="test"))
    assert (story.state.mode, story.state.mode_by) == ("test", "user")
    assert len(story.state.phases) == 1, "without a name no phase is over"
    looked(story.answers("H", PACKET.replace("in notes.md", "all read"))).compacts()
    assert "mode: test (set by the user)" in handoffs(story)[0]

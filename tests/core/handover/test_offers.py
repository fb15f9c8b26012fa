"""What the agent had just offered or asked stands in the handoff, so that a bare “yes” keeps its meaning (A14, A16)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.handover.handoff import LEAST_BYTES, Content, write
from rawr.core.handover.offers import MOST, open_words
from rawr.core.handover.packet import Packet
from rawr.core.policy.prompts import Prompts
from rawr.core.speech import template
from rawr.core.state.ledger import Ledger
from tests.core.compaction.stories import SHIPPED, handoffs, looked
from tests.core.fences import unfenced
from tests.core.samples import PACKET, decided

OFFER = "Shall I drop the old table, or keep it for a release?"
CONTENT = Content("c7", Packet(PACKET, {}), Ledger(goal="Ship."), (), offered=OFFER)


def told(content: Content = CONTENT, *, text: str = "") -> str:
    return write(template(text) if text else SHIPPED.prompts.handoff, content, limit=100_000)


def test_it_stands_there_word_for_word_and_is_the_users_to_answer() -> None:
    message = told()
    assert f"\n\n```\n{OFFER}\n```\n\nContinue from here." in message
    assert "do not do it before they have" in message


def test_an_edited_template_that_lacks_the_place_has_it_all_the_same() -> None:
    assert OFFER in told(text="Hello. {packet}")


def test_a_run_goes_on_by_itself() -> None:
    """Nobody answers there."""
    message = told(replace(CONTENT, driven=True))
    assert (OFFER in message, "before they have" in message) == (True, False)


def test_without_any_there_is_no_empty_paragraph() -> None:
    message = told(replace(CONTENT, offered=""))
    assert "The last thing you said" not in message
    assert "\n\n\n" not in message.replace(PACKET, "")


@given(st.text(st.sampled_from("`~\n[rawr] c7é漢🙂") | st.characters(codec="utf-8"), min_size=1))
def test_it_cannot_break_out(text: str) -> None:
    message = told(replace(CONTENT, offered=text), text=str(Prompts().handoff))
    assert message.endswith("Continue from here.")
    assert unfenced(message, label="packet") == PACKET


def test_the_end_of_a_long_message_is_kept_and_no_character_is_split() -> None:
    """What is offered stands last."""
    story = decided(says="漢🙂" * 2_000 + OFFER, policy=SHIPPED)
    kept = open_words(story.state)
    assert kept.endswith(OFFER)
    assert len(kept) < MOST + 60
    assert "\ufffd" not in kept


@pytest.mark.parametrize("limit", [LEAST_BYTES, 9_600])
def test_in_a_small_window_its_end_stays(limit: int) -> None:
    """And the handoff keeps to its size."""
    content = replace(CONTENT, offered="漢🙂" * 800 + OFFER)
    message = write(SHIPPED.prompts.handoff, content, limit=limit)
    assert f"{OFFER}\n```" in message
    assert len(message.encode()) <= limit
    assert "\ufffd" not in message


def test_the_path_carries_the_words_of_work_and_not_an_answer_to_rawr() -> None:
    story = looked(decided(says=f"The research is finished. {OFFER}", policy=SHIPPED).answers("H", PACKET))
    [handoff] = handoffs(story.compacts())
    assert f"```\nThe research is finished. {OFFER}\n```" in handoff

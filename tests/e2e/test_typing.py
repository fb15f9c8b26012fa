"""A user who types in the middle of a sequence, in the real terminal program (A15, D1)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.testing import ModelRequest
from tests.e2e.beside import COMMITTED, at_work, say
from tests.e2e.golden import CONTINUE, GOES_ON, SUMMARY, answers

HANGS = ", fault: hang }\n"
TYPED = "and mind the tests, please"
HEARD = "I mind them."


MOMENTS: dict[str, Callable[[ModelRequest], bool]] = {
    "packet": lambda request: "Heads-up: we pause" in request.last_user,
    "compaction": lambda request: request.is_compaction,
    "handoff": lambda request: "Handoff: the context" in request.last_user,
}
"""What the model is asked while the user types."""


@pytest.mark.parametrize("moment", ["compaction", "handoff"])
async def test_what_the_user_types_meanwhile_is_heard_once(tmp_path: Path, moment: str) -> None:
    """A15: whether Codex compacts or the handoff is being answered, the message reaches the model unchanged and once,
    and so does the handoff."""
    replies = {"packet": answers("Heads-up", COMMITTED), "compaction": SUMMARY, "handoff": CONTINUE}
    replies[moment] = replies[moment].replace(" }\n", HANGS)
    async with at_work(answers(TYPED, HEARD) + "".join(replies.values()), tmp_path) as (codex, watching, screen):
        await codex.model.wait_for_async(MOMENTS[moment], deadline=30)
        await say(screen, TYPED)
        await screen.until(lambda shown: TYPED in shown.partition("Ask Codex")[0] and "Ask Codex" in shown)
        codex.model.release()
        await watching.decided("compact.audited.sequence")
        after = await codex.model.wait_for_async(_both, deadline=30)
        assert after.user_texts.count(TYPED) == 1
        assert len([text for text in after.user_texts if "Handoff: the context" in text]) == 1
        assert "Write the draft." in next(text for text in after.user_texts if "Handoff: the context" in text)
        await watching.hears(GOES_ON if after.last_user != TYPED else HEARD)
        assert len(watching.said("Heads-up: we pause")) == 1


async def test_what_the_user_types_into_the_packets_turn_is_theirs(tmp_path: Path) -> None:
    """A15: Codex breaks the packet off, puts the words into its turn, and the agent answers them there. The packet is
    asked for once more, and the words stand in the handoff, as the user's."""
    heads_up = answers("Heads-up", COMMITTED).replace(" }\n", HANGS)
    again = answers("^Write the continuation packet", COMMITTED)
    async with at_work(answers(TYPED, HEARD) + heads_up + again + SUMMARY + CONTINUE, tmp_path) as (
        codex,
        watching,
        screen,
    ):
        await codex.model.wait_for_async(MOMENTS["packet"], deadline=30)
        await say(screen, TYPED)
        await screen.until(lambda shown: TYPED in shown.partition("Ask Codex")[0] and "Ask Codex" in shown)
        codex.model.release()
        await watching.hears(HEARD)
        await watching.decided("compact.audited.sequence")
        await watching.hears(GOES_ON)
        told = watching.reasons()
        assert [one for one in told if one.startswith("packet.")] == [
            "packet.joined.user",
            "packet.asked.again",
            "packet.taken.agent",
        ]
        handoff = codex.model.requests[-1].last_user
        assert f"comes first:\n\n```\n{TYPED}\n```" in handoff
        assert "Write the draft." in handoff


def _both(request: ModelRequest) -> bool:
    told = request.user_texts
    return TYPED in told and any("Handoff: the context" in text for text in told)


async def test_who_interrupts_is_obeyed(tmp_path: Path) -> None:
    """A9: Esc in the middle of the packet calls the whole sequence off, and the user's next message is answered."""
    script = answers("Heads-up", COMMITTED).replace(" }\n", HANGS) + answers(TYPED, HEARD)
    async with at_work(script, tmp_path) as (codex, watching, screen):
        await codex.model.wait_for_async(MOMENTS["packet"], deadline=30)
        await screen.until(lambda shown: "esc to interrupt" in shown)
        screen.type("\x1b")
        await watching.decided("compact.cancelled.person")
        await watching.noticed("interrupted; not compacting")
        await say(screen, TYPED)
        await screen.until(lambda shown: HEARD in shown)
        assert "StartCompaction" not in watching.effects()


async def test_what_the_user_queued_is_sent_and_answered(tmp_path: Path) -> None:
    """A15, D1: the terminal program sends a queued message when the packet's turn ends, and it must not meet the
    compaction: that would refuse it, and the program would drop it."""
    replies = answers("Heads-up", COMMITTED).replace(" }\n", HANGS) + SUMMARY + CONTINUE
    async with at_work(answers(TYPED, HEARD) + replies, tmp_path) as (codex, watching, screen):
        await codex.model.wait_for_async(MOMENTS["packet"], deadline=30)
        screen.type(TYPED)
        await screen.until(lambda shown: TYPED in shown)
        screen.type("\t")
        await screen.until(lambda shown: "Queued follow-up" in shown)
        codex.model.release()
        await codex.model.wait_for_async(_both, deadline=30)
        await watching.hears(HEARD)


async def test_all_that_the_user_queued_is_sent_and_answered_first(tmp_path: Path) -> None:
    """A13, A15: the terminal program sends one message at each turn's end, and no turn of theirs is cut off. Until the
    last has been answered nothing is compacted; then it is, once."""
    queued = [f"and the {part}, please" for part in ("tests", "docs", "changelog")]
    replies = answers("Heads-up", COMMITTED).replace(" }\n", HANGS) + SUMMARY + CONTINUE
    script = "".join(answers(f"^{text}", f"Seen to: {text}") for text in queued) + replies
    async with at_work(script, tmp_path) as (codex, watching, screen):
        await codex.model.wait_for_async(MOMENTS["packet"], deadline=30)
        for text in queued:
            screen.type(text)
            await screen.until(lambda shown, text=text: text in shown)  # type: ignore[misc]
            screen.type("\t")
            await screen.until(lambda shown, text=text: f"↳ {text}" in shown)  # type: ignore[misc]
        codex.model.release()
        await watching.decided("compact.audited.sequence")
        await watching.hears(GOES_ON)
        asked = [one for one in codex.model.requests if one.is_compaction or one.last_user in queued]
        assert [one.is_compaction or one.last_user for one in asked] == [*queued, True]
        assert "interrupted" not in [one["status"] for one in watching.facts("TurnCompleted")]
        for text in queued:
            assert len(watching.said(f"Seen to: {text}")) == 1

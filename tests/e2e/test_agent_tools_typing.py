"""A user who types in the stock terminal program just as the agent marks a phase there (D10, A15)."""

from pathlib import Path

import pytest

from rawr.testing import ModelRequest
from tests.e2e.agent_tools import ends, mark, set_up
from tests.e2e.beside import at_work, in_order, say
from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers

pytestmark = pytest.mark.mission("D10", "A15")

TYPED = "and mind the tests, please"
HEARD = "I mind them: they run after every change, and what they say goes into the notes. The draft comes next."
HANGS = ", fault: hang }\n"
PATH = answers("Heads-up", PACKET) + SUMMARY + CONTINUE


async def test_the_mark_leads_down_the_golden_path_on_the_screen(tmp_path: Path) -> None:
    """D10: heads-up, packet, compaction and handoff, in this order, in the user's own terminal; nothing is asked."""
    home = tmp_path / "rawr"
    async with at_work(PATH, tmp_path, work=mark() + ends(), prepare=set_up(home)) as (_codex, watching, screen):
        shown = await screen.until(lambda shown: GOES_ON in shown)
        await watching.decided("compact.audited.sequence")
        assert in_order(shown), shown
        assert "phase.marked.tool" in watching.reasons()
        assert "Allow the rawr MCP server" not in shown


@pytest.mark.parametrize("key", ["\r", "\t"], ids=["sent", "queued"])
async def test_what_the_user_types_after_the_mark_is_heard_once(tmp_path: Path, key: str) -> None:
    """The mark is made and its turn not over. A message that is sent joins that turn; one that is queued is sent by the
    terminal program as the turn ends, which is when rawr's heads-up goes out. Either is in the context once, after the
    job and before the handoff, and the sequence comes to its end."""
    home = tmp_path / "rawr"
    work = mark() + ends().replace(" }\n", HANGS)
    replies = answers(TYPED, HEARD) + PATH + answers("^Write the continuation packet", PACKET)
    async with at_work(replies, tmp_path, work=work, prepare=set_up(home)) as (codex, watching, screen):
        await codex.model.wait_for_async(_marked, deadline=30)
        await watching.decided("phase.marked.tool")
        if key == "\r":
            await say(screen, TYPED)
            await screen.until(lambda shown: TYPED in shown.partition("Ask Codex")[0] and "Ask Codex" in shown)
        else:
            screen.type(TYPED)
            await screen.until(lambda shown: TYPED in shown)
            screen.type(key)
            await screen.until(lambda shown: "Queued follow-up" in shown)
        codex.model.release()
        await watching.decided("compact.audited.sequence")
        after = await codex.model.wait_for_async(_both, deadline=30)
        told = ["handoff" if "Handoff: the context" in text else text for text in after.user_texts]
        assert [one for one in told if one in ("three phases please", TYPED, "handoff")] == [
            "three phases please",
            TYPED,
            "handoff",
        ]
        assert len(watching.said("Heads-up: we pause")) == 1
        if "packet.joined.user" in watching.reasons():
            # The agent answers the last of two messages in one turn: the handoff has the first once more.
            [handoff] = [text for text in after.user_texts if "Handoff: the context" in text]
            assert TYPED in handoff


def _marked(request: ModelRequest) -> bool:
    return any(one.tool == "phase_complete" for one in request.new_tool_outputs())


def _both(request: ModelRequest) -> bool:
    told = request.user_texts
    return TYPED in told and any("Handoff: the context" in text for text in told)

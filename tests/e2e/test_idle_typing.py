"""A user who stays away from the stock terminal program, or comes back at the worst moment (D9, A15)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.testing import ModelRequest, ScriptedCodex
from tests.e2e.beside import at_work, in_order
from tests.e2e.golden import CONTINUE, GOES_ON, NOTED, SUMMARY, answers

pytestmark = pytest.mark.mission("D9", "A15")

READ = """
- { patch: "*** Begin Patch\\n*** Add File: notes.md\\n+It works.\\n*** End Patch", usage: 140000 }
- { say: "I have read all of it and took some notes on the way. Which part comes first?", usage: 150000 }
"""
"""Settled, and not done by its words."""
TYPED = "and mind the tests, please"
HEARD = "I mind them: they run after every change, and what they say goes into the notes. The draft comes next."
HANGS = ", fault: hang }\n"
MOMENTS: dict[str, Callable[[ModelRequest], bool]] = {
    "packet": lambda request: "Heads-up: we pause" in request.last_user,
    "compaction": lambda request: request.is_compaction,
}


def soon(folder: Path) -> Callable[[ScriptedCodex], None]:
    """A second is a long time for this user."""

    def prepare(_codex: ScriptedCodex) -> None:
        (folder / "rawr").mkdir(mode=0o700)
        (folder / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nidle_seconds = 1\n")

    return prepare


async def test_a_user_who_stays_away_finds_it_compacted(tmp_path: Path) -> None:
    """D9: the whole path is on their screen, in order, and nobody pressed a key."""
    path = answers("Heads-up", NOTED) + SUMMARY + CONTINUE
    async with at_work(path, tmp_path, work=READ, prepare=soon(tmp_path)) as (_codex, watching, screen):
        shown = await screen.until(lambda shown: GOES_ON in shown)
        await watching.decided("compact.audited.sequence")
        assert in_order(shown), shown
        [decided] = watching.evidence("compact.decided.boundary")
        assert decided["satisfied"] == ["idle"]


@pytest.mark.parametrize("moment", MOMENTS)
async def test_what_was_being_typed_as_the_time_was_up_is_heard_once(tmp_path: Path, moment: str) -> None:
    """A15: the words stand in the composer, unsent, when rawr begins; they are sent in the middle of the sequence."""
    replies = {"packet": answers("Heads-up", NOTED), "compaction": SUMMARY}
    replies[moment] = replies[moment].replace(" }\n", HANGS)
    again = answers("^Write the continuation packet", NOTED)
    script = answers(TYPED, HEARD) + "".join(replies.values()) + CONTINUE + again
    async with at_work(script, tmp_path, work=READ, prepare=soon(tmp_path)) as (codex, watching, screen):
        await screen.until(lambda shown: "Which part comes" in shown)
        screen.type(TYPED)
        await screen.until(lambda shown: TYPED in shown)
        await codex.model.wait_for_async(MOMENTS[moment], deadline=30)
        screen.type("\r")
        await screen.until(lambda shown: TYPED in shown.partition("Ask Codex")[0] and "Ask Codex" in shown)
        codex.model.release()
        await watching.decided("compact.audited.sequence")
        after = await codex.model.wait_for_async(_both, deadline=30)
        assert after.user_texts.count(TYPED) == 1
        assert len([text for text in after.user_texts if "Handoff: the context" in text]) == 1
        assert len(watching.said("Heads-up: we pause")) == 1


def _both(request: ModelRequest) -> bool:
    told = request.user_texts
    return TYPED in told and any("Handoff: the context" in text for text in told)

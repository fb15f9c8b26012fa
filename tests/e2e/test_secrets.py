"""A secret in a message reaches the agent as it was typed, and never reaches the disk."""

from pathlib import Path

from rawr.core.vocabulary import facts
from rawr.journal.kept import FILE as KEPT
from tests.e2e.rig import rig

SECRET = "sk-proj-" + "Zx9" * 14


async def test_the_agent_gets_it_and_the_journal_does_not(tmp_path: Path) -> None:
    script = f"""
    - {{ run: "echo {SECRET}", usage: 9000 }}
    - {{ say: "Used {SECRET}." }}
    - {{ say: "Fine." }}
    """
    async with rig(script, tmp_path, transport="stdio") as it:
        async with it.running():
            thread = await it.thread()
            await it.turn(thread, f"Deploy with OPENAI_API_KEY={SECRET} please.")
            assert it.user_texts()[-1] == f"Deploy with OPENAI_API_KEY={SECRET} please."
            [submitted] = it.facts(facts.UserSubmitted)
            assert SECRET not in submitted.text
            assert "redacted" in submitted.text
            await it.turn(thread, "Thanks.")
        for file in it.home.iterdir():
            # Until the next start it is kept for its owner, who might have to send it again.
            assert SECRET.encode() not in file.read_bytes() or file.name == KEPT, file.name
        async with it.running():
            pass
        assert not (it.home / KEPT).exists()

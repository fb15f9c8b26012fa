"""Codex's own compactions, one after the other in one turn, on the real Codex (A20, C6)."""

from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from tests.e2e.golden import policy
from tests.e2e.rig import rig
from tests.e2e.test_full_auto import GOAL, ended

NEVER_ENOUGH = """\
- { when: { compaction: true }, say: "A summary.", usage: 250000, times: 3 }
- { when: { compaction: true }, fault: hang, times: always }
- { run: "true", usage: 250000, times: always }
"""
"""Whatever Codex compacts, the model says that its context is as full as before. The fourth compaction lasts until the
turn is ended: otherwise Codex may compact several times more before the interrupt reaches it."""


@pytest.mark.parametrize("enabled", [True, False], ids=["golden path", "observing"])
async def test_a_storm_of_compactions_pauses_the_run_inside_the_turn(tmp_path: Path, *, enabled: bool) -> None:
    """The turn would never end by itself, so no guard between turns could stop it."""
    rules = policy(enabled=enabled, soft_landing=False, native_emergency_only=False)
    async with rig(NEVER_ENOUGH, tmp_path, transport="stdio", check=False) as it, it.running(policy=rules):
        thread = await it.thread()
        cut = it.expect(facts.TurnCompleted, lambda fact: fact.status == "interrupted", thread=thread)
        run = await ended(it, thread, Order(goal=GOAL))
        await cut
        assert run.stop is not None
        assert (run.status, run.stop.reason, run.turns) == ("paused", "run.paused.storm", 1)
        native = [past for past in it.state(thread).compactions if past.by == "upstream" and past.ok]
        asked = sum(one.is_compaction for one in it.codex.model.requests)
        assert len(native) == 3
        assert asked in (3, 4)
        assert len(it.facts(facts.TurnStarted, thread=thread)) == 1

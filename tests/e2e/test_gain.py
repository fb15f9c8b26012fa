"""What a compaction gained, and the breaker that keeps useless ones from being repeated (A20), on the real Codex.

A summary as long as what it sums up frees nothing: Codex counts what stands in the new context by itself.
"""

from pathlib import Path

from rawr.core.state.sequence import Breaker
from rawr.testing import VirtualClock
from tests.e2e.golden import PACKET, answers, golden, policy, spoken, until_it_says
from tests.e2e.rig import Rig

RULES = policy(cooldown_turns=0, cooldown_seconds=0, breaker_seconds=900, soft_landing=False, idle_seconds=0)
ON = "Go on, please."
"""No number: one that follows the last would open a new topic."""
NOTICE = "[rawr] 2 compactions in a row gained nothing; rawr will not compact this thread again."
BYTES_PER_TOKEN = 4
"""As Codex counts a context that no model has counted for it."""


def work(number: int, *, usage: int) -> str:
    """A phase of work that ends."""
    phase = f"{{ tool: phase_complete, arguments: {{ phase: p{number}, summary: All read. }} }}"
    ended = f"Phase {number} is finished. Everything I found is in my notes."
    return f'- {{ call: {phase}, usage: {usage} }}\n- {{ say: "{ended}", usage: {usage} }}\n'


def stretch(number: int, *, usage: int, gains: bool) -> str:
    """A phase of work, and the golden path after it."""
    summary = "A summary." if gains else "x" * usage * BYTES_PER_TOKEN
    return (
        work(number, usage=usage)
        + answers("Heads-up", PACKET, usage=usage)
        + f'- {{ when: {{ compaction: true }}, say: "{summary}" }}\n'
        + f'- {{ when: {{ user: "Handoff" }}, say: "On with {number}." }}\n'
    )


async def go_through(it: Rig, thread: str, number: int) -> Breaker:
    await until_it_says(it, thread, prompt=ON, says=f"On with {number}.")
    return it.state(thread).breaker


async def test_two_compactions_without_gain_end_it(tmp_path: Path) -> None:
    """A20: one opens the breaker, with back-off; two in a row stop auto-compaction on the thread, with a notice."""
    clock = VirtualClock(1_000_000_000)
    script = (
        stretch(1, usage=100_000, gains=False)
        + work(2, usage=180_000)
        + stretch(3, usage=180_000, gains=False)
        + work(4, usage=220_000)
    )
    async with golden(script, tmp_path, clock=clock, rules=RULES) as (it, thread):
        assert await go_through(it, thread, 1) == Breaker(1, clock.now_ms() + 900_000, stopped=False)
        [opened] = it.evidence("gain.opened.breaker", thread=thread)
        assert (opened["failures"], opened["stopped"]) == (1, False)

        await until_it_says(it, thread, prompt=ON, says="Phase 2 is finished")
        assert it.evidence("compact.deferred.breaker")[0]["against"] == ["compact.deferred.breaker"]
        assert spoken(it, thread).count("heads_up") == 1

        await clock.advance(900_000)
        assert (await go_through(it, thread, 3)).stopped
        assert it.notices.count(("warning", NOTICE)) == 1
        assert [one["outcome"] for one in it.evidence("compact.audited.sequence")] == ["compacted", "compacted"]

        await clock.advance(24 * 3_600_000)
        await until_it_says(it, thread, prompt=ON, says="Phase 4 is finished")
        assert "compact.stopped.breaker" in it.reasons(thread)
        assert spoken(it, thread).count("heads_up") == 2
        assert it.notices.count(("warning", NOTICE)) == 1


async def test_a_compaction_that_gains_closes_the_breaker(tmp_path: Path) -> None:
    """A20: it takes two in a row; one that gained in between starts the count anew."""
    clock = VirtualClock(1_000_000_000)
    script = (
        stretch(1, usage=100_000, gains=False)
        + stretch(2, usage=180_000, gains=True)
        + stretch(3, usage=100_000, gains=False)
    )
    async with golden(script, tmp_path, clock=clock, rules=RULES) as (it, thread):
        assert (await go_through(it, thread, 1)).failures == 1
        await clock.advance(900_000)
        assert await go_through(it, thread, 2) == Breaker()
        assert (await go_through(it, thread, 3)) == Breaker(1, clock.now_ms() + 900_000, stopped=False)
        assert [one["tokens_before"] for one in it.evidence("compact.audited.sequence")] == [100_000, 180_000, 100_000]
        assert ("warning", NOTICE) not in it.notices

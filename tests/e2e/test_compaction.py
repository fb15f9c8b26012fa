"""Compaction on the real Codex, asked for by a person."""

from pathlib import Path

from rawr.core.state.sequence import CompactionPast
from rawr.core.vocabulary import facts
from tests.e2e.rig import Transport, rig


async def test_compaction_is_done_when_item_and_turn_are(tmp_path: Path, transport: Transport) -> None:
    """A13: both signals end it, and tokens before and after are known (A20)."""
    script = """
    - { say: "Lots of words.", usage: 90000 }
    - { when: { compaction: true }, say: "SUMMARY OF IT ALL" }
    - { say: "Going on.", usage: 9000 }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        await it.turn(thread, "Fill the context.")
        ended = it.expect(facts.TurnCompleted)
        it.rawr.compact(thread, bare=True)
        turn = (await ended).recorded.fact
        assert isinstance(turn, facts.TurnCompleted)
        state = it.state(thread)
        [past] = state.compactions
        assert past == CompactionPast(
            by="rawr",
            turn=turn.turn,
            at=past.at,
            ok=True,
            tokens_before=90000,
            tokens_after=past.tokens_after,
            duration_ms=past.duration_ms,
        )
        assert past.tokens_after is not None
        assert past.tokens_after < 90000
        assert (state.compaction_count, state.compacting, state.deadlines) == (1, None, ())
        await it.turn(thread, "Next.")
        assert "SUMMARY OF IT ALL" in (it.codex.model.requests[-1].summary or "")


async def test_a_failed_compaction_is_told_apart(tmp_path: Path, transport: Transport) -> None:
    """A13: when the summary cannot be made, nothing was compacted and the record says so."""
    script = """
    - { say: "Words.", usage: 90000 }
    - { when: { compaction: true }, fault: { http: 500 } }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        await it.turn(thread, "Fill.")
        ended = it.expect(facts.TurnCompleted)
        it.rawr.compact(thread, bare=True)
        await ended
        state = it.state(thread)
        assert [past.ok for past in state.compactions] == [False]
        assert (state.compaction_count, state.compacting) == (0, None)
        assert "compact.failed.turn" in it.reasons(thread)
        assert not state.busy


async def test_no_compaction_in_the_middle_of_a_turn(tmp_path: Path, transport: Transport) -> None:
    """A7: Codex would cut the running turn off to compact, so a busy thread is left alone."""
    async with rig("- { say: Slow., fault: hang }", tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        ended = it.expect(facts.TurnCompleted)
        await it.turn_under_way(thread, "Work.")
        submitted = it.expect(facts.CompactionSubmitted)
        it.rawr.compact(thread, bare=True)
        await submitted
        it.codex.model.release()
        fact = (await ended).recorded.fact
        assert isinstance(fact, facts.TurnCompleted)
        assert fact.status == "completed"
        assert "compact.deferred.busy" in it.reasons(thread)
        assert ("warning", "A turn is running; nothing was compacted.") in it.notices


async def test_codex_compacting_by_itself_is_seen(tmp_path: Path) -> None:
    """A19: a native compaction in the middle of a turn is recognised and recorded as upstream."""
    script = """
    - { run: "echo filling", usage: 250000 }
    - { when: { compaction: true }, say: "native summary" }
    - { say: "And on.", usage: 20000 }
    """
    async with rig(script, tmp_path, transport="stdio") as it, it.running():
        thread = await it.thread()
        await it.turn(thread, "Fill the window.")
        assert [(past.by, past.ok) for past in it.state(thread).compactions] == [("upstream", True)]
        assert "compact.seen.upstream" in it.reasons(thread)
        assert it.state(thread).turns == 1

"""A session of the real Codex under rawr as a timeline: the same live and from the journal."""

from pathlib import Path

from rawr.journal.reader import JournalReader
from rawr.pages.report import report_page
from rawr.views.timeline import TimelineFold
from rawr.views.timeline.journaled import timeline_of
from tests.e2e.golden import CONTINUE, PACKET, SUMMARY, WORK, answers, golden, policy, until_it_says
from tests.pages.reading import Page


async def test_the_golden_path_over_time(tmp_path: Path) -> None:
    """D2, D4, A23: a packet that goes back once, the compaction, and the plan before and after it."""
    poor = PACKET.replace("Plan: research; draft; ship.", "All is fine.").replace("Ship the thing.", "Do it.")
    better = poor.replace("All is fine.", "Plan: research; draft.")
    script = WORK + answers("Heads-up", poor) + answers("does not agree", better) + SUMMARY + CONTINUE
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread)
        live = TimelineFold(thread, policy())
        for taken in it.seen:
            live.take(taken)
        home = it.home
    with JournalReader.open(home) as reader:
        timeline = timeline_of(reader, thread, policy=policy())
    assert [one.purpose for one in timeline.turns] == ["", "heads_up", "correction", "compaction", "handoff"]
    assert [one.synthetic for one in timeline.turns] == [False, True, True, True, False]
    (made,) = timeline.compactions
    assert (made.by, made.ok, made.tier, made.packet, made.turn) == ("rawr", True, "asap", "agent", 4)
    assert made.tokens_before == 104_000
    assert [(one.came_to, bool(one.found)) for one in timeline.packets] == [("returned", True), ("taken", True)]
    assert [(one.done, one.total) for one in timeline.progress] == [(0, 3), (1, 3)]
    assert "phase_boundary" in {one.kind for one in timeline.boundaries}
    seen = live.so_far
    for name in ("points", "turns", "boundaries", "packets", "progress", "decisions"):
        assert getattr(seen, name) == getattr(timeline, name)[: len(getattr(seen, name))], name
    assert "packet-against-facts" in {one.attributes.get("id") for one in Page(report_page(timeline)).named("section")}

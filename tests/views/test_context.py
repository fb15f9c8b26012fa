"""How full a context is, now and over time (A4)."""

from pathlib import Path

from msgspec.structs import replace

from rawr.core.policy.compaction import AutoCompaction
from rawr.core.state.thread import Usage
from rawr.core.vocabulary import facts, items
from rawr.journal.reader import JournalReader
from rawr.views.context import (
    CompactionPoint,
    Context,
    ContextOverTime,
    ContextPoint,
    ContextTrail,
    context_of,
    context_over_time,
)
from tests.core.samples import IDLE, PACKET, WINDOW, worked
from tests.views.followed import Followed
from tests.views.labelled_journal import Told


def test_now() -> None:
    state = replace(IDLE, usage=Usage(100_000, 100_000, WINDOW))
    assert context_of(state, AutoCompaction().thresholds) == Context(100_000, WINDOW, 64, "asap")
    assert context_of(state) == Context(100_000, WINDOW, 64)
    assert context_of(replace(IDLE, usage=Usage(5, 5, None)), AutoCompaction().thresholds) == Context(5)
    assert context_of(IDLE, AutoCompaction().thresholds) == Context()


def test_over_time_as_it_happens() -> None:
    """A compaction has what was in use before it, and, once Codex counts again, after it."""
    story, trail = Followed(), ContextTrail()
    worked(story)
    story.answers("P", PACKET)
    story.compacts(tokens=20_000)
    for event in story.events:
        trail.take(event)
    used, compacted, anew = (
        next(one.at for one in story.events if type(one).__name__ == kind)
        for kind in ("ContextUsed", "ContextCompacted", "CompactionEnded")
    )
    assert trail.so_far == ContextOverTime(
        (ContextPoint(used, 100_000, 64), ContextPoint(anew - 1_000, 20_000, 97)),
        (CompactionPoint(compacted, 100_000, 20_000),),
    )


def test_over_time_from_the_journal(own_home: Path) -> None:
    with Told(own_home / "rawr") as told:
        told.tell("t", facts.UsageUpdated(turn="T", in_context=100_000, spent=100_000, window=WINDOW))
        told.tell("t", facts.ItemCompleted(turn="T", item=items.Compaction(id="c")))
    with JournalReader.open(told.journal.path) as reader:
        used, compacted = [one.recorded.at for one in told.taken]
        assert context_over_time(reader, "t") == ContextOverTime(
            (ContextPoint(used, 100_000, 64),), (CompactionPoint(compacted, 100_000),)
        )
        assert context_over_time(reader, "another") == ContextOverTime()

"""The phrases that count as signals (B8). ``compaction.phrases`` finds them in a message."""

from msgspec import Struct


class Markers(Struct, frozen=True):
    """Phrases, matched ignoring case. They come from the frontmatter of ``auto-compact.md``."""

    agent_done: tuple[str, ...] = (
        "all done",
        "is done",
        "are done",
        "work is complete",
        "task is complete",
        "is now complete",
        "everything is in place",
        "finished the",
        "completed the",
    )
    topic_shift: tuple[str, ...] = ("moving on to", "turning to", "next up is", "now on to")
    concluding: tuple[str, ...] = (
        "in summary",
        "to summarize",
        "to sum up",
        "in conclusion",
        "wrapping up",
        "that concludes",
    )

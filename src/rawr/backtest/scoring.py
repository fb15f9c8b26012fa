"""How good a policy would have been: one number, for comparing two of them on the same sessions.

The cost of all requests is the figure to choose by. A compaction too many, too early or in a session that ends soon is
in it: packet, summary, handoff and lost cache. What is not in it costs points of its own: a summary that Codex makes in
the middle of a turn, and a compaction where nothing had ended.
"""

from rawr.backtest.summary import Summary

COST = 10.0
"""One percent more for all requests together, with prompt caching. One percent less is worth as much."""
MISSED = 10.0
"""Codex compacted by itself, and rawr would not have come before; or Codex would still have compacted with rawr."""
OFF_BOUNDARY = 6.0
"""rawr would have compacted at no place of choice: at a bare end of a turn, in the middle of one, in an emergency."""


def score(total: Summary) -> float:
    """Points for 100 sessions. More is better."""
    went_wrong = MISSED * (total.native - total.preceded + total.still_native) + OFF_BOUNDARY * (
        total.would_compact - total.at_boundary
    )
    return round(-100 * went_wrong / max(total.sessions, 1) - COST * dearer(total), 2)


def dearer(total: Summary) -> float:
    """What all requests cost more with rawr, in percent; less than 0 if they cost less."""
    cost = total.cost_cached
    return 100 * (cost.with_rawr - cost.recorded) / cost.recorded if cost is not None and cost.recorded else 0.0

"""How good a policy would have been: one number, for comparing two of them on the same sessions.

Everything that went wrong costs points, so that the best possible score is 0. A policy that compacts early comes before
Codex more often, and more often in sessions that never needed it; the weights say how much of one is worth the other.
"""

from rawr.backtest.summary import Summary

MISSED = 10.0
"""Codex compacted by itself, and rawr would not have come before; or Codex would still have compacted with rawr."""
NEEDLESS = 4.0
"""rawr would have compacted in a session that never came to where Codex does."""
THRASH = 5.0
"""rawr would have compacted twice within three turns."""
OFF_BOUNDARY = 6.0
"""rawr would have compacted where nothing had ended: the context was nearly full."""
COST = 2.0
"""One percent more for all requests together, with prompt caching. One percent less is worth as much."""


def score(total: Summary) -> float:
    """Points for 100 sessions. More is better."""
    went_wrong = (
        MISSED * (total.native - total.preceded + total.still_native)
        + NEEDLESS * total.needless
        + THRASH * total.thrash
        + OFF_BOUNDARY * (total.would_compact - total.at_boundary)
    )
    return round(-100 * went_wrong / max(total.sessions, 1) - COST * dearer(total), 2)


def dearer(total: Summary) -> float:
    """What all requests cost more with rawr, in percent; less than 0 if they cost less."""
    cost = total.cost_cached
    return 100 * (cost.with_rawr - cost.recorded) / cost.recorded if cost is not None and cost.recorded else 0.0

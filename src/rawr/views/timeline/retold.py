"""A session file of Codex's own as a timeline: what happened, and what rawr would have done."""

from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from rawr.backtest.pool import feed
from rawr.backtest.result import Point, SessionResult
from rawr.backtest.result import WouldCompact as Would
from rawr.backtest.session import Backtest
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import percent_remaining
from rawr.core.text import head
from rawr.views.timeline.folding import MOST_POINTS, TimelineFold
from rawr.views.timeline.shapes import ContextPoint, Counterfactual, SessionRead, Timeline, WouldCompact
from rawr.views.timeline.thinning import Thinned, extremes

WITH_RAWR = "with rawr"
MOST_KINDS, KIND = 12, 80
"""Kinds of lines that are not understood; characters of a name."""
_RAWRS_OWN = frozenset({"decisions", "requests", "packets"})
"""Lists of what a rawr decides."""


class Retold(Struct, frozen=True):
    timeline: Timeline
    instead: Counterfactual
    """The same session with rawr beside it."""
    result: SessionResult


def retold(path: str, policy: Policy) -> Retold:
    """Read the file once as it went, with an arbiter that only watches, and once with one that acts. Raises nothing:
    ``result.problem`` says what could not be read."""
    watching = replace(policy, compaction=replace(policy.compaction, enabled=False))
    recorded = Backtest(watching, file=path, draws=True)
    problem = feed(recorded, path)
    went = recorded.over(problem=problem)
    fold = TimelineFold(went.session or "session", watching)
    for taken in recorded.taken:
        fold.take(taken)
    acting = Backtest(policy, file=path, draws=True)
    result = acting.over(problem=feed(acting, path))
    points: Thinned[ContextPoint] = Thinned(MOST_POINTS, extremes(lambda one: one.tokens))
    for point in acting.points:
        points.add(_point(point, result.window))
    instead = Counterfactual(WITH_RAWR, tuple(points), tuple(map(_would, result.would_compact)))
    return Retold(_as_it_went(fold.so_far, recorded, went), instead, result)


def _as_it_went(told: Timeline, recorded: Backtest, result: SessionResult) -> Timeline:
    """Without the story of the arbiter that watched: no rawr was there. The model is told only after the first turn
    has begun, and how long a compaction took is not in the file."""
    return replace(
        told,
        model=recorded.model or told.model,
        folder=told.folder if recorded.folder else "",
        decisions=(),
        reasons={},
        requests=(),
        packets=(),
        compactions=tuple(replace(one, duration_ms=None, packet="") for one in told.compactions),
        counts={name: count for name, count in told.counts.items() if not _is_rawrs_own(name)},
        left_out={name: count for name, count in told.left_out.items() if not _is_rawrs_own(name)},
        session=_read(result),
    )


def _is_rawrs_own(name: str) -> bool:
    return name in _RAWRS_OWN or " by " in name


def _read(result: SessionResult) -> SessionRead:
    often = Counter(result.skipped).most_common(MOST_KINDS)
    return SessionRead(
        file=result.file,
        lines=result.lines,
        not_understood=sum(result.skipped.values()),
        kinds={head(kind, KIND): count for kind, count in often},
        problem=result.problem,
    )


def _point(one: Point, window: int | None) -> ContextPoint:
    left = percent_remaining(in_context=one.with_rawr, window=window)
    return ContextPoint(one.at, one.turn, one.with_rawr, window, left)


def _would(one: Would) -> WouldCompact:
    place = "" if one.place == "choice" else one.reason.rpartition(".")[2].replace("_", " ")
    why = place or ", ".join(kind.replace("_", " ") for kind in one.kinds)
    return WouldCompact(one.at, one.turn, one.tokens, one.percent, one.tier, why)

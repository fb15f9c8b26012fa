"""``rawr backtest --html``: which sessions are drawn, and the page that they are drawn on."""

import time
from collections.abc import Sequence
from pathlib import Path, PurePath

from rawr.backtest.pool import feed
from rawr.backtest.result import SessionResult
from rawr.backtest.session import Backtest
from rawr.backtest.summary import Summary
from rawr.cli.commands import page_file
from rawr.core.policy.policy import Policy
from rawr.pages.backtest import backtest_page
from rawr.pages.parts.bars import Small

DRAWN = 12
WIDE = 160
"""Points of a small chart; of more, the highest of each stretch."""


def put(totals: Sequence[Summary], sessions: Sequence[SessionResult], policy: Policy, place: Path) -> None:
    fullest = sorted(sessions, key=lambda one: (-len(one.native_compactions), -len(one.would_compact), one.file))
    drawn = [_small(one, policy) for one in fullest[:DRAWN] if one.would_compact or one.native_compactions]
    page = backtest_page(totals, sessions, drawn, made=int(time.time() * 1000))
    page_file.put(page, place, what="The backtest")


def _small(one: SessionResult, policy: Policy) -> Small:
    """The file is read once more: to keep the points of all sessions would take room for nothing."""
    session = Backtest(policy, file=one.file, draws=True)
    feed(session, one.file)
    session.over()
    note = f"{len(one.native_compactions)} on record, {len(one.would_compact)} with rawr"
    name = PurePath(one.file).name.removeprefix("rollout-")[:16]
    recorded = _thinned([each.recorded for each in session.points])
    with_rawr = _thinned([each.with_rawr for each in session.points])
    return Small(name, (recorded, with_rawr), note)


def _thinned(values: Sequence[int]) -> tuple[float, ...]:
    stretch = -(-len(values) // WIDE) or 1
    return tuple(float(max(values[at : at + stretch])) for at in range(0, len(values), stretch))

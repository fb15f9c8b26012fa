"""A backtest as a page: what a policy would have done over a history, and the sessions in which it matters most."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from rawr.backtest.result import SessionResult
from rawr.backtest.summary import Cost, Summary
from rawr.pages.html import NOTHING, Html, text
from rawr.pages.parts.bars import Bar, Small, bars, multiples
from rawr.pages.parts.listing import code, figures, folded, left_out, section, table
from rawr.pages.shell import page
from rawr.views.numbers import clock_time, short

ROWS = 300
"""Sessions in the table; those with most to tell."""


def backtest_page(
    totals: Sequence[Summary], sessions: Sequence[SessionResult], drawn: Sequence[Small], *, made: int
) -> str:
    """``totals``: one per policy, the one that was asked about first. ``drawn``: sessions as small charts, the context
    as it was and with rawr. ``made``: when, in ms since the epoch."""
    first = totals[0]
    return page(
        f"Backtest of {first.sessions} Codex sessions",
        figures(_figures(first)),
        _compared(totals) if len(totals) > 1 else NOTHING,
        _drawn(drawn),
        _moments(first),
        _sessions(sessions),
        _read(first),
        subtitle=text(f"Policy: {first.policy} · {clock_time(made)}"),
    )


def _figures(one: Summary) -> Iterator[tuple[str, str, str]]:
    if one.cost_cached is not None:
        change = _change(one.cost_cached.recorded, one.cost_cached.with_rawr)
        yield "Cost of all requests", _amount(one.cost_cached, one.cost_unit), change
    yield "Compactions on record", short(one.native), f"{one.native_inside_turn} in the middle of a turn"
    yield "rawr would have come before", _share(one.preceded, one.native), f"{one.preceded} of {one.native}"
    at_boundary = f"{_share(one.at_boundary, one.would_compact)} at a place of choice"
    yield "rawr would have compacted", short(one.would_compact), at_boundary
    yield "Never needed", short(one.needless), "in sessions that did not get full"
    if one.per_hour is not None:
        yield "In an hour of work", f"{one.per_hour:.2f}", f"{one.native_per_hour:.2f} on record"
    yield "Tokens carried", short(one.tokens_carried), _change(one.tokens_carried_recorded, one.tokens_carried)


def _compared(totals: Sequence[Summary]) -> Html:
    rows = [(text(name), *(text(cell(one)) for one in totals)) for name, cell in _ROWS]
    listing = table(("", *(one.policy for one in totals)), rows, numbers=range(1, len(totals) + 1))
    return section("Side by side", listing)


def _drawn(drawn: Sequence[Small]) -> Html:
    if not drawn:
        return NOTHING
    note = "The context over all model calls of a session: as it was, and dashed as it would have been with rawr."
    return section("Sessions that got fullest", multiples(drawn, names=("as it was", "with rawr")), note=note)


def _moments(one: Summary) -> Html:
    kinds = [Bar(kind.replace("_", " "), count) for kind, count in one.by_kind.items()]
    tiers = [Bar(tier, count) for tier, count in one.by_tier.items()]
    seen = [Bar(kind.replace("_", " "), count) for kind, count in one.boundaries.items()]
    if not (tiers or seen):
        return NOTHING
    return section(
        "When rawr would have compacted",
        folded(text("By tier"), bars(tiers), opened=True) if tiers else NOTHING,
        folded(text("By the boundaries that opened the path"), bars(kinds), opened=True) if kinds else NOTHING,
        folded(text("Boundaries in all sessions"), bars(seen)) if seen else NOTHING,
    )


def _sessions(sessions: Sequence[SessionResult]) -> Html:
    told = [one for one in sessions if one.would_compact or one.native_compactions]
    told.sort(key=lambda one: (-len(one.native_compactions), -len(one.would_compact), one.file))
    if not told:
        return NOTHING
    rows = (
        (
            code(PurePath(one.file).name, limit=100),
            text(one.turns),
            text(len(one.native_compactions)),
            text(sum(native.preceded for native in one.native_compactions)),
            text(len(one.would_compact)),
            text(", ".join(f"{would.percent} %" for would in one.would_compact[:6])),
            text("yes" if one.needed else "no"),
        )
        for one in told[:ROWS]
    )
    names = ("Session", "Turns", "On record", "Preceded", "With rawr", "Left then", "Got full")
    listing = folded(text(f"{len(told)} sessions"), table(names, rows, numbers=(1, 2, 3, 4)))
    return section("Sessions", listing, left_out(max(len(told) - ROWS, 0), "sessions"))


def _read(one: Summary) -> Html:
    read = f"{one.bytes / 1e6:.0f} MB, {short(one.lines)} lines, {short(one.turns)} turns, in {one.seconds:.1f} s."
    left = f" {one.sub_agents} sessions of sub-agents are left out." if one.sub_agents else ""
    again = f" {one.repeated} turns that two files have count once." if one.repeated else ""
    unread = f" {one.failed} files could not be read to their end." if one.failed else ""
    rows = [(text(kind), text(count)) for kind, count in one.skipped.items()]
    skipped = folded(text(f"Lines not understood: {one.not_understood}"), table(("Kind", "Lines"), rows, numbers=(1,)))
    return section("What was read", skipped if rows else NOTHING, note=read + left + again + unread)


def _share(part: int, whole: int) -> str:
    return f"{100 * part // whole} %" if whole else "–"


def _change(before: float, after: float) -> str:
    return f"{100 * (after - before) / before:+.1f} % against Codex alone" if before else ""


def _amount(cost: Cost, unit: str) -> str:
    return f"{cost.with_rawr:.2f}" if unit == "currency" else f"{short(round(cost.with_rawr))} tokens"


def _cost(one: Summary) -> str:
    cost = one.cost_cached
    if cost is None or not cost.recorded:
        return "–"
    return f"{_amount(cost, one.cost_unit)}, {_change(cost.recorded, cost.with_rawr)}"


_ROWS: tuple[tuple[str, Callable[[Summary], str]], ...] = (
    ("cost of all requests", _cost),
    ("would have come before", lambda one: f"{one.preceded} of {one.native}"),
    ("of the foreseeable ones", lambda one: f"{one.preceded_foreseeable} of {one.foreseeable}"),
    ("Codex would still have compacted", lambda one: str(one.still_native)),
    ("compactions instead", lambda one: str(one.would_compact)),
    ("in an hour of work", lambda one: f"{one.per_hour:.2f}" if one.per_hour is not None else "–"),
    ("at a place of choice", lambda one: str(one.at_boundary)),
    ("at a bare end of a turn", lambda one: str(one.bare_ends)),
    ("landing a turn that was nearly full", lambda one: str(one.landed)),
    ("in an emergency", lambda one: str(one.emergencies)),
    ("in sessions that never needed it", lambda one: str(one.needless)),
    ("within three turns of the last one", lambda one: str(one.thrash)),
    ("context left then, on average", lambda one: f"{one.mean_percent} %" if one.mean_percent is not None else "–"),
    ("tokens carried", lambda one: short(one.tokens_carried)),
    ("", lambda one: _change(one.tokens_carried_recorded, one.tokens_carried)),
)

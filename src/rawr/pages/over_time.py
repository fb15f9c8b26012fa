"""How a thread went over time: the charts of its context and its plan, and the same in tables."""

from collections.abc import Callable, Sequence

from rawr.pages.deciding import moment
from rawr.pages.html import NOTHING, Html, text
from rawr.pages.parts import context as drawing
from rawr.pages.parts import progress
from rawr.pages.parts.listing import badge, folded, left_out, section, table
from rawr.views.numbers import clock, short
from rawr.views.timeline import Counterfactual, Timeline, TurnSpan

ROWS = 200
"""Of a table; the newest."""
_FROM = {
    "plan_tool": "the plan",
    "repository": "the repository",
    "phase_tool": "a marked phase",
    "user": "the user",
    "text": "the agent's words",
    "turn": "the turn",
}
"""Where a boundary was seen."""


def context(timeline: Timeline, instead: Counterfactual | None) -> Html:
    parts = (
        _would(instead, timeline),
        _table_of("Compactions", timeline.compactions, timeline, _compactions),
        _table_of("Turns", timeline.turns, timeline, _turns),
        _table_of("Boundaries", timeline.boundaries, timeline, _boundaries),
        _table_of("Context", timeline.points, timeline, _points),
    )
    drawn = drawing.chart(timeline, instead=instead) if timeline.points or timeline.turns else NOTHING
    empty = "" if timeline.points else "Codex has not reported how full the context is."
    beginning = "" if timeline.whole else "The beginning is no longer in the journal."
    second = f"Dashed: the context {instead.name}, as it would have been under your settings." if instead else ""
    note = " ".join(one for one in (empty, beginning, second) if one)
    return section("Context over time", drawn, *parts, note=note)


def _table_of(name: str, rows: Sequence[object], timeline: Timeline, made: Callable[[Timeline], Html]) -> Html:
    if not rows:
        return NOTHING
    dropped = timeline.left_out.get({"Context": "points"}.get(name, name.lower()), 0)
    missing = left_out(dropped + max(len(rows) - ROWS, 0), "rows")
    return folded(text(f"{name}: {short(len(rows) + dropped)}"), made(timeline), missing)


def _compactions(timeline: Timeline) -> Html:
    names = ("When", "By", "Before", "After", "Left", "Tier", "Packet", "Took", "Where")
    # What is in no session file: rawr wrote no packet, and no compaction has a beginning.
    unknown = frozenset({"Packet", "Took"}) if timeline.session is not None else frozenset()
    kept = [n for n, name in enumerate(names) if name not in unknown]
    rows = (
        (
            moment(one.at, timeline),
            badge(drawing.WHO[one.by] if one.ok else "failed", "good" if one.ok and one.by != "codex" else "bad"),
            _amount(one.tokens_before),
            _amount(one.tokens_after),
            text(f"{one.percent_left} %" if one.percent_left is not None else "?"),
            text(one.tier or "–"),
            text(one.packet or "–"),
            text(f"{one.duration_ms / 1000:.1f} s" if one.duration_ms is not None else "?"),
            text(f"in turn {one.turn}, after {one.items_before} items" if one.in_work else "between turns"),
        )
        for one in timeline.compactions[-ROWS:]
    )
    shown = [names[n] for n in kept]
    numbers = (at for at, name in enumerate(shown) if name in ("Before", "After", "Left", "Took"))
    words = (shown.index(name) for name in ("When", "By", "Tier"))
    return table(shown, ([row[n] for n in kept] for row in rows), numbers=numbers, words=words)


def _would(instead: Counterfactual | None, timeline: Timeline) -> Html:
    if instead is None or not instead.compactions:
        return NOTHING
    rows = (
        (
            moment(one.at, timeline),
            text(one.turn),
            _amount(one.tokens),
            text(f"{one.percent_left} %" if one.percent_left is not None else "?"),
            text(one.tier or "–"),
            text(one.why),
        )
        for one in instead.compactions[-ROWS:]
    )
    listing = table(("When", "Turn", "Tokens", "Left", "Tier", "Why"), rows, numbers=(1, 2, 3), words=(0, 4))
    missing = left_out(len(instead.compactions) - ROWS, "rows")
    return folded(text(f"Compactions {instead.name}: {short(len(instead.compactions))}"), listing, missing)


def _turns(timeline: Timeline) -> Html:
    rows = ((text(one.number), moment(one.began, timeline), *_of_turn(one)) for one in timeline.turns[-ROWS:])
    names = ("Turn", "Began", "Took", "How", "Whose", "Items", "Problem")
    return table(names, rows, numbers=(0, 2, 5), words=(1, 3, 4))


def _of_turn(one: TurnSpan) -> tuple[Html, ...]:
    took = clock((one.ended - one.began) // 1000) if one.ended is not None else "?"
    whose = one.purpose.replace("_", " ") or "the user's"
    return text(took), text(one.status), text(whose), text(one.items), text(one.problem)


def _boundaries(timeline: Timeline) -> Html:
    rows = (
        (
            moment(one.at, timeline),
            text(one.turn),
            text(one.kind.replace("_", " ")),
            text(_FROM.get(one.source, one.source.replace("_", " "))),
            text(one.detail),
        )
        for one in timeline.boundaries[-ROWS:]
    )
    return table(("When", "Turn", "Kind", "From", "Detail"), rows, numbers=(1,), words=(0, 2, 3))


def _points(timeline: Timeline) -> Html:
    rows = (
        (
            moment(one.at, timeline),
            text(one.turn),
            _amount(one.tokens),
            _amount(one.window),
            text(f"{one.percent_left} %" if one.percent_left is not None else "?"),
        )
        for one in timeline.points[-ROWS:]
    )
    return table(("When", "Turn", "Tokens", "Window", "Left"), rows, numbers=(1, 2, 3, 4))


def plan(timeline: Timeline) -> Html:
    if not timeline.progress:
        return NOTHING
    drawn = progress.chart(timeline.progress, drawing.scale_of(timeline))
    return section("Plan", drawn, progress.steps(timeline.plan))


def _amount(count: int | None) -> Html:
    return text(short(count) if count is not None else "?")

"""The context over time: how full it is, with the tiers as bands, and turns, boundaries and compactions marked.

The drawing is as wide as its place: across it everything is in percent, so that text keeps its size on a phone.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rawr.core.policy.tiers import TIERS, Tier, tokens_at
from rawr.pages.html import NOTHING, Attributes, Html, joined, tag, text
from rawr.pages.parts.labels import label
from rawr.pages.parts.marks import BOUNDARIES, group_of, legend, mark, percent
from rawr.pages.parts.scale import Scale
from rawr.views.numbers import clock, short
from rawr.views.timeline import (
    BoundaryPoint,
    CompactionPoint,
    ContextPoint,
    Counterfactual,
    Timeline,
    TurnSpan,
    WouldCompact,
)

TOP, PLOT = 14, 240
LANE = TOP + PLOT + 16
"""Where boundaries are."""
TURNS = LANE + 14
AXIS = TURNS + 28
HEIGHT = AXIS + 8
DENSE = 500
"""With more points, the line is drawn thin."""
WHO = {"rawr": "rawr", "codex": "Codex itself", "person": "a person"}


class Ruler(Struct, frozen=True):
    """The vertical axis: tokens in the context."""

    top: int
    window: int | None

    def y(self, tokens: int) -> float:
        return round(TOP + PLOT * (1 - min(tokens, self.top) / self.top), 1)


def ruler(timeline: Timeline, instead: Counterfactual | None) -> Ruler:
    points = (*timeline.points, *(instead.points if instead is not None else ()))
    windows = [one.window for one in points if one.window]
    highest = max((one.tokens for one in points), default=1)
    return Ruler(max(highest, *windows, 1) if windows else max(highest * 11 // 10, 1), windows[-1] if windows else None)


def chart(timeline: Timeline, *, instead: Counterfactual | None = None) -> Html:
    """``instead``: a second line, and the compactions that would have been."""
    scale, rule = scale_of(timeline, instead), ruler(timeline, instead)
    drawn = joined(
        (
            *_bands(timeline, rule),
            *_grid(rule),
            *_silences(scale),
            *_axis(scale),
            _plot(scale, rule, timeline.points, instead),
            *(_compaction(one, scale) for one in timeline.compactions),
            *(_would(one, scale) for one in (instead.compactions if instead is not None else ())),
            *(_boundary(one, scale) for one in timeline.boundaries),
            *(_turn(one, scale, timeline.ended) for one in timeline.turns),
            *_amounts(rule),
            *_tiers(timeline, rule),
        )
    )
    about = f"Context over time, {len(timeline.compactions)} compactions. The tables below have the numbers."
    attributes: Attributes = {
        "class": "chart context",
        "width": "100%",
        "height": HEIGHT,
        "role": "img",
        "aria-label": about,
        "tabindex": 0,
        "data-top": TOP,
        "data-bottom": TOP + PLOT,
        "data-points": _readings(timeline.points, scale),
    }
    figure = tag("svg", attributes, drawn)
    readout = tag("p", {"class": "readout", "aria-live": "polite"})
    return tag("figure", None, readout, figure, _legend(timeline, instead))


def scale_of(timeline: Timeline, instead: Counterfactual | None = None) -> Scale:
    second = instead.points if instead is not None else ()
    moments = [one.at for listed in (timeline.points, timeline.boundaries, second) for one in listed]
    moments += [at for one in timeline.turns for at in (one.began, one.ended) if at is not None]
    return Scale(moments or [timeline.began, timeline.ended])


# -- behind -----------------------------------------------------------------------------------------------------------


def _begins(timeline: Timeline, rule: Ruler) -> Iterator[tuple[Tier, int, int]]:
    """Each tier, with the tokens at which it begins and ends."""
    if rule.window is None or not timeline.bands:
        return
    begins = {tier: tokens_at(timeline.bands[tier], window=rule.window) for tier in TIERS if tier in timeline.bands}
    ends = [*list(begins.values())[1:], rule.top]
    for (tier, low), high in zip(begins.items(), ends, strict=True):
        if high > low:
            yield tier, low, high


def _bands(timeline: Timeline, rule: Ruler) -> Iterator[Html]:
    for tier, low, high in _begins(timeline, rule):
        top, height = rule.y(high), round(rule.y(low) - rule.y(high), 1)
        area: Attributes = {"x": 0, "width": "100%", "y": top, "height": height, "class": f"band {tier}"}
        about = f"{tier}: less than {timeline.bands[tier]} % of the context is left"
        yield tag("rect", area, tag("title", None, text(about)))


def _tiers(timeline: Timeline, rule: Ruler) -> Iterator[Html]:
    """Their names, over everything else."""
    for tier, low, _ in _begins(timeline, rule):
        yield label(f"{tier} < {timeline.bands[tier]} %", y=rule.y(low) - 4, kind="tier", right=True)


def _grid(rule: Ruler) -> Iterator[Html]:
    for tokens in _rungs(rule):
        yield tag("line", {"x1": 0, "x2": "100%", "y1": rule.y(tokens), "y2": rule.y(tokens), "class": "grid"})


def _amounts(rule: Ruler) -> Iterator[Html]:
    for tokens in _rungs(rule):
        yield label(short(tokens), y=rule.y(tokens) + 12, kind="amount")


def _rungs(rule: Ruler) -> list[int]:
    return [round(rule.top * part) for part in (0.25, 0.5, 0.75, 1.0)]


def _silences(scale: Scale) -> Iterator[Html]:
    for one in scale.silences:
        x, width = percent(scale.x(one.began)), percent(round(scale.x(one.ended) - scale.x(one.began), 2))
        about = f"{clock((one.ended - one.began) // 1000)} in which nothing happened, shortened"
        area: Attributes = {"x": x, "width": width, "y": TOP, "height": PLOT, "class": "silence"}
        yield tag("rect", area, tag("title", None, text(about)))


def _axis(scale: Scale) -> Iterator[Html]:
    for one in scale.ticks():
        x = percent(one.x)
        side = "start" if one.x < 6 else "end" if one.x > 94 else "middle"
        yield tag("line", {"x1": x, "x2": x, "y1": TOP + PLOT, "y2": AXIS - 12, "class": "tick"})
        yield tag("text", {"x": x, "y": AXIS, "text-anchor": side, "class": "time"}, text(one.label))


# -- lines ------------------------------------------------------------------------------------------------------------


def _plot(scale: Scale, rule: Ruler, points: Sequence[ContextPoint], instead: Counterfactual | None) -> Html:
    """Lines cannot be in percent, so they have a drawing of their own that is stretched to the width."""
    dense = " dense" if len(points) > DENSE else ""
    lines = [_area(scale, rule, points), _line(scale, rule, points, f"line{dense}")]
    if instead is not None:
        lines.append(_line(scale, rule, instead.points, f"line instead{dense}"))
    place: Attributes = {"x": 0, "y": 0, "width": "100%", "height": TOP + PLOT, "viewBox": f"0 0 100 {TOP + PLOT}"}
    return tag("svg", {**place, "preserveAspectRatio": "none"}, *lines)


def _line(scale: Scale, rule: Ruler, points: Sequence[ContextPoint], kind: str) -> Html:
    return tag("polyline", {"points": _path(scale, rule, points), "class": kind}) if points else NOTHING


def _area(scale: Scale, rule: Ruler, points: Sequence[ContextPoint]) -> Html:
    if not points:
        return NOTHING
    floor = TOP + PLOT
    first, last = scale.x(points[0].at), scale.x(points[-1].at)
    return tag("polygon", {"points": f"{first},{floor} {_path(scale, rule, points)} {last},{floor}", "class": "area"})


def _path(scale: Scale, rule: Ruler, points: Sequence[ContextPoint]) -> str:
    return " ".join(f"{scale.x(one.at)},{rule.y(one.tokens)}" for one in points)


def _readings(points: Sequence[ContextPoint], scale: Scale) -> str:
    """What the script shows at the pointer: a place, and the words for it."""
    found = []
    for one in points:
        left = f" · {one.percent_left} % left" if one.percent_left is not None else ""
        words = f"{scale.label(one.at, 1_000)} · {short(one.tokens)} tokens{left} · turn {one.turn}"
        found.append(f"{scale.x(one.at)}|{words}")
    return ";".join(found)


# -- marks ------------------------------------------------------------------------------------------------------------


def _compaction(one: CompactionPoint, scale: Scale) -> Html:
    x = percent(scale.x(one.at))
    kind = f"compaction {one.by}" if one.ok else "compaction failed"
    stroke = tag("line", {"x1": x, "x2": x, "y1": TOP, "y2": TOP + PLOT, "class": kind})
    return joined((stroke, mark("down" if one.ok else "cross", x=x, y=7, kind=kind, about=compaction_words(one))))


def compaction_words(one: CompactionPoint) -> str:
    before, after = (short(count) if count is not None else "?" for count in (one.tokens_before, one.tokens_after))
    how = f"Compacted by {WHO[one.by]}: {before} → {after} tokens" if one.ok else "A compaction failed"
    where = f", in the middle of turn {one.turn}" if one.in_work else ""
    return f"{how}{where}"


def _would(one: WouldCompact, scale: Scale) -> Html:
    x = percent(scale.x(one.at))
    stroke = tag("line", {"x1": x, "x2": x, "y1": TOP, "y2": TOP + PLOT, "class": "compaction would"})
    left = f", {one.percent_left} % left" if one.percent_left is not None else ""
    about = f"Would have compacted here{left}: {one.why}"
    return joined((stroke, mark("hollow-down", x=x, y=7, kind="compaction would", about=about)))


def _boundary(one: BoundaryPoint, scale: Scale) -> Html:
    group = group_of(one.kind)
    detail = f": {one.detail}" if one.detail else ""
    kind = f"boundary {group}" + ("" if one.gating else " faint")
    about = f"{one.kind.replace('_', ' ')}{detail} (turn {one.turn})"
    return mark(BOUNDARIES[group][0], x=percent(scale.x(one.at)), y=LANE, kind=kind, about=about)


def _turn(one: TurnSpan, scale: Scale, ended: int) -> Html:
    x, end = scale.x(one.began), scale.x(one.ended if one.ended is not None else ended)
    width = percent(max(round(end - x, 2), 0.15))
    area: Attributes = {"x": percent(x), "width": width, "y": TURNS, "height": 9, "class": f"turn {turn_kind(one)}"}
    return tag("rect", area, tag("title", None, text(turn_words(one), limit=400)))


def turn_kind(one: TurnSpan) -> str:
    """What went wrong shows before whose it was."""
    wrong = {"failed": "failed", "interrupted": "cut"}
    return wrong.get(one.status) or ("own" if one.synthetic else "work")


def turn_words(one: TurnSpan) -> str:
    took = f", {clock((one.ended - one.began) // 1000)}" if one.ended is not None else ""
    whose = f", {one.purpose.replace('_', ' ')}" if one.purpose else ""
    problem = f": {one.problem}" if one.problem else ""
    return f"Turn {one.number}{whose}, {one.status}{took}{problem}"


# -- legend -----------------------------------------------------------------------------------------------------------


def _legend(timeline: Timeline, instead: Counterfactual | None) -> Html:
    entries = [("", "line", "context")]
    if instead is not None:
        entries.append(("", "line instead", instead.name))
    makers = dict.fromkeys(one.by for one in timeline.compactions if one.ok)
    entries += [("down", f"compaction {by}", f"compacted by {WHO[by]}") for by in makers]
    if any(not one.ok for one in timeline.compactions):
        entries.append(("cross", "compaction failed", "compaction failed"))
    if instead is not None and instead.compactions:
        entries.append(("hollow-down", "compaction would", f"compaction {instead.name}"))
    groups = {group_of(one.kind) for one in timeline.boundaries}
    entries += [(shape, f"boundary {group}", name) for group, (shape, name) in BOUNDARIES.items() if group in groups]
    kinds = {turn_kind(one) for one in timeline.turns}
    names = {
        "work": "turn",
        "own": "turn of rawr's own" if timeline.session is None else "turn of a compaction",
        "cut": "interrupted turn",
        "failed": "failed turn",
    }
    entries += [("", f"turn {kind}", name) for kind, name in names.items() if kind in kinds]
    return legend(entries)

"""The plan over time: how many of its steps are done, in a drawing on the same axis as the context."""

from collections.abc import Iterator, Sequence

from rawr.core.vocabulary.facts import PlanStep
from rawr.pages.html import Attributes, Html, tag, text
from rawr.pages.parts.labels import label
from rawr.pages.parts.marks import percent
from rawr.pages.parts.scale import Scale
from rawr.views.timeline import PlanPoint

TOP, PLOT, AXIS = 8, 80, 106
_STATUS = {"completed": ("✓", "done"), "in_progress": ("▸", "in progress"), "pending": ("○", "to do")}


def chart(points: Sequence[PlanPoint], scale: Scale) -> Html:
    most = max((one.total for one in points), default=1) or 1
    total, done = ([(one.at, getattr(one, name)) for one in points] for name in ("total", "done"))
    lines = (
        tag("polygon", {"points": _filled(done, scale, most), "class": "done"}),
        tag("polyline", {"points": _steps(done, scale, most), "class": "line done"}),
        tag("polyline", {"points": _steps(total, scale, most), "class": "line total"}),
    )
    place: Attributes = {"x": 0, "y": 0, "width": "100%", "height": TOP + PLOT, "viewBox": f"0 0 100 {TOP + PLOT}"}
    plot = tag("svg", {**place, "preserveAspectRatio": "none"}, *lines)
    newest = points[-1]
    label = f"Plan over time: {newest.done} of {newest.total} steps are done"
    attributes: Attributes = {
        "class": "chart plan",
        "width": "100%",
        "height": AXIS + 6,
        "role": "img",
        "aria-label": label,
    }
    return tag("figure", None, tag("svg", attributes, plot, *_labels(most), *_axis(scale)))


def steps(plan: Sequence[PlanStep]) -> Html:
    """The current plan, as a list."""
    return tag("ol", {"class": "plan"}, *(_step(one) for one in plan))


def _step(one: PlanStep) -> Html:
    sign, said = _STATUS.get(one.status, ("○", one.status))
    mark = tag("span", {"class": "sign", "role": "img", "aria-label": said, "title": said}, text(sign))
    return tag("li", {"class": one.status}, mark, tag("span", None, text(one.step)))


def _y(count: int, most: int) -> float:
    return round(TOP + PLOT * (1 - count / most), 1)


def _steps(values: Sequence[tuple[int, int]], scale: Scale, most: int) -> str:
    """A count stays until the next one."""
    places: list[str] = []
    for at, count in values:
        if places:
            places.append(f"{scale.x(at)},{places[-1].partition(',')[2]}")
        places.append(f"{scale.x(at)},{_y(count, most)}")
    places.append(f"100,{_y(values[-1][1], most)}")
    return " ".join(places)


def _filled(values: Sequence[tuple[int, int]], scale: Scale, most: int) -> str:
    return f"{scale.x(values[0][0])},{TOP + PLOT} {_steps(values, scale, most)} 100,{TOP + PLOT}"


def _labels(most: int) -> Iterator[Html]:
    yield tag("line", {"x1": 0, "x2": "100%", "y1": TOP + PLOT, "y2": TOP + PLOT, "class": "grid"})
    yield label(f"{most} step{'' if most == 1 else 's'}", y=TOP + 12, kind="amount")


def _axis(scale: Scale) -> Iterator[Html]:
    for one in scale.ticks():
        side = "start" if one.x < 6 else "end" if one.x > 94 else "middle"
        yield tag("text", {"x": percent(one.x), "y": AXIS, "text-anchor": side, "class": "time"}, text(one.label))

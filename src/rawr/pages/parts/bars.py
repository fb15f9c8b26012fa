"""Amounts to compare: horizontal bars with their names and numbers, and small lines side by side."""

from collections.abc import Sequence

from msgspec import Struct

from rawr.pages.html import Attributes, Html, joined, tag, text
from rawr.pages.parts.marks import percent


class Bar(Struct, frozen=True):
    name: str
    value: float
    shown: str = ""
    """The value in words; empty: the number itself."""
    kind: str = ""
    """A class for its colour."""


class Small(Struct, frozen=True):
    """One of many small charts: values from left to right, each series over the same width."""

    name: str
    series: tuple[tuple[float, ...], ...]
    note: str = ""


def bars(rows: Sequence[Bar]) -> Html:
    """The longest takes the whole width. It is a table to whoever cannot see it."""
    most = max((one.value for one in rows), default=0) or 1
    return tag("table", {"class": "bars"}, tag("tbody", None, *(_bar(one, most) for one in rows)))


def _bar(one: Bar, most: float) -> Html:
    width = percent(round(max(one.value, 0) / most * 100, 2))
    drawn = tag("rect", {"x": 0, "y": 1, "width": width, "height": 12, "rx": 2, "class": f"bar {one.kind}".strip()})
    cell = tag("svg", {"width": "100%", "height": 14, "aria-hidden": "true"}, drawn)
    return tag(
        "tr",
        None,
        tag("th", {"scope": "row"}, text(one.name, limit=120)),
        tag("td", {"class": "num"}, text(one.shown or f"{one.value:g}")),
        tag("td", {"class": "drawn"}, cell),
    )


def multiples(charts: Sequence[Small], *, names: Sequence[str] = ()) -> Html:
    """Small charts on one scale; ``names`` are those of the series."""
    most = max((value for one in charts for line in one.series for value in line), default=0) or 1
    return tag("div", {"class": "multiples"}, *(_small(one, most, names) for one in charts))


def _small(one: Small, most: float, names: Sequence[str]) -> Html:
    lines = joined(_series(line, most, number) for number, line in enumerate(one.series) if line)
    said = ", ".join(f"{name}: up to {max(line):g}" for name, line in zip(names, one.series, strict=False) if line)
    place: Attributes = {"width": "100%", "height": 48, "viewBox": "0 0 100 48", "preserveAspectRatio": "none"}
    drawn = tag("svg", {**place, "role": "img", "aria-label": said or one.name}, lines)
    note = (tag("span", {"class": "note"}, text(one.note, limit=200)),) if one.note else ()
    return tag("figure", {"class": "small"}, drawn, tag("figcaption", None, text(one.name, limit=120), *note))


def _series(values: Sequence[float], most: float, number: int) -> Html:
    step = 100 / max(len(values) - 1, 1)
    places = (f"{round(at * step, 2)},{round(46 - 44 * max(value, 0) / most, 1)}" for at, value in enumerate(values))
    return tag("polyline", {"points": " ".join(places), "class": "line" if not number else "line instead"})

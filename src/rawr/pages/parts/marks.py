"""The small shapes that mark something on a chart: drawn once, used by name, and the same in the legend.

A shape says what it is without its colour, for people who do not see the difference.
"""

from collections.abc import Iterable

from rawr.pages.html import Html, tag, text

_SHAPES: dict[str, Html] = {
    "dot": tag("circle", {"r": 4}),
    "ring": tag("circle", {"r": 3.5, "class": "hollow"}),
    "square": tag("rect", {"x": -3.5, "y": -3.5, "width": 7, "height": 7}),
    "diamond": tag("path", {"d": "M0-5.5 5.5 0 0 5.5-5.5 0Z"}),
    "peak": tag("path", {"d": "M0-5 5 4H-5Z"}),
    "bar": tag("rect", {"x": -1.5, "y": -5, "width": 3, "height": 10}),
    "down": tag("path", {"d": "M-6-5H6L0 6Z"}),
    "hollow-down": tag("path", {"d": "M-6-5H6L0 6Z", "class": "hollow"}),
    "cross": tag("path", {"d": "M-5-5 5 5M5-5-5 5", "class": "hollow"}),
}

BOUNDARIES: dict[str, tuple[str, str]] = {
    "commit": ("dot", "commit"),
    "plan": ("square", "plan"),
    "phase": ("diamond", "phase or topic ended"),
    "pull": ("peak", "pull request"),
    "said": ("ring", "message of a person"),
    "other": ("bar", "other"),
}
"""Groups of boundaries: their shape, and what the legend calls them."""


def group_of(kind: str) -> str:
    """The group of a boundary's kind."""
    for start, group in _GROUPS:
        if kind.startswith(start):
            return group
    return "other"


_GROUPS = (
    ("commit", "commit"),
    ("plan_", "plan"),
    ("phase", "phase"),
    ("topic", "phase"),
    ("concluding", "phase"),
    ("agent_done", "phase"),
    ("pr_", "pull"),
    ("stack", "pull"),
    ("user_", "said"),
)


def definitions() -> Html:
    """Once on a page that has charts."""
    shapes = (tag("g", {"id": f"m-{name}"}, shape) for name, shape in _SHAPES.items())
    return tag("svg", {"width": 0, "height": 0, "class": "defs", "aria-hidden": "true"}, tag("defs", None, *shapes))


def mark(shape: str, *, x: str, y: float, kind: str, about: str = "") -> Html:
    title = (tag("title", None, text(about, limit=400)),) if about else ()
    return tag("use", {"href": f"#m-{shape}", "x": x, "y": y, "class": kind}, *title)


def legend(entries: Iterable[tuple[str, str, str]]) -> Html:
    """From shapes, kinds and names. An empty shape stands for a line."""
    items = (tag("li", None, _sample(shape, kind), text(name)) for shape, kind, name in entries)
    return tag("ul", {"class": "legend"}, *items)


def _sample(shape: str, kind: str) -> Html:
    drawn = mark(shape, x="8", y=8, kind=kind) if shape else _stroke(kind)
    return tag("svg", {"width": 16, "height": 16, "aria-hidden": "true"}, drawn)


def _stroke(kind: str) -> Html:
    if kind.startswith(("turn", "band")):
        return tag("rect", {"x": 1, "y": 3, "width": 14, "height": 10, "class": kind})
    return tag("line", {"x1": 0, "x2": 16, "y1": 8, "y2": 8, "class": kind})


def percent(x: float) -> str:
    return f"{x:g}%"

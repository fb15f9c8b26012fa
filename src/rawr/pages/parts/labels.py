"""Words on a chart, each on a ground of its own: they can be read whatever is drawn behind them."""

from rawr.pages.html import Html, joined, tag, text

LETTER = 6.6
"""Pixels across, rather more than less: a page cannot know how wide its letters will be."""
ABOVE, HEIGHT = 11, 15
ASIDE, AROUND = 4, 3
"""Pixels from the edge to the words, and from the words to the end of their ground."""


def label(words: str, *, y: float, kind: str, right: bool = False) -> Html:
    """Words above ``y``, at the left edge of the chart or at the right."""
    width = round(len(words) * LETTER) + 2 * AROUND
    ground: dict[str, str | int | float | bool | None] = {
        "x": "100%" if right else ASIDE - AROUND,
        "y": round(y - ABOVE, 1),
        "width": width,
        "height": HEIGHT,
        "rx": 3,
        "class": "ground",
        # A place in percent cannot be less a number of pixels.
        "transform": f"translate({AROUND - ASIDE - width})" if right else None,
    }
    place = {"x": "100%" if right else ASIDE, "dx": -ASIDE if right else None, "y": y, "class": kind}
    return joined((tag("rect", ground), tag("text", place, text(words))))

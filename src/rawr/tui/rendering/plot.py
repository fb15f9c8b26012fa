"""The context over time: one column per moment, coloured by the tiers it reaches into, with marks below."""

from textual.content import Content

from rawr.core.policy.tiers import Tier, tokens_at
from rawr.tui.rendering.bars import TIER_STYLES
from rawr.views.numbers import clock_time, short
from rawr.views.timeline.shapes import Timeline

BLOCKS = " ▁▂▃▄▅▆▇█"
GUTTER = 8
NAMES = 11
_BY = {"rawr": "R", "codex": "C", "person": "P"}


def plot(timeline: Timeline, *, width: int, height: int) -> list[Content]:
    if not timeline.points:
        return [Content.styled("Codex has not reported the context yet.", "$muted")]
    columns = max(width - GUTTER - NAMES, 8)
    top = timeline.window or max(one.tokens for one in timeline.points) or 1
    heights = _heights(timeline, columns, rows=height, top=top)
    bands = _bands(timeline, height, top)
    lines = [_row(row, heights, bands, top=top, rows=height) for row in range(height - 1, -1, -1)]
    lines.append(Content.styled(f"{0:>{GUTTER - 1}}└" + "─" * columns, "$muted"))
    lines.append(Content.assemble(" " * GUTTER, _marks(timeline, columns)))
    span = f"{clock_time(timeline.began, '%H:%M'):<{max(columns - 5, 1)}}{clock_time(timeline.ended, '%H:%M')}"
    lines.append(Content.styled(" " * GUTTER + span, "$muted"))
    return lines


def _column(timeline: Timeline, at: int, columns: int) -> int:
    length = max(timeline.ended - timeline.began, 1)
    return min(max((at - timeline.began) * columns // length, 0), columns - 1)


def _heights(timeline: Timeline, columns: int, *, rows: int, top: int) -> list[int]:
    """In eighths of a row; where nothing was counted, it is as full as before."""
    found: list[int | None] = [None] * columns
    last: list[int] = [0] * columns
    for one in timeline.points:
        at = _column(timeline, one.at, columns)
        eighths = min(max(round(one.tokens * rows * 8 / top), 1), rows * 8)
        found[at] = max(found[at] or 0, eighths)
        last[at] = eighths
    heights, before = [], 0
    for at, most in enumerate(found):
        heights.append(before if most is None else most)
        before = last[at] if most is not None else before
    return heights


def _bands(timeline: Timeline, rows: int, top: int) -> list[Tier]:
    """The tier that each row reaches into, from the bottom."""
    begins = sorted((tokens_at(percent, window=top), tier) for tier, percent in timeline.bands.items())
    found: list[Tier] = []
    for row in range(rows):
        middle = (2 * row + 1) * top // (2 * rows)
        found.append(next((tier for tokens, tier in reversed(begins) if middle >= tokens), "roomy"))
    return found


def _row(row: int, heights: list[int], bands: list[Tier], *, top: int, rows: int) -> Content:
    cells = "".join(BLOCKS[min(max(one - row * 8, 0), 8)] for one in heights)
    amount = short(top * (row + 1) // rows) if row in (rows - 1, rows // 2 - 1) else ""
    begins = row == 0 or bands[row] != bands[row - 1]
    tier = bands[row]
    return Content.assemble(
        Content.styled(f"{amount:>{GUTTER - 1}}│", "$muted"),
        Content.styled(cells, TIER_STYLES[tier]),
        Content.styled(f" {tier}" if begins else "", TIER_STYLES[tier]),
    )


def _marks(timeline: Timeline, columns: int) -> Content:
    row = [" "] * columns
    for boundary in timeline.boundaries:
        if boundary.gating:
            row[_column(timeline, boundary.at, columns)] = "·"
    for one in timeline.compactions:
        row[_column(timeline, one.at, columns)] = _BY.get(one.by, "R") if one.ok else "!"
    return Content.styled("".join(row), "$accent")


KEY = "R compacted by rawr · C by Codex · P by a person · ! failed · · boundary"

"""The context over time as lines of text: blocks where the terminal has them, plain ASCII where it has not."""

from collections.abc import Iterable, Iterator

from rawr.core.policy.tiers import percent_remaining, tier_of
from rawr.pages.parts.context import Ruler, ruler, scale_of
from rawr.pages.parts.scale import Scale
from rawr.views.numbers import short
from rawr.views.timeline import CompactionPoint, Timeline

ROWS = 8
GUTTER = 9
"""Columns for the amounts at the left."""
NAMES = 10
"""Columns for the tiers at the right; left out where there is little room."""
NARROW, NARROWEST, WIDEST = 60, 24, 140
BLOCKS = " ▁▂▃▄▅▆▇█"
_BY = {"rawr": "R", "codex": "C", "person": "P"}
_SAID = {"R": "compacted by rawr", "C": "by Codex itself", "P": "by a person", "!": "a compaction failed"}


def plot(timeline: Timeline, *, width: int, symbols: bool) -> Iterator[str]:
    """``width``: the columns of the terminal. ``symbols``: it can show more than ASCII."""
    if not timeline.points:
        return
    named = width >= NARROW and bool(timeline.bands)
    columns = max(min(width, WIDEST) - GUTTER - (NAMES if named else 0), NARROWEST)
    scale, rule = scale_of(timeline), ruler(timeline, None)
    bar, corner, floor = ("│", "└", "─") if symbols else ("|", "+", "-")
    heights = _heights(timeline, scale, rule, columns)
    tiers = _tiers(timeline, rule) if named else {}
    for row in range(ROWS - 1, -1, -1):
        amount = short(rule.top * (row + 1) // ROWS) if row in (ROWS - 1, ROWS // 2 - 1) else ""
        cells = "".join(_cell(height, row, symbols=symbols) for height in heights)
        yield f"{amount:>{GUTTER - 2}} {bar}{cells:<{columns}} {tiers.get(row, '')}".rstrip()
    yield f"{0:>{GUTTER - 2}} {corner}{floor * columns}"
    yield f"{'':{GUTTER}}{_marks(timeline, scale, columns, symbols=symbols)}".rstrip()
    yield f"{'':{GUTTER}}{_times(scale, columns)}".rstrip()
    yield f"{'':{GUTTER}}{_key(timeline, symbols=symbols)}"


def _heights(timeline: Timeline, scale: Scale, rule: Ruler, columns: int) -> list[int]:
    """In eighths of a row: the most in each column; where nothing was counted, it is as full as before."""
    found: list[int | None] = [None] * columns
    last: list[int | None] = [None] * columns
    for one in timeline.points:
        at = _column(scale, one.at, columns)
        height = max(round(one.tokens / rule.top * ROWS * 8), 1)
        found[at], last[at] = max(found[at] or 0, height), height
    heights, before = [], 0
    for most, newest in zip(found, last, strict=True):
        heights.append(before if most is None else most)
        before = before if newest is None else newest
    return heights


def _cell(height: int, row: int, *, symbols: bool) -> str:
    eighths = min(max(height - row * 8, 0), 8)
    return BLOCKS[eighths] if symbols else "#" if eighths >= 4 else "." if eighths and not row else " "


def _column(scale: Scale, at: int, columns: int) -> int:
    return min(int(scale.x(at) * columns / 100), columns - 1)


def _tiers(timeline: Timeline, rule: Ruler) -> dict[int, str]:
    """The name of each tier at the first row, from below, that is in it."""
    if rule.window is None:
        return {}
    found: dict[str, int] = {}
    for row in range(ROWS):
        left = percent_remaining(in_context=rule.top * (row + 1) // ROWS, window=rule.window) or 0
        found.setdefault(tier_of(left, timeline.bands), row)
    return {row: name for name, row in found.items() if name != "roomy"}


def _marks(timeline: Timeline, scale: Scale, columns: int, *, symbols: bool) -> str:
    """Compactions by whom; boundaries where there is none."""
    cells = [" "] * columns
    for boundary in timeline.boundaries:
        if boundary.gating:
            cells[_column(scale, boundary.at, columns)] = "•" if symbols else "o"
    for one in timeline.compactions:
        cells[_column(scale, one.at, columns)] = _letter(one)
    return "".join(cells)


def _letter(one: CompactionPoint) -> str:
    return _BY[one.by] if one.ok else "!"


def _times(scale: Scale, columns: int) -> str:
    step = 1_000 if scale.ended - scale.began < 600_000 else 60_000
    first, last = scale.label(scale.began, step), scale.label(scale.ended, step)
    return f"{first}{last:>{max(columns - len(first), len(last) + 1)}}"


def _key(timeline: Timeline, *, symbols: bool) -> str:
    letters = dict.fromkeys(_letter(one) for one in timeline.compactions)
    parts = [f"{letter} {_SAID[letter]}" for letter in letters]
    if any(one.gating for one in timeline.boundaries):
        parts.append(f"{'•' if symbols else 'o'} boundary")
    left = [one.percent_left for one in timeline.points if one.percent_left is not None]
    if left:
        parts.append(f"{left[-1]} % left, lowest {min(left)} %")
    return ", ".join(parts)


def plan(timeline: Timeline, *, width: int, symbols: bool) -> Iterator[str]:
    """How far the plan is, as a bar, and its steps."""
    if not timeline.progress:
        return
    newest = timeline.progress[-1]
    room = max(min(width - 24, 40), 10)
    filled = round(room * newest.done / newest.total) if newest.total else 0
    full, empty = ("█", "░") if symbols else ("#", ".")
    yield f"{full * filled}{empty * (room - filled)} {newest.done} of {newest.total} steps"
    yield from _steps((one.status, one.step) for one in timeline.plan)


def _steps(steps: Iterable[tuple[str, str]]) -> Iterator[str]:
    for status, step in steps:
        sign = {"completed": "✓", "in_progress": "▸"}.get(status, "○")
        yield f"{sign} {' '.join(step.split())}"

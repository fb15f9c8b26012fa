"""The screen as it is now, as text and as a small SVG: for pictures in docs and in tests. It loads nothing."""

from collections.abc import Sequence
from html import escape

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import DIMMED_MONOKAI
from textual.app import App
from textual.strip import Strip

CELL_W, CELL_H, SIZE = 8.4, 18, 14
_FONT = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def text_of(app: App[object]) -> str:
    """One line of text per line of the screen."""
    lines = ("".join(segment.text for segment in strip) for strip in _strips(app))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def svg_of(app: App[object]) -> str:
    ground = _colour(Style(bgcolor=app.screen.styles.background.rich_color).bgcolor) or "#000000"
    return svg_of_lines(_strips(app), columns=app.size.width, ground=ground)


def svg_of_lines(strips: Sequence[Strip], *, columns: int, ground: str) -> str:
    """Lines of any screen; ``ground`` is the colour behind them, as hex."""
    classes: dict[str, str] = {}
    body = [line for y, strip in enumerate(strips) for line in _line(strip, y, ground=ground, classes=classes)]
    width, height = columns * CELL_W, len(strips) * CELL_H
    rules = "".join(f".{name}{{{rule}}}" for rule, name in classes.items())
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {width:.0f} {height + 4:.0f}">',
            f"<style>text{{font:{SIZE}px {_FONT};white-space:pre}}{rules}</style>",
            f'<rect width="100%" height="100%" rx="6" fill="{ground}"/>',
            *body,
            "</svg>\n",
        )
    )


def _strips(app: App[object]) -> list[Strip]:
    return app.screen._compositor.render_strips()  # noqa: SLF001 - as Textual's own screenshots do


def _line(strip: Strip, y: int, *, ground: str, classes: dict[str, str]) -> list[str]:
    found: list[str] = []
    x = 0
    for text, style, cells in _runs(strip):
        back = _colour(style.bgcolor) if not style.reverse else _colour(style.color)
        if back is not None and back != ground:
            place = f'x="{x * CELL_W:.1f}" y="{y * CELL_H + 2}" width="{cells * CELL_W:.1f}" height="{CELL_H}"'
            found.append(f'<rect {place} fill="{back}"/>')
        if text.strip():
            name = classes.setdefault(_rule(style, ground), f"s{len(classes)}")
            place = f'x="{x * CELL_W:.1f}" y="{y * CELL_H + SIZE + 1}" textLength="{cells * CELL_W:.1f}"'
            found.append(f'<text {place} class="{name}">{escape(text)}</text>')
        x += cells
    return found


def _runs(strip: Strip) -> list[tuple[str, Style, int]]:
    """Segments of one style together."""
    found: list[tuple[str, Style, int]] = []
    for text, style, _ in Segment.simplify(iter(strip)):
        if text:
            found.append((text, style or Style.null(), Segment(text).cell_length))
    return found


def _rule(style: Style, ground: str) -> str:
    fore = _colour(style.bgcolor) or ground if style.reverse else _colour(style.color) or "#d5d8e0"
    more = ";font-weight:bold" if style.bold else ""
    more += ";font-style:italic" if style.italic else ""
    more += ";text-decoration:underline" if style.underline else ""
    more += ";opacity:.7" if style.dim else ""
    return f"fill:{fore}{more}"


def _colour(colour: RichColor | None) -> str | None:
    return None if colour is None or colour.is_default else colour.get_truecolor(DIMMED_MONOKAI).hex

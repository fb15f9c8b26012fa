"""A small table as lines: columns as wide as they need to be, cut where there is no room."""

from rich.text import Text

from rawr.tui.rendering.ink import Ink, cut

BETWEEN = 2
LEAST = 3


def table_lines(rows: list[list[Text]], width: int, ink: Ink) -> list[Text]:
    """The first row is the head."""
    columns = max((len(row) for row in rows), default=0)
    if not columns:
        return []
    widths = _widths(rows, columns, width)
    lines = [_line(row, widths, ink, head=number == 0) for number, row in enumerate(rows)]
    lines.insert(1, ink.text("─" * min(sum(widths) + BETWEEN * (columns - 1), width), "dim"))
    return lines


def _widths(rows: list[list[Text]], columns: int, width: int) -> list[int]:
    """The widest columns give way first."""
    widths = [max((row[at].cell_len for row in rows if at < len(row)), default=0) for at in range(columns)]
    room = max(width - BETWEEN * (columns - 1), columns * LEAST)
    while sum(widths) > room and max(widths) > LEAST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _line(row: list[Text], widths: list[int], ink: Ink, *, head: bool) -> Text:
    line = Text(end="")
    for at, size in enumerate(widths):
        cell = cut(_flat(row[at]), size) if at < len(row) else Text("")
        if head:
            cell.stylize(ink["strong"])
        line.append_text(cell)
        if at < len(widths) - 1:
            line.append(" " * (size - cell.cell_len + BETWEEN))
    return line


def _flat(text: Text) -> Text:
    return Text(" ").join(text.split("\n")) if "\n" in text.plain else text

"""Draws docs/terminal.svg: ``rawr demo --tui`` on the real Codex, in a real pseudo-terminal, as its screen was."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import pyte
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "terminal.svg"
SEEN = ("Context compacted", "Shipped: the haiku is tagged v1.")
sys.path.insert(0, str(ROOT))

from tests.e2e import terminal as terminals  # noqa: E402

from rawr.tui.picture import svg_of_lines  # noqa: E402

COLUMNS, ROWS = 150, 40
DEADLINE = 120


def main() -> None:
    terminals.COLUMNS = COLUMNS
    with tempfile.TemporaryDirectory(prefix="rawr-picture-") as folder:
        screen = asyncio.run(_screen(Path(folder)))
    strips = [_strip(screen, row) for row in range(ROWS)]
    PICTURE.write_text(svg_of_lines(strips, columns=COLUMNS, ground=_ground(screen)), "utf-8")
    print(f"wrote {os.path.relpath(PICTURE)}")


async def _screen(folder: Path) -> pyte.Screen:
    env = {**os.environ, "RAWR_HOME": str(folder / "home"), "HOME": str(folder), "COLORTERM": "truecolor"}
    command = (sys.executable, "-m", "rawr", "demo", "--tui")
    async with terminals.terminal(command, env=env, cwd=folder, rows=ROWS) as shown:
        await shown.until(lambda text: all(words in text for words in SEEN), deadline=DEADLINE)
        # The panel with the context over time; its title is on the tab before.
        shown.type("\x1b")
        await shown.until(lambda text: "? keys" in text, deadline=DEADLINE)
        shown.type("4")
        await shown.until(lambda text: "compacted by rawr" in text, deadline=DEADLINE)
        return shown.screen


def _ground(screen: pyte.Screen) -> str:
    """The colour of the last cell above the status line."""
    return _hex(screen.buffer[ROWS // 2][COLUMNS // 2].bg) or "#000000"


def _strip(screen: pyte.Screen, row: int) -> Strip:
    cells = [screen.buffer[row][column] for column in range(COLUMNS)]
    return Strip([Segment(cell.data, _style(cell)) for cell in cells if cell.data])


def _style(cell: pyte.screens.Char) -> Style:
    return Style(color=_hex(cell.fg), bgcolor=_hex(cell.bg), bold=cell.bold, italic=cell.italics, reverse=cell.reverse)


def _hex(colour: str) -> str | None:
    """pyte has names for the first colours, and six digits for the others."""
    if colour == "default":
        return None
    return f"#{colour}" if len(colour) == 6 and not colour.isalpha() else colour.replace("brown", "yellow")


if __name__ == "__main__":
    main()

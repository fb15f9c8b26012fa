"""Draws docs/demo.svg: ``rawr demo`` on the real Codex, as a terminal would show it.

The picture holds no link to a font or a style elsewhere, so that it looks the same wherever the README is read.
"""

import io
import os
import tempfile
from pathlib import Path

from rich.console import Console

from rawr.cli.commands.demo import play
from rawr.cli.terminal.conversation import Conversation
from rawr.cli.terminal.printers import RichPrinter
from rawr.codex import binary

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "demo.svg"
WIDTH = 104
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


class Still(RichPrinter):
    """A picture has no line that is redrawn."""

    def status(self, text: str) -> None:
        pass


def main() -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)
    with tempfile.TemporaryDirectory(prefix="rawr-picture-") as folder:
        summary = play(binary.find(), Path(folder), surface=Conversation(Still(console), brief=True))
    if not summary.ok:
        raise SystemExit("The demo did not come out well; the picture was not drawn.")
    svg = console.export_svg(title="rawr demo", code_format=FRAME, unique_id="rawr")
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n")
    print(f"wrote {os.path.relpath(PICTURE)}")


if __name__ == "__main__":
    main()

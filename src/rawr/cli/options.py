"""The options that every command has, declared once."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from rawr.cli import debugging

# What Typer raises for an invalid command line. The class is Click's, and newer versions of Typer bring their own
# Click; its public subclass leads to the right one either way.
UsageError: type[typer.BadParameter] = typer.BadParameter.__mro__[1]

MOST_LISTED = 100_000


class PlainUsage(TyperCommand):
    """Required arguments stand in the usage line by their names. Typer puts braces around them, which elsewhere mean a
    choice."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [one[1:-1] if one.startswith("{") else one for one in super().collect_usage_pieces(ctx)]


def named(ctx: typer.Context, param: typer.CallbackParam, value: str | None) -> str | None:
    """A given name must not be empty: an unset shell variable does not mean "the newest"."""
    source = ctx.get_parameter_source(param.name or "")
    given = source is not None and source.name == "COMMANDLINE"
    if given and value is not None and not value.strip():
        raise typer.BadParameter("it is empty.")
    return value


def a_path(text: str) -> Path:
    """An empty path would mean the current folder."""
    if not text.strip():
        raise typer.BadParameter("it is empty.")
    return Path(text)


CodexBin = Annotated[
    Path | None,
    typer.Option(
        "--codex-bin",
        metavar="FILE",
        parser=a_path,
        help="The Codex program. Default: config, then `codex` on PATH, then the bundled one.",
    ),
]
CodexHome = Annotated[
    Path | None,
    typer.Option(
        "--codex-home", metavar="DIR", parser=a_path, help="Codex's own home. Default: CODEX_HOME, then ~/.codex."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object per line (NDJSON) on stdout, and nothing else.")
]
Plain = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="For logs: no colours or symbols, one line per event; a command's output follows, indented.",
    ),
]
Tui = Annotated[
    bool,
    typer.Option("--tui", help="Open the terminal program (needs the extra `tui`); q leaves it, and work goes on."),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show prompts and packets in full, not only their first line.")
]
Foreground = Annotated[
    bool,
    typer.Option(
        "--foreground",
        help="Work in this process, not in a host that goes on when the terminal closes (also: RAWR_FOREGROUND=1).",
    ),
]
Detach = Annotated[
    bool, typer.Option("--detach", "-d", help="Return at once; the work goes on in the background (`rawr attach`).")
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="Print the traceback if something fails.", callback=debugging.switch, is_eager=True),
]

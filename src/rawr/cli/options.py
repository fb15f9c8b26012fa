"""The options that every command has, declared once."""

from pathlib import Path
from typing import Annotated

import typer

from rawr.cli import debugging

CodexBin = Annotated[
    Path | None,
    typer.Option(
        "--codex-bin",
        metavar="FILE",
        help="The Codex program. Default: config, then `codex` on PATH, then the bundled one.",
    ),
]
CodexHome = Annotated[
    Path | None,
    typer.Option("--codex-home", metavar="DIR", help="Codex's own home. Default: CODEX_HOME, then ~/.codex."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line on stdout, and nothing else there.")]
Plain = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="For logs: no colours, no symbols, one line an event; the output of a command follows on indented lines.",
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="On an error, print the traceback.", callback=debugging.switch, is_eager=True),
]

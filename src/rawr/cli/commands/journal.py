"""``rawr journal``: how large the record is, and taking out what nothing needs."""

import re
from typing import Annotated

import typer

from rawr.cli.options import Debug, Json

group = typer.Typer(
    name="journal",
    help="See how large rawr's record is, and remove what nothing needs.",
    short_help="See and shrink rawr's record.",
    epilog="rawr prunes by itself when it stops, at most once a day: journal.keep_days in config.toml says how much it "
    "keeps (30 days unless you change it; 0 turns it off).",
    invoke_without_command=True,
    rich_markup_mode=None,
)


def days(text: str) -> int:
    """``30d``, ``4w`` or a number of days."""
    found = re.fullmatch(r"(\d{1,5})([dw]?)", text.strip())
    number = int(found[1]) * (7 if found[2] == "w" else 1) if found is not None else 0
    if not number:
        raise typer.BadParameter(f"expected 1 to 99999 days or weeks, for example 30d or 4w, found {text!r}.")
    return number


Keep = Annotated[
    int | None,
    typer.Option(
        "--keep", metavar="TIME", parser=days, help="Keep at least this much, for example 30d. Default: from config."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")]

LetGo = Annotated[
    list[str] | None,
    typer.Option(
        "--let-go",
        metavar="RUN",
        help="Remove this run or thread instead, even if it could be resumed and however new it is. Repeatable.",
    ),
]


@group.callback()
def journal(ctx: typer.Context, *, json: Json = False, debug: Debug = False) -> None:
    """See how large rawr's record is, and remove what nothing needs. Without a command: its size."""
    if ctx.invoked_subcommand is None:
        size(json=json, debug=debug)


@group.command(short_help="Show how large the record is.")
def size(*, json: Json = False, debug: Debug = False) -> None:
    """Show how large the record is, since when it goes back, and what a month takes at this pace."""
    from rawr.cli.commands import journal_size

    raise typer.Exit(journal_size.run(json=json))


@group.command(short_help="Remove old threads that nothing needs.")
def prune(
    *, keep: Keep = None, let_go: LetGo = None, dry_run: DryRun = False, json: Json = False, debug: Debug = False
) -> None:
    """Remove threads on which nothing has happened for a while, and give their space back.

    Never removed: a run that you can resume (paused, stopped, failed or cut off), a thread with waiting messages, with
    something pinned, or with a damaged record, and threads that rawr will join again. --let-go gives up one that you
    name. Stop rawr first; with --dry-run it may be running.
    """
    from rawr.cli.commands import journal_prune

    if let_go and keep:
        raise typer.BadParameter("--let-go removes what you name; omit --keep.")
    raise typer.Exit(journal_prune.run(keep=keep, let_go=let_go or [], dry_run=dry_run, json=json))

"""The commands about what was decided: read it, explain it, judge it."""

from typing import Annotated, Literal

import typer

from rawr.cli.options import Debug, Json

app = typer.Typer()


@app.command(short_help="What was decided, newest last.")
def log(
    thread: Annotated[
        str, typer.Argument(metavar="[THREAD]", help="A thread's id or the end of it; with --label, a decision's.")
    ] = "",
    *,
    everything: Annotated[bool, typer.Option("--all", help="Also what was ignored.")] = False,
    label: Annotated[
        Literal["good", "bad"] | None,
        typer.Option(help="Say whether a decision was right. `rawr tune` learns from it."),
    ] = None,
    note: Annotated[str, typer.Option(help="With --label: why.")] = "",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Every decision that rawr made: when, why, and under which rules. `rawr explain` tells more of one.

    With --label it keeps your word on one decision: rawr log 3f2a:29.0 --label bad --note "the tests were red".
    """
    from rawr.cli import receipts

    if label is not None:
        if not thread:
            raise typer.BadParameter("--label needs the decision that it is about; `rawr log` lists them.")
        raise typer.Exit(receipts.label(thread, word=label, note=note, json=json))
    raise typer.Exit(receipts.log(thread=thread, json=json, everything=everything))


@app.command(short_help="One decision in plain words.")
def explain(
    decision: Annotated[str, typer.Argument(metavar="DECISION", help="Its name, as `rawr log` prints it.")],
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """What went in, what the guards saw, what came out, and what followed."""
    from rawr.cli import receipts

    raise typer.Exit(receipts.explain(decision, json=json))

"""The commands about what was decided: read it, explain it, label it, learn from it."""

from typing import Annotated, Literal

import typer

from rawr.cli.options import CodexBin, CodexHome, Debug, Json, named

app = typer.Typer()

# The same words as in rawr.core, which is not imported only to show a help text.
SignatureName = Literal[
    "compaction_judgment",
    "full_auto_decision",
    "tool_input",
    "guidance_router",
    "task_understanding",
    "planning",
    "guidance_directive",
    "guidance_decision",
]


@app.command(short_help="What was decided, newest last.")
def log(
    thread: Annotated[
        str,
        typer.Argument(
            metavar="[THREAD]", callback=named, help="A thread's id or the end of it; with --label, a decision's."
        ),
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

    With --label it keeps your word on one decision: rawr log 3f2a:29/0 --label bad --note "the tests were red".
    """
    from rawr.cli.commands import receipts

    if label is not None:
        if not thread:
            raise typer.BadParameter("--label needs the decision that it is about; `rawr log` lists them.")
        raise typer.Exit(receipts.label(thread, word=label, note=note, json=json))
    raise typer.Exit(receipts.log(thread=thread, json=json, everything=everything))


@app.command(short_help="One decision in plain words.")
def explain(
    decision: Annotated[
        str, typer.Argument(metavar="DECISION", callback=named, help="Its name, as `rawr log` prints it.")
    ],
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """What went in, what the guards saw, what came out, and what followed."""
    from rawr.cli.commands import receipts

    raise typer.Exit(receipts.explain(decision, json=json))


Signature = Annotated[
    SignatureName | None,
    typer.Option(
        metavar="NAME", help="What is to learn. Without it: what there is to learn from, and what was learned."
    ),
]
Model = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        callback=named,
        help="Whom to ask for the scores: codex, codex:MODEL, ollama:MODEL or openai:MODEL. "
        "Default: the first that answers of the order in [rawr_models].",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Save it also if it is worse than before.")]
Reset = Annotated[bool, typer.Option("--reset", help="Go back: remove what was learned.")]


@app.command(short_help="Let what models are asked learn from your labels.")
def tune(
    *,
    signature: Signature = None,
    model: Model = "",
    force: Force = False,
    reset: Reset = False,
    json: Json = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Learn from the answers of models that you called good or bad (rawr log DECISION --label), or overrode.

    The good ones become examples that go with every question of that kind. A model is asked the questions of labelled
    receipts again, without and with them, 48 at most; the program is saved in RAWR_HOME/tuned with both scores, unless
    it is worse than before. Exit code 1 where labels are too few or nothing was saved.
    """
    from rawr.cli.commands import tune as command
    from rawr.cli.commands.guiding import model_name
    from rawr.errors import OutsideError

    if signature is None:
        if reset or force or model:
            raise typer.BadParameter("--model, --force and --reset need a --signature.")
        raise typer.Exit(command.overview(json=json))
    if reset:
        if force or model:
            raise typer.BadParameter("--reset goes with neither --model nor --force.")
        raise typer.Exit(command.reset(signature, json=json))
    try:
        chosen = model_name(model) if model else ""
    except OutsideError as error:
        raise typer.BadParameter(str(error), param_hint="--model") from error
    wanted = command.Wanted(signature, chosen, force)
    raise typer.Exit(command.run(wanted, json=json, codex_bin=codex_bin, codex_home=codex_home))

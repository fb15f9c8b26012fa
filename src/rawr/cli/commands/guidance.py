"""``rawr guidance``: what guidance makes of a turn, without a run and without touching Codex's threads (C15)."""

from pathlib import Path
from typing import Annotated

import typer

from rawr.cli.options import CodexBin, CodexHome, Debug, Json, a_path, named

group = typer.Typer(
    name="guidance",
    help="See what guidance makes of a message and a turn, step by step.",
    short_help="See what guidance makes of a turn.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@group.callback()
def root() -> None:
    """See what guidance makes of a message and a turn, step by step."""


def _a_model(text: str) -> str:
    from rawr.cli.commands.guiding import model_name
    from rawr.errors import OutsideError

    try:
        return model_name(text)
    except OutsideError as error:
        raise typer.BadParameter(str(error)) from error


TurnSummary = Annotated[
    Path,
    typer.Option("--summary", metavar="FILE", parser=a_path, show_default=False, help="A turn's summary, as JSON."),
]
Inputs = Annotated[
    Path | None,
    typer.Option("--inputs", metavar="FILE", parser=a_path, help="Message, goal, rules and folder, as JSON."),
]
Goal = Annotated[
    str,
    typer.Option("--goal", metavar="TEXT", callback=named, help="The goal of the work. Overrides the one in --inputs."),
]
Success = Annotated[
    list[str] | None,
    typer.Option("--success", metavar="TEXT", help="What must be true at the end. May be repeated."),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        parser=_a_model,
        help="codex, codex:MODEL, ollama:MODEL or openai:MODEL. "
        "Default: OPENAGENTS_GUIDANCE_MODEL, then the setting rawr_models.order.",
    ),
]


@group.command(short_help="Run guidance on a turn's summary.")
def demo(
    *,
    summary: TurnSummary,
    inputs: Inputs = None,
    goal: Goal = "",
    success: Success = None,
    model: Model = None,
    json: Json = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Take a turn's summary through the steps of guidance, and show each of them: where the message goes, what it asks
    for, a plan, the next directive, and the decision. Sends nothing to an agent, and touches no thread.

    If no model answers, the rules decide and the output says so; that is not an error.

    The summary is a JSON object. Only last_turn_status is required:

    \b
      {"last_turn_status": "completed", "turn_error": "",
       "turn_plan": [{"step": "Port the lexer", "status": "completed"},
                     {"step": "Port the parser", "status": "pending"}],
       "diff_summary": [{"path": "src/lexer.py", "added": 40, "removed": 12}],
       "token_usage": "81000, 68 % left", "pending_approvals": 0,
       "recent_actions": ["make test"], "last_message": "The lexer is ported."}

    --inputs is another JSON object; every field is optional:

    \b
      {"message": "go", "goal": "Port it.", "success": ["make test passes"],
       "directives": ["Never push."], "workspace": "."}

    Exit codes: 0 done, with or without a model; 64 a flag is wrong; 78 a file cannot be used.
    """
    from rawr.cli.commands import guidance_demo

    wanted = guidance_demo.Wanted(summary, inputs, goal, tuple(success or ()), model or "")
    raise typer.Exit(guidance_demo.run(wanted, json=json, codex_bin=codex_bin, codex_home=codex_home))

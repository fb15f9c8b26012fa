"""The options of the commands about runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from rawr.cli import completing
from rawr.cli.options import a_path, named

# The same words as in rawr.core, which is not imported only to show a help text.
ApprovalMode = Literal["never", "policy", "ask"]
Unsafe = Literal["wait", "decline"]
ReviewMode = Literal["never", "on-error", "at-end"]
CheckMode = Literal["every-turn", "on-claim"]
Sandbox = Literal["read-only", "workspace-write", "danger-full-access"]
MOST_TURNS = 100_000
MOST = 10**12
MOST_COST = 10**9


def _some_money(value: float | None) -> float | None:
    if value is not None and not 0 < value <= MOST_COST:
        raise typer.BadParameter(f"it must be more than 0 and at most {MOST_COST:,}, not {value:g}.")
    return value


Name = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        callback=named,
        help="A run id (such as r12), or the id of its thread.",
        autocompletion=completing.runs,
    ),
]
Newest = Annotated[
    str,
    typer.Argument(
        metavar="[RUN]",
        callback=named,
        help="A run id (such as r12), or the id of its thread. Default: the newest.",
        show_default=False,
        autocompletion=completing.runs,
    ),
]
Words = Annotated[str, typer.Argument(metavar="TEXT", callback=named, help="The agent's next message.")]
Request = Annotated[
    str, typer.Argument(metavar="ID", callback=named, help="The request, as `rawr approvals` lists it.")
]
MaxTurns = Annotated[
    int | None,
    typer.Option("--max-turns", metavar="N", min=1, max=MOST_TURNS, help="Stop after N turns. Default: 200."),
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", metavar="N", min=1, max=MOST, help="Stop after N tokens.")
]
MaxMinutes = Annotated[
    int | None, typer.Option("--max-minutes", metavar="N", min=1, max=MOST, help="Stop after N minutes of work.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="N",
        callback=_some_money,
        help="Stop at this cost (more than 0); needs the rawr_full_auto.price_… settings.",
    ),
]
Prompt = Annotated[
    str,
    typer.Argument(
        metavar="PROMPT",
        callback=named,
        help="The job, in your own words; @FILE reads it from a file, - from standard input. Or use --tasks.",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option("-C", "--cd", metavar="DIR", parser=a_path, help="The folder to work in. Default: the current one."),
]
Done = Annotated[
    str | None,
    typer.Option(
        "--done", metavar="CMD", callback=named, help="The job is done only if this command exits with code 0."
    ),
]
HowApproved = Annotated[
    ApprovalMode | None,
    typer.Option(
        "--approvals", metavar="HOW", help="never, policy (approve what is provably safe) or ask. Default: policy."
    ),
]
IfUnsafe = Annotated[
    Unsafe | None,
    typer.Option("--unsafe", metavar="HOW", help="If a request is not provably safe: wait (for you) or decline."),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="WORDS",
        help="Also approve commands that begin with these words, for example 'git commit', as far as "
        "`rawr approvals opens` lists. May be repeated.",
    ),
]
WhenChecked = Annotated[
    CheckMode | None,
    typer.Option(
        "--check",
        metavar="WHEN",
        help="When to run the --done command: every-turn (a slow one less often) or on-claim. Default: every-turn.",
    ),
]
WhenReviewed = Annotated[
    ReviewMode | None,
    typer.Option(
        "--review", metavar="WHEN", help="When to run Codex's own review: never, on-error or at-end. Default: never."
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        parser=a_path,
        help="Settings for this run, in the format of config.toml. If one is wrong, nothing starts.",
    ),
]
Tasks = Annotated[
    Path | None,
    typer.Option("--tasks", metavar="FILE", parser=a_path, help="Many jobs: a YAML list, or one JSON object per line."),
]
Resume = Annotated[
    str,
    typer.Option(
        "--resume", metavar="RUN", callback=named, help="Continue a run; with a PROMPT, start a new run on its thread."
    ),
]
DropMessages = Annotated[
    bool, typer.Option("--drop-messages", help="Drop the messages that wait on the thread, instead of sending them.")
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME",
        help="Also send this variable of your terminal to the host; * stands for any text. May be repeated.",
    ),
]
Notify = Annotated[
    str,
    typer.Option(
        "--notify",
        metavar="CMD",
        callback=named,
        help="Run this shell command on a question, pause, stop or failure, and when the job is done. "
        "RAWR_OCCASION and RAWR_TEXT say what it is; JSON on its stdin says more.",
    ),
]
TakeGoal = Annotated[bool, typer.Option("--take-goal", help="Take over even if Codex is pursuing a goal of its own.")]
Guided = Annotated[
    bool | None,
    typer.Option(
        "--guidance/--no-guidance",
        help="Understand and plan the job first, and direct each turn. Default: OPENAGENTS_GUIDANCE_MODE.",
        show_default=False,
    ),
]
Goal = Annotated[
    str | None,
    typer.Option("--goal", metavar="TEXT", callback=named, help="With --guidance: the goal, if PROMPT is just “go”."),
]
Attach = Annotated[
    bool, typer.Option("--attach", help="Use the Codex that is already running instead of starting one.")
]
SandboxMode = Annotated[
    Sandbox | None,
    typer.Option(
        "--sandbox",
        metavar="MODE",
        help="read-only, workspace-write (default) or danger-full-access. With --resume: the thread's own.",
    ),
]
Model = Annotated[str, typer.Option("--model", metavar="NAME", callback=named, help="Default: Codex's own.")]

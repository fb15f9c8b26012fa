"""The commands about runs: order one, and talk to one that is under way."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rawr.cli.exit_codes import Exit
from rawr.cli.options import CodexBin, CodexHome, Debug, Json, Plain, a_path, named

if TYPE_CHECKING:
    from rawr.cli.commands.tasks import TaskSpec

app = typer.Typer()

# The same words as in rawr.core, which is not imported only to show a help text.
Approvals = Literal["never", "policy", "ask"]
Unsafe = Literal["wait", "decline"]
Review = Literal["never", "on-error", "at-end"]
Sandbox = Literal["read-only", "workspace-write", "danger-full-access"]
MOST_TURNS = 100_000
MOST = 10**12
MOST_COST = 10**9


def _some_money(value: float | None) -> float | None:
    if value is not None and not 0 < value <= MOST_COST:
        raise typer.BadParameter(f"{value:g} is not more than 0 and at most {MOST_COST:,}.")
    return value


Name = Annotated[str, typer.Argument(metavar="RUN", callback=named, help="A run's id (r12), or its thread's.")]
Words = Annotated[str, typer.Argument(metavar="TEXT", callback=named, help="What the agent is told next.")]
Request = Annotated[
    str, typer.Argument(metavar="ID", callback=named, help="The request, as `rawr approvals` lists it.")
]
MaxTurns = Annotated[
    int | None,
    typer.Option("--max-turns", min=1, max=MOST_TURNS, help="Stop after so many turns. Default: 200."),
]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", min=1, max=MOST, help="Stop after so many tokens.")]
MaxMinutes = Annotated[
    int | None, typer.Option("--max-minutes", min=1, max=MOST, help="Stop after so many minutes of work.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        callback=_some_money,
        help="Stop at this cost, which is more than 0; needs the prices in [rawr_full_auto].",
    ),
]


@app.command(short_help="Full Auto: work turn after turn until it is done, checked.")
def run(
    prompt: Annotated[
        str, typer.Argument(metavar="PROMPT", callback=named, help="The job, in your words. Or use --tasks.")
    ] = "",
    *,
    folder: Annotated[
        Path | None,
        typer.Option("-C", "--cd", metavar="DIR", parser=a_path, help="Where to work. Default: here."),
    ] = None,
    done: Annotated[
        str | None,
        typer.Option(
            "--done",
            metavar="CMD",
            callback=named,
            help="Only if this command ends with exit code 0 is the job done.",
        ),
    ] = None,
    max_turns: MaxTurns = None,
    max_tokens: MaxTokens = None,
    max_minutes: MaxMinutes = None,
    max_cost: MaxCost = None,
    approvals: Annotated[
        Approvals | None,
        typer.Option(
            "--approvals", metavar="HOW", help="never, policy (what is provably safe) or ask. Default: policy."
        ),
    ] = None,
    unsafe: Annotated[
        Unsafe | None,
        typer.Option("--unsafe", metavar="HOW", help="What is not provably safe: wait (for you) or decline."),
    ] = None,
    review: Annotated[
        Review | None,
        typer.Option("--review", metavar="WHEN", help="Codex's own review: never, on-error or at-end. Default: never."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            metavar="FILE",
            parser=a_path,
            help="Settings for this run, written as in config.toml. If one is wrong, nothing is started.",
        ),
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(
            "--tasks", metavar="FILE", parser=a_path, help="Many jobs: a YAML list, or one JSON object a line."
        ),
    ] = None,
    resume: Annotated[
        str,
        typer.Option(
            "--resume",
            metavar="RUN",
            callback=named,
            help="Go on with a run; with a PROMPT, a new run on that thread.",
        ),
    ] = "",
    take_goal: Annotated[
        bool, typer.Option("--take-goal", help="Take over from a goal that Codex has itself.")
    ] = False,
    guidance: Annotated[
        bool | None,
        typer.Option(
            "--guidance/--no-guidance",
            help="Understand and plan the job first, and direct each turn. Default: OPENAGENTS_GUIDANCE_MODE.",
            show_default=False,
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option("--goal", metavar="TEXT", callback=named, help="With --guidance: the goal, where PROMPT is “go”."),
    ] = None,
    attach: Annotated[
        bool, typer.Option("--attach", help="Use the Codex that runs already, not one of rawr's.")
    ] = False,
    sandbox: Annotated[
        Sandbox | None,
        typer.Option(
            "--sandbox",
            metavar="MODE",
            help="read-only, workspace-write (default) or danger-full-access. With --resume: what the thread has.",
        ),
    ] = None,
    model: Annotated[str, typer.Option("--model", metavar="NAME", callback=named, help="Default: Codex's own.")] = "",
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Give Codex a job and let it work, turn after turn, until it is done or something stops it.

    With --done the job is done when that command says so, and not before: a claim that fails the check goes back to the
    agent with the output. Without it the agent's own word counts, and the summary says "self_reported".

    With --tasks these flags are the defaults of tasks that do not say otherwise: -C, --done, the budgets, --approvals,
    --unsafe, --review, --take-goal, --guidance.

    Ctrl-C pauses; twice stops. A run that is paused or stopped, or whose machine went down, goes on with `rawr resume`.
    Exit codes: 0 done, 2 paused, 3 stopped by a guard or a budget, 4 failed.
    """
    from rawr.cli.commands import run as command
    from rawr.cli.commands.tasks import read_tasks

    said: dict[str, object] = {
        "dir": None if folder is None else str(folder),
        "done": done,
        "max_turns": max_turns,
        "max_tokens": max_tokens,
        "max_minutes": max_minutes,
        "max_cost": max_cost,
        "approvals": approvals,
        "unsafe": unsafe,
        "review": review,
        "take_goal": take_goal,
        "goal": goal,
    }
    given = {name: value for name, value in said.items() if value not in (None, False)}
    if guidance is not None:
        given["guidance"] = guidance
    if bool(tasks) == bool(prompt or resume):
        raise typer.BadParameter(
            "give a PROMPT, or --tasks FILE, or --resume RUN; a PROMPT may go with --resume THREAD"
        )
    if resume:
        _refuse_idle({**given, "model": model, "sandbox": sandbox}, prompt=prompt)
    flags = _flags(given, prompt=prompt)
    specs: tuple[TaskSpec, ...] = (flags,) if prompt else ()
    if tasks is not None:
        if folder is not None and not str(folder).startswith("~"):
            # Paths in the file are relative to the file; this one is relative to here.
            given["dir"] = str(folder.absolute())
        specs = read_tasks(tasks, defaults=given)
    wanted = command.Wanted(
        tasks=specs,
        base=tasks.parent if tasks is not None else Path(),
        resume=resume,
        limits=flags,
        take_goal=take_goal,
        policy=policy,
        model=model,
        sandbox=sandbox or "",
        attach=attach,
        json=json,
        plain=plain,
    )
    start = command.run if wanted.tasks else command.resume
    raise typer.Exit(start(wanted, codex_bin=codex_bin, codex_home=codex_home))


OF_A_RUN = frozenset({"max_turns", "max_tokens", "max_minutes", "max_cost", "take_goal"})
"""What may be said anew when a run is resumed."""
OF_A_THREAD = frozenset({"dir", "model"})
"""What a thread that is there has already."""


def _refuse_idle(given: Mapping[str, object], *, prompt: str) -> None:
    """Nothing that is said may be without effect."""
    idle = [
        name for name, value in given.items() if value and (name in OF_A_THREAD if prompt else name not in OF_A_RUN)
    ]
    if idle:
        flags = ", ".join("-C" if name == "dir" else f"--{name.replace('_', '-')}" for name in idle)
        why = "the thread has its own" if prompt else "the run keeps what it was ordered with; only budgets can change"
        raise typer.BadParameter(f"{flags} cannot be said with --resume: {why}.")


def _flags(given: Mapping[str, object], *, prompt: str) -> "TaskSpec":
    from rawr.cli.commands.tasks import spec_of
    from rawr.errors import ConfigError

    try:
        return spec_of({"prompt": prompt or "-", **given})
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


@app.command(short_help="Go on with a run that is paused or stopped, also after a restart.")
def resume(
    name: Name,
    *,
    max_turns: MaxTurns = None,
    max_tokens: MaxTokens = None,
    max_minutes: MaxMinutes = None,
    max_cost: MaxCost = None,
    take_goal: Annotated[
        bool, typer.Option("--take-goal", help="Take over from a goal that Codex has itself.")
    ] = False,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Go on with a run, from what its journal and Codex's own history say. Budgets that are given replace the old ones.

    If a rawr has the run in hand right now it is told; otherwise this starts one and stays with it, as `rawr run` does.
    """
    from rawr.cli.commands import run as command

    budgets = {"max_turns": max_turns, "max_tokens": max_tokens, "max_minutes": max_minutes, "max_cost": max_cost}
    given = {name: value for name, value in budgets.items() if value is not None}
    limits = _flags(given, prompt="")
    wanted = command.Wanted(resume=name, limits=limits, take_goal=take_goal, json=json, plain=plain)
    raise typer.Exit(command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Pause a run at the end of its turn.")
def pause(
    name: Name,
    *,
    now: Annotated[bool, typer.Option("--now", help="Interrupt the running turn.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Pause a run. A compaction that is under way is not cut in two: then it is paused right after it."""
    from rawr.cli.commands import control as command
    from rawr.core.vocabulary.facts import RunPauseSubmitted

    raise typer.Exit(command.to_run(RunPauseSubmitted(now=now), name, json=json))


@app.command(short_help="Stop a run.")
def stop(name: Name, *, json: Json = False, debug: Debug = False) -> None:
    """Stop a run; its turn is interrupted. `rawr resume` can still go on with it."""
    from rawr.cli.commands import control as command
    from rawr.core.vocabulary.facts import RunStopSubmitted

    raise typer.Exit(command.to_run(RunStopSubmitted(), name, json=json))


@app.command(short_help="Decide yourself what a run does next.")
def override(
    name: Name,
    text: Words,
    *,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Put your own message in the place of what rawr would say next. A run that is paused goes on with it.

    If a rawr has the run in hand right now it is told; otherwise this starts one and stays with it, as `rawr resume`
    does.
    """
    from rawr.cli.commands import run as command

    wanted = command.Wanted(resume=name, say=text, json=json, plain=plain)
    raise typer.Exit(command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Answer a question of the agent.")
def answer(
    name: Name,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", callback=named, help="A number of the options, or your own words.")
    ],
    *,
    request: Annotated[
        str, typer.Option("--request", metavar="ID", callback=named, help="Which one. Default: the oldest.")
    ] = "",
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Answer what the agent asked. `rawr approvals` lists what waits.

    A run that was paused because nobody answered in time goes on with the answer, as `rawr resume` does.
    """
    from rawr.cli.commands import run as command
    from rawr.cli.commands import waiting

    def go_on(run: str, words: str) -> Exit:
        wanted = command.Wanted(resume=run, say=words, json=json, plain=plain)
        return command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home)

    raise typer.Exit(waiting.answer(name, request, text, go_on=go_on, json=json))


@app.command(short_help="Approve what the agent asked for.")
def approve(
    request: Request,
    *,
    session: Annotated[bool, typer.Option("--session", help="And the same again in this session.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Approve one request."""
    from rawr.cli.commands import waiting

    raise typer.Exit(waiting.decide(request, "a" if session else "y", json=json))


@app.command(short_help="Decline what the agent asked for.")
def deny(
    request: Request,
    *,
    end_turn: Annotated[bool, typer.Option("--end-turn", help="And end the turn.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Decline one request; the agent goes on without."""
    from rawr.cli.commands import waiting

    raise typer.Exit(waiting.decide(request, "c" if end_turn else "n", json=json))

"""The commands about runs: order one, and talk to one that is under way."""

from pathlib import Path
from typing import Annotated

import typer

from rawr.cli.exit_codes import Exit
from rawr.cli.options import CodexBin, CodexHome, Debug, Json, Plain

app = typer.Typer()

Name = Annotated[str, typer.Argument(metavar="RUN", help="A run's id (r12), or its thread's.")]
MaxTurns = Annotated[int | None, typer.Option("--max-turns", min=1, help="Stop after so many turns. Default: 200.")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", min=1, help="Stop after so many tokens.")]
MaxMinutes = Annotated[int | None, typer.Option("--max-minutes", min=1, help="Stop after so many minutes of work.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="Stop at this cost; needs the prices in [rawr_full_auto].")
]


@app.command(short_help="Full Auto: work turn after turn until it is done, checked.")
def run(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="The job, in your words. Or use --tasks.")] = "",
    *,
    folder: Annotated[Path, typer.Option("-C", "--cd", metavar="DIR", help="Where to work. Default: here.")] = Path(),
    done: Annotated[
        str, typer.Option("--done", metavar="CMD", help="Only if this command ends with exit code 0 is the job done.")
    ] = "",
    max_turns: MaxTurns = None,
    max_tokens: MaxTokens = None,
    max_minutes: MaxMinutes = None,
    max_cost: MaxCost = None,
    approvals: Annotated[
        str | None,
        typer.Option(
            "--approvals", metavar="HOW", help="never, policy (what is provably safe) or ask. Default: policy."
        ),
    ] = None,
    unsafe: Annotated[
        str | None,
        typer.Option("--unsafe", metavar="HOW", help="What is not provably safe: wait (for you) or decline."),
    ] = None,
    review: Annotated[
        str | None,
        typer.Option("--review", metavar="WHEN", help="Codex's own review: never, on-error or at-end. Default: never."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FILE", help="Settings for this run, written as in config.toml."),
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option("--tasks", metavar="FILE", help="Many jobs: a YAML list, or one JSON object a line.")
    ] = None,
    resume: Annotated[str, typer.Option("--resume", metavar="RUN", help="Go on with a run or thread instead.")] = "",
    take_goal: Annotated[
        bool, typer.Option("--take-goal", help="Take over from a goal that Codex has itself.")
    ] = False,
    attach: Annotated[
        bool, typer.Option("--attach", help="Use the Codex that runs already, not one of rawr's.")
    ] = False,
    sandbox: Annotated[
        str,
        typer.Option("--sandbox", metavar="MODE", help="read-only, workspace-write (default) or danger-full-access."),
    ] = "workspace-write",
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="Default: Codex's own.")] = "",
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Give Codex a job and let it work, turn after turn, until it is done or something stops it.

    With --done the job is done when that command says so, and not before: a claim that fails the check goes back to the
    agent with the output. Without it the agent's own word counts, and the summary says "self_reported".

    Ctrl-C pauses; twice stops. A run that is paused or stopped, or whose machine went down, goes on with `rawr resume`.
    Exit codes: 0 done, 2 paused, 3 stopped by a guard or a budget, 4 failed.
    """
    from rawr.cli import run as command
    from rawr.cli.tasks import TaskSpec, read_tasks, spec_of

    given = {
        "dir": str(folder),
        "done": done,
        "max_turns": max_turns,
        "max_tokens": max_tokens,
        "max_minutes": max_minutes,
        "max_cost": max_cost,
        "approvals": approvals,
        "unsafe": unsafe,
        "review": review,
        "take_goal": take_goal,
    }
    if sum(map(bool, (prompt, tasks, resume))) != 1:
        raise typer.BadParameter("give a PROMPT, or --tasks FILE, or --resume RUN")
    if sandbox not in command.SANDBOXES:
        raise typer.BadParameter(f"--sandbox has no mode {sandbox}: {', '.join(command.SANDBOXES)}")
    specs: tuple[TaskSpec, ...] = ()
    if tasks is not None:
        specs = read_tasks(tasks)
    elif prompt:
        specs = (spec_of({"prompt": prompt, **given}),)
    wanted = command.Wanted(
        tasks=specs,
        base=tasks.parent if tasks is not None else Path(),
        resume=resume,
        budgets=command.budgets_of(given),
        policy=policy,
        model=model,
        sandbox=command.SANDBOXES[sandbox],
        attach=attach,
        json=json,
        plain=plain,
    )
    raise typer.Exit(command.run(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Go on with a run that is paused or stopped, also after a restart.")
def resume(
    name: Name,
    *,
    max_turns: MaxTurns = None,
    max_tokens: MaxTokens = None,
    max_minutes: MaxMinutes = None,
    max_cost: MaxCost = None,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Go on with a run, from what its journal and Codex's own history say. Budgets that are given replace the old ones.

    If a rawr has the run in hand right now it is told; otherwise this starts one and stays with it, as `rawr run` does.
    """
    from rawr.cli import run as command

    budgets = {"max_turns": max_turns, "max_tokens": max_tokens, "max_minutes": max_minutes, "max_cost": max_cost}
    wanted = command.Wanted(resume=name, budgets=command.budgets_of(budgets), json=json, plain=plain)
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
    from rawr.cli import control as command
    from rawr.core.facts import RunPauseSubmitted

    raise typer.Exit(command.run(RunPauseSubmitted(now=now), thread=name, json=json))


@app.command(short_help="Stop a run.")
def stop(name: Name, *, json: Json = False, debug: Debug = False) -> None:
    """Stop a run; its turn is interrupted. `rawr resume` can still go on with it."""
    from rawr.cli import control as command
    from rawr.core.facts import RunStopSubmitted

    raise typer.Exit(command.run(RunStopSubmitted(), thread=name, json=json))


@app.command(short_help="Decide yourself what a run does next.")
def override(
    name: Name,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the agent is told next.")],
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Put your own message in the place of what rawr would say next. A run that is paused goes on with it."""
    from rawr.cli import control as command
    from rawr.core.facts import RunOverridden

    raise typer.Exit(command.run(RunOverridden(text=text), thread=name, json=json))


@app.command(short_help="Answer a question of the agent.")
def answer(
    name: Name,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A number of the options, or your own words.")],
    *,
    request: Annotated[str, typer.Option("--request", metavar="ID", help="Which one. Default: the oldest.")] = "",
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Answer what the agent asked. `rawr approvals` lists what waits.

    A run that was paused because nobody answered in time goes on with the answer, as `rawr resume` does.
    """
    from rawr.cli import run as command
    from rawr.cli import waiting

    def go_on(run: str, words: str) -> Exit:
        wanted = command.Wanted(resume=run, say=words, json=json, plain=plain)
        return command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home)

    raise typer.Exit(waiting.reply(name, request, text, resume=go_on, json=json))


def _no_run(_run: str, _words: str) -> Exit:
    """An approval that was declined cannot be given any more."""
    return Exit.PROBLEM


@app.command(short_help="Approve what the agent asked for.")
def approve(
    request: Annotated[str, typer.Argument(metavar="ID", help="The request, as `rawr approvals` lists it.")],
    *,
    session: Annotated[bool, typer.Option("--session", help="And the same again in this session.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Approve one request."""
    from rawr.cli import waiting

    raise typer.Exit(waiting.reply("", request, "a" if session else "y", resume=_no_run, json=json))


@app.command(short_help="Decline what the agent asked for.")
def deny(
    request: Annotated[str, typer.Argument(metavar="ID", help="The request, as `rawr approvals` lists it.")],
    *,
    end_turn: Annotated[bool, typer.Option("--end-turn", help="And end the turn.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Decline one request; the agent goes on without."""
    from rawr.cli import waiting

    raise typer.Exit(waiting.reply("", request, "c" if end_turn else "n", resume=_no_run, json=json))

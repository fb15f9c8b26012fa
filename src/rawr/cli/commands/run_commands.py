"""The commands about runs: order one, and talk to one that is under way."""

from typing import Annotated, Any, NoReturn

import typer

from rawr.cli.commands import run_options as o
from rawr.cli.exit_codes import Exit
from rawr.cli.options import CodexBin, CodexHome, Debug, Json, Plain, named

app = typer.Typer()


@app.command(short_help="Full Auto: work turn after turn until it is done, checked.")
def run(
    prompt: o.Prompt = "",
    *,
    folder: o.Folder = None,
    done: o.Done = None,
    max_turns: o.MaxTurns = None,
    max_tokens: o.MaxTokens = None,
    max_minutes: o.MaxMinutes = None,
    max_cost: o.MaxCost = None,
    approvals: o.HowApproved = None,
    unsafe: o.IfUnsafe = None,
    review: o.WhenReviewed = None,
    policy: o.PolicyFile = None,
    tasks: o.Tasks = None,
    resume: o.Resume = "",
    take_goal: o.TakeGoal = False,
    guidance: o.Guided = None,
    goal: o.Goal = None,
    attach: o.Attach = False,
    sandbox: o.SandboxMode = None,
    model: o.Model = "",
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
    flags: dict[str, Any] = locals()
    from rawr.cli.commands import run as command
    from rawr.cli.commands.run_flags import wanted_by

    wanted = wanted_by(flags)
    start = command.run if wanted.tasks else command.resume
    raise typer.Exit(start(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Go on with a run that is paused or stopped, also after a restart.")
def resume(
    name: o.Name,
    *,
    max_turns: o.MaxTurns = None,
    max_tokens: o.MaxTokens = None,
    max_minutes: o.MaxMinutes = None,
    max_cost: o.MaxCost = None,
    take_goal: o.TakeGoal = False,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Go on with a run, from what its journal and Codex's own history say. Budgets that are given replace the old ones.

    If a rawr is running it already, that one goes on; otherwise this starts one and stays with it, as `rawr run` does.
    """
    from rawr.cli.commands import run as command
    from rawr.cli.commands.ordering import Wanted
    from rawr.cli.commands.run_flags import spec_from

    budgets = {"max_turns": max_turns, "max_tokens": max_tokens, "max_minutes": max_minutes, "max_cost": max_cost}
    wanted = Wanted(resume=name, limits=spec_from(budgets), take_goal=take_goal, json=json, plain=plain)
    raise typer.Exit(command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Pause a run at the end of its turn.")
def pause(
    name: o.Name,
    *,
    now: Annotated[bool, typer.Option("--now", help="Interrupt the running turn.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Pause a run. A compaction that is under way is not cut in two: then it is paused right after it."""
    from rawr.cli.commands import control
    from rawr.core.vocabulary.facts import RunPauseSubmitted

    raise typer.Exit(control.to_run(RunPauseSubmitted(now=now), name, json=json))


@app.command(short_help="Stop a run.")
def stop(name: o.Name, *, json: Json = False, debug: Debug = False) -> None:
    """Stop a run; its turn is interrupted. `rawr resume` can still go on with it."""
    from rawr.cli.commands import control
    from rawr.core.vocabulary.facts import RunStopSubmitted

    raise typer.Exit(control.to_run(RunStopSubmitted(), name, json=json))


@app.command(short_help="Decide yourself what a run does next.")
def override(
    name: o.Name,
    text: o.Words,
    *,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Put your own message in the place of what rawr would say next. A run that is paused goes on with it.

    If a rawr is running it already, that one is told; otherwise this starts one and stays with it, as `rawr resume`
    does.
    """
    from rawr.cli.commands import run as command
    from rawr.cli.commands.ordering import Wanted

    wanted = Wanted(resume=name, say=text, json=json, plain=plain)
    raise typer.Exit(command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Answer a question of the agent.")
def answer(
    name: o.Name,
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
    from rawr.cli.commands.ordering import Wanted

    def go_on(run: str, words: str) -> Exit:
        wanted = Wanted(resume=run, say=words, json=json, plain=plain)
        return command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home)

    raise typer.Exit(waiting.answer(name, request, text, go_on=go_on, json=json))


@app.command(short_help="Approve what the agent asked for.")
def approve(
    request: o.Request,
    *,
    session: Annotated[bool, typer.Option("--session", help="And the same again in this session.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Approve one request."""
    _decide(request, "a" if session else "y", json=json)


@app.command(short_help="Decline what the agent asked for.")
def deny(
    request: o.Request,
    *,
    end_turn: Annotated[bool, typer.Option("--end-turn", help="And end the turn.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Decline one request; the agent goes on without."""
    _decide(request, "c" if end_turn else "n", json=json)


def _decide(request: str, verdict: str, *, json: bool) -> NoReturn:
    """``verdict`` is the key for it where the request is shown."""
    from rawr.cli.commands import waiting

    raise typer.Exit(waiting.decide(request, verdict, json=json))

"""The commands about runs: order one, and control one that is under way."""

from typing import Annotated, Any, NoReturn

import typer

from rawr.cli.commands import run_options as o
from rawr.cli.exit_codes import Exit
from rawr.cli.options import (
    CodexBin,
    CodexHome,
    Debug,
    Detach,
    Foreground,
    Json,
    Plain,
    PlainUsage,
    Tui,
    Verbose,
    named,
)

app = typer.Typer()


@app.command(short_help="Full Auto: work turn after turn until the job is done, and checked.")
def run(
    prompt: o.Prompt = "",
    *,
    folder: o.Folder = None,
    done: o.Done = None,
    check: o.WhenChecked = None,
    max_turns: o.MaxTurns = None,
    max_tokens: o.MaxTokens = None,
    max_minutes: o.MaxMinutes = None,
    max_cost: o.MaxCost = None,
    approvals: o.HowApproved = None,
    allow: o.Allow = None,
    unsafe: o.IfUnsafe = None,
    review: o.WhenReviewed = None,
    policy: o.PolicyFile = None,
    tasks: o.Tasks = None,
    resume: o.Resume = "",
    drop_messages: o.DropMessages = False,
    take_goal: o.TakeGoal = False,
    guidance: o.Guided = None,
    goal: o.Goal = None,
    attach: o.Attach = False,
    notify: o.Notify = "",
    env: o.Env = None,
    sandbox: o.SandboxMode = None,
    model: o.Model = "",
    foreground: Foreground = False,
    detach: Detach = False,
    tui: Tui = False,
    json: Json = False,
    plain: Plain = False,
    verbose: Verbose = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Give Codex a job and let it work, turn after turn, until it is done or something stops it.

    With --done, the job is done when that command succeeds, whatever the agent says: rawr runs it after each turn that
    did something, and before it stops for any other reason. If the agent says done and the check fails, the output goes
    back to the agent. Without it, the agent's word counts, and the summary says "self_reported".

    With --tasks, these flags are defaults that each task can override: -C, --done, --check, the budgets, --approvals,
    --allow, --unsafe, --review, --take-goal, --guidance, --goal.

    Ctrl-C pauses; twice stops. If you close the terminal, the run goes on in the background, and `rawr attach` comes
    back to it. `rawr resume` continues a run that was paused, stopped or cut off by a crash.
    Exit codes: 0 done, 2 paused, 3 stopped by a guard or a budget, 4 failed.
    """
    flags: dict[str, Any] = locals()
    from rawr.cli.commands import run as command
    from rawr.cli.commands.prompt_source import prompt_from
    from rawr.cli.commands.run_flags import wanted_by

    wanted = wanted_by({**flags, "prompt": prompt_from(prompt)})
    start = command.run if wanted.tasks else command.resume
    raise typer.Exit(start(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Continue a run that is paused or stopped, even after a restart.")
def resume(
    name: o.Newest = "",
    *,
    max_turns: o.MaxTurns = None,
    max_tokens: o.MaxTokens = None,
    max_minutes: o.MaxMinutes = None,
    max_cost: o.MaxCost = None,
    take_goal: o.TakeGoal = False,
    drop_messages: o.DropMessages = False,
    attach: o.Attach = False,
    notify: o.Notify = "",
    env: o.Env = None,
    foreground: Foreground = False,
    detach: Detach = False,
    json: Json = False,
    plain: Plain = False,
    verbose: Verbose = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Continue a run from its journal and Codex's own history. Budgets given here replace the old ones.

    Messages that waited when the run came to rest are sent, oldest first; --drop-messages drops them.
    A run that is done has nothing to continue; `rawr override` gives it more to do. If it is under way already, this
    command shows it, as `rawr attach` does.
    """
    flags: dict[str, Any] = locals()
    from rawr.cli.commands import recorded
    from rawr.cli.commands import run as command
    from rawr.cli.commands.ordering import Wanted
    from rawr.cli.commands.run_flags import spec_from
    from rawr.cli.commands.tasks import BUDGETS

    limits = spec_from({one: flags[one] for one in BUDGETS})
    wanted = Wanted(
        resume=recorded.named_or_newest(name, active=False),
        limits=limits,
        take_goal=take_goal,
        drop=drop_messages,
        attach=attach,
        notify=notify,
        env=tuple(env or ()),
        foreground=foreground,
        detach=detach,
        json=json,
        plain=plain,
        verbose=verbose,
    )
    raise typer.Exit(command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(short_help="Pause a run at the end of its turn.")
def pause(
    name: o.Newest = "",
    *,
    now: Annotated[bool, typer.Option("--now", help="Interrupt the running turn.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Pause a run. If a compaction is under way, the run pauses right after it."""
    from rawr.cli.commands import control, recorded
    from rawr.core.vocabulary.facts import RunPauseSubmitted

    found = recorded.named_or_newest(name, active=True)
    raise typer.Exit(control.to_run(RunPauseSubmitted(now=now), found, json=json))


@app.command(short_help="Stop a run.")
def stop(name: o.Newest = "", *, json: Json = False, debug: Debug = False) -> None:
    """Stop a run and interrupt its turn. `rawr resume` can still continue it."""
    from rawr.cli.commands import control, recorded
    from rawr.core.vocabulary.facts import RunStopSubmitted

    raise typer.Exit(control.to_run(RunStopSubmitted(), recorded.named_or_newest(name, active=True), json=json))


@app.command(cls=PlainUsage, short_help="Tell a run what to do next.")
def override(
    name: o.Name,
    text: o.Words,
    *,
    attach: o.Attach = False,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Send the agent your own message instead of the one rawr would send next. A paused run continues with it.

    If a rawr is already running it, that one sends the message; otherwise this command continues the run, as
    `rawr resume` does.
    """
    from rawr.cli.commands import run as command
    from rawr.cli.commands.ordering import Wanted

    wanted = Wanted(resume=name, say=text, attach=attach, json=json, plain=plain)
    raise typer.Exit(command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home))


@app.command(cls=PlainUsage, short_help="Answer the agent's question.")
def answer(
    name: o.Name,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", callback=named, help="The number of an option, or your own words.")
    ],
    *,
    request: Annotated[
        str, typer.Option("--request", metavar="ID", callback=named, help="Which question. Default: the oldest.")
    ] = "",
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Answer the agent's question. `rawr approvals` lists what is waiting.

    If the run paused because nobody answered in time, it continues with your answer, as with `rawr resume`.
    """
    from rawr.cli.commands import run as command
    from rawr.cli.commands import waiting
    from rawr.cli.commands.ordering import Wanted

    def go_on(run: str, words: str) -> Exit:
        wanted = Wanted(resume=run, say=words, json=json, plain=plain)
        return command.resume(wanted, codex_bin=codex_bin, codex_home=codex_home)

    raise typer.Exit(waiting.answer(name, request, text, go_on=go_on, json=json))


@app.command(cls=PlainUsage, short_help="Approve what the agent asked for.")
def approve(
    request: o.Request,
    *,
    session: Annotated[
        bool, typer.Option("--session", help="Also approve the same request for the rest of the session.")
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Approve one request."""
    _decide(request, "a" if session else "y", json=json)


@app.command(cls=PlainUsage, short_help="Decline what the agent asked for.")
def deny(
    request: o.Request,
    *,
    end_turn: Annotated[bool, typer.Option("--end-turn", help="Also end the turn.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Decline one request; the agent continues without it."""
    _decide(request, "c" if end_turn else "n", json=json)


def _decide(request: str, verdict: str, *, json: bool) -> NoReturn:
    """``verdict`` is the key to press where the request is shown."""
    from rawr.cli.commands import waiting

    raise typer.Exit(waiting.decide(request, verdict, json=json))

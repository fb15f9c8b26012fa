"""``rawr``: the commands by name, and how errors are reported.

Commands import what they need when they run, so that ``rawr --help`` stays quick.
"""

import errno
import io
import os
import sys
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from rawr import __version__
from rawr.cli import completing
from rawr.cli.commands import (
    approvals,
    config,
    guidance,
    host_commands,
    journal,
    prompts,
    receipt_commands,
    run_commands,
    setup,
    thread_commands,
)
from rawr.cli.exit_codes import Exit
from rawr.cli.options import (
    MOST_LISTED,
    CodexBin,
    CodexHome,
    Debug,
    Detach,
    Foreground,
    Json,
    Plain,
    PlainUsage,
    Tui,
    UsageError,
    Verbose,
    a_path,
    named,
)

app = typer.Typer(
    name="rawr",
    help="Keep long Codex runs on course: a supervisor beside the unmodified Codex.",
    epilog="New here? Try `rawr doctor`, then `rawr demo`. `rawr` without a command opens the terminal program "
    "(codex-rawr[tui]). RAWR_HOME (default ~/.codex-rawr) holds rawr's own files.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(thread_commands.app)
app.add_typer(run_commands.app)
app.add_typer(receipt_commands.app)
app.add_typer(prompts.group)
app.add_typer(config.group)
app.add_typer(journal.group)
app.add_typer(approvals.group)
app.add_typer(guidance.group)
app.add_typer(host_commands.app)
app.add_typer(host_commands.group)
app.add_typer(setup.group)


def _version(value: bool) -> None:  # noqa: FBT001 - the shape that Typer calls
    if value:
        typer.echo(f"rawr {__version__}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    """Keep long Codex runs on course: a supervisor beside the unmodified Codex.

    Without a command, rawr opens its terminal program, if that is installed (the extra `tui`) and this is a terminal.
    """
    if ctx.invoked_subcommand is None:
        from rawr.cli.commands import screen

        if not screen.can_open():
            typer.echo(ctx.get_help())
            raise typer.Exit(Exit.USAGE)
        raise typer.Exit(screen.run())


@app.command(short_help="Check that rawr and your Codex work together.")
def doctor(
    *,
    journal: Annotated[
        bool, typer.Option("--journal", help="Check only the journal, but all of it, however long it takes.")
    ] = False,
    json: Json = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Check that rawr and your Codex work together, and say how to fix what does not.

    Finds Codex, checks its version and protocol, starts its app-server once, and checks rawr's home and journal.
    Changes nothing. Exits with 0 if all is well, 1 if a check failed.
    """
    from rawr.cli.commands.doctor import command

    raise typer.Exit(command.run(json=json, codex_bin=codex_bin, codex_home=codex_home, journal=journal))


@app.command(short_help="Watch a real Codex work under rawr, without a network.")
def demo(
    *,
    tui: Tui = False,
    json: Json = False,
    plain: Plain = False,
    verbose: Verbose = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Watch a real Codex work under rawr, on a scripted model: no account, no network, a few seconds.

    The demo uses its own git repository and Codex home, in RAWR_HOME/demo; yours are not touched. Everything that
    happens is recorded in a journal, whose path is printed last.
    """
    from rawr.cli.commands import demo as command

    raise typer.Exit(command.run(tui=tui, json=json, plain=plain, verbose=verbose, codex_bin=codex_bin))


@app.command(short_help="Show the threads in rawr's journal, newest first, or one in detail.")
def status(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            callback=named,
            help="Show only this one, in detail: a run id (such as r12), a thread id, or either end of it.",
            autocompletion=completing.names,
            show_default=False,
        ),
    ] = "",
    *,
    limit: Annotated[
        int | None,
        typer.Option(
            "-n", "--limit", metavar="N", min=1, max=MOST_LISTED, help="Show the newest N. Default: 20, or a screenful."
        ),
    ] = None,
    active: Annotated[
        bool, typer.Option("--active", help="Show only what is running, or waits for your answer.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Include sub-agents, and helpers of Codex's own terminal program.")
    ] = False,
    json: Json = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Show the threads in rawr's journal, newest first: where they work, how far they are, what they wait for.

    With a NAME, show one of them in detail: its plan and budgets, the newest decision, holds and pins, and the commands
    that continue or change it.
    """
    from rawr.cli.commands import status as command

    if name and (limit is not None or active or everything):
        raise UsageError("-n, --active and --all are for the list; they cannot be combined with a NAME.")
    raise typer.Exit(command.run(name, limit=limit, active=active, everything=everything, json=json))


@app.command(short_help="Continue a thread whose record is damaged.")
def mend(
    thread: Annotated[
        str,
        typer.Argument(
            metavar="[THREAD]", callback=named, help="A thread id, or its last characters. Default: the damaged one."
        ),
    ] = "",
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Let rawr act again on a thread whose record in the journal is damaged, from its last sound state.

    Until you do, rawr leaves such a thread alone: `rawr status` shows which ones, `rawr doctor --journal` what is
    damaged. Nothing in the journal is changed or deleted; rawr reads what happened since from Codex's own history.
    """
    from rawr.cli.commands import mend as command

    raise typer.Exit(command.run(thread, json=json))


@app.command(cls=PlainUsage, short_help="Print the script for completion in your shell.")
def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)
    ],
    *,
    debug: Debug = False,
) -> None:
    """Print the script with which your shell completes commands, options, and the names of runs and threads.

    For bash, add this line to ~/.bashrc: eval "$(rawr completion bash)". For zsh, the same with zsh in ~/.zshrc, after
    compinit. For fish: rawr completion fish > ~/.config/fish/completions/rawr.fish
    """
    typer.echo(completing.script(shell))


Watched = Annotated[
    str,
    typer.Option(
        "--thread", metavar="ID", callback=named, help="Watch only this thread: its id, or the last characters."
    ),
]
Socket = Annotated[
    Path | None,
    typer.Option(
        "--socket",
        metavar="FILE",
        parser=a_path,
        help="The app-server's socket. Default: the one behind your `codex`.",
    ),
]
Mode = Annotated[
    str | None, typer.Option("--mode", metavar="MODE", help="tag, suggest or auto. Default: from config, else auto.")
]
Notices = Annotated[
    str | None,
    typer.Option(
        "--notices", metavar="LEVEL", help="quiet, normal or all (shows the thread too). Default: from config."
    ),
]


@app.command(short_help="Keep the Codex you are running on course.")
def watch(
    *,
    thread: Watched = "",
    socket: Socket = None,
    mode: Mode = None,
    notices: Notices = None,
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
    """Join the Codex you are already running, and compact its threads on the golden path.

    Start it next to `codex`, in any terminal; it needs no setup. When a phase of the work ends and the
    context is filling up, you see it in your own Codex: a heads-up, the agent's packet, the compaction, and the handoff
    from which the agent continues. Approvals and questions stay yours. Ctrl-C ends the watch and leaves everything as
    it is; if you close the terminal, the watch goes on in the background (`rawr host status`).
    """
    from rawr.cli.commands import watch as command

    wanted = command.Wanted(
        thread=thread,
        socket=socket,
        mode=mode,
        notices=notices,
        foreground=foreground,
        detach=detach,
        tui=tui,
        json=json,
        plain=plain,
        verbose=verbose,
    )
    raise typer.Exit(command.run(wanted, codex_home=codex_home))


@app.command(short_help="Serve rawr's tools to the agent in your own Codex, over MCP.")
def mcp(*, debug: Debug = False) -> None:
    """Serve rawr's tools to the agent in your own Codex, over MCP on stdin and stdout.

    Codex starts this by itself in every session, once `rawr setup codex` has added it. It serves phase_complete, hold,
    release_hold, and what is recorded so far; it writes nothing.
    """
    from rawr.mcp.protocol import Server
    from rawr.mcp.stdio import serve
    from rawr.mcp.tools import INSTRUCTIONS, TOOLS, home

    serve(Server(TOOLS, home().serve, instructions=INSTRUCTIONS))


def main() -> None:
    """The program. An error is one clear sentence on stderr and an exit code; a traceback only with --debug."""
    _prepare_output()
    if completing.VARIABLE in os.environ:
        completing.answer(app)
    try:
        code = app(standalone_mode=False)
    except UsageError as error:
        from rawr.cli.terminal.visible import harmless

        error.message = harmless(error.message)
        error.show()
        sys.exit(Exit.USAGE)
    except (typer.Abort, KeyboardInterrupt):
        _end(Exit.INTERRUPTED)
    except SystemExit as ended:
        # Typer's own way to say that nobody reads its help any more.
        if isinstance(ended.__context__, BrokenPipeError):
            from rawr.cli.terminal.output import drop

            drop()
            sys.exit(Exit.OK)
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            from rawr.cli.terminal.output import drop

            drop()
        _end(_told(error))
    _end(code if isinstance(code, int) else Exit.OK)


def _told(error: Exception) -> int:
    from rawr.cli.explaining import explain

    return explain(error)


def _end(code: int) -> NoReturn:
    if "rawr.runtime.executor" in sys.modules:
        from rawr.cli.terminal.ending import leave

        leave(code)
    sys.exit(code)


def _prepare_output() -> None:
    """Escape what the terminal cannot show; discard output to a stream the caller closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()

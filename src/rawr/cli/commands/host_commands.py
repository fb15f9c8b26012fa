"""``rawr host`` and ``rawr attach``: the process that owns a home, and coming back to what it does."""

from typing import Annotated

import typer

from rawr.cli.commands import run_options as o
from rawr.cli.options import Debug, Json, Plain, Verbose

app = typer.Typer()
group = typer.Typer(
    name="host",
    help="The background process that owns RAWR_HOME.",
    short_help="Look at the background process, stop it, install it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command(short_help="Come back to a run that goes on in the background.")
def attach(
    name: o.Newest = "",
    *,
    json: Json = False,
    plain: Plain = False,
    verbose: Verbose = False,
    debug: Debug = False,
) -> None:
    """Show a run that goes on in the background, and answer what it asks. Default: the newest that is under way.

    Ctrl-C leaves again; the run goes on. `rawr pause` and `rawr stop` act on it. If the run ends while you look on, the
    exit code is the run's, as with `rawr run`.
    """
    from rawr.cli.commands import attaching as command

    raise typer.Exit(command.run(name, json=json, plain=plain, verbose=verbose))


@group.command(short_help="Show whether a host is running, and what it does.")
def status(*, json: Json = False, debug: Debug = False) -> None:
    """Show the host of this home: its process and version, its runs, its watch and its connections to Codex.

    Exits with 0 if one is running, 1 if none is.
    """
    from rawr.cli.commands import host as command

    raise typer.Exit(command.status(json=json))


@group.command(short_help="Show which variables of this terminal the host gets.")
def environment(*, json: Json = False, debug: Debug = False) -> None:
    """Show which variables of this terminal a run in the host has, and which stay here. Names only, never values.

    A run gets what programs commonly need (PATH, locale, proxies, toolchains), what your Codex config names, and what
    you name in the config: environment under [host].
    """
    from rawr.cli.commands import variables as command

    raise typer.Exit(command.show(json=json))


@group.command(short_help="Pause the host's runs, end its watch, and stop it.")
def stop(*, json: Json = False, debug: Debug = False) -> None:
    """Pause the host's runs in order, end its watch, and stop it. `rawr resume` continues the runs."""
    from rawr.cli.commands import host as command

    raise typer.Exit(command.stop(json=json))


@group.command(short_help="Show the host's log.")
def logs(
    *,
    lines: Annotated[
        int, typer.Option("-n", "--lines", metavar="N", min=1, max=100_000, help="Show the last N lines.")
    ] = 40,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Wait for more.")] = False,
    debug: Debug = False,
) -> None:
    """Show the last lines of the host's log: when it started and stopped, warnings, and problems with Codex.

    What rawr decided, and why, is in the journal: `rawr log`.
    """
    from rawr.cli.commands import host as command

    raise typer.Exit(command.logs(lines, follow=follow))


@group.command(short_help="Have the service manager keep a host for you.")
def install(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the file; write nothing.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a user unit for systemd, or an agent for launchd, that keeps a host on this home running.

    It is started again after a crash or a restart of the machine, and continues the runs that were under way then. The
    commands that switch it on are printed, not run. `rawr host uninstall` removes the file.
    """
    from rawr.cli.commands import host as command

    raise typer.Exit(command.install(dry_run=dry_run, json=json))


@group.command(short_help="Remove the service manager's file again.")
def uninstall(*, json: Json = False, debug: Debug = False) -> None:
    """Remove the unit that `rawr host install` wrote. A host that is running is left alone."""
    from rawr.cli.commands import host as command

    raise typer.Exit(command.uninstall(json=json))


@group.command(short_help="Be the host, in the foreground: for a service manager.")
def serve(
    *,
    ready: Annotated[int | None, typer.Option("--ready", hidden=True)] = None,
    stay: Annotated[bool, typer.Option("--stay", help="Do not exit when nothing is left to do.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the runs that were under way when the last host was killed.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Own this home and serve commands and surfaces until nothing is left to do.

    `rawr run` and `rawr watch` start one in the background by themselves; this is for a service manager.
    """
    from rawr.cli.commands import host_serve as command

    raise typer.Exit(command.run(ready=ready, stay=stay, resume=resume))

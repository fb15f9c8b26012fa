"""``rawr``: the commands by name, and what becomes of an error.

Commands import what they need when they run, so that ``rawr --help`` stays quick.
"""

import errno
import io
import os
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from rawr import __version__
from rawr.cli import debugging
from rawr.cli.commands import approvals, config, guidance, prompts, receipt_commands, run_commands
from rawr.cli.exit_codes import Exit
from rawr.cli.options import CodexBin, CodexHome, Debug, Json, Plain, a_path, named

# What Typer raises for a command line it cannot take. The class is Click's, and newer versions of Typer bring a Click
# of their own; its public subclass leads to the right one either way.
UsageError: type[typer.BadParameter] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="rawr",
    help="Keep long Codex runs on course: a supervisor beside the unmodified Codex.",
    epilog="New here? Try `rawr doctor`, then `rawr demo`. RAWR_HOME (default ~/.codex-rawr) holds rawr's own files.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(run_commands.app)
app.add_typer(receipt_commands.app)
app.add_typer(prompts.group)
app.add_typer(config.group)
app.add_typer(approvals.group)
app.add_typer(guidance.group)


def _version(value: bool) -> None:  # noqa: FBT001 - the shape that Typer calls
    if value:
        typer.echo(f"rawr {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", callback=_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    """Keep long Codex runs on course: a supervisor beside the unmodified Codex."""


@app.command(short_help="Check that rawr and your Codex fit together.")
def doctor(
    *,
    journal: Annotated[
        bool, typer.Option("--journal", help="Only the journal, and all of it, however long that takes.")
    ] = False,
    json: Json = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Check that rawr and your Codex fit together, and say what to do where they do not.

    Looks for Codex, asks its version and protocol, starts its app-server once, and checks rawr's home and journal.
    Changes nothing. Exit code 0 if all is well, 1 if a check failed.
    """
    from rawr.cli.commands import doctor as command

    raise typer.Exit(command.run(json=json, codex_bin=codex_bin, codex_home=codex_home, journal=journal))


@app.command(short_help="Watch a real Codex work under rawr, without a network.")
def demo(
    *,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Watch a real Codex work under rawr, on a scripted model: no account, no network, a few seconds.

    A temporary git repository and a Codex home of the demo's own are used; yours are not touched. Everything that
    happened is in the journal whose path is printed last.
    """
    from rawr.cli.commands import demo as command

    raise typer.Exit(command.run(json=json, plain=plain, codex_bin=codex_bin))


@app.command(short_help="Show the threads in rawr's journal.")
def status(
    *, json: Json = False, codex_bin: CodexBin = None, codex_home: CodexHome = None, debug: Debug = False
) -> None:
    """Show the threads in rawr's journal: where they work, how full their context is, what they wait for."""
    from rawr.cli.commands import status as command

    raise typer.Exit(command.run(json=json))


Thread = Annotated[
    str,
    typer.Argument(metavar="[THREAD]", callback=named, help="A thread's id or the end of it. Default: the newest."),
]


@app.command(short_help="Go on with a thread whose record is damaged.")
def mend(
    thread: Annotated[
        str,
        typer.Argument(
            metavar="[THREAD]", callback=named, help="A thread's id or the end of it. Default: the damaged one."
        ),
    ] = "",
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Let rawr act again on a thread whose record in the journal is damaged, from its last sound state.

    Until you say so, rawr leaves such a thread alone: `rawr status` shows which ones, `rawr doctor --journal` what is
    damaged. Nothing in the journal is changed or deleted. What happened since is read from Codex's own history.
    """
    from rawr.cli.commands import mend as command

    raise typer.Exit(command.run(thread, json=json))


@app.command(short_help="Keep the Codex that you are running on course.")
def watch(
    *,
    thread: Annotated[
        str, typer.Option("--thread", metavar="ID", callback=named, help="Watch this thread and no other.")
    ] = "",
    socket: Annotated[
        Path | None,
        typer.Option(
            "--socket",
            metavar="FILE",
            parser=a_path,
            help="The app-server's socket. Default: the one behind your `codex`.",
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option("--mode", metavar="MODE", help="tag, suggest or auto; default: the config's, else auto."),
    ] = None,
    notices: Annotated[
        str | None,
        typer.Option(
            "--notices", metavar="LEVEL", help="quiet, normal or all (with the thread itself); default: the config's."
        ),
    ] = None,
    json: Json = False,
    plain: Plain = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Join the Codex that you already run, and compact its threads on the golden path.

    Start it beside `codex`, in any terminal; nothing needs to be configured. When a phase of the work ends and the
    context is filling up, you see it in your own Codex: a heads-up, the agent's packet, the compaction, and the handoff
    from which the agent goes on. Approvals and questions stay yours. Ctrl-C leaves everything as it is.
    """
    from rawr.cli.commands import watch as command

    raise typer.Exit(
        command.run(
            thread=thread,
            socket=socket,
            mode=mode,
            notices=notices,
            json=json,
            plain=plain,
            codex_home=codex_home,
        )
    )


class _ThreadFirst(TyperCommand):
    """``[THREAD] WHAT``: one word is what, two are a thread and what. Typer knows only the other way round."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [one.metavar or "" for one in self.params if one.param_type_name == "argument"]
        return [self.options_metavar or "", *arguments]


First = Annotated[str, typer.Argument(metavar="[THREAD]", callback=named, help="Which thread. Default: the newest.")]


def _thread_and(what: str, first: str, second: str) -> tuple[str, str]:
    if not first:
        raise UsageError(f"Missing argument '{what}'.")
    return (first, second) if second else ("", first)


@app.command(short_help="Compact a watched thread now, on the golden path.")
def compact(thread: Thread = "", *, json: Json = False, debug: Debug = False) -> None:
    """Compact a thread now: heads-up, packet, compaction, handoff. A running rawr carries it out."""
    from rawr.cli.commands import control as command
    from rawr.core.vocabulary.facts import CompactionSubmitted

    raise typer.Exit(command.run(CompactionSubmitted(), thread=thread, json=json))


@app.command(short_help="Ask rawr not to compact for now.")
def hold(
    thread: Thread = "",
    *,
    until: Annotated[
        str, typer.Option("--until", metavar="TEXT", callback=named, help="Until when, in your own words.")
    ] = "",
    turns: Annotated[int | None, typer.Option("--turns", min=1, max=1000, help="For so many turns of work.")] = None,
    release: Annotated[bool, typer.Option("--release", help="Lift all holds.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Do not compact a thread until the hold is released, or so many turns have passed. Emergencies aside."""
    from rawr.cli.commands import control as command
    from rawr.core.vocabulary.facts import HoldReleased, HoldSubmitted

    if release and (until or turns is not None):
        raise UsageError("--release lifts all holds; it goes with neither --until nor --turns.")
    fact = HoldReleased() if release else HoldSubmitted(until=until or "released", turns=turns)
    raise typer.Exit(command.run(fact, thread=thread, json=json))


@app.command(cls=_ThreadFirst, short_help="Mark the end of a phase.")
def phase(
    first: First = "",
    second: Annotated[
        str, typer.Argument(metavar="NAME", callback=named, help="The phase that is over.", show_default=False)
    ] = "",
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Say that a phase is over: an explicit boundary, the strongest there is."""
    from rawr.cli.commands import control as command
    from rawr.core.vocabulary.facts import PhaseSubmitted

    thread, name = _thread_and("NAME", first, second)
    raise typer.Exit(command.run(PhaseSubmitted(phase=name), thread=thread, json=json))


@app.command(cls=_ThreadFirst, short_help="Pin a directive: it is in every handoff, word for word.")
def pin(
    first: First = "",
    second: Annotated[
        str, typer.Argument(metavar="TEXT", callback=named, help="The directive.", show_default=False)
    ] = "",
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Give the agent a standing directive that survives every compaction verbatim."""
    from rawr.cli.commands import control as command
    from rawr.core.vocabulary.facts import PinSubmitted

    thread, text = _thread_and("TEXT", first, second)
    raise typer.Exit(command.run(PinSubmitted(text=text), thread=thread, json=json))


@app.command(cls=_ThreadFirst, short_help="Take a pinned directive back.")
def unpin(
    first: First = "",
    second: Annotated[
        str, typer.Argument(metavar="TEXT", callback=named, help="How it begins.", show_default=False)
    ] = "",
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Take back the pinned directives that begin with this text."""
    from rawr.cli.commands import control as command
    from rawr.core.vocabulary.facts import PinRemoved

    thread, text = _thread_and("TEXT", first, second)
    raise typer.Exit(command.run(PinRemoved(text=text), thread=thread, json=json))


def main() -> None:
    """The program. An error is one clear sentence on stderr and an exit code; a traceback only with --debug."""
    _prepare_output()
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
        _end(_explain(error))
    _end(code if isinstance(code, int) else Exit.OK)


def _end(code: int) -> NoReturn:
    if "rawr.runtime.executor" in sys.modules:
        from rawr.cli.terminal.ending import leave

        leave(code)
    sys.exit(code)


def _prepare_output() -> None:
    """Whatever the terminal cannot show is shown as an escape; whatever was closed by the caller goes nowhere."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _explain(error: Exception) -> Exit:
    from rawr import errors
    from rawr.cli.terminal.output import NobodyReads, OutputLost, drop, warn

    if isinstance(error, NobodyReads):
        drop()
        return Exit.OK
    if debugging.on():
        import traceback

        traceback.print_exception(error)
    match error:
        case errors.CodexError():
            from rawr.journal.redact import Redactor

            # It may quote what Codex said last.
            warn(Redactor().text(str(error)))
            return Exit.CODEX
        case errors.JournalError():
            from rawr.journal.errors import JournalLost

            warn(str(error))
            return Exit.LOST if isinstance(error, JournalLost) else Exit.JOURNAL
        case errors.ConfigError() | errors.ScenarioError():
            warn(str(error))
            return Exit.CONFIG
        case OutputLost():
            drop()
            warn(str(error))
            return Exit.JOURNAL
        case errors.OutsideError():
            warn(str(error))
            return Exit.PROBLEM
        case OSError():
            warn(_explain_system(error))
            return Exit.JOURNAL
        case _:
            warn(f"something that should not happen did: {type(error).__name__}: {error}. Run again with --debug.")
            return Exit.BUG


def _explain_system(error: OSError) -> str:
    """A sentence about what the system refused, with the way out."""
    import errno

    try:
        Path.cwd()
    except OSError:
        return "The folder that you are in does not exist any more. Go to another one with cd."
    what = f"{error.filename} cannot be used" if error.filename else "The system refused something that rawr needs"
    problem = f"{what}: {(error.strerror or str(error)).lower()}."
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return f"{problem} Free some space, or set RAWR_HOME to a folder on another disk."
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return f"{problem} Set RAWR_HOME to a folder that you can write to."
        case _:
            return f"{problem} Run again with --debug to see where."


if __name__ == "__main__":
    main()

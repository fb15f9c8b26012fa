"""``rawr approvals``: what an agent may do without asking a person."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rawr.cli.exit_codes import Exit
from rawr.cli.options import Debug, Json, UsageError, a_path

if TYPE_CHECKING:
    from rawr.approvals import Judgment, Rules

group = typer.Typer(
    name="approvals",
    help="List the requests waiting for you; with `check`, see what rawr would approve, and why.",
    short_help="List the requests waiting for you; see what rawr would approve.",
    epilog="Safe means proved: the line is fully understood, and every command in it only reads, or makes something "
    "new, inside the workspace. Everything else is for a person to decide.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@group.callback()
def waiting(ctx: typer.Context, *, json: Json = False, debug: Debug = False) -> None:
    """List the requests waiting for you; with `check`, see what rawr would approve, and why."""
    if ctx.invoked_subcommand is None:
        from rawr.cli.commands import waiting as command

        raise typer.Exit(command.show(json=json))


Command = Annotated[
    str | None, typer.Argument(metavar="[COMMAND]", help="The command line, as one argument.", show_default=False)
]
Cwd = Annotated[
    Path | None,
    typer.Option("--cwd", metavar="DIR", parser=a_path, help="The folder it would run in. Default: the current one."),
]
Workspace = Annotated[
    Path | None,
    typer.Option(
        "--workspace", metavar="DIR", parser=a_path, help="The agent's workspace. Default: the folder it would run in."
    ),
]
Stdin = Annotated[
    bool, typer.Option("--stdin", help="Read one command per line from stdin; print one verdict per line.")
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow", metavar="WORDS", help="Assume a rule that allows this, for example 'npm test'. May be repeated."
    ),
]
Deny = Annotated[
    list[str] | None,
    typer.Option(
        "--deny", metavar="WORDS", help="Assume a rule that denies this; overrides everything else. May be repeated."
    ),
]
Protect = Annotated[
    list[str] | None,
    typer.Option("--protect", metavar="PATH", help="Assume this path is protected from changes. May be repeated."),
]
NotSecret = Annotated[
    list[str] | None,
    typer.Option(
        "--not-secret", metavar="NAME", help="Assume this file holds no credentials, for example .env. May be repeated."
    ),
]


@group.command(short_help="Check whether rawr would approve a command. Runs nothing.")
def check(
    command: Command = None,
    *,
    cwd: Cwd = None,
    workspace: Workspace = None,
    stdin: Stdin = False,
    allow: Allow = None,
    deny: Deny = None,
    protect: Protect = None,
    not_secret: NotSecret = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Check whether rawr would approve a command, and why or why not. Runs nothing.

    Exits with 0 if rawr would approve it, 1 if not. With --stdin, exits with 0 once every line has a verdict.
    """
    from rawr.approvals import Rules

    if stdin == (command is not None):
        raise typer.BadParameter("give either one command or --stdin.")
    rules = Rules(
        allow=tuple(allow or ()),
        deny=tuple(deny or ()),
        protect=tuple(protect or ()),
        not_secret=tuple(not_secret or ()),
    )
    folder = (cwd or Path()).absolute()
    approver = _approver(rules, folder=folder, workspace=(workspace or folder).absolute())
    raise typer.Exit(
        _check_one(command, approver, json=json) if command is not None else _check_all(approver, json=json)
    )


@group.command(short_help="Show what an allow rule opens.")
def opens(
    rule: Annotated[
        str, typer.Argument(metavar="[RULE]", help="Default: each rule of your settings.", show_default=False)
    ] = "",
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show what an allow rule opens: a verb with its harmless options and operands, or exactly the rule's own words.

    Anything else under the rule waits for you, unless the rule itself has those words.
    """
    from rawr.approvals import Rules
    from rawr.approvals.verbs.opening import opened
    from rawr.cli.places import Places
    from rawr.cli.terminal.opened_words import in_words
    from rawr.cli.terminal.output import emit, say

    given = (rule,) if rule else Places.find().loaded.policy.full_auto.allow
    Rules(allow=given)
    found = [one for text in given for one in opened(text)]
    with _reader_or_not():
        if json:
            for one in found:
                emit(one)
            return
        for one in found:
            for line in in_words(one):
                say(line)
        if not found:
            say("Your settings have no allow rules.")


def _approver(rules: "Rules", *, folder: Path, workspace: Path) -> "Callable[[str], Judgment]":
    """Returns the verdict on a command line there."""
    from rawr.approvals import judge_command

    protected = _protected()
    return lambda line: judge_command(line, cwd=folder, workspace=workspace, rules=rules, protected=protected)


def _check_one(command: str, approver: "Callable[[str], Judgment]", *, json: bool) -> Exit:
    judgment = approver(command)
    with _reader_or_not():
        _tell(judgment, json=json)
    return Exit.OK if judgment.safe else Exit.PROBLEM


def _check_all(approver: "Callable[[str], Judgment]", *, json: bool) -> Exit:
    """Judge every line of stdin; if the reader of the output stops, some stay unanswered."""
    unanswered = True
    if sys.stdin is None:
        raise UsageError("--stdin reads commands from standard input, which is closed.")
    with _reader_or_not():
        for data in sys.stdin.buffer:
            _tell_line(approver(data.rstrip(b"\n").decode("utf-8", "surrogateescape")), json=json)
        unanswered = False
    return Exit.PROBLEM if unanswered else Exit.OK


@contextmanager
def _reader_or_not() -> Iterator[None]:
    """The exit code is an answer too, and counts even if nothing reads the output, as in ``… check x | true``."""
    from rawr.cli.terminal.output import NobodyReads, drop

    try:
        yield
    except NobodyReads:
        drop()


def _protected() -> tuple[Path, ...]:
    """The agent must never write to Codex's home or rawr's."""
    import os

    from rawr.journal.home import resolve_home

    codex = os.environ.get("CODEX_HOME") or "~/.codex"
    return resolve_home(), Path(os.path.expanduser(codex)).absolute()  # noqa: PTH111 - a missing user must not raise


def _tell(judgment: "Judgment", *, json: bool) -> None:
    from rawr.cli.terminal.output import emit, say

    if json:
        emit(judgment)
        return
    say("safe" if judgment.safe else "not safe")
    for reason in judgment.reasons:
        say(f"  {reason}")


def _tell_line(judgment: "Judgment", *, json: bool) -> None:
    from rawr.cli.terminal.output import emit, say

    if json:
        emit(judgment)
    else:
        say(f"{'safe' if judgment.safe else 'not safe'}: {' '.join(judgment.reasons)}")

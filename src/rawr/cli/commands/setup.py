"""``rawr setup codex``: rawr's tools for the agent in the user's own Codex, added and taken out with one command."""

from typing import Annotated

import typer

from rawr.cli.options import CodexBin, CodexHome, Debug, Json, UsageError

group = typer.Typer(
    name="setup",
    help="Add rawr's tools to your own Codex, or take them out.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@group.callback()
def root() -> None:
    """Add rawr's tools to your own Codex, or take them out."""


@group.command(short_help="Let the agent in your own Codex mark its phases.")
def codex(
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Take the entry out again, and nothing else.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say what is there and change nothing; exit 1 if not ready.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Add rawr's MCP server to your Codex, so that the agent can mark its phases under `rawr watch` too.

    It shows what it will write into Codex's config.toml, and asks. The rest of that file stays as it is, byte for byte.
    The server writes nothing, so Codex asks for no approval when the agent calls it. Sessions that you start from then
    on have it.
    """
    if undo and check:
        raise UsageError("--undo and --check cannot be combined.")
    from rawr.cli.commands import setting_up as command

    raise typer.Exit(
        command.run(undo=undo, check=check, yes=yes, json=json, codex_bin=codex_bin, codex_home=codex_home)
    )

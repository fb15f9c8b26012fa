"""``rawr prompts``: rawr's texts for an agent, as files that a person may edit."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rawr.cli.options import Debug, Json, PlainUsage

if TYPE_CHECKING:
    from pathlib import Path

    from rawr.prompts.catalog import PromptFile
    from rawr.prompts.seeding import Standing, State

group = typer.Typer(
    name="prompts",
    help="See, edit and restore the texts that rawr sends to agents.",
    epilog="Edit a file with your editor: `$EDITOR $(rawr prompts path heads-up)`. A running rawr reads it again at "
    "the end of the next turn. Placeholders are in braces; the comment at the top of each file lists them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A prompt, for example heads-up; `rawr prompts list` lists them.")
]
AnyName = Annotated[str | None, typer.Argument(metavar="NAME", help="A prompt, for example heads-up. Default: all.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


@group.command("list", short_help="List the prompt files, and whether they are edited.")
def list_prompts(*, json: Json = False, debug: Debug = False) -> None:
    """List the prompt files: what each is for, and whether it is as shipped or edited.

    rawr creates the files in RAWR_HOME/auto-compact on first use and never overwrites your edits: a newer rawr
    replaces only files you have not changed.
    """
    from rawr.cli.terminal.output import emit, say
    from rawr.prompts.seeding import folder_of, standings

    home = _home()
    for one in standings(home):
        if json:
            emit({"type": "prompt", **_facts(one)})
        else:
            say(f"{one.prompt.name:<17} {_word(one):<10} {one.prompt.purpose}")
            if one.newer:
                say(f"{'':<28} → rawr ships a newer text: `rawr prompts diff {one.prompt.name}`")
            if one.state in ("deleted", "unreadable"):
                say(f"{'':<28} → the shipped text is used: `rawr prompts reset {one.prompt.name}`")
    if not json:
        say()
        say(f"The files are in {folder_of(home)}")


@group.command(short_help="Print the path of a prompt file.")
def path(name: AnyName = None, *, json: Json = False, debug: Debug = False) -> None:
    """Print the path of a prompt file, or of their folder. Try `$EDITOR $(rawr prompts path heads-up)`."""
    from rawr.cli.terminal.output import emit, say
    from rawr.prompts.seeding import folder_of

    home = _home()
    found = folder_of(home) if name is None else folder_of(home) / _prompt(name).file
    if json:
        emit({"type": "path", "prompt": name and _prompt(name).name, "path": found})
    else:
        say(str(found))


@group.command(short_help="Show what you changed in the prompt files.")
def diff(name: AnyName = None, *, json: Json = False, debug: Debug = False) -> None:
    """Show how your prompt files differ from the texts that rawr ships. No output means no difference."""
    from difflib import unified_diff

    from rawr.cli.terminal.output import emit, say
    from rawr.prompts.catalog import shipped
    from rawr.prompts.seeding import standings

    wanted = None if name is None else _prompt(name)
    for one in standings(_home()):
        if wanted not in (None, one.prompt) or one.state not in ("edited", "outdated"):
            continue
        lines = list(
            unified_diff(
                shipped(one.prompt).split("\n"),
                one.text.split("\n"),
                f"shipped/{one.prompt.file}",
                str(one.file),
                lineterm="",
            )
        )
        if json:
            emit({"type": "diff", **_facts(one), "diff": "\n".join(lines)})
        else:
            for line in lines:
                say(line)


@group.command(cls=PlainUsage, short_help="Restore the shipped prompt file; yours is kept.")
def reset(name: Name, *, yes: Yes = False, json: Json = False, debug: Debug = False) -> None:
    """Restore the prompt file that rawr ships. Your version is kept next to it, as NAME.md.bak-1, -2 and so on."""
    from rawr.cli.terminal.output import emit, say
    from rawr.errors import ConfigError
    from rawr.prompts import seeding

    prompt = _prompt(name)
    home = _home()
    before = seeding.standing(home, prompt)
    if before.state in ("edited", "unreadable") and not yes:
        _ask(f"Replace {before.file} with the text that rawr ships? Yours is kept next to it.")
    try:
        kept = seeding.reset(home, prompt)
    except OSError as error:
        raise ConfigError(f"{before.file} cannot be replaced: {error.strerror or error}.") from error
    if json:
        emit({"type": "reset", "prompt": prompt.name, "path": before.file, "was": before.state, "kept": kept})
    elif before.state == "shipped":
        say(f"{before.file} is already as shipped; nothing was changed.")
    else:
        say(f"{before.file} is as shipped again.")
        if kept is not None:
            say(f"Your version is in {kept}")


def _home() -> "Path":
    """The home with the prompt files in it."""
    from rawr.cli.commands.own_home import own_home
    from rawr.cli.terminal.output import warn
    from rawr.journal.home import resolve_home
    from rawr.prompts.seeding import seed

    home = own_home(resolve_home())
    for warning in seed(home).warnings:
        warn(str(warning))
    return home


def _prompt(name: str) -> "PromptFile":
    from rawr.prompts.catalog import PROMPTS, named

    prompt = named(name)
    if prompt is None:
        known = ", ".join(one.name for one in PROMPTS)
        raise typer.BadParameter(f"there is no prompt {name!r}. The prompts are: {known}.")
    return prompt


def _ask(question: str) -> None:
    if sys.stdin is None or not sys.stdin.isatty():
        raise typer.BadParameter("cannot ask for confirmation: this is not a terminal. Add --yes to go ahead.")
    # On stderr, to keep stdout for the output.
    typer.confirm(question, abort=True, err=True)


def _facts(one: "Standing") -> dict[str, object]:
    return {
        "name": one.prompt.name,
        "state": one.state,
        "newer_shipped": one.newer,
        "purpose": one.prompt.purpose,
        "path": one.file,
    }


def _word(one: "Standing") -> str:
    words: dict[State, str] = {
        "shipped": "as shipped",
        "outdated": "older",
        "edited": "edited",
        "unreadable": "unreadable",
        "deleted": "deleted",
        "unseeded": "missing",
    }
    return words[one.state]

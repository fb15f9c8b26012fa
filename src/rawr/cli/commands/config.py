"""``rawr config``: which settings apply, where they came from, and what is wrong with them."""

from typing import TYPE_CHECKING, Annotated

import typer

from rawr.cli.exit_codes import Exit
from rawr.cli.options import Debug, Json

if TYPE_CHECKING:
    from pathlib import Path

    from rawr.config.load import Loaded
    from rawr.config.origin import Origin
    from rawr.prompts.reading import Warned

group = typer.Typer(
    name="config",
    help="See every setting, where it came from, and what is wrong with your files.",
    short_help="See every setting and where it came from.",
    epilog="A value comes from rawr's defaults, then from the frontmatter of auto-compact.md, then from config.toml "
    "(both in RAWR_HOME), then from the command line; the last one wins.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Assume this setting, for example rawr_auto_compaction.mode=tag. May be repeated.",
    ),
]
COLUMN = 64
"""Where the origin of a value begins, if the value leaves room."""
SHOWN = 60
"""How many characters of a prompt to show."""


@group.command(short_help="Show every setting and where it came from.")
def show(*, given: Set = None, json: Json = False, debug: Debug = False) -> None:
    """Show every setting with its value and where it came from: default, frontmatter, config or flag, file and line.

    Reports unusable values on stderr and shows the values used instead. Changes nothing.
    """
    from rawr.cli.terminal.output import emit, warn
    from rawr.journal.home import resolve_home

    loaded = _load(given)
    if not json:
        _show(loaded, resolve_home())
        for warning in loaded.warnings:
            warn(str(warning))
        return
    for name, origin in loaded.origins.items():
        emit({"type": "setting", "key": name, "value": _value(loaded, name), **_place(origin)})
    for warning in loaded.warnings:
        emit(_warning(warning))
    emit({"type": "summary", "policy": loaded.policy.hash, "warnings": len(loaded.warnings)})


@group.command(short_help="Report what is wrong in your files.")
def check(*, given: Set = None, json: Json = False, debug: Debug = False) -> None:
    """Report what is wrong in config.toml and in the prompt files: file, line, key, and what rawr uses instead.

    rawr drops a value it cannot use and keeps the rest; only `rawr run` refuses to start without its rules. Exits with
    0 if all is well, 1 if not.
    """
    from rawr.cli.commands.policy_file import rules_that_fail
    from rawr.cli.terminal.output import emit, say

    loaded = _load(given)
    wrong = (*loaded.warnings, *rules_that_fail(loaded.values, loaded.origins))
    for warning in wrong:
        if json:
            emit(_warning(warning))
        else:
            say(str(warning))
    if json:
        emit({"type": "summary", "ok": not wrong, "warnings": len(wrong)})
    elif not wrong:
        say("All is well.")
    raise typer.Exit(Exit.PROBLEM if wrong else Exit.OK)


def _load(given: list[str] | None) -> "Loaded":
    from rawr.config.flags import parse_flags
    from rawr.config.load import load_policy
    from rawr.errors import ConfigError
    from rawr.journal.home import resolve_home

    try:
        flags = parse_flags(given or ())
    except ConfigError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from error
    return load_policy(resolve_home(), flags=flags)


def _show(loaded: "Loaded", home: "Path") -> None:
    from rawr.cli.terminal.output import say

    section = ""
    for name, origin in loaded.origins.items():
        above, _, key = name.rpartition(".")
        if above != section:
            if section:
                say()
            say(f"[{above}]")
            section = above
        place = str(origin).replace(f"{home}/", "", 1)
        say(f"{key + ' = ' + _shown(name, _value(loaded, name)):<{COLUMN}}  # {place}")
    say()
    say(f"The files are in {home}. This is policy {loaded.policy.hash}; every decision under it carries that name.")


def _value(loaded: "Loaded", name: str) -> object:
    """A setting's value; for a prompt, its text."""
    section, _, field = name.partition(".")
    return getattr(loaded.policy.prompts, field) if section == "prompts" else loaded.values[name]


def _shown(name: str, value: object) -> str:
    """As it would be written in the file; for a prompt, its beginning."""
    import json

    if value is None:
        return "(not set)"
    text = json.dumps(value, default=str, ensure_ascii=False)
    if not name.startswith("prompts.") or len(text) <= SHOWN:
        return text
    return f"{text[:SHOWN]}…"


def _place(origin: "Origin") -> dict[str, object]:
    return {"source": origin.source, "file": origin.file, "line": origin.line}


def _warning(warning: "Warned") -> dict[str, object]:
    return {
        "type": "warning",
        "file": warning.file,
        "line": warning.line,
        "key": warning.key,
        "problem": warning.told,
    }

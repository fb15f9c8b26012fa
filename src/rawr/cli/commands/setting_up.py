"""What ``rawr setup codex`` shows, asks and says."""

import sys
from pathlib import Path
from typing import assert_never

import typer
from msgspec import Struct

from rawr.cli.commands import agent_setup
from rawr.cli.commands.agent_setup import Setup
from rawr.cli.commands.in_reach import refuse_doubtful_codex
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import emit, say, warn
from rawr.codex import binary
from rawr.codex.mcp_entry import lines_of
from rawr.errors import ConfigError


class SetupView(Struct, frozen=True, tag_field="type", tag="setup"):
    status: agent_setup.Status
    changed: bool
    file: Path
    command: tuple[str, ...]
    env: dict[str, str]


def run(*, undo: bool, check: bool, yes: bool, json: bool, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    before = now = agent_setup.look(places.codex_home, home=places.home)
    if not check:
        (_undo if undo else _set_up)(places, before, yes=yes)
        now = agent_setup.look(places.codex_home, home=places.home)
    if json:
        emit(_view(now, changed=now != before))
    else:
        say(_in_words(now, before, undo=undo))
    return Exit.OK if now.status == ("absent" if undo else "ready") else Exit.PROBLEM


def _set_up(places: Places, now: Setup, *, yes: bool) -> None:
    match now.status:
        case "ready":
            return
        case "off":
            return  # whoever switched it off meant it
        case "foreign":
            raise ConfigError(
                f"{now.file} has another MCP server under the name rawr; rawr leaves it alone.",
                way_out="Rename it there, then run this again.",
            )
        case "changed":
            raise ConfigError(
                f"{described(now)} rawr leaves it alone.",
                way_out="To write it anew, take it out with `rawr setup codex --undo`, then run this again.",
            )
        case "unreadable":
            raise ConfigError(described(now), way_out="Fix it, then run this again.")
        case "absent" | "other" | "gone":
            pass
        case _ as never:
            assert_never(never)
    if not places.codex_home.is_dir():
        raise ConfigError(
            f"{places.codex_home} does not exist.", way_out="Run `codex` once, or name it with --codex-home."
        )
    refuse_doubtful_codex(places)
    codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    entry = agent_setup.wanted(places.home)
    told = f"This replaces rawr's entry in {now.file} with" if now.in_place else f"This goes to the end of {now.file}:"
    _confirm((told, "", *(f"    {line}" for line in lines_of(entry)), ""), "Write it?", yes=yes)
    agent_setup.put(now, entry, codex=codex.path)


def _undo(_places: Places, now: Setup, *, yes: bool) -> None:
    if now.status == "unreadable":
        raise ConfigError(described(now), way_out="Fix it, then run this again.")
    if not now.in_place:
        return
    changed = (described(now),) if now.status == "changed" else ()
    told = f"This takes rawr's entry out of {now.file}, and leaves the rest as it is."
    _confirm((*changed, told), "Take it out?", yes=yes)
    agent_setup.take_out(now)


def _confirm(lines: tuple[str, ...], question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise ConfigError("There is nobody to ask.", way_out="Confirm with --yes.")
    for line in lines:
        warn(line) if line == lines[0] else typer.echo(line, err=True)
    typer.confirm(question, default=True, err=True, abort=True)


def _view(now: Setup, *, changed: bool) -> SetupView:
    entry = now.entry
    command = (entry.command, *entry.args) if entry is not None else ()
    return SetupView(now.status, changed, now.file, command, entry.env if entry is not None else {})


def _in_words(now: Setup, before: Setup, *, undo: bool) -> str:
    if undo and now.status == "absent":
        changed = " The entry had been changed." if before.status == "changed" else ""
        if not before.in_place:
            return f"{now.file} has no entry of rawr's."
        return f"{now.file} is without rawr again.{changed}"
    if undo and now.status == "foreign":
        return f"The server named rawr in {now.file} is not rawr's; it stays."
    if now.status == "ready" and now != before:
        return (
            "Done. The agent in every Codex session that you start from now on can mark its phases; `rawr watch` takes "
            "them. `rawr setup codex --undo` takes it out again."
        )
    return described(now)


def described(now: Setup) -> str:
    """What is there, in a sentence."""
    match now.status:
        case "ready":
            return f"The agent in your Codex has rawr's tools ({now.file})."
        case "absent":
            return "The agent in your Codex cannot mark its phases; `rawr setup codex` lets it."
        case "other":
            return f"Codex starts another rawr for its agent, or on another home: {_command(now)}."
        case "gone":
            return f"Codex is told to start {_command(now)}, which does not exist."
        case "off":
            return f"rawr's tools are switched off in {now.file} (enabled = false)."
        case "changed":
            return f"rawr's entry in {now.file} was changed, and no longer starts rawr's server."
        case "foreign":
            return f"{now.file} has another MCP server under the name rawr."
        case "unreadable":
            return f"{now.file} cannot be read: {now.problem}."
        case _ as never:
            assert_never(never)


def _command(now: Setup) -> str:
    return now.entry.command if now.entry is not None else "nothing"

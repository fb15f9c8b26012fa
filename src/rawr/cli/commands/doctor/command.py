"""``rawr doctor``: does everything work together, and if not, what to do."""

import os
import platform
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from rawr import __version__
from rawr.cli.commands.doctor.agent_tools import agent_tools_check
from rawr.cli.commands.doctor.check import Check, Grade
from rawr.cli.commands.doctor.codex import codex_checks, no_codex
from rawr.cli.commands.doctor.home import home_checks, journal_checks
from rawr.cli.commands.doctor.models import model_checks
from rawr.cli.commands.doctor.reach import reach_checks
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.local.peers import can_tell, what_it_cannot_tell

MARKS: dict[Grade, str] = {"ok": "ok  ", "warn": "note", "fail": "FAIL"}


class Summary(Struct, frozen=True, tag_field="type", tag="summary"):
    ok: bool
    failed: tuple[str, ...]
    noted: tuple[str, ...]
    rawr: str = __version__


def run(*, json: bool, codex_bin: Path | None, codex_home: Path | None, journal: bool = False) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    found: list[Check] = []
    for one in journal_checks(places, json=json) if journal else checks(places, json=json):
        found.append(one)
        if json:
            emit(one)
        else:
            say(f"{MARKS[one.status]}  {one.name:<14} {one.detail}")
            if one.way_out and one.status != "ok":
                say(f"      {'':<14} → {one.way_out}")
    failed = tuple(one.name for one in found if one.status == "fail")
    if json:
        emit(Summary(not failed, failed, tuple(one.name for one in found if one.status == "warn")))
    elif failed:
        warn(f"{len(failed)} of {len(found)} checks failed: {', '.join(failed)}.")
    else:
        noted = sum(one.status == "warn" for one in found)
        well = "All is well." if not noted else f"Nothing is broken; {counted(noted, 'note')} above."
        say()
        say(well if journal else f"{well} `rawr demo` shows rawr at work.")
    return Exit.PROBLEM if failed else Exit.OK


def checks(places: Places, *, json: bool = True) -> Iterator[Check]:
    """Each check as soon as its result is known, from the outside in."""
    python = f"rawr {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield Check("rawr", "ok", f"{python}, {platform.system()} {platform.machine()}")
    yield from _config(places)
    yield from home_checks(places, json=json)
    yield _orders()
    reach = list(reach_checks(places))
    yield from reach
    if any(one.status == "fail" for one in reach):
        # The config may be the agent's words: which Codex to start, and where to send which key.
        yield Check("codex", "warn", "not asked, and neither are models, while an agent could write what rawr obeys")
        return
    codex = list(codex_checks(places))
    yield from codex
    yield agent_tools_check(places)
    yield from model_checks(places, no_codex=no_codex(codex), env=os.environ)


def _orders() -> Check:
    """Only a person gives orders: how well that can be told here."""
    problem = what_it_cannot_tell()
    if not problem:
        return Check("orders", "ok", "only a person's: rawr can tell an agent's processes from yours")
    way_out = "Start rawr in a terminal outside that sandbox." if can_tell() else "See the guide on the host."
    return Check("orders", "warn", problem, way_out)


def _config(places: Places) -> Iterator[Check]:
    file = places.home / "config.toml"
    warnings = places.loaded.warnings
    if not file.exists():
        yield Check("config", "ok", f"none at {file}; defaults are used")
    elif not warnings:
        yield Check("config", "ok", str(file))
    for warning in warnings:
        yield Check("config", "warn", str(warning), "Fix it, or delete the line to use the default.")

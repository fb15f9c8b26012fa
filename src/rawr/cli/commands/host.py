"""``rawr host``: look at it, stop it, read its log, install it."""

import asyncio
import os
import sys
import time
from collections import deque
from pathlib import Path
from typing import TextIO

from msgspec import Struct

from rawr.cli.commands.in_reach import refuse
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.cli.terminal.visible import harmless
from rawr.errors import OutsideError
from rawr.host import service
from rawr.host.client import HostClient, NoHost
from rawr.host.messages import HostStatus
from rawr.host.starting import LOG
from rawr.journal.home import resolve_home
from rawr.views.numbers import ago

LOOK = 0.25
"""Seconds between looks at a log that is followed."""


class NotRunning(Struct, frozen=True):
    """What ``rawr host status --json`` says if there is none."""

    home: str
    running: bool = False


class Written(Struct, frozen=True):
    file: str
    commands: tuple[str, ...]
    written: bool


def status(*, json: bool) -> Exit:
    home = resolve_home()
    try:
        found = asyncio.run(_status(home))
    except NoHost as error:
        if json:
            emit(NotRunning(str(home)))
        else:
            say(str(error))
        return Exit.PROBLEM
    if json:
        emit(found)
    else:
        _tell(found)
    return Exit.OK


async def _status(home: Path) -> HostStatus:
    async with await HostClient.open(home, shape=False) as client:
        return await client.status()


def _tell(found: HostStatus) -> None:
    say(f"rawr {found.version} serves {found.home} as process {found.pid}, started {ago(found.since)}.")
    for run in found.runs:
        say(f"  run {run.run}: {run.status} in {harmless(run.cwd)}")
    if found.watching:
        say(f"  watching {harmless(found.watching)}")
    for link in found.links:
        state = "connected" if link.online else f"not connected: {harmless(link.problem)}"
        runs = f", for {', '.join(link.runs)}" if link.runs else ""
        say(f"  {'Codex' if link.kind == 'own' else 'your Codex'} {harmless(link.where)}: {state}{runs}")
    if found.processes > 1:
        say(f"  {found.processes} Codex processes: terminals with different environments do not share one")
    if found.confined:
        say(f"  {found.confined}")
    say(f"  {counted(found.clients, 'client')}, this one included. {found.ends}")


def stop(*, json: bool) -> Exit:
    home = resolve_home()
    try:
        before = asyncio.run(_stop(home))
    except NoHost as error:
        if json:
            emit(NotRunning(str(home)))
        else:
            say(str(error))
        return Exit.OK
    if json:
        emit(before)
        return Exit.OK
    for run in before.runs:
        say(f"Run {run.run} is paused; `rawr resume {run.run}` continues it.")
    say("The host has stopped.")
    return Exit.OK


async def _stop(home: Path) -> HostStatus:
    async with await HostClient.open(home, shape=False) as client:
        before = await client.status()
        await client.stop_host()
    return before


def logs(lines: int, *, follow: bool) -> Exit:
    path = resolve_home() / LOG
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in deque(file, lines):
                sys.stdout.write(f"{harmless(line.rstrip())}\n")
            while follow:
                _rest(file)
    except FileNotFoundError as error:
        raise OutsideError(f"There is no log: no host has run on {path.parent}.") from error
    return Exit.OK


def _rest(file: TextIO) -> None:
    line = file.readline()
    if line:
        sys.stdout.write(f"{harmless(line.rstrip())}\n")
        sys.stdout.flush()
    else:
        time.sleep(LOOK)


def install(*, dry_run: bool, json: bool) -> Exit:
    places = Places.find()
    refuse(places)
    unit = service.unit_for(places.home, env=os.environ, program=(sys.executable, "-P", "-m", "rawr"))
    if not dry_run:
        service.write(unit)
    if json:
        emit(Written(str(unit.path), unit.switch_on, not dry_run))
    elif dry_run:
        sys.stdout.write(unit.text)
    else:
        say(f"Wrote {unit.path}. To switch it on:")
        for command in unit.switch_on:
            say(f"  {command}")
    return Exit.OK


def uninstall(*, json: bool) -> Exit:
    places = Places.find()
    unit = service.unit_for(places.home, env=os.environ, program=(sys.executable, "-P", "-m", "rawr"))
    if not service.remove(unit):
        warn(f"there is no {unit.path}")
        return Exit.PROBLEM
    if json:
        emit(Written(str(unit.path), unit.switch_off, written=False))
    else:
        say(f"Removed {unit.path}. If it was switched on:")
        for command in unit.switch_off:
            say(f"  {command}")
    return Exit.OK

"""rawr's home and its journal: private, writable, sound."""

import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

from rawr.cli.commands.doctor.check import Check
from rawr.cli.places import Places
from rawr.cli.terminal.pace import JournalPace
from rawr.errors import JournalError
from rawr.journal import home as journal_home
from rawr.journal.integrity import Area, IntegrityReport, check

JOURNAL_SECONDS = 20.0
"""For the journal, among all the other checks. A million rows take about five."""


def journal_checks(places: Places, *, json: bool) -> Iterator[Check]:
    """Every row of the journal, however long it takes, and everything found."""
    if not journal_home.is_recorded(places.home):
        yield Check("journal", "ok", f"none yet in {places.home}")
        return
    report = _look_through(places.home, JournalPace(shown=not json, seconds=None))
    for finding in report.findings:
        yield Check("journal", "fail", finding.problem, _way_out(finding.area, report.path))
    if report.ok:
        yield _sound(report)


def home_checks(places: Places, *, json: bool) -> Iterator[Check]:
    home = places.home
    try:
        recorded = journal_home.is_recorded(home)
    except JournalError as error:
        yield Check("home", "fail", error.message, error.way_out)
        return
    if not home.exists():
        parent = next(folder for folder in home.parents if folder.exists())
        if _writable(parent):
            yield Check("home", "ok", f"{home} does not exist yet; rawr creates it when needed")
        else:
            yield Check("home", "fail", f"{home} cannot be created", "Set RAWR_HOME to a folder you can write to.")
        return
    if not home.is_dir() or not _writable(home):
        yield Check("home", "fail", f"{home} is not writable", "Set RAWR_HOME to a folder you can write to.")
        return
    try:
        journal_home.prepare_home(home)
        yield Check("home", "ok", f"{home}, private")
    except JournalError as error:
        yield Check("home", "fail", error.message, error.way_out)
    yield _journal(home, json=json) if recorded else Check("journal", "ok", "none yet")


def _writable(folder: Path) -> bool:
    """Tests it by trying: modes do not reveal read-only file systems."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _journal(home: Path, *, json: bool) -> Check:
    path = journal_home.database(home)
    report = _look_through(home, JournalPace(shown=not json, seconds=JOURNAL_SECONDS))
    if report.ok:
        return _sound(report)
    first = report.findings[0]
    more = f" (and {len(report.findings) - 1} more)" if len(report.findings) > 1 else ""
    return Check("journal", "fail", first.problem + more, _way_out(first.area, path))


def _look_through(home: Path, pace: JournalPace) -> IntegrityReport:
    try:
        return check(home, full=True, pace=pace)
    finally:
        pace.close()


def _sound(report: IntegrityReport) -> Check:
    what = f"{report.path}: {report.facts} facts, schema {report.version}"
    if report.left:
        seen = f"the first {report.rows} of {report.rows + report.left} rows are sound; there was no time for the rest"
        return Check("journal", "warn", f"{what}; {seen}", "`rawr doctor --journal` checks all of it.")
    return Check("journal", "ok", f"{what}, sound")


def _way_out(area: Area, path: Path) -> str:
    match area:
        case "version":
            return "Update rawr, or set RAWR_HOME to another folder."
        case "lock":
            return "Stop the other program, and check again."
        case "permissions":
            return f"chmod go= {shlex.quote(str(path.parent))} {shlex.quote(str(path))}*"
        case "rows":
            return (
                "rawr works without the damaged parts and leaves the threads that need them alone: see `rawr status`."
            )
        case "list":
            return "rawr reads the facts instead, which takes longer; `rawr journal prune` makes the list anew."
        case "file" | "schema" | "pages" | "numbers" | "bodies":
            moved = shlex.join(("mv", str(path), f"{path}.broken"))
            return f"Move it aside to start a new one: {moved}"
        case _:
            assert_never(area)

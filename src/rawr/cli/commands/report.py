"""``rawr report``: what came of a run, for the person who left it alone overnight; or how a thread went."""

import shutil
import sys
import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.cli.commands import page_file, recorded, session_report
from rawr.cli.commands.receipts import journal
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal import plots, timeline_words
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import emit, has_symbols, say, telling, warn
from rawr.cli.terminal.report_words import as_markdown, on_terminal
from rawr.errors import OutsideError
from rawr.journal.reader import JournalReader
from rawr.runtime.sockets import is_live
from rawr.views.changes import ChangesView, Committed, changes_of
from rawr.views.recorded import RecordedThread
from rawr.views.report import RunReport, report_of
from rawr.views.runs import run_name
from rawr.views.timeline import Counterfactual, Timeline
from rawr.views.timeline.journaled import timeline_of

NARROW = 80
"""Columns, where there is no terminal."""


class Wanted(Struct, frozen=True):
    name: str
    markdown: bool
    output: Path | None
    html: Path | None
    json: bool


class Told(Struct, frozen=True):
    """What is reported on: a thread over time, and the run on it, if there is one."""

    timeline: Timeline
    run: RunReport | None = None
    instead: Counterfactual | None = None

    @property
    def name(self) -> str:
        return f"run {self.run.run}" if self.run is not None else f"thread {self.timeline.thread}"


def run(wanted: Wanted) -> Exit:
    told = _told(wanted.name)
    if wanted.json:
        emit(told.timeline if told.run is None else replace(told.run, timeline=told.timeline))
    elif wanted.html is not None:
        page_file.put(_page(told), wanted.html, what=f"The report on {told.name}")
    elif wanted.output is not None:
        report = _of_run(told)
        _write(wanted.output, as_markdown(report))
        say(f"The report on run {report.run} is in {wanted.output}.")
    elif wanted.markdown:
        # Made harmless piece by piece; its lines must stay lines.
        with telling():
            print(as_markdown(_of_run(told)), end="", flush=True)  # noqa: T201
    else:
        _show(told)
    return Exit.OK


def _show(told: Told) -> None:
    width, symbols = shutil.get_terminal_size((NARROW, 24)).columns - 2, has_symbols(sys.stdout)
    drawn = (
        ("Context", list(plots.plot(told.timeline, width=width, symbols=symbols))),
        ("Plan", list(plots.plan(told.timeline, width=width, symbols=symbols))),
    )
    if told.run is not None:
        lines = on_terminal(told.run, drawn)
    else:
        lines = timeline_words.on_terminal(told.timeline, drawn, instead=told.instead)
    for line in lines:
        say(line)


def _page(told: Told) -> str:
    from rawr.pages.report import report_page

    changes = _changes(told.timeline) if told.run is None and told.instead is None else None
    return report_page(told.timeline, run=told.run, changes=changes, instead=told.instead)


def _changes(timeline: Timeline) -> ChangesView:
    made = (Committed(one.sha, one.subject, one.at, one.root) for one in timeline.commits)
    return changes_of(timeline.folder, made)


def _of_run(told: Told) -> RunReport:
    if told.run is None:
        raise OutsideError(
            f"Thread {told.timeline.thread} has no run, and Markdown is for runs.",
            way_out="Use --html FILE, or neither.",
        )
    return told.run


# -- what is reported on ----------------------------------------------------------------------------------------------


def _told(name: str) -> Told:
    if session_report.is_session_file(name) or (session_report.is_path(name) and not recorded.home().called(name)):
        found = session_report.retold(Path(name))
        return Told(found.timeline, instead=found.instead)
    places = Places.find()
    policy = places.loaded.policy
    with journal() as reader:
        found_thread = recorded.the_one(reader, policy, name) if name else _newest()
        told = _recorded(reader, found_thread, places)
        tell_of_damage(reader)
    return told


def _recorded(reader: JournalReader, found: RecordedThread, places: Places) -> Told:
    policy, state = places.loaded.policy, found.state
    ordered = state.run if state is not None else None
    first = ordered.number if ordered is not None else 1
    timeline = timeline_of(reader, found.span.thread, policy=policy, first=first, until=found.until)
    if state is None or ordered is None:
        return Told(timeline)
    if not timeline.folder:
        # The run was ordered after its thread was opened.
        timeline = replace(timeline, folder=state.cwd, model=state.model)
    now = int(time.time() * 1000)
    last_seen, live = found.span.last_at, found.until is None and is_live(places.home)
    report = report_of(reader, state, policy, last_seen=last_seen, now=now, live=live, until=found.until)
    return Told(timeline, report)


def _newest() -> RecordedThread:
    found = recorded.home().newest(of_a_run=True)
    if found is not None and found.state is not None and found.state.run is not None:
        warn(f"run {run_name(found.state.run)}")
        return found
    found = recorded.home().newest()
    if found is None:
        raise OutsideError("There is nothing to report on yet.", way_out="`rawr run` starts a run.")
    warn(f"thread {found.span.thread}")
    return found


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise OutsideError(f"{output} cannot be written: {problem}.", way_out="Give another --output FILE.") from error

"""``rawr report``: what came of a run, for the person who left it alone overnight."""

import time
from pathlib import Path

from rawr.cli.commands import recorded
from rawr.cli.commands.receipts import journal
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import emit, say, telling, warn
from rawr.cli.terminal.report_words import as_markdown, on_terminal
from rawr.errors import OutsideError
from rawr.runtime.control import is_live
from rawr.views.recorded import RecordedThread
from rawr.views.report import RunReport, report_of
from rawr.views.runs import run_name


def run(name: str, *, markdown: bool, output: Path | None, json: bool) -> Exit:
    report = _report(name)
    if json:
        emit(report)
    elif output is not None:
        _write(output, as_markdown(report))
        say(f"The report on run {report.run} is in {output}.")
    elif markdown:
        # Made harmless piece by piece; its lines must stay lines.
        with telling():
            print(as_markdown(report), end="", flush=True)  # noqa: T201
    else:
        for line in on_terminal(report):
            say(line)
    return Exit.OK


def _report(name: str) -> RunReport:
    places = Places.find()
    policy = places.loaded.policy
    with journal() as reader:
        found = recorded.the_one(reader, policy, name) if name else _newest()
        state = found.state
        if state is None or state.run is None:
            raise OutsideError(
                f"Thread {found.span.thread} has no run to report on.", way_out="`rawr status` lists the runs."
            )
        now = int(time.time() * 1000)
        last_seen, live = found.span.last_at, found.until is None and is_live(places.home)
        report = report_of(reader, state, policy, last_seen=last_seen, now=now, live=live, until=found.until)
        tell_of_damage(reader)
    return report


def _newest() -> RecordedThread:
    found = recorded.home().newest(of_a_run=True)
    if found is None or found.state is None or found.state.run is None:
        raise OutsideError("There is no run to report on yet.", way_out="`rawr run` starts one.")
    warn(f"run {run_name(found.state.run)}")
    return found


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise OutsideError(f"{output} cannot be written: {problem}.", way_out="Give another --output FILE.") from error

"""The summary of the runs of one call: why each ended, what was done and whether it was checked; and the exit code."""

import shutil
import sys
import textwrap
from collections.abc import Sequence

from rawr.cli.exit_codes import Exit
from rawr.cli.terminal.output import NobodyReads, OutputLost, drop, emit, say, warn
from rawr.cli.terminal.run_words import ending_lines
from rawr.core.state.run import Status
from rawr.core.state.thread import ThreadState
from rawr.views.runs import resume_command, run_name
from rawr.views.summary import ending_of, summary_of

EXITS: dict[Status, Exit] = {
    "running": Exit.PAUSED,
    "paused": Exit.PAUSED,
    "stopped": Exit.GUARD,
    "done": Exit.OK,
    "failed": Exit.FAILED,
}
WORST: tuple[Exit, ...] = (Exit.FAILED, Exit.GUARD, Exit.PAUSED, Exit.OK)


def last_word(states: Sequence[ThreadState], *, json: bool) -> Exit:
    """Print the summary, if anybody still reads, and return the worst of the exit codes."""
    try:
        for number, state in enumerate(states, 1):
            if state.run is None:
                # rawr was told to exit before the run was ordered.
                continue
            if json:
                emit(summary_of(state))
            else:
                _say(state, f"Task {number} of {len(states)}" if len(states) > 1 else "")
    except OutputLost as lost:
        tell_lost(lost)
    drop()
    codes = {EXITS[state.run.status] for state in states if state.run is not None}
    return next((code for code in WORST if code in codes), Exit.PROBLEM)


def tell_lost(lost: OutputLost) -> None:
    """The terminal is gone, or the reader of a pipe. The exit code still tells what became of the runs."""
    if not isinstance(lost, NobodyReads):
        warn(str(lost))


def _say(state: ThreadState, task: str) -> None:
    say()
    if task and state.run is not None:
        say(f"{task}: {run_name(state.run)}, in {state.cwd}")
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for line in ending_lines(ending_of(state)):
        for part in wrapped(line, columns):
            say(part)
    if state.run is not None and state.run.status != "done":
        for part in way_on(resume_command(state.run), columns):
            say(part)


def wrapped(text: str, columns: int) -> list[str]:
    """The text in lines that end between words; one line if there is no terminal to fit."""
    if not columns:
        return [text]
    return textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False)


def way_on(command: str, columns: int) -> list[str]:
    """A command to copy: on a line of its own where it would not fit, and never broken."""
    line = f"To continue: {command}"
    return [line] if not columns or len(line) <= columns else ["To continue:", f"  {command}"]

"""The last word on the runs of one call: why each ended, what was done, whether that was checked; and the exit code."""

from collections.abc import Sequence

from msgspec import Struct

from rawr.cli.commands.tasks import MILLION
from rawr.cli.exit_codes import Exit
from rawr.cli.terminal.output import NobodyReads, OutputLost, drop, emit, say, warn
from rawr.cli.terminal.run_view import ending, named
from rawr.core.state.run import Status
from rawr.core.state.thread import ThreadState

EXITS: dict[Status, Exit] = {
    "running": Exit.PAUSED,
    "paused": Exit.PAUSED,
    "stopped": Exit.GUARD,
    "done": Exit.OK,
    "failed": Exit.FAILED,
}
WORST: tuple[Exit, ...] = (Exit.FAILED, Exit.GUARD, Exit.PAUSED, Exit.OK)


class Stopped(Struct, frozen=True):
    reason: str
    detail: str


class Summary(Struct, frozen=True, tag_field="type", tag="summary"):
    stop: Stopped
    done: str
    status: str
    turns: int
    compactions: int
    tokens: int
    cost: float
    seconds: float
    thread: str
    run: str


def last_word(states: Sequence[ThreadState], *, json: bool) -> Exit:
    """Say it, to whoever still listens, and return the worst of the exit codes."""
    try:
        for number, state in enumerate(states, 1):
            if state.run is None:
                # rawr was told to end before it was ordered.
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
    """The terminal is gone, or the reader of a pipe. What became of the runs is the exit code all the same."""
    if not isinstance(lost, NobodyReads):
        warn(str(lost))


def summary_of(state: ThreadState) -> Summary:
    run = state.run
    assert run is not None, "a run that was ordered"  # noqa: S101
    stop = Stopped(run.stop.reason, run.stop.detail) if run.stop is not None else Stopped("", "")
    return Summary(
        stop=stop,
        done=run.done,
        status=run.status,
        turns=run.turns,
        compactions=state.compaction_count,
        tokens=run.tokens,
        cost=run.cost / MILLION,
        seconds=run.used_ms / 1000,
        thread=state.id,
        run=run.id,
    )


def _say(state: ThreadState, task: str) -> None:
    say()
    if task and state.run is not None:
        say(f"{task}: {named(state.run)}, in {state.cwd}")
    # Two lines; whatever breaks stand in the first are the agent's, and do not make a line of their own.
    why, _, numbers = ending(state).rpartition("\n")
    for line in (why, numbers):
        say(line)
    if state.run is not None and state.run.status != "done":
        say(f"Go on with it: rawr resume {state.run.id}")

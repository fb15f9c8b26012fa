"""The final summary of a run: why it ended, what was done, and whether that was checked."""

from msgspec import Struct

from rawr.core.policy.full_auto import MILLION
from rawr.core.state.thread import ThreadState


class Stopped(Struct, frozen=True):
    reason: str
    detail: str


class RunSummary(Struct, frozen=True, tag_field="type", tag="summary"):
    """For programs."""

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
    allow: tuple[str, ...] = ()
    """Commands that were approved because the order said so."""


class Ending(Struct, frozen=True):
    """For people: a verdict, the reason with its detail, and the results."""

    verdict: str
    why: str
    turns: int
    commits: int
    files: int
    compactions: int
    tokens: int
    seconds: int


def summary_of(state: ThreadState) -> RunSummary:
    run = state.run
    assert run is not None, "a run that was ordered"  # noqa: S101
    stop = Stopped(run.stop.reason, run.stop.detail) if run.stop is not None else Stopped("", "")
    return RunSummary(
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
        allow=run.order.allow,
    )


def ending_of(state: ThreadState) -> Ending | None:
    """None if there was no run."""
    run = state.run
    if run is None:
        return None
    verdicts = {
        "checked": "Done, and the check passed.",
        "self_reported": "Done, according to the agent: nothing checked it.",
        "no": f"Not done: {run.status}.",
    }
    why = "it is still running"
    if run.stop is not None:
        why = f"{run.stop.reason}: {run.stop.detail}" if run.stop.detail else run.stop.reason
    return Ending(
        verdict=verdicts[run.done],
        why=why,
        turns=run.turns,
        commits=len(state.ledger.commits),
        files=len(state.ledger.files),
        compactions=state.compaction_count,
        tokens=run.tokens,
        seconds=run.used_ms // 1000,
    )

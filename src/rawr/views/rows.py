"""A thread in one row: what a list of threads shows, and what a person scans for."""

from typing import Literal

from msgspec import Struct

from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import Tier
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.records import Decision
from rawr.views.context import context_of
from rawr.views.questions import open_requests

Standing = Literal[
    "running",
    "waiting",
    "asks there",
    "compacting",
    "paused",
    "stopped",
    "done",
    "failed",
    "idle",
    "cut off",
    "away",
    "closed",
]
"""``waiting``: for a person's answer. ``asks there``: it is asked, and answered, in the Codex that the person runs."""
SHOWN_NAME = 60


class ThreadRow(Struct, frozen=True):
    thread: str
    name: str
    """The goal of its run, or its first message, or the folder it works in."""
    folder: str
    standing: Standing
    run: str
    """The run's id; empty without one."""
    percent_left: int | None
    tier: Tier | None
    decision: str
    """The newest decision, in words."""
    asks: int
    """How many questions wait for a person."""
    queued: int


def thread_row(state: ThreadState, policy: Policy, *, decision: Decision | None = None, live: bool = True) -> ThreadRow:
    """``live``: a rawr is running it; otherwise it is as it was left."""
    context = context_of(state, policy.thresholds)
    return ThreadRow(
        thread=state.id,
        name=name_of(state),
        folder=state.cwd.rstrip("/").rpartition("/")[2],
        standing=standing_of(state, live=live),
        run=state.run.id if state.run is not None else "",
        percent_left=context.percent_left,
        tier=context.tier,
        decision=decision.record.reason.meaning if decision is not None else "",
        asks=len(open_requests(state)) if live else 0,
        queued=sum(one.purpose == "user" for one in state.queue),
    )


def name_of(state: ThreadState) -> str:
    """A thread in a few words."""
    said = state.run.order.goal if state.run is not None else state.ledger.goal
    words = " ".join(said.split())
    short = words if len(words) <= SHOWN_NAME else f"{words[: SHOWN_NAME - 1]}…"
    return short if words else state.cwd.rstrip("/").rpartition("/")[2] or state.id


def standing_of(state: ThreadState, *, live: bool) -> Standing:
    """What a person has to know first."""
    if live and open_requests(state):
        return "waiting"
    if live and not state.ours and state.requests:
        return "asks there"
    if state.closed:
        return _rest(state.run, "closed")
    if live and (state.compacting is not None or state.sequence is not None):
        return "compacting"
    works = state.turn is not None or (state.run is not None and state.run.active)
    lost = state.last_turn is not None and state.last_turn.lost and state.run is None
    if works or lost:
        return "running" if works and live and (state.online or state.turn is None) else "cut off"
    return _rest(state.run, "idle" if state.online else "away")


def _rest(run: Run | None, otherwise: Standing) -> Standing:
    if run is None or run.status == "running":
        return otherwise
    return run.status

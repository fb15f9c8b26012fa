"""What the journal has of one session, for the agent that works in it: as recorded, so without secrets."""

import time
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.config.load import load_policy
from rawr.core.state.thread import ThreadState
from rawr.core.text import head
from rawr.errors import OutsideError
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.sockets import is_live
from rawr.views import decisions
from rawr.views.record import PhaseView
from rawr.views.recorded import RecordedThread, called
from rawr.views.threads import DecisionMade, HoldView, thread_view

NEWEST = 20
"""Of each list, so that an answer fits into a context that is filling up."""
LONGEST = 300
"""Characters of a text."""


class StepNow(Struct, frozen=True):
    step: str
    status: Literal["pending", "in_progress", "completed"]


class SoFar(Struct, frozen=True):
    thread: str
    watched: bool
    """A rawr is watching the session now, so what is here is up to date."""
    percent_left: int | None
    compactions: int
    plan: tuple[StepNow, ...]
    phases: tuple[PhaseView, ...]
    commits: tuple[str, ...]
    files: tuple[str, ...]
    holds: tuple[HoldView, ...]
    directives: tuple[str, ...]
    """What the user said that applies until it is withdrawn, and what is pinned; verbatim."""
    decision: DecisionMade | None


def so_far(home: Path, thread: str) -> SoFar | None:
    """None if nothing is on record. Lists hold the newest."""
    if not is_recorded(home):
        return None
    policy = load_policy(home).policy
    with JournalReader.open(database(home)) as reader:
        found = _the_thread(reader, home, thread)
        if found is None or found.state is None:
            return None
        decision = decisions.newest(reader, found.span)
    state = found.state
    live = is_live(home)
    view = thread_view(
        state, policy, last_seen=found.span.last_at, now=int(time.time() * 1000), live=live, decision=decision
    )
    return SoFar(
        thread=thread,
        watched=live and state.online,
        percent_left=view.percent_left,
        compactions=view.compactions,
        plan=tuple(StepNow(head(one.step, LONGEST), one.status) for one in state.plan.steps[:NEWEST]),
        phases=view.record.phases[-NEWEST:],
        commits=tuple(f"{one.sha[:10]} {head(one.subject, LONGEST)}" for one in state.ledger.commits[-NEWEST:]),
        files=tuple(one.path for one in view.record.files[-NEWEST:]),
        holds=view.holds,
        directives=tuple(one.text for one in view.record.invariants if one.by == "user"),
        decision=view.decision,
    )


def is_watched(home: Path, thread: str) -> bool:
    """Return True if a rawr is running there and has joined this thread. What cannot be read counts as no."""
    if not thread or not is_live(home):
        return False
    try:
        with JournalReader.open(database(home)) as reader:
            found = _the_thread(reader, home, thread)
    except OutsideError:
        return False
    return found is not None and found.state is not None and _joined(found.state)


def _joined(state: ThreadState) -> bool:
    return state.online and not state.closed


def _the_thread(reader: JournalReader, home: Path, thread: str) -> RecordedThread | None:
    """By its whole name only: a part of it could be another's."""
    return next((one for one in called(reader, load_policy(home).policy, thread) if one.span.thread == thread), None)

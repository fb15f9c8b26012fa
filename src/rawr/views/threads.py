"""A thread's latest state: where it works, how full its context is, what it waits for, and its run."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.core.policy.policy import Policy
from rawr.core.state.thread import Diff, OpenRequest, ThreadState
from rawr.core.text import head
from rawr.core.thread.spoken import held_back
from rawr.core.vocabulary.native import in_words
from rawr.core.vocabulary.records import Decision
from rawr.runtime.recovery import Distrust
from rawr.views.compacting import natively, who_compacts
from rawr.views.context import context_of
from rawr.views.limits import limits_in_words
from rawr.views.record import RecordView, record_view
from rawr.views.runs import RunView, run_view
from rawr.views.waiting import ONLY_RECORD, CutOffView, Shown, shown, waiting_on

SHOWN_TEXT = 120
"""Characters of a message."""


class ThreadView(Struct, frozen=True, tag_field="type", tag="thread"):
    thread: str
    cwd: str
    ours: bool
    state: str
    turns: int
    plan_done: int
    plan_steps: int
    tokens: int | None
    window: int | None
    percent_left: int | None
    tier: str | None
    compactions: int
    limits: str
    """Its limits: sandbox and approvals, as Codex last reported."""
    diff: "DiffView | None"
    waiting: tuple[str, ...]
    queued: int
    held: tuple[str, ...]
    """Of these, the messages that wait until its run is resumed."""
    run: RunView | None
    decision: "DecisionMade | None"
    damage: "DamageView | None"
    """Why rawr leaves it alone, if it does; everything else is then the state before the damage."""
    last_seen: int
    """When the newest fact about it was recorded, in ms since the epoch."""
    holds: tuple["HoldView", ...] = ()
    """While there is one, the thread is not compacted, except in an emergency."""
    pins: tuple[str, ...] = ()
    """Directives that every handoff repeats."""
    parent: str = ""
    """For a sub-agent's thread: the thread that spawned it."""
    ephemeral: bool = False
    """A helper of the user's own program, which Codex does not keep."""
    active: bool = False
    """Something runs on it now, or it waits for a person's answer."""
    compacting: str = ""
    """Who compacts it, and from which percent on."""
    native: str = ""
    """Of this, what Codex does by itself before the window is full; empty if nothing."""
    record: RecordView = RecordView()
    """Its repository, changed files, invariants, phases and completed steps."""


class DamageView(Struct, frozen=True):
    """What is damaged in a thread's record."""

    rows: int
    fact: int
    """The first damaged fact."""
    problem: str
    way_out: str


class HoldView(Struct, frozen=True):
    until: str
    turns_left: int | None
    """None: until it is released."""
    by: Literal["user", "agent"] = "user"


class DiffView(Struct, frozen=True):
    """The changes of the newest turn that changed something, in numbers."""

    files: int
    added: int
    removed: int


class DecisionMade(Struct, frozen=True):
    """The newest decision about a thread."""

    id: str
    at: int
    reason: str
    meaning: str


class ThreadsSummary(Struct, frozen=True, tag_field="type", tag="summary"):
    threads: int
    shown: int
    facts: int
    journal: Path
    damaged: int = 0
    """Rows of the journal that could not be used for this."""
    hidden: int = 0
    """Helper and sub-agent threads that were passed over."""


def thread_view(
    state: ThreadState,
    policy: Policy,
    *,
    last_seen: int,
    now: int,
    live: bool = False,
    decision: Decision | None = None,
    why: Distrust | None = None,
    real: Iterable[OpenRequest] = (),
) -> ThreadView:
    """``live``: a rawr is running on this home. ``why``: what is wrong with the thread's record. ``real``: what the
    running rawr says is waiting there, with its secrets."""
    context = context_of(state, policy.thresholds)
    return ThreadView(
        thread=state.id,
        cwd=state.cwd,
        ours=state.ours,
        state="damaged" if why is not None else _word(state),
        turns=state.turns,
        plan_done=sum(step.status == "completed" for step in state.plan.steps),
        plan_steps=len(state.plan.steps),
        tokens=context.tokens,
        window=context.window,
        percent_left=context.percent_left,
        tier=context.tier,
        compactions=state.compaction_count,
        limits=limits_in_words(state),
        diff=_diff(state.diff) if state.diff is not None else None,
        waiting=tuple(_waits(shown(one, real)) for one in state.requests if live and not one.answer),
        queued=len(state.queue),
        held=tuple(head(one.text, SHOWN_TEXT) for one in held_back(state)),
        run=run_view(state.run, last_seen=last_seen, now=now, live=live) if state.run is not None else None,
        decision=_made(decision) if decision is not None else None,
        damage=DamageView(why.rows, why.seq, why.problem, why.way_out) if why is not None else None,
        last_seen=last_seen,
        holds=tuple(HoldView(one.until, one.turns_left, one.by) for one in state.guards),
        pins=tuple(one.text for one in state.ledger.directives if one.pinned),
        parent=state.parent,
        ephemeral=state.ephemeral,
        active=_is_active(state, live=live),
        compacting=who_compacts(policy, state),
        native=in_words(natively(state)),
        record=record_view(state),
    )


def _waits(one: Shown) -> str:
    return one.text if one.real else f"{one.text} ({ONLY_RECORD})"


def is_hidden(state: ThreadState) -> bool:
    """Return True if a list leaves it out: a helper or a sub-agent, which nobody gave a job."""
    return (state.ephemeral or bool(state.parent)) and state.run is None


def _is_active(state: ThreadState, *, live: bool) -> bool:
    works = state.online and (state.turn is not None or state.compacting is not None)
    runs = state.run is not None and state.run.active
    return (live and (works or runs)) or any(not isinstance(one, CutOffView) for one in waiting_on(state, live=live))


def _diff(diff: Diff) -> DiffView:
    added, removed = sum(one.added for one in diff.files), sum(one.removed for one in diff.files)
    return DiffView(files=len(diff.files) + diff.files_omitted, added=added, removed=removed)


def _made(decision: Decision) -> DecisionMade:
    reason = decision.record.reason
    return DecisionMade(id=decision.id, at=decision.at, reason=reason.value, meaning=reason.meaning)


def _word(state: ThreadState) -> str:
    if state.closed:
        return state.put_away or "closed"
    if state.compacting is not None:
        return "compacting"
    if state.turn is not None:
        return "working" if state.online else "cut off"
    if state.last_turn is not None and state.last_turn.lost and state.last_turn.status != "completed":
        return "cut off"
    return "idle" if state.online else "away"

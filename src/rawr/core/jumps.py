"""The system's clock was set, or the machine slept: no budget counts that time, and none gets longer (C5).

Forward, the timeline of the facts jumps along, so everything that measures a duration moves by the same amount. Back,
the timeline continues as it was; only dates from the server are then further away.
"""

from msgspec.structs import replace

from rawr.core.draft import HostDraft, ThreadDraft
from rawr.core.run import ending
from rawr.core.state.deadlines import Deadline
from rawr.core.thread import host
from rawr.core.vocabulary.effects import Notify, SetDeadline
from rawr.core.vocabulary.facts import ClockJumped
from rawr.core.vocabulary.reasons import Reason

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def jumped(draft: ThreadDraft, fact: ClockJumped) -> None:
    if fact.ms > 0:
        _forward(draft, fact.ms)
    else:
        _back(draft, -fact.ms)


def _forward(draft: ThreadDraft, ms: int) -> None:
    state = draft.state
    run, turn, compacting, sequence = state.run, state.turn, state.compacting, state.sequence
    if run is not None and run.active:
        ending.change(draft, stretch=run.stretch + ms, heard=run.heard + ms if run.heard else 0)
    if turn is not None:
        draft.change(turn=replace(turn, started_at=turn.started_at + ms))
    if compacting is not None:
        draft.change(compacting=replace(compacting, since=compacting.since + ms))
    if sequence is not None:
        draft.change(sequence=replace(sequence, since=sequence.since + ms))
    if state.breaker.open_until:
        draft.change(breaker=replace(state.breaker, open_until=state.breaker.open_until + ms))
    by_date = {ending.RETRY} if run is not None and run.waiting == "limit" else set()
    _move_deadlines(draft, ms, [one.name for one in state.deadlines if one.name not in by_date])


def _back(draft: ThreadDraft, ms: int) -> None:
    state, run = draft.state, draft.state.run
    if state.limited_until:
        draft.change(limited_until=state.limited_until + ms)
    if run is not None and run.active and run.waiting == "limit":
        _move_deadlines(draft, ms, [ending.RETRY])


def host_jumped(draft: HostDraft, fact: ClockJumped) -> None:
    """Report it once; from here on, people see the new date."""
    draft.note(Reason.CLOCK_NOTED_JUMP, ms=fact.ms)
    draft.do(Notify(level="warning", text=told(fact.ms)))
    if fact.ms < 0:
        later = -fact.ms // SECOND
        limits = draft.state.rate_limits
        moved = tuple(replace(one, resets_at=one.resets_at + later) if one.resets_at else one for one in limits)
        draft.change(rate_limits=moved)
        _move_deadlines(draft, -fact.ms, [host.RESET])


def told(ms: int) -> str:
    if ms > 0:
        return f"The clock jumped {span(ms)} ahead: it was set, or this machine slept. No budget counts that time."
    return f"The clock was set back by {span(-ms)}. rawr keeps counting from where it was, so no budget gets longer."


def span(ms: int) -> str:
    """A length of time in its largest unit."""
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if ms >= size:
            return f"{ms / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{ms // SECOND} s"


def _move_deadlines(draft: "ThreadDraft | HostDraft", ms: int, names: list[str]) -> None:
    known = draft.state.deadlines
    moved = tuple(Deadline(one.name, one.at + ms) if one.name in names else one for one in known)
    draft.change(deadlines=moved)
    for one in moved:
        if one.name in names:
            draft.do(SetDeadline(name=one.name, at=one.at))

"""Holds, "do not compact until …" (B3), and what a person marks and pins from outside."""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.requests.tools import MAX_HELD, Hold
from rawr.core.speech import line
from rawr.core.state import ledger
from rawr.core.state.sequence import MAX_GUARDS, AgentHeld, Guard
from rawr.core.state.thread import MAX_PHASES, PhaseMark
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import HoldSubmitted, PhaseSubmitted, PinRemoved, PinSubmitted
from rawr.core.vocabulary.payloads import PhaseOver
from rawr.core.vocabulary.reasons import Reason

MAX_PIN = 8_000
"""Characters. Every handoff contains it in full, so it cannot be a book."""


def hold_submitted(draft: ThreadDraft, fact: HoldSubmitted) -> None:
    draft.change(guards=(*draft.state.guards, Guard(fact.until, fact.turns))[-MAX_GUARDS:])
    draft.note(Reason.HOLD_SET_SUBMITTED, until=fact.until, turns=fact.turns)


def hold_released(draft: ThreadDraft) -> None:
    draft.note(Reason.HOLD_RELEASED_SUBMITTED, released=len(draft.state.guards))
    draft.change(guards=())


def agent_holds(draft: ThreadDraft, hold: Hold) -> None:
    """The agent may ask for it too, for a few turns in all between two compactions: it must not hold them off for good.
    A new hold replaces its last one."""
    state = draft.state
    used = state.agent_held.turns if state.agent_held.compactions == state.compaction_count else 0
    turns = min(hold.turns, MAX_HELD - used)
    if turns < 1:
        draft.note(Reason.HOLD_REFUSED_AGENT, until=hold.until, most=MAX_HELD)
        return
    # The turn in which it is said counts down too, and is over before the hold is of use.
    guards = (*(one for one in state.guards if one.by == "user"), Guard(hold.until, turns + 1, by="agent"))
    draft.change(guards=guards[-MAX_GUARDS:], agent_held=AgentHeld(state.compaction_count, used + turns))
    draft.note(Reason.HOLD_SET_AGENT, until=hold.until, turns=turns)
    text = f"The agent holds compactions off, for up to {turns} more turns, until {line(hold.until)}."
    draft.do(Notify(level="info", text=f"{text} `rawr hold --release` lifts it."))


def agent_released(draft: ThreadDraft) -> None:
    """The agent lifts what it asked for. What a person holds, a person releases."""
    kept = tuple(one for one in draft.state.guards if one.by == "user")
    draft.note(Reason.HOLD_RELEASED_AGENT, released=len(draft.state.guards) - len(kept))
    draft.change(guards=kept)


def after_turn(draft: ThreadDraft) -> tuple[Guard, ...]:
    """The guards that remain after a turn of work."""
    kept: list[Guard] = []
    for guard in draft.state.guards:
        if guard.turns_left is None:
            kept.append(guard)
        elif guard.turns_left > 1:
            kept.append(replace(guard, turns_left=guard.turns_left - 1))
        else:
            draft.note(Reason.HOLD_RELEASED_TURNS, until=guard.until)
    return tuple(kept)


def phase_submitted(draft: ThreadDraft, fact: PhaseSubmitted) -> None:
    if fact.mode:
        draft.change(mode=fact.mode, mode_by="user")
        draft.note(Reason.MODE_SET_USER, mode=fact.mode)
    if not fact.phase:
        return
    draft.note(Reason.PHASE_MARKED_USER, phase=fact.phase)
    turn = draft.state.turn or draft.state.last_turn
    name = turn.id if turn is not None else ""
    mark = PhaseMark(fact.phase, "", "", (), name, draft.at, by="user")
    draft.change(phases=(*draft.state.phases, mark)[-MAX_PHASES:])
    draft.signal("phase_boundary", PhaseOver(fact.phase, by="user"), source="user", turn=name)


def pin_submitted(draft: ThreadDraft, fact: PinSubmitted) -> None:
    if len(fact.text) > MAX_PIN:
        draft.note(Reason.DIRECTIVE_REFUSED_LENGTH, characters=len(fact.text), most=MAX_PIN)
        return
    draft.note(Reason.DIRECTIVE_PINNED_SUBMITTED)
    draft.change(ledger=ledger.add_pin(draft.state.ledger, fact.text, at=draft.at))


def pin_removed(draft: ThreadDraft, fact: PinRemoved) -> None:
    before = draft.state.ledger
    after = ledger.remove_pin(before, fact.text)
    removed = len(before.directives) - len(after.directives)
    left = [one.text for one in after.directives if one.pinned]
    if not removed:
        draft.note(Reason.IGNORED_UNKNOWN_PIN, left=left)
        return
    draft.note(Reason.DIRECTIVE_UNPINNED_SUBMITTED, removed=removed, left=left)
    draft.change(ledger=after)

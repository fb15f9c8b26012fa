"""Ending a turn before its time, and what follows where Codex does not end it.

It is asked once, then once more, each with a deadline. Then Codex itself is started anew, if it is one that rawr
started, and the run rests with a reason of its own: a turn that ignores an interrupt holds nobody up for ever.
"""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.events import TurnWedged
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import Cut
from rawr.core.vocabulary.effects import InterruptTurn, Notify, RestartCodex
from rawr.core.vocabulary.facts import EffectSucceeded
from rawr.core.vocabulary.reasons import Reason

DEADLINE = "interrupt"
ASKS = 2
"""How often Codex is asked to end a turn."""


def cut(draft: ThreadDraft, turn: str) -> None:
    """Interrupt the turn. Asking for it again, while its end is waited for, moves no deadline. Without a name it is one
    that is still on its way: that it comes is waited for no longer than that it ends."""
    known = draft.state.cut
    if turn:
        draft.do(InterruptTurn(turn=turn))
    if known is None or known.turn != turn:
        draft.change(cut=Cut(turn))
        draft.set_deadline(DEADLINE, draft.policy.limits.interrupt)


def on_its_way(state: ThreadState) -> str:
    """The turn of a message that was sent and taken, and of which nothing more was heard; empty: not even that."""
    return next((one.turn for one in state.sent if not one.steer), "")


def _goes_on(state: ThreadState, known: Cut) -> bool:
    if state.turn is not None:
        return known.turn in ("", state.turn.id) or not state.turn.id
    return any(not one.steer and known.turn in ("", one.turn) for one in state.sent)


def deadline_passed(draft: ThreadDraft) -> None:
    """The turn was to end, and has not. Without a connection that is not Codex's fault; ``joined`` leads back here."""
    state = draft.state
    known = state.cut
    if known is None or not state.online:
        return
    if not _goes_on(state, known):
        draft.change(cut=None)
    elif known.asked < ASKS:
        draft.note(Reason.TURN_INTERRUPTED_AGAIN, turn=known.turn, seconds=draft.policy.limits.interrupt)
        draft.do(Notify(level="warning", text="[rawr] Codex has not ended the turn; interrupting it again."))
        name = known.turn or (state.turn.id if state.turn is not None else on_its_way(state))
        if name:
            draft.do(InterruptTurn(turn=name))
        draft.change(cut=replace(known, turn=name, asked=known.asked + 1))
        draft.set_deadline(DEADLINE, draft.policy.limits.interrupt)
    elif not known.restart:
        _give_up(draft, known)


def _give_up(draft: ThreadDraft, known: Cut) -> None:
    draft.note(Reason.TURN_FAILED_WEDGED, turn=known.turn, asked=known.asked)
    draft.do(Notify(level="error", text="[rawr] Codex did not end the turn after two interrupts; restarting Codex."))
    draft.change(cut=replace(known, restart=draft.do(RestartCodex())))
    draft.emit(TurnWedged())


def effect_succeeded(draft: ThreadDraft, fact: EffectSucceeded) -> bool:
    """Return True if it was the restart. A server of somebody else's is not ours to end: then they are told."""
    known = draft.state.cut
    if known is None or not known.restart or known.restart != fact.effect:
        return False
    if fact.result != "restarted":
        text = (
            "[rawr] rawr did not start this Codex and cannot restart it; the turn may still run. Restart it yourself."
        )
        draft.do(Notify(level="error", text=text))
    return True


def over(draft: ThreadDraft) -> None:
    """The turn has ended, one way or another."""
    if draft.state.cut is not None:
        draft.change(cut=None)
        draft.cancel_deadline(DEADLINE)


def connection_lost(draft: ThreadDraft) -> None:
    draft.cancel_deadline(DEADLINE)


def restarted(draft: ThreadDraft) -> None:
    """rawr was away, and whoever wanted the turn ended is gone."""
    draft.change(cut=None)


def joined(draft: ThreadDraft) -> None:
    """Over a socket the turn may have gone on meanwhile; what was asked of the last connection is asked of this one."""
    known, turn = draft.state.cut, draft.state.turn
    if known is None or known.restart:
        return
    draft.change(cut=None)
    if turn is not None and turn.id == known.turn:
        cut(draft, turn.id)

"""End a turn early, and what follows if Codex does not end it.

Codex is asked once, then once more, each time with a deadline. Then rawr restarts Codex, if rawr started it, and the
run rests with its own reason: a turn that ignores an interrupt blocks nobody forever.
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
    """Interrupt the turn. Asking again while rawr waits for its end moves no deadline. An empty ``turn`` is one still
    on its way: rawr waits no longer for it to appear than for it to end."""
    known = draft.state.cut
    if turn:
        draft.do(InterruptTurn(turn=turn))
    if known is None or known.turn != turn:
        draft.change(cut=Cut(turn))
        draft.set_deadline(DEADLINE, draft.policy.limits.interrupt)


def on_its_way(state: ThreadState) -> str:
    """The turn of a message that was sent and accepted, without any further news; empty if there is none."""
    return next((one.turn for one in state.sent if not one.steer), "")


def _goes_on(state: ThreadState, known: Cut) -> bool:
    if state.turn is not None:
        return known.turn in ("", state.turn.id) or not state.turn.id
    return any(not one.steer and known.turn in ("", one.turn) for one in state.sent)


def deadline_passed(draft: ThreadDraft) -> None:
    """The turn should have ended, but has not. Without a connection Codex is not to blame; ``joined`` leads back."""
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
    """Return True if it was the restart. rawr does not stop a server that it did not start, but notifies the user."""
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
    """rawr was away, and the reason to end the turn is gone."""
    draft.change(cut=None)


def joined(draft: ThreadDraft) -> None:
    """Over a socket the turn may have continued; the request to the last connection is repeated on this one."""
    known, turn = draft.state.cut, draft.state.turn
    if known is None or known.restart:
        return
    draft.change(cut=None)
    if turn is not None and turn.id == known.turn:
        cut(draft, turn.id)

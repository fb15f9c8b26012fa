"""Getting a person's message to the agent exactly once, whatever breaks on the way (A15, D5).

A message is *sent* when an effect carries it, and has *arrived* when Codex shows it in the thread under the effect's
id. In between anything may fail. Where it is not known what became of it, Codex's own history is asked; nothing is ever
sent again on a guess.
"""

from operator import attrgetter

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.effects import FindMessage, Notify, StartTurn, SteerTurn
from rawr.core.facts import EffectFailed, EffectSucceeded
from rawr.core.reasons import Reason
from rawr.core.state import Queued, Sent


def send(draft: ThreadDraft, message: Queued, *, steer: str = "") -> None:
    """Start a turn with the message, or put it into the running turn ``steer``."""
    effect = draft.do(SteerTurn(turn=steer, text=message.text) if steer else StartTurn(text=message.text))
    draft.change(sent=(*draft.state.sent, Sent(effect, message, steer=bool(steer), turn=steer)))


def arrived(draft: ThreadDraft, effect: str) -> None:
    _drop(draft, effect)


def turn_over(draft: ThreadDraft, turn: str) -> None:
    """A turn that ended was started by its message, shown or not. A steer that never showed is in doubt."""
    if not draft.state.sent:
        return
    left = [one for one in draft.state.sent if one.turn != turn or one.doubt or one.steer]
    late = [replace(one, doubt=one.doubt or "lost") if one.turn == turn else one for one in left]
    draft.change(sent=tuple(late))
    look_for_doubted(draft)


def effect_succeeded(draft: ThreadDraft, fact: EffectSucceeded) -> bool:
    """Whether the outcome was that of a message or of a search for one."""
    for one in draft.state.sent:
        if one.finding == fact.effect:
            _found(draft, one, fact.result)
            return True
        if one.effect == fact.effect:
            last = draft.state.last_turn
            if not one.steer and last is not None and last.id == fact.result:
                _drop(draft, one.effect)
            elif not one.steer:
                _replace(draft, one, replace(one, turn=fact.result))
            return True
    return False


def effect_failed(draft: ThreadDraft, fact: EffectFailed) -> bool:
    for one in draft.state.sent:
        if one.finding == fact.effect:
            # The search itself was lost with the connection; it is made again when the thread is joined again.
            _replace(draft, one, replace(one, finding=""))
            return True
        if one.effect == fact.effect:
            _failed(draft, one, fact)
            return True
    return False


def _failed(draft: ThreadDraft, one: Sent, fact: EffectFailed) -> None:
    match fact.code:
        case "unsent":
            _requeue(draft, one)
            draft.note(Reason.TURN_REQUEUED_UNSENT, message=one.message.seq)
        case "lost" | "timed_out":
            _replace(draft, one, replace(one, doubt=fact.code))
            draft.note(Reason.TURN_DOUBTED_LOST, message=one.message.seq, problem=fact.problem)
            look_for_doubted(draft)
        case "refused" | "moot":
            if one.steer:
                # The turn ended first, or cannot be steered: the message starts a turn of its own instead.
                _requeue(draft, one)
                draft.note(Reason.STEER_QUEUED_REFUSED, message=one.message.seq, problem=fact.problem)
            else:
                _drop(draft, one.effect)
                draft.note(Reason.TURN_FAILED_REFUSED, message=one.message.seq, problem=fact.problem)
                draft.do(Notify(level="error", text=f"Codex did not take the message: {fact.problem}"))


def connection_lost(draft: ThreadDraft) -> None:
    """An answer that came says little: a server can die between taking a message and writing it down."""
    draft.change(sent=tuple(replace(one, doubt=one.doubt or "lost", finding="") for one in draft.state.sent))


def look_for_doubted(draft: ThreadDraft) -> None:
    if not draft.state.online:
        return
    for one in draft.state.sent:
        if one.doubt and not one.finding:
            _replace(draft, one, replace(one, finding=draft.do(FindMessage(message=one.effect))))


def _found(draft: ThreadDraft, one: Sent, turn: str) -> None:
    if turn:
        draft.note(Reason.TURN_CONFIRMED_HISTORY, message=one.message.seq, turn=turn)
        _drop(draft, one.effect)
    elif one.doubt == "timed_out":
        # The server is up and may still come round to it: a second copy would be worse than a message said to be late.
        draft.note(Reason.TURN_FAILED_UNCONFIRMED, message=one.message.seq)
        draft.do(Notify(level="error", text="Codex did not confirm the message; send it again if nothing happens."))
        _drop(draft, one.effect)
    else:
        draft.note(Reason.TURN_REQUEUED_UNSENT, message=one.message.seq)
        _requeue(draft, one)


def _requeue(draft: ThreadDraft, one: Sent) -> None:
    """Back to where it stood: messages are delivered in the order in which they were submitted."""
    _drop(draft, one.effect)
    draft.change(queue=tuple(sorted((one.message, *draft.state.queue), key=attrgetter("seq"))))


def _replace(draft: ThreadDraft, old: Sent, new: Sent) -> None:
    draft.change(sent=tuple(new if one.effect == old.effect else one for one in draft.state.sent))


def _drop(draft: ThreadDraft, effect: str) -> None:
    left = tuple(one for one in draft.state.sent if one.effect != effect)
    if len(left) != len(draft.state.sent):
        draft.change(sent=left)

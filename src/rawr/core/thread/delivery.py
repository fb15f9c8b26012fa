"""Deliver a person's message to the agent exactly once, whatever breaks on the way (A15, D5).

A message is *sent* when an effect carries it, *shown* when Codex has it in the thread under the effect's id, and *in*
when the turn that showed it has ended. In between anything may fail. If its fate is not known, rawr looks in Codex's
own history; it never sends anything again on a guess.
"""

from operator import attrgetter
from typing import Literal

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.events import OwnMessageShown, RecordUnread, TurnFound, Undelivered
from rawr.core.state import ledger
from rawr.core.state.messages import Queued, Sent
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import WORK, Purpose, TurnOutcome
from rawr.core.thread import limiting, spoken
from rawr.core.vocabulary.effects import FindMessage, Notify, StartTurn, SteerTurn
from rawr.core.vocabulary.facts import EffectFailed, EffectSucceeded, MessageFound
from rawr.core.vocabulary.reasons import Reason

MAX_LOOKUPS = 2
"""How often rawr searches for a message on one connection before it says that it does not know."""


def send(draft: ThreadDraft, message: Queued, *, steer: str = "") -> str:
    """Start a turn with the message, or put it into the running turn ``steer``. Return the effect that carries it."""
    own = message.purpose != "user"
    words, limits, carries = message.text, limiting.sent(draft.state), message.carries
    effect = draft.do(
        SteerTurn(turn=steer, text=words, own=own, carries=carries)
        if steer
        else StartTurn(text=words, own=own, limits=limits, carries=carries)
    )
    draft.change(sent=(*draft.state.sent, Sent(effect, message, steer=bool(steer), turn=steer)))
    return effect


def shown(draft: ThreadDraft, effect: str, *, turn: str) -> Purpose | None:
    """Codex shows a message. If it is one of ours, return why it was sent."""
    for one in draft.state.sent:
        if one.effect == effect:
            if turn in draft.state.ended:
                # A late report: the turn that contains it is over, and nothing more will follow.
                _drop(draft, effect)
            else:
                _replace(draft, one, replace(one, shown=True, turn=turn, doubt="", finding=""))
            return one.message.purpose
    return None


def purpose_of_turn(draft: ThreadDraft, turn: str) -> Purpose | Literal[""]:
    """Why a turn was started whose message was never shown, because it ended first."""
    return next((one.message.purpose for one in draft.state.sent if one.turn == turn and not one.steer), "")


def turn_over(draft: ThreadDraft, turn: str) -> None:
    """The message that started an ended turn is in, shown or not. A steer that was never shown is in doubt."""
    if not turn or not draft.state.sent:
        return
    running = draft.state.turn.id if draft.state.turn is not None else ""
    # Only one turn runs at a time: a message shown in any other turn is in as well.
    over = [one for one in draft.state.sent if one.turn == turn or (one.shown and one.turn not in ("", running))]
    left = [one for one in draft.state.sent if one not in over or one.doubt or (one.steer and not one.shown)]
    late = [replace(one, doubt=one.doubt or "lost") if one.turn == turn else one for one in left]
    draft.change(sent=tuple(late))
    look_for_doubted(draft)


def effect_succeeded(draft: ThreadDraft, fact: EffectSucceeded) -> bool:
    """Return True if the outcome was that of a message or of a search for one."""
    for one in draft.state.sent:
        if one.finding == fact.effect:
            _found(draft, one, fact.result)
            return True
        if one.effect == fact.effect:
            if not one.steer and fact.result in draft.state.ended:
                _drop(draft, one.effect)
            elif not one.steer:
                _replace(draft, one, replace(one, turn=fact.result))
            return True
    return False


def effect_failed(draft: ThreadDraft, fact: EffectFailed) -> bool:
    for one in draft.state.sent:
        if one.finding == fact.effect:
            _not_searched(draft, one, fact)
            return True
        if one.effect == fact.effect:
            _failed(draft, one, fact)
            return True
    return False


def _failed(draft: ThreadDraft, one: Sent, fact: EffectFailed) -> None:
    if one.shown:
        return
    match fact.code:
        case "unsent":
            _requeue(draft, one)
            draft.note(Reason.TURN_REQUEUED_UNSENT, message=one.message.seq)
        case "lost" | "timed_out":
            _replace(draft, one, replace(one, doubt=fact.code))
            draft.note(Reason.TURN_DOUBTED_LOST, message=one.message.seq, problem=fact.problem)
            look_for_doubted(draft)
        case "refused" | "moot" | "gone":
            if one.steer and fact.code != "gone":
                # The turn ended first, or cannot be steered: the message starts a new turn instead.
                draft.note(Reason.STEER_QUEUED_REFUSED, message=one.message.seq, problem=fact.problem)
                _requeue(draft, one)
            else:
                _drop(draft, one.effect)
                draft.note(Reason.TURN_FAILED_REFUSED, message=one.message.seq, problem=fact.problem)
                draft.do(Notify(level="error", text=f"Codex did not accept the message: {fact.problem}"))
                draft.emit(Undelivered(one.message.purpose, fact.problem))


def connection_lost(draft: ThreadDraft) -> None:
    """An answer proves little: a server can die between accepting a message and writing it down."""
    draft.change(sent=tuple(_doubted(one) for one in draft.state.sent))


def _is_deleted(state: ThreadState) -> bool:
    """No run can be resumed on a thread that is gone for good."""
    stop = state.run.stop if state.run is not None else None
    return stop is not None and stop.reason == Reason.RUN_FAILED_DELETED


def _doubted(one: Sent) -> Sent:
    return replace(one, doubt=one.doubt or "lost", finding="", lookups=0)


def closed(draft: ThreadDraft) -> None:
    """Nothing can be delivered for now, and nobody can say what was: report every message, except those that wait for
    a run to be resumed."""
    state = draft.state
    waiting = () if _is_deleted(state) else spoken.held_back(state)
    unconfirmed = [one.message for one in state.sent if one.doubt or not one.shown]
    messages = sorted((one for one in (*unconfirmed, *state.queue) if one not in waiting), key=attrgetter("seq"))
    draft.change(
        queue=tuple(one for one in state.queue if one in waiting),
        sent=tuple(_doubted(one) for one in state.sent if one.message in waiting),
    )
    if not messages:
        return
    for message in messages:
        draft.note(Reason.TURN_FAILED_CLOSED, message=message.seq)
    text = f"The thread was closed; messages that Codex did not confirm: {len(messages)}."
    draft.do(Notify(level="error", text=text))


def look_for_doubted(draft: ThreadDraft) -> None:
    """Search Codex's history. Only between turns: a steer is written there when the running turn reads it."""
    if not draft.state.online or draft.state.turn is not None:
        return
    for one in draft.state.sent:
        if one.doubt and not one.finding:
            effect = draft.do(FindMessage(message=one.effect, text=one.message.whole))
            _replace(draft, one, replace(one, finding=effect, lookups=one.lookups + 1))


def found(draft: ThreadDraft, fact: MessageFound) -> None:
    """More about the turn in which a message was found. The search itself then reports that it was found."""
    for one in draft.state.sent:
        if one.effect == fact.message and one.finding:
            ended: Literal["completed", "interrupted"] = "completed" if fact.completed else "interrupted"
            _replace(draft, one, replace(one, ended=ended, said=fact.said))


def _found(draft: ThreadDraft, one: Sent, turn: str) -> None:
    if turn and one.message.purpose == "user":
        _remember(draft, one.message.text)
    running = draft.state.turn
    if turn and running is not None and running.id in ("", turn) and turn not in draft.state.ended:
        # It is there, but not for good: the server can still die before it has written the turn down.
        _replace(draft, one, replace(one, shown=True, turn=turn, doubt="", finding=""))
    elif turn:
        draft.note(Reason.TURN_CONFIRMED_HISTORY, message=one.message.seq, turn=turn)
        _drop(draft, one.effect)
        draft.emit(OwnMessageShown(one.message.purpose))
        last = draft.state.last_turn
        if last is not None and last.id == turn:
            draft.emit(TurnFound(replace(last, purpose=one.message.purpose)))
        elif one.ended:
            # Its end was not seen, and another turn came after it. The request there is answered.
            unseen = TurnOutcome(turn, one.ended, draft.at, agent_text=one.said, lost=True, purpose=one.message.purpose)
            draft.emit(TurnFound(unseen))
    elif one.doubt == "timed_out":
        # The server is up and may still process it: a second copy would be worse than a late message.
        _give_up(draft, one)
    else:
        draft.note(Reason.TURN_REQUEUED_UNSENT, message=one.message.seq)
        _requeue(draft, one)


def _remember(draft: ThreadDraft, text: str) -> None:
    """A person's message in the thread belongs to the record, even if its item was not seen."""
    kept = draft.state.ledger
    if kept.goal != text and all(directive.text != text for directive in kept.directives):
        draft.change(ledger=ledger.add_message(kept, text, at=draft.at))


def _not_searched(draft: ThreadDraft, one: Sent, fact: EffectFailed) -> None:
    """The search itself failed, but not with the connection: that would have been reported first."""
    again = fact.code == "unsent" or (fact.code in ("lost", "timed_out") and one.lookups < MAX_LOOKUPS)
    if not again:
        _give_up(draft, one)
        return
    _replace(draft, one, replace(one, finding=""))
    if fact.code != "unsent":
        look_for_doubted(draft)


def _give_up(draft: ThreadDraft, one: Sent) -> None:
    draft.note(Reason.TURN_FAILED_UNCONFIRMED, message=one.message.seq)
    _drop(draft, one.effect)
    draft.emit(Undelivered(one.message.purpose, "Codex did not confirm the message"))
    draft.do(Notify(level="error", text="Codex did not confirm the message; send it again if nothing happens."))


def _requeue(draft: ThreadDraft, one: Sent) -> None:
    """Put it back in its place: messages are delivered in the order in which they were submitted."""
    _drop(draft, one.effect)
    if one.message.purpose == "recovery":
        # It starts no turn. Whoever wrote it knows what to do with it now.
        draft.emit(RecordUnread(one.effect))
        return
    if one.message.purpose not in WORK and draft.state.sequence is None:
        return  # rawr's own messages belong to a sequence that is over
    if one.message.purpose == "landing":
        # It asks a running turn to stop, and makes no sense at the start of another one.
        draft.emit(Undelivered("landing", "the turn ended first"))
        return
    draft.change(queue=tuple(sorted((one.message, *draft.state.queue), key=attrgetter("seq"))))


def _replace(draft: ThreadDraft, old: Sent, new: Sent) -> None:
    draft.change(sent=tuple(new if one.effect == old.effect else one for one in draft.state.sent))


def _drop(draft: ThreadDraft, effect: str) -> None:
    left = tuple(one for one in draft.state.sent if one.effect != effect)
    if len(left) != len(draft.state.sent):
        draft.change(sent=left)

"""What a person tells the agent: a message, a steer into the running turn, an interruption."""

from rawr.core.draft import ThreadDraft
from rawr.core.state.messages import Queued
from rawr.core.text import head
from rawr.core.thread import connection, cutting, delivery, limiting, outbox, spoken
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import InterruptSubmitted, MessageWithdrawn, SteerSubmitted, UserSubmitted
from rawr.core.vocabulary.reasons import Reason


def user_submitted(draft: ThreadDraft, fact: UserSubmitted) -> None:
    if not _acceptable(draft, fact.text):
        return
    outbox.put(draft, Queued.of_user(draft.seq, fact.text))
    connection.wake(draft)
    limiting.reassert(draft)
    if draft.state.busy:
        draft.note(Reason.TURN_QUEUED_BUSY, waiting=len(draft.state.queue))
    elif not draft.state.online:
        draft.note(Reason.TURN_QUEUED_OFFLINE, waiting=len(draft.state.queue))


def steer_submitted(draft: ThreadDraft, fact: SteerSubmitted) -> None:
    turn = draft.state.turn
    if not _acceptable(draft, fact.text):
        return
    if turn is None or not turn.id or draft.state.compacting is not None or not draft.state.online:
        # A compaction's turn cannot be steered, and the message must not be lost because of that.
        outbox.put(draft, Queued.of_user(draft.seq, fact.text))
        connection.wake(draft)
        draft.note(Reason.STEER_QUEUED_IDLE, waiting=len(draft.state.queue))
    else:
        delivery.send(draft, Queued.of_user(draft.seq, fact.text), steer=turn.id)
        draft.note(Reason.STEER_SENT_SUBMITTED, turn=turn.id)


def message_withdrawn(draft: ThreadDraft, fact: MessageWithdrawn) -> None:
    """Only a person's own words that still wait: a run's goal goes with its run."""
    state = draft.state
    mine = (one for one in state.queue if one.purpose == "user" and not spoken.of_run(one, state.run))
    message = next((one for one in mine if one.seq == fact.message), None)
    if message is None:
        draft.note(Reason.IGNORED_UNKNOWN_MESSAGE, message=fact.message)
        return
    draft.change(queue=tuple(one for one in state.queue if one is not message))
    draft.note(Reason.TURN_WITHDRAWN_SUBMITTED, message=message.seq, text=head(message.text, 500))


def interrupt_submitted(draft: ThreadDraft, _fact: InterruptSubmitted) -> None:
    turn = draft.state.turn
    if turn is None or not turn.id:
        draft.note(Reason.IGNORED_NO_TURN)
        return
    cutting.cut(draft, turn.id)
    draft.note(Reason.TURN_INTERRUPTED_SUBMITTED, turn=turn.id)


def _acceptable(draft: ThreadDraft, text: str) -> bool:
    if not text.strip():
        draft.note(Reason.IGNORED_EMPTY_INPUT)
        return False
    if draft.state.closed:
        draft.note(Reason.IGNORED_CLOSED_THREAD, message=draft.seq)
        draft.do(Notify(level="error", text="The thread is closed; the message was not sent."))
        return False
    return True

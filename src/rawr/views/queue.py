"""The messages that wait to be sent: which of them are a person's, and what they wait for."""

from typing import Literal, assert_never

from msgspec import Struct

from rawr.core.state.sequence import Phase, Sequence
from rawr.core.state.thread import ThreadState
from rawr.core.thread import spoken


class QueuedView(Struct, frozen=True):
    message: int
    """Its number, by which it can be withdrawn (``MessageWithdrawn``)."""
    text: str
    waits_for: str
    """Such as ``the running turn``."""


def queued_on(state: ThreadState) -> tuple[QueuedView, ...]:
    """A person's messages that are not sent yet, in their order."""
    own = (one for one in state.queue if one.purpose == "user" and not spoken.of_run(one, state.run))
    return tuple(QueuedView(one.seq, one.text, _reason(state, held=spoken.held(one, state.run))) for one in own)


def unread_on(state: ThreadState) -> tuple[str, ...]:
    """A person's words that were sent into the running turn, and that the agent has not come to yet."""
    return tuple(
        one.message.text for one in state.sent if one.steer and not one.shown and one.message.purpose == "user"
    )


def sequence_in_words(sequence: Sequence) -> str:
    """What the golden path is waiting for, as a clause: ``the agent's packet``."""
    match sequence.phase:
        case Phase.IDLE | Phase.ASSESSING:
            return "a decision"
        case Phase.AWAITING_JUDGMENT:
            return "a model's judgment"
        case Phase.HEADS_UP_INJECTED:
            return "the agent's answer to the heads-up"
        case Phase.AWAITING_SCRATCH:
            return "the agent's notes"
        case Phase.AWAITING_PACKET:
            return "the agent's packet"
        case Phase.COMPACTING:
            return "Codex to compact"
        case Phase.HANDOFF_PENDING:
            return "the handoff to arrive"
        case _ as never:
            assert_never(never)


def enter_does(state: ThreadState) -> Literal["send", "steer", "queue"]:
    """What becomes of a message that is submitted now: it starts a turn, goes into the running one, or waits."""
    if state.sequence is not None or state.compacting is not None or not state.online:
        return "queue"
    return "steer" if state.turn is not None else "queue" if state.busy else "send"


def _reason(state: ThreadState, *, held: bool) -> str:
    if held:
        return "its run to be resumed"
    if state.sequence is not None:
        return sequence_in_words(state.sequence)
    if not state.online:
        return "Codex to be connected"
    return "the running turn" if state.busy else "its turn"

"""Messages that wait to be sent, and which of them starts the next turn."""

from rawr.core.draft import ThreadDraft
from rawr.core.events import UserSpoke
from rawr.core.speech import Own
from rawr.core.state.messages import Queued
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import WORK, OwnPurpose
from rawr.core.thread import delivery, limiting, quiet, spoken
from rawr.core.vocabulary.effects import Carried
from rawr.core.vocabulary.reasons import Reason

ASKING = frozenset({"heads_up", "scratch", "packet", "correction"})
"""Messages that begin a turn of their own. What others have to say goes first."""


def put(draft: ThreadDraft, message: Queued) -> None:
    """Add it behind the waiting messages. A run's message starts a turn when the run has its slot."""
    draft.change(queue=(*draft.state.queue, message))
    if message.purpose == "user":
        draft.emit(UserSpoke())


def say(
    draft: ThreadDraft,
    text: Own,
    purpose: OwnPurpose,
    *,
    into_running_turn: bool = False,
    carries: tuple[Carried, ...] = (),
) -> None:
    """Send one of rawr's own messages: in a separate turn, or into the running one. What it carries goes out with
    it."""
    message = Queued.own(draft.seq, text, purpose, carries=carries)
    turn = steerable(draft.state)
    if turn and (into_running_turn or purpose == "handoff"):
        # A user's message came first, or the turn must know of it now.
        delivery.send(draft, message, steer=turn)
        return
    put(draft, message)
    start_own(draft)


def go_along(draft: ThreadDraft, text: Own, purpose: OwnPurpose) -> str:
    """Put one of rawr's own messages into the running turn, if it takes any. Return the effect, or nothing."""
    turn = steerable(draft.state)
    return delivery.send(draft, Queued.own(draft.seq, text, purpose), steer=turn) if turn else ""


def steerable(state: ThreadState) -> str:
    """The running turn, if it may still read a message. One that has been answered is about to end: a message would
    miss it, or make it longer for nothing else."""
    turn = state.turn
    takes = turn is not None and not turn.answered and state.compacting is None and state.online
    return turn.id if turn is not None and takes else ""


def withdraw(draft: ThreadDraft) -> None:
    """rawr's own unsent messages are no longer needed."""
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose in WORK))


# -- which one is next ------------------------------------------------------------------------------------------------


def free(state: ThreadState) -> bool:
    """Return True if a turn may start now: not while the thread is being joined again, under its limits."""
    ready = state.online and not state.closed and not state.resuming and not state.unweighed
    return ready and not state.reading and not state.busy and not limiting.held(state)


def start_own(draft: ThreadDraft) -> bool:
    """Send the oldest of rawr's own messages: it goes before all others. Return True if there was one."""
    state = draft.state
    if not state.queue or not free(state):
        return False
    message = next((one for one in draft.state.queue if one.purpose not in WORK), None)
    if message is not None and not (message.purpose in ASKING and quiet.comes(draft)):
        start(draft, message)
    return message is not None


def next_message(state: ThreadState) -> Queued | None:
    """The message that may start a turn of work now. On a thread that a run drives, the run must have its slot; if its
    run is not running, only what a person has said since it came to rest may."""
    if not state.queue or not free(state) or state.sequence is not None:
        return None
    run = state.run
    if run is None or not run.active:
        mine = (one for one in state.queue if one.purpose == "user" and not spoken.of_run(one, run))
        return next((one for one in mine if not spoken.held(one, run)), None)
    if run.waiting != "turn" or run.stop_asked or run.pause_asked:
        return None
    return state.queue[0]


def about_to_start(state: ThreadState) -> bool:
    """Return True if the end of this step starts a turn."""
    if not state.queue or not free(state):
        return False
    return any(one.purpose not in WORK for one in state.queue) or next_message(state) is not None


def start(draft: ThreadDraft, message: Queued) -> None:
    """Take it off the queue and send it."""
    rest = tuple(one for one in draft.state.queue if one is not message)
    draft.change(queue=rest)
    delivery.send(draft, message)
    if message.purpose == "continue":
        draft.note(Reason.TURN_STARTED_RUN, message=message.seq)
    elif message.purpose == "user":
        draft.note(Reason.TURN_STARTED_INPUT, message=message.seq, waiting=len(rest))
    else:
        draft.note(Reason.TURN_STARTED_SEQUENCE, message=message.seq, purpose=message.purpose)


def work_waits(state: ThreadState) -> bool:
    return any(one.purpose in WORK for one in state.queue)

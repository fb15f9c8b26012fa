"""Whose words a message is, and whether a run at rest holds it back: what was said to a run goes out when it is resumed
(C13)."""

from rawr.core.state.messages import Queued
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState


def of_run(message: Queued, run: Run | None) -> bool:
    """The run's own words: its goal goes out as a person's message, but still waits for the run."""
    return message.purpose == "continue" or (run is not None and begins(message, run))


def held(message: Queued, run: Run | None) -> bool:
    """Return True if it was said to a run that has come to rest since: it goes out when the run is resumed."""
    return run is not None and not run.active and message.seq <= run.rested


def held_back(state: ThreadState) -> tuple[Queued, ...]:
    """A person's messages that wait for the run to be resumed, in their order. Those on their way that the agent was
    not seen to receive are among them: whether it has is looked up when the thread is joined again."""
    unseen = (one.message for one in state.sent if not one.shown)
    own = (one for one in (*unseen, *state.queue) if one.purpose == "user" and not of_run(one, state.run))
    return tuple(one for one in own if held(one, state.run))


def begins(message: Queued, run: Run) -> bool:
    """Return True if the run was ordered with this message."""
    return run.number == message.seq

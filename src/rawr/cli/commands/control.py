"""``rawr compact``, ``hold``, ``phase``, ``pin``, ``pause``, ``stop``: a command to the rawr that is running."""

import asyncio

import msgspec

from rawr.cli.commands import recorded
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import emit, say, warn
from rawr.core.state.run import Run
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary.facts import AnswerSubmitted, RunOverridden, RunPauseSubmitted, RunResumed, RunStopSubmitted
from rawr.runtime.control import Answered, Asked, Command, NobodyThere, ShowWaiting, ask
from rawr.views.replies import reply_view
from rawr.views.runs import standing

RunWord = RunPauseSubmitted | RunStopSubmitted | RunResumed | RunOverridden


def run(command: Command, *, thread: str, json: bool) -> Exit:
    """Send the command and report the outcome."""
    reply = reply_view(_ask(command, thread))
    if json:
        emit(reply)
    elif reply.problem:
        warn(reply.problem)
    else:
        for line in reply.in_words:
            (warn if reply.ignored else say)(f"{reply.thread[-8:]}: {line}")
    return Exit.PROBLEM if reply.problem or reply.ignored else Exit.OK


def to_run(word: RunWord, name: str, *, json: bool) -> Exit:
    """Send a command to a run that is under way. If no rawr is running, report the state of the run instead."""
    try:
        return tell_run(word, name, json=json)
    except NobodyThere as error:
        found = recorded.find_run(name)
        raise (recorded.unknown(name) if found is None else recorded.not_under_way(found)) from error


def tell_run(word: RunWord, name: str, *, json: bool) -> Exit:
    """The same, if a rawr is known to be running; raises ``NobodyThere`` if none is."""
    answer = _ask(word, name)
    found = recorded.find_run(name)
    reply = reply_view(answer, found)
    holds = found is not None and _holds(word, found)
    if json:
        emit(reply)
    elif found is None:
        warn(str(recorded.unknown(name)))
    elif reply.refused:
        whose = ", and another rawr is running it" if found.active else ""
        (say if holds else warn)(f"Run {found.id} is {standing(found, live=True)}{whose}.")
    else:
        for line in reply.in_words or (_under_way(word),):
            say(f"Run {found.id}: {line}")
        if isinstance(word, RunResumed | RunOverridden):
            say("The rawr running it continues it; `rawr status` shows its progress.")
    return Exit.OK if holds or not reply.refused else Exit.PROBLEM


def waiting(state: ThreadState, *, before: AnswerSubmitted | None = None) -> tuple[OpenRequest, ...]:
    """What a person must decide there, as it really is: the journal has no secrets. Empty if no rawr is running, or if
    it does not tell. ``before``: the answer that is about to be given; raises ``NotAPerson`` where it would."""
    if all(one.answer for one in state.requests):
        return ()
    try:
        return _ask(ShowWaiting(before=before), state.id).waiting
    except NobodyThere:
        return ()


def _ask(command: Command | ShowWaiting, thread: str) -> Answered:
    home = Places.find().home
    try:
        return asyncio.run(ask(home, Asked(command, thread)))
    except msgspec.DecodeError as error:
        raise NobodyThere(f"The rawr running on {home} has just exited.") from error


def _holds(word: RunWord, found: Run) -> bool:
    """Return True if the refused command asked for the current state. A person who resumes a run waits for its end."""
    match word:
        case RunPauseSubmitted():
            return found.status == "paused"
        case RunStopSubmitted():
            return found.status == "stopped"
        case RunResumed() | RunOverridden():
            return False


def _under_way(word: RunWord) -> str:
    """What follows, if nothing was decided yet."""
    match word:
        case RunPauseSubmitted(now=False):
            return "it pauses when its turn is over."
        case RunPauseSubmitted():
            return "its turn is being interrupted, and it pauses."
        case RunStopSubmitted():
            return "its turn is being interrupted, and it stops."
        case RunResumed() | RunOverridden():
            return "it continues."

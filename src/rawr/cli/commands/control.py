"""``rawr compact``, ``hold``, ``phase``, ``pin``, ``pause``, ``stop``: a word to the rawr that is running."""

import asyncio

import msgspec

from rawr.cli.commands import recorded
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import emit, say, warn
from rawr.core.state.run import Run
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.facts import RunOverridden, RunPauseSubmitted, RunResumed, RunStopSubmitted
from rawr.core.vocabulary.reasons import Reason
from rawr.runtime.control import Answered, Asked, Command, NobodyThere, ShowWaiting, ask

RunWord = RunPauseSubmitted | RunStopSubmitted | RunResumed | RunOverridden


def run(command: Command, *, thread: str, json: bool) -> Exit:
    """Tell it, and say what it made of it."""
    answer = _ask(command, thread)
    ignored = bool(answer.reasons) and all(one.startswith("ignored.") for one in answer.reasons)
    if json:
        emit({"type": "answer", "thread": answer.thread, "reasons": answer.reasons, "problem": answer.problem})
    elif answer.problem:
        warn(answer.problem)
    else:
        for line in _meanings(answer):
            (warn if ignored else say)(f"{answer.thread[-8:]}: {line}")
    return Exit.PROBLEM if answer.problem or ignored else Exit.OK


def to_run(word: RunWord, name: str, *, json: bool) -> Exit:
    """A word to a run that is under way. Where no rawr runs, what is true of the run is said instead."""
    try:
        return tell_run(word, name, json=json)
    except NobodyThere as error:
        found = recorded.find_run(name)
        raise (recorded.unknown(name) if found is None else recorded.not_under_way(found)) from error


def tell_run(word: RunWord, name: str, *, json: bool) -> Exit:
    """The same, where a rawr is known to run; raises ``NobodyThere`` if none does."""
    answer = _ask(word, name)
    found = recorded.find_run(name)
    refused = bool(answer.problem) or Reason.IGNORED_NO_RUN.value in answer.reasons
    holds = found is not None and _holds(word, found)
    if json:
        told = {"thread": answer.thread, "reasons": answer.reasons, "problem": answer.problem}
        emit({"type": "answer", **told, **({"run": found.id, "status": found.status} if found is not None else {})})
    elif found is None:
        warn(str(recorded.unknown(name)))
    elif refused:
        whose = ", and another rawr has it in hand" if found.active else ""
        (say if holds else warn)(f"Run {found.id} is {recorded.standing(found, live=True)}{whose}.")
    else:
        for line in _meanings(answer) or [_under_way(word)]:
            say(f"Run {found.id}: {line}")
        if isinstance(word, RunResumed | RunOverridden):
            say("The rawr that has it in hand goes on with it; `rawr status` shows how it stands.")
    return Exit.OK if holds or not refused else Exit.PROBLEM


def waiting(thread: str) -> tuple[OpenRequest, ...]:
    """What a person is to decide there, as it really is: the journal has no secrets. Nothing if no rawr runs."""
    try:
        return _ask(ShowWaiting(), thread).waiting
    except NobodyThere:
        return ()


def _ask(command: Command | ShowWaiting, thread: str) -> Answered:
    home = Places.find().home
    try:
        return asyncio.run(ask(home, Asked(command, thread)))
    except msgspec.DecodeError as error:
        raise NobodyThere(f"The rawr that ran on {home} has just ended.") from error


def _meanings(answer: Answered) -> list[str]:
    meanings = {one.value: one.meaning for one in Reason}
    return [f"{meanings.get(reason, reason)} ({reason})" for reason in answer.reasons]


def _holds(word: RunWord, found: Run) -> bool:
    """Whether a word that was not taken asked for what is so already. Whoever resumes a run waits for its end here."""
    match word:
        case RunPauseSubmitted():
            return found.status == "paused"
        case RunStopSubmitted():
            return found.status == "stopped"
        case RunResumed() | RunOverridden():
            return False


def _under_way(word: RunWord) -> str:
    """What follows, where nothing was decided yet."""
    match word:
        case RunPauseSubmitted(now=False):
            return "it pauses when its turn is over."
        case RunPauseSubmitted():
            return "its turn is being interrupted, and it pauses."
        case RunStopSubmitted():
            return "its turn is being interrupted, and it stops."
        case RunResumed() | RunOverridden():
            return "it goes on."

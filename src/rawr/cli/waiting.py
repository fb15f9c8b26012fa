"""``rawr approvals``, ``approve``, ``deny`` and ``answer``: what waits for a person, from another terminal."""

from collections.abc import Callable, Iterator

from rawr import __version__
from rawr.cli import control
from rawr.cli.answering import how_to_answer, read_answer
from rawr.cli.exit_codes import Exit
from rawr.cli.output import emit, say
from rawr.cli.places import Places
from rawr.core.answering import describe
from rawr.core.facts import AnswerSubmitted
from rawr.core.reasons import Reason
from rawr.core.state import OpenRequest, ThreadState
from rawr.errors import OutsideError
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.recovery import Recollection

NEWEST = 64
"""Threads that are looked at."""


def show(*, json: bool) -> Exit:
    """List what waits."""
    found = list(waiting())
    for state, opened in found:
        if json:
            emit(
                {
                    "type": "waiting",
                    "id": opened.request,
                    "thread": state.id,
                    "run": state.run.id if state.run is not None else None,
                    "asked": type(opened.question).__name__,
                    "text": describe(opened.question),
                    "since": opened.since,
                }
            )
        else:
            say(f"{opened.request:<8} {describe(opened.question)}")
            say(f"         {how_to_answer(opened.question)}")
    if not found and not json:
        say("Nothing waits for you.")
    return Exit.OK


def reply(name: str, request: str, text: str, *, resume: Callable[[str, str], Exit], json: bool) -> Exit:
    """Answer one of them. ``resume`` goes on with a run that was paused because nobody did."""
    found = [
        (state, opened)
        for state, opened in waiting()
        if (not request or opened.request == request) and (not name or _is(state, name))
    ]
    if not found and name and not request and _gave_up(name):
        # Nobody answered in time, and the run was paused for that: the answer is what it goes on with.
        return resume(name, f"You asked, and here is the answer: {text}")
    if not found:
        raise OutsideError("Nothing like that waits for an answer.", way_out="`rawr approvals` lists what does.")
    state, opened = min(found, key=lambda one: one[1].since)
    answer = read_answer(opened.question, text)
    if isinstance(answer, str):
        raise OutsideError(answer)
    return control.run(AnswerSubmitted(request=opened.request, answer=answer), thread=state.id, json=json)


def _gave_up(name: str) -> bool:
    runs = [state.run for state in _states() if _is(state, name) and state.run is not None]
    return any(run.stop is not None and run.stop.reason == Reason.RUN_PAUSED_UNANSWERED for run in runs)


def waiting() -> Iterator[tuple[ThreadState, OpenRequest]]:
    for state in _states():
        if state.ours:
            for opened in state.requests:
                if not opened.answer:
                    yield state, opened


def _states() -> Iterator[ThreadState]:
    places = Places.find()
    if not is_recorded(places.home):
        return
    with JournalReader.open(database(places.home)) as reader:
        recollection = Recollection(reader, policy=places.loaded.policy, version=__version__)
        spans = sorted((one for one in reader.threads() if one.thread), key=lambda one: -one.last_at)
        for span in spans[:NEWEST]:
            state = recollection.thread(span.thread)
            if state is not None:
                yield state


def _is(state: ThreadState, name: str) -> bool:
    return state.id.endswith(name) or (state.run is not None and state.run.id == name)

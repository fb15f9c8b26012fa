"""``rawr approvals``, ``approve``, ``deny`` and ``answer``: what waits for a person, from another terminal."""

from collections.abc import Callable, Iterator

from rawr.cli.commands import control, recorded
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.answering import how_to_answer, read_answer
from rawr.cli.terminal.output import emit, say
from rawr.core.requests.wording import describe, grounds, named
from rawr.core.state.run import Run
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary.facts import AnswerSubmitted
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import UserInput
from rawr.errors import OutsideError
from rawr.runtime.control import is_live

Waiting = tuple[ThreadState, OpenRequest]


def show(*, json: bool) -> Exit:
    """List what waits; and what nobody can answer any more, with what becomes of it."""
    live, nothing = is_live(Places.find().home), True
    for state in recorded.states():
        for opened in _open(state):
            nothing = False
            if json:
                _emit(state, opened, live=live)
            else:
                _say(state, _real(state, opened), live=live)
        what = _paused_by(state.run)
        if state.run is not None and what:
            nothing = False
            _unanswered(state.id, state.run.id, what, json=json)
    if nothing and not json:
        say("Nothing waits for you.")
    return Exit.OK


def answer(name: str, request: str, text: str, *, go_on: Callable[[str, str], Exit], json: bool) -> Exit:
    """Answer a question. ``go_on`` resumes a run that was paused because nobody did."""
    found = [one for one in _waiting() if recorded.is_called(one[0], name) and request in ("", one[1].request)]
    questions = [one for one in found if isinstance(one[1].question, UserInput)]
    if questions:
        return _reply(min(questions, key=lambda one: one[1].since), text, json=json)
    if found:
        opened = found[0][1]
        way_out = f"`rawr approve {opened.request}` or `rawr deny {opened.request}` answers it."
        raise OutsideError(f"{opened.request} is no question but {describe(opened.question)}.", way_out=way_out)
    run = recorded.find_run(name)
    if run is None:
        raise recorded.unknown(name)
    if _paused_by(run) and not request:
        # Nobody answered in time, and the run was paused for that: the answer is what it goes on with.
        return go_on(name, f"You asked, and here is the answer: {text}")
    raise _nobody_asks(run)


def judge(request: str, verdict: str, *, json: bool) -> Exit:
    """Approve or decline what waits under this id."""
    found = [one for one in _waiting() if one[1].request == request]
    if found:
        state, opened = found[0]
        if isinstance(opened.question, UserInput):
            run = state.run.id if state.run is not None else state.id
            message = f"{request} is no approval but {describe(opened.question)}."
            raise OutsideError(message, way_out=f'`rawr answer {run} "…"` answers it.')
        return _reply(found[0], verdict, json=json)
    for state in recorded.states():
        if state.run is not None and any(opened.request == request for opened in _open(state)):
            raise _nobody_asks(state.run)
    raise OutsideError(f"Nothing waits under {request}.", way_out="`rawr approvals` lists what does.")


def _reply(waiting: Waiting, text: str, *, json: bool) -> Exit:
    state, opened = waiting[0], _real(*waiting)
    read = read_answer(opened.question, text)
    if isinstance(read, str):
        raise OutsideError(read)
    return control.run(AnswerSubmitted(request=opened.request, answer=read), thread=state.id, json=json)


def _waiting() -> Iterator[Waiting]:
    """What somebody could be answered now: only a rawr that runs can carry it to Codex."""
    if is_live(Places.find().home):
        for state in recorded.states():
            for opened in _open(state):
                yield state, opened


def _real(state: ThreadState, opened: OpenRequest) -> OpenRequest:
    """The question with its secrets, from the rawr that was asked it: who decides must see what will run."""
    known = (one for one in control.waiting(state.id) if one.request == opened.request)
    return next(known, opened)


def _open(state: ThreadState) -> list[OpenRequest]:
    return [opened for opened in state.requests if not opened.answer] if state.ours else []


def _paused_by(run: Run | None) -> str:
    """The question that nobody answered in time, so that the run was paused."""
    if run is None or run.stop is None or run.stop.reason != Reason.RUN_PAUSED_UNANSWERED:
        return ""
    return run.stop.detail or "a question"


def _nobody_asks(run: Run) -> OutsideError:
    if is_live(Places.find().home) and run.active:
        return OutsideError(f"Run {run.id} asks nothing right now.", way_out="`rawr approvals` lists what waits.")
    return recorded.not_under_way(run, and_then=", and the agent may ask again")


def _emit(state: ThreadState, opened: OpenRequest, *, live: bool) -> None:
    emit(
        {
            "type": "waiting" if live else "cut_off",
            "id": opened.request,
            "thread": state.id,
            "run": state.run.id if state.run is not None else None,
            "asked": type(opened.question).__name__,
            "text": named(opened),
            "grounds": grounds(opened),
            "since": opened.since,
        }
    )


def _say(state: ThreadState, opened: OpenRequest, *, live: bool) -> None:
    say(f"{opened.request:<8} {describe(opened.question)}", exact=True)
    for line in grounds(opened):
        say(f"         {line}", exact=True)
    if live:
        say(f"         {how_to_answer(opened.question)}", exact=True)
    elif state.run is not None:
        say("         It was asked when rawr ended; rawr is not running, and nobody can be answered.")
        say(f"         `rawr resume {state.run.id}` goes on with the run, and the agent may ask again.")
    else:
        say("         It was asked when rawr ended; rawr is not running, and nobody can be answered.")


def _unanswered(thread: str, run: str, what: str, *, json: bool) -> None:
    if json:
        emit({"type": "unanswered", "thread": thread, "run": run, "text": what})
    else:
        say(f"{run:<8} paused, because nobody answered in time: {what}", exact=True)
        say(f'         `rawr resume {run}` goes on, and the agent may ask again; `rawr answer {run} "…"` tells it.')

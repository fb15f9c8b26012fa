"""``rawr approvals``, ``approve``, ``deny`` and ``answer``: what waits for a person, from another terminal."""

import shlex
from collections.abc import Callable, Iterator
from typing import assert_never

from rawr.cli.commands import control, recorded
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import emit, say
from rawr.core.state.run import Run
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary.facts import AnswerSubmitted
from rawr.core.vocabulary.requests import Elicitation, UserInput
from rawr.errors import OutsideError
from rawr.runtime.control import is_live
from rawr.views.answers import how_to_answer, read_answer
from rawr.views.questions import describe, grounds, open_requests
from rawr.views.recorded import is_called
from rawr.views.runs import unanswered
from rawr.views.waiting import AnyWaiting, CutOffView, UnansweredView, WaitingView, waiting_on

Waiting = tuple[ThreadState, OpenRequest]


def show(*, json: bool) -> Exit:
    """List what waits; and what can no longer be answered, with what happens to it."""
    live, nothing = _is_live(), True
    for state in recorded.home().states():
        for view in waiting_on(state, live=live):
            nothing = False
            if json:
                emit(view)
            else:
                _say(state, view)
    if nothing and not json:
        say("Nothing is waiting for you.")
    return Exit.OK


def answer(name: str, request: str, text: str, *, go_on: Callable[[str, str], Exit], json: bool) -> Exit:
    """Answer a question. ``go_on`` resumes a run that was paused because nobody did."""
    found = [one for one in _waiting() if is_called(one[0], name) and request in ("", one[1].request)]
    questions = [one for one in found if isinstance(one[1].question, UserInput)]
    if questions:
        return _reply(min(questions, key=lambda one: one[1].since), text, json=json)
    if found:
        opened = found[0][1]
        way_out = f"`rawr approve {opened.request}` or `rawr deny {opened.request}` answers it."
        raise OutsideError(f"{opened.request} is not a question but {describe(opened.question)}.", way_out=way_out)
    run = recorded.find_run(name)
    if run is None:
        raise recorded.unknown(name)
    if unanswered(run) and not request:
        # Nobody answered in time, which paused the run: it continues with the answer.
        return go_on(name, f"You asked, and here is the answer: {text}")
    raise _nobody_asks(run)


def decide(request: str, verdict: str, *, json: bool) -> Exit:
    """Approve or decline what waits under this id; ``verdict`` is what a person would type where it is shown."""
    found = next((one for one in _waiting() if one[1].request == request), None)
    if found is not None:
        state, opened = found
        if isinstance(opened.question, UserInput):
            run = state.run.id if state.run is not None else state.id
            message = f"{request} is not an approval but {describe(opened.question)}."
            raise OutsideError(message, way_out=f'`rawr answer {run} "…"` answers it.')
        return _reply(found, verdict, json=json)
    for state in recorded.home().states():
        if state.run is not None and any(opened.request == request for opened in open_requests(state)):
            raise _nobody_asks(state.run)
    raise OutsideError(f"No request {request} is waiting.", way_out="`rawr approvals` lists what is waiting.")


def _reply(waiting: Waiting, text: str, *, json: bool) -> Exit:
    state, opened = waiting[0], _real(waiting[0].id, waiting[1])
    read = read_answer(opened.question, text)
    if isinstance(read, str):
        raise OutsideError(read)
    return control.run(AnswerSubmitted(request=opened.request, answer=read), thread=state.id, json=json)


def _waiting() -> Iterator[Waiting]:
    """The requests that can be answered now: only a running rawr can pass an answer to Codex."""
    if _is_live():
        for state in recorded.home().states():
            for opened in open_requests(state):
                yield state, opened


def _is_live() -> bool:
    return is_live(Places.find().home)


def _real(thread: str, opened: OpenRequest) -> OpenRequest:
    """The question with its secrets, from the rawr that received it: the person must see what will run."""
    known = (one for one in control.waiting(thread) if one.request == opened.request)
    return next(known, opened)


def _nobody_asks(run: Run) -> OutsideError:
    if _is_live() and run.active:
        return OutsideError(
            f"Run {run.id} is not asking anything right now.", way_out="`rawr approvals` lists what is waiting."
        )
    return recorded.not_under_way(run, and_then=", and the agent may ask again")


def _say(state: ThreadState, view: AnyWaiting) -> None:
    match view:
        case WaitingView(id=request) | CutOffView(id=request):
            written = next(one for one in open_requests(state) if one.request == request)
            opened = _real(state.id, written)
            say(f"{request:<8} {describe(opened.question)}", exact=True)
            for line in grounds(opened):
                say(f"         {line}", exact=True)
            if isinstance(view, WaitingView):
                for line in _commands(state, opened):
                    say(f"         {line}", exact=True)
            else:
                _cut_off(view)
        case UnansweredView(run=run, text=text):
            say(f"{run:<8} paused because nobody answered in time: {text}", exact=True)
            say(
                f'         `rawr resume {run}` continues, and the agent may ask again; `rawr answer {run} "…"` answers.'
            )
        case _ as never:
            assert_never(never)


def _commands(state: ThreadState, opened: OpenRequest) -> Iterator[str]:
    """The commands that answer it, to be copied as they are, and what each does."""
    request = shlex.quote(opened.request)
    question = opened.question
    if not isinstance(question, UserInput):
        if not isinstance(question, Elicitation):
            yield _aligned(f"rawr approve {request}", "approves it; with --session, for the rest of the session")
        yield _aligned(f"rawr deny {request}", "declines it; with --end-turn, also ends the turn")
        return
    name = state.run.id if state.run is not None else state.id
    others = [one for one in open_requests(state) if one.request != opened.request]
    which = f" --request {request}" if any(isinstance(one.question, UserInput) for one in others) else ""
    if len(question.questions) == 1:
        [asked] = question.questions
        for number, option in enumerate(asked.options, 1):
            yield _aligned(f"rawr answer {name} {number}{which}", option.label)
        if asked.free_text or not asked.options:
            yield _aligned(f"rawr answer {name} '…'{which}", "your own words")
    else:
        several = "; ".join("1" if one.options else "…" for one in question.questions)
        yield _aligned(f"rawr answer {name} '{several}'{which}", how_to_answer(question))


def _aligned(command: str, does: str) -> str:
    return f"{command:<24} {does}"


def _cut_off(view: CutOffView) -> None:
    say("         rawr exited before this was answered, and is not running, so it cannot be answered now.")
    if view.run is not None:
        say(f"         `rawr resume {view.run}` continues the run, and the agent may ask again.")

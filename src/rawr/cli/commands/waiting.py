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
from rawr.core.vocabulary.requests import UserInput, Verdict
from rawr.errors import OutsideError
from rawr.runtime.sockets import is_live
from rawr.views.answers import how_to_answer, read_answer
from rawr.views.questions import describe, fits, open_requests
from rawr.views.recorded import is_called
from rawr.views.runs import unanswered
from rawr.views.waiting import AnyWaiting, CutOffView, UnansweredView, WaitingView, shown, waiting_on

Waiting = tuple[ThreadState, OpenRequest]

_APPROVES = frozenset({"y", "a"})


def show(*, json: bool) -> Exit:
    """List what waits; and what can no longer be answered, with what happens to it."""
    live, nothing = _is_live(), True
    for state in recorded.home().states():
        for view in waiting_on(state, live=live, real=control.waiting(state) if live else ()):
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
        state, opened = min(questions, key=lambda one: one[1].since)
        return _reply((state, shown(opened, control.waiting(state)).opened), text, json=json)
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
        return _decided(found, verdict, json=json)
    for state in recorded.home().states():
        if state.run is not None and any(opened.request == request for opened in open_requests(state)):
            raise _nobody_asks(state.run)
    raise OutsideError(f"No request {request} is waiting.", way_out="`rawr approvals` lists what is waiting.")


def _decided(waiting: Waiting, verdict: str, *, json: bool) -> Exit:
    """Send the verdict, and say to what: the text that runs. Nothing is approved of which only the record is known."""
    state, opened = waiting
    approves = verdict in _APPROVES
    wanted = _answer_to(opened, verdict)
    one = shown(opened, control.waiting(state, before=wanted))
    if not one.real and approves:
        message = f"rawr no longer knows all of {opened.request}: {one.text} is its record, without its secrets."
        raise OutsideError(message, way_out=f"`rawr deny {opened.request}` declines it; the agent may ask again.")
    ended = control.run(wanted, thread=state.id, json=json)
    if not json and ended is Exit.OK:
        _say_lines(f"{'approved' if approves else 'declined'}: ", one.text)
    return ended


def _reply(waiting: Waiting, text: str, *, json: bool) -> Exit:
    state, opened = waiting
    return control.run(_answer_to(opened, text), thread=state.id, json=json)


def _answer_to(opened: OpenRequest, text: str) -> AnswerSubmitted:
    read = read_answer(opened.question, text)
    if isinstance(read, str):
        raise OutsideError(read)
    return AnswerSubmitted(request=opened.request, answer=read)


def _waiting() -> Iterator[Waiting]:
    """The requests that can be answered now: only a running rawr can pass an answer to Codex."""
    if _is_live():
        for state in recorded.home().states():
            for opened in open_requests(state):
                yield state, opened


def _is_live() -> bool:
    return is_live(Places.find().home)


def _nobody_asks(run: Run) -> OutsideError:
    if _is_live() and run.active:
        return OutsideError(
            f"Run {run.id} is not asking anything right now.", way_out="`rawr approvals` lists what is waiting."
        )
    return recorded.not_under_way(run, and_then=", and the agent may ask again")


def _say(state: ThreadState, view: AnyWaiting) -> None:
    match view:
        case WaitingView(id=request) | CutOffView(id=request):
            opened = next(one for one in open_requests(state) if one.request == request)
            _say_lines(f"{request:<8} ", view.text)
            for line in view.grounds:
                _say_lines("         ", line)
            if isinstance(view, WaitingView):
                for line in _commands(state, opened, redacted=view.redacted):
                    say(f"         {line}", exact=True)
            else:
                _cut_off(view)
        case UnansweredView(run=run, text=text):
            _say_lines(f"{run:<8} ", f"paused because nobody answered in time: {text}")
            say(
                f'         `rawr resume {run}` continues, and the agent may ask again; `rawr answer {run} "…"` answers.'
            )
        case _ as never:
            assert_never(never)


def _say_lines(before: str, text: str) -> None:
    """Lines stay lines: spelled as ``\\n``, the end of a line would look like a backslash and an n."""
    first, *more = text.split("\n")
    say(before + first, exact=True)
    for line in more:
        say(" " * len(before) + f"│ {line}", exact=True)


def _commands(state: ThreadState, opened: OpenRequest, *, redacted: bool) -> Iterator[str]:
    """The commands that answer it, to be copied as they are, and what each does."""
    request = shlex.quote(opened.request)
    question = opened.question
    if not isinstance(question, UserInput):
        if fits(question, Verdict(verdict="accept")) and not redacted:
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

"""The agent's questions, answered at the terminal that shows a run (C10, C11).

A question is shown in full, with its run. Anything typed before it was shown is not an answer to it.
"""

import contextlib
import sys
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from rawr.cli.terminal.keyboard import MAX_LINE, Keyboard, Lines
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.output import OutputLost, counted
from rawr.cli.terminal.run_screen import RunScreen
from rawr.cli.terminal.speaking import Heard, Speaker
from rawr.cli.terminal.visible import exact
from rawr.core.kernel import Taken
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import Answer, Question, Replies, UserInput, Verdict
from rawr.views import events as e
from rawr.views.answers import asked_in_full, read_answer
from rawr.views.following import Following
from rawr.views.questions import in_short, open_requests
from rawr.views.runs import run_name

NOT_KNOWN = "a question that rawr cannot show in full, because part of it is missing; n declines, c ends the turn"


class _Asked(Struct, frozen=True):
    thread: str
    request: str
    question: Question


class Driven(Heard, Protocol):
    """What the prompter needs from rawr."""

    def follow(self, follower: Callable[[Taken], None]) -> None: ...

    def answer(self, thread: str, request: str, answer: Answer) -> None: ...

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]: ...


class Prompter:
    """Shows a waiting question, and takes the next typed line as its answer. Without a question, the line is a message
    to the agent."""

    def __init__(self, rawr: Driven, is_mine: Callable[[str], bool] = lambda _: True) -> None:
        """``is_mine``: the threads that this terminal is about. A host has those of others too, and what is typed here
        is neither an answer nor a message to them."""
        self._rawr = rawr
        self._is_mine = is_mine
        self._following = Following()
        self._speaker = Speaker(rawr, is_mine, say=lambda text: self._say("", text))
        self._waiting: list[_Asked] = []
        """The questions put to a person, in order."""
        self._current: _Asked | None = None
        """The question on the screen."""
        self._shown: _Asked | None = None
        """The same with its real text; None if part of it is lost."""
        self._replies: dict[str, tuple[str, ...]] = {}
        """Answers to its first questions, if it has several."""
        self._mine: set[tuple[str, str]] = set()
        self._draft = ""
        """What was being typed when a question came up. It comes back when no question is left."""
        self._drawn: tuple[str | None, _Asked | None] = (None, None)
        self._ended = False

    def attach(self, screen: RunScreen) -> None:
        """From here on, read what is typed there."""
        self._screen = screen
        self._keyboard = Keyboard(
            sys.stdin.fileno(),
            keys=screen.has_last_line,
            on_lines=self._typed,
            on_change=self._draw,
            on_end=self._end,
        )
        self._rawr.follow(self._taken)
        self._keyboard.open()
        # What was asked before anybody read here waits still.
        for state in filter(lambda one: self._is_mine(one.id), self._rawr.threads.values()):
            self._waiting += [_Asked(state.id, one.request, one.question) for one in open_requests(state)]
        if self._waiting:
            self._next()

    def begin(self) -> None:
        """All runs of this call have started, or no more will."""
        self._speaker.begin()

    # -- what happens -----------------------------------------------------------------------------------------------

    def _taken(self, taken: Taken) -> None:
        notices: set[tuple[str, str]] = set()
        for event in self._following.take(taken):
            if isinstance(event, e.RequestPut) and self._is_mine(event.thread):
                self._waiting.append(_Asked(event.thread, event.request, event.question))
                notices = {(event.thread, text) for text in event.notices}
            else:
                self._happened(event)
        self._speaker.send_early()
        self._next(instead_of=notices)

    def _happened(self, event: e.AnyEvent) -> None:
        match event:
            case e.SteerTaken(thread=thread, why=why):
                self._say(thread, why)
            case e.RequestAnswered(by="person"):
                self._answered(event)
            case e.RequestDeclined(by="deadline", thread=thread, request=request):
                self._over(thread, request, "")
            case e.AnswerRefused(unfit=False, thread=thread, request=request) if (thread, request) in self._mine:
                self._say(thread, "That was already answered; your answer came too late.")
            case e.RequestGone(thread=thread, request=request):
                self._mine.discard((thread, request))
                self._over(thread, request, "no longer asked")
            case _:
                pass

    def _answered(self, event: e.RequestAnswered) -> None:
        words = "(not shown)" if event.secret else event.words
        if (event.thread, event.request) in self._mine:
            self._show(event.thread, Line("you", words, "bold"))
        else:
            self._over(event.thread, event.request, f"answered elsewhere: {words}")

    def _over(self, thread: str, request: str, what: str) -> None:
        """It needs no answer from here. Anything being typed for it answers nothing."""
        asked = next((one for one in self._waiting if (one.thread, one.request) == (thread, request)), None)
        if asked is None:
            return
        self._waiting.remove(asked)
        if asked == self._current:
            self._leave()
        if what:
            self._say(thread, f"{what} ({in_short(asked.question)})")

    # -- asking -----------------------------------------------------------------------------------------------------

    def _next(self, *, instead_of: set[tuple[str, str]] | None = None) -> None:
        """Ask the oldest waiting question, unless one is already being asked."""
        if self._ended:
            return
        if self._current is None and self._waiting:
            # It was typed before the question was visible.
            half = self._set_aside()
            self._draft = self._draft or half
            self._current = self._waiting[0]
            self._put(self._current, instead_of=instead_of or set())
        elif self._current is None and self._draft:
            draft, self._draft = self._draft, ""
            self._typed(self._keyboard.pending())
            self._keyboard.forget(instead=draft + self._keyboard.text)
        self._draw()

    def _put(self, asked: _Asked, *, instead_of: set[tuple[str, str]]) -> None:
        """Show the real values: the person who decides must see what will run, including secrets."""
        state = self._rawr.threads.get(asked.thread)
        which = f"[{run_name(state.run)}] " if state is not None and state.run is not None else ""
        opened = self._real(asked)
        self._shown = replace(asked, question=opened.thing.question) if opened is not None else None
        text = NOT_KNOWN if opened is None else asked_in_full(self._left_of(opened))
        with contextlib.suppress(OutputLost):
            self._screen.tell(Line("asks", which + text, "yellow"), instead_of=instead_of)

    def _real(self, asked: _Asked) -> Real[OpenRequest] | None:
        """None if part of it is lost."""
        return next((one for one in self._rawr.waiting(asked.thread) if one.thing.request == asked.request), None)

    def _left_of(self, real: Real[OpenRequest]) -> Real[OpenRequest]:
        return Real(replace(real.thing, question=self._left(real.thing.question)))

    def _left(self, question: Question) -> Question:
        """Of several questions, those without an answer."""
        if not isinstance(question, UserInput):
            return question
        return UserInput(questions=tuple(one for one in question.questions if one.id not in self._replies))

    def _leave(self) -> None:
        """It is settled elsewhere: drop what was typed for it."""
        self._current = None
        self._replies = {}
        self._set_aside()

    def _set_aside(self) -> str:
        """Set aside what was typed so far, and return a half-typed line. Whole lines are refused with a message: nobody
        could know what they would answer."""
        lines = self._keyboard.pending()
        half = self._keyboard.text
        self._keyboard.forget()
        self._refuse(lines)
        return half

    def _refuse(self, lines: Lines) -> None:
        count = sum(line is None or bool(line.strip()) for line in lines)
        if count:
            self._say("", f"{counted(count, 'line')} typed before you could see this: ignored.")

    # -- what is typed ----------------------------------------------------------------------------------------------

    def _typed(self, lines: Lines) -> None:
        for number, line in enumerate(lines, 1):
            asked, answered = self._current, len(self._replies)
            if line is None:
                self._say("", f"That line is longer than {MAX_LINE} characters: ignored.")
            elif asked is not None:
                self._answer(asked, line)
            elif line.strip():
                self._speaker.speak(line.strip())
            if self._current is not None and (self._current != asked or len(self._replies) != answered):
                # The next question came up: the remaining lines were typed before anybody had seen it.
                self._refuse(lines[number:])
                return

    def _answer(self, asked: _Asked, line: str) -> None:
        first, _, words = line.strip().partition(" ")
        question = self._left(asked.question)
        reasoned = not isinstance(question, UserInput) and first.lower().rstrip(",:;") in ("n", "no") and bool(words)
        if isinstance(question, UserInput):
            question = UserInput(questions=question.questions[:1])
        answer = read_answer(question, "n" if reasoned else line)
        if isinstance(answer, Verdict) and answer.verdict.startswith("accept") and self._real(asked) is None:
            answer = f"That cannot be approved here: it is {NOT_KNOWN}."
        if isinstance(answer, str):
            self._say(asked.thread, answer)
            return
        if isinstance(answer, Replies):
            self._replies |= answer.replies
            answer = Replies(replies=self._replies)
            left = self._left(asked.question)
            if isinstance(left, UserInput) and left.questions:
                self._set_aside()
                self._put(asked, instead_of=set())
                return
        self._mine.add((asked.thread, asked.request))
        self._waiting.remove(asked)
        self._current, self._replies = None, {}
        if reasoned:
            # Before the answer, so that the agent reads both together.
            self._rawr.tell(asked.thread, facts.SteerSubmitted(text=words.strip()))
        self._rawr.answer(asked.thread, asked.request, answer)
        self._next()

    def _end(self) -> None:
        self._current, self._ended = None, True
        self._say("", "rawr no longer reads input here. `rawr approvals` lists what is waiting; Ctrl-C pauses.")

    # -- the screen -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        text, asked = self._keyboard.text, self._current
        self._keyboard.hide(self._secret)
        typed = ("*" * len(text) if self._secret else text) if asked is not None or text else None
        if (typed, asked) == self._drawn:
            return
        self._drawn = (typed, asked)
        with contextlib.suppress(OutputLost):
            if asked is None:
                self._screen.typing(typed)
            else:
                about = exact(in_short(self._shown.question)) if self._shown is not None else NOT_KNOWN
                self._screen.typing(typed, thread=asked.thread, question=about)

    @property
    def _secret(self) -> bool:
        """Return True if nobody else may see what is being typed."""
        left = self._left(self._current.question) if self._current is not None else None
        return isinstance(left, UserInput) and left.questions[:1] != () and left.questions[0].secret

    def _say(self, thread: str, text: str) -> None:
        self._show(thread, Line("rawr", text, "magenta"))

    def _show(self, thread: str, line: Line) -> None:
        with contextlib.suppress(OutputLost):
            self._screen.show(thread, line)

"""Questions of the agent, answered at the terminal in which a run is shown (C10, C11).

A question is shown whole, with the run that it is of. What was typed before it was shown is no answer to it.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from rawr.cli.terminal.keyboard import MAX_LINE, Keyboard, Lines
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.output import OutputLost, counted
from rawr.cli.terminal.run_view import RunView, named
from rawr.core.kernel import Taken
from rawr.core.real import Real
from rawr.core.requests.wording import describe, fits, grounds, spoken
from rawr.core.state.run import Run
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import Answer, Elicitation, Question, Replies, UserInput, UserQuestion, Verdict

SHOWN_LINES = 50
"""Lines of a text that are shown. What is longer says so."""

SHORT = 100

NOT_KNOWN = "a question that rawr cannot show as it is, because part of it is gone; n declines, c ends the turn"
MOST_KEPT = 100
"""Lines that are kept until the run has begun."""

_VERDICTS: dict[str, Verdict] = {
    "y": Verdict(verdict="accept"),
    "yes": Verdict(verdict="accept"),
    "a": Verdict(verdict="accept_for_session"),
    "n": Verdict(verdict="decline"),
    "no": Verdict(verdict="decline"),
    "c": Verdict(verdict="cancel"),
}


def how_to_answer(question: Question) -> str:
    match question:
        case UserInput(questions=asked):
            return "; ".join(_choices(one) for one in asked)
        case Elicitation():
            return "n declines, c ends the turn"
        case _:
            return "y approves, a approves for the session, n declines, c ends the turn"


def _choices(asked: UserQuestion) -> str:
    options = [f"{number}) {one.label}" for number, one in enumerate(asked.options, 1)]
    return "  ".join([*options, _own_words(asked)])


def _own_words(asked: UserQuestion) -> str:
    if not asked.options:
        return "your own words"
    return "a number, or your own words" if asked.free_text else "a number"


def read_answer(question: Question, line: str) -> Answer | str:
    """What a person typed as an answer; or why it is none."""
    words = line.strip()
    if not isinstance(question, UserInput):
        verdict = _VERDICTS.get(words.lower())
        if verdict is None or not fits(question, verdict):
            return f"“{words}” is no answer: {how_to_answer(question)}."
        return verdict
    if not question.questions:
        return Replies(replies={})
    if not words:
        return f"An answer is needed: {how_to_answer(question)}."
    parts = [part.strip() for part in words.split(";")] if len(question.questions) > 1 else [words]
    if len(parts) != len(question.questions):
        return f"There are {len(question.questions)} questions: answer them in order, with ; between."
    replies: dict[str, tuple[str, ...]] = {}
    for asked, part in zip(question.questions, parts, strict=True):
        reply = _reply(asked, part)
        if reply is None:
            return _no_option(asked, part)
        replies[asked.id] = (reply,)
    return Replies(replies=replies)


def _reply(asked: UserQuestion, part: str) -> str | None:
    """The option or the words that are meant. A number that no option has is a slip, not somebody's own words."""
    labels = [one.label for one in asked.options]
    numbered = {str(number): label for number, label in enumerate(labels, 1)}
    if part in numbered:
        return numbered[part]
    if not part or (labels and part not in labels and (not asked.free_text or _is_number(part))):
        return None
    meant = part.removeprefix("=")
    return meant if labels and asked.free_text and _is_number(meant) else part


def _is_number(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit()


def _no_option(asked: UserQuestion, part: str) -> str:
    if not part:
        return "Each question needs an answer."
    way_out = f" ={part} sends it as your own words." if asked.free_text and _is_number(part) else ""
    return f"“{part}” is none of the options: {_choices(asked)}.{way_out}"


def asked_in_full(real: Real[OpenRequest]) -> str:
    """Everything that a person must know to answer, the way to do so last. Of several questions, it is the first."""
    opened = real.thing
    question = opened.question
    if isinstance(question, UserInput) and question.questions:
        asked = question.questions[0]
        options = [
            f"{number}) {one.label}{f': {one.description}' if one.description else ''}"
            for number, one in enumerate(asked.options, 1)
        ]
        header = f"{asked.header}: " if asked.header else ""
        return "\n".join([*_bounded(header + asked.question), *_bounded(*options), _own_words(asked)])
    how = how_to_answer(question).replace("n declines", "n declines (n and words: the agent reads them)")
    return "\n".join([*_bounded(describe(question)), *_bounded(*grounds(opened)), how])


def _bounded(*texts: str) -> Iterator[str]:
    """A long text cannot push what comes after it from the screen, and what is left out is said."""
    lines = "\n".join(texts).split("\n") if texts else []
    yield from lines[:SHOWN_LINES]
    if len(lines) > SHOWN_LINES:
        yield f"({counted(len(lines) - SHOWN_LINES, 'line')} more, not shown: `rawr approvals` has them)"


class _Asked(Struct, frozen=True):
    thread: str
    request: str
    question: Question

    @property
    def secret(self) -> bool:
        return isinstance(self.question, UserInput) and any(one.secret for one in self.question.questions)


class Driven(Protocol):
    """What the prompter needs of rawr."""

    @property
    def threads(self) -> dict[str, ThreadState]: ...

    def follow(self, follower: Callable[[Taken], None]) -> None: ...

    def answer(self, thread: str, request: str, answer: Answer) -> None: ...

    def tell(self, thread: str, fact: facts.AnyFact) -> None: ...

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]: ...


class Prompter:
    """Shows a question that waits, and takes the next line that is typed as its answer. Without one, what is typed is a
    word to the agent."""

    def __init__(self, rawr: Driven) -> None:
        self._rawr = rawr
        self._heard: dict[tuple[str, str], _Asked] = {}
        """Every open request, also those that policy answers."""
        self._waiting: list[_Asked] = []
        """Those that were put to a person, in that order."""
        self._current: _Asked | None = None
        """The one that is shown."""
        self._replies: dict[str, tuple[str, ...]] = {}
        """Answers to the first of its questions, where it has several."""
        self._mine: set[tuple[str, str]] = set()
        self._draft = ""
        """What was being typed when a question came up. It comes back when none is left."""
        self._drawn: str | None = None
        self._ended = False
        self._begun = False
        self._early: list[str] = []
        """What was typed before there was a run that could hear it."""

    def attach(self) -> None:
        view = RunView.newest
        assert view is not None, "a run that is shown has a view"  # noqa: S101
        self._view = view
        self._keyboard = Keyboard(
            sys.stdin.fileno(),
            keys=view.has_last_line,
            on_lines=self._typed,
            on_change=self._draw,
            on_end=self._end,
        )
        self._rawr.follow(self._taken)
        self._keyboard.open()

    def begin(self) -> None:
        """All runs of this call are there, or none comes any more: what was typed meanwhile is sent, or refused."""
        self._begun = True
        self._send_early()

    # -- what happens -----------------------------------------------------------------------------------------------

    def _taken(self, taken: Taken) -> None:
        thread, fact = taken.recorded.thread, taken.recorded.fact
        notices: set[tuple[str, str]] = set()
        match fact:
            case facts.RequestReceived(request=request, question=question):
                self._heard[thread, request] = _Asked(thread, request, question)
            case facts.SteerSubmitted():
                for decision in taken.decisions:
                    self._say(thread, decision.record.reason.meaning)
            case _:
                pass
        for decision in taken.decisions:
            asked = self._heard.get((thread, str(decision.record.evidence.get("request"))))
            match decision.record.reason:
                case Reason.REQUEST_WAITS_PERSON if asked is not None:
                    self._waiting.append(asked)
                    notices = {(thread, one.effect.text) for one in taken.effects if isinstance(one.effect, Notify)}
                case Reason.REQUEST_ANSWERED_PERSON if asked is not None and isinstance(fact, facts.AnswerSubmitted):
                    self._answered(asked, fact.answer)
                case Reason.REQUEST_DECLINED_DEADLINE if asked is not None:
                    self._over(asked, "")
                case Reason.IGNORED_UNKNOWN_REQUEST if isinstance(fact, facts.AnswerSubmitted):
                    self._too_late(thread, fact.request)
                case _:
                    pass
        self._gone(thread, fact)
        self._send_early()
        self._next(instead_of=notices)

    def _answered(self, asked: _Asked, answer: Answer) -> None:
        words = "(not shown)" if asked.secret else spoken(answer)
        if (asked.thread, asked.request) in self._mine:
            self._show(asked.thread, Line("you", words, "bold"))
        else:
            self._over(asked, f"answered elsewhere: {words}")

    def _too_late(self, thread: str, request: str) -> None:
        if (thread, request) in self._mine:
            self._say(thread, "That was answered already; what you typed came too late.")

    def _gone(self, thread: str, fact: facts.AnyFact) -> None:
        """Questions that Codex does not ask any more, whoever settled them."""
        match fact:
            case facts.RequestResolved(request=request):
                gone = [self._heard[thread, request]] if (thread, request) in self._heard else []
            case facts.ServerLost() | facts.ThreadClosed() | facts.RuntimeStarted():
                gone = [one for one in self._heard.values() if one.thread == thread]
            case _:
                return
        for one in gone:
            del self._heard[one.thread, one.request]
            self._mine.discard((one.thread, one.request))
            self._over(one, "not asked any more")

    def _over(self, asked: _Asked, what: str) -> None:
        """It needs no answer from here. What is being typed for it is an answer to nothing."""
        if asked not in self._waiting:
            return
        self._waiting.remove(asked)
        if asked == self._current:
            self._leave()
        if what:
            self._say(asked.thread, f"{what} ({_in_short(asked.question)})")

    # -- asking -----------------------------------------------------------------------------------------------------

    def _next(self, *, instead_of: set[tuple[str, str]] | None = None) -> None:
        """Put the oldest question that waits, unless one is put already."""
        if self._ended:
            return
        if self._current is None and self._waiting:
            # Whoever typed that had not seen the question.
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
        """What is shown is the real thing: who decides must see what will run, secrets and all."""
        state = self._rawr.threads.get(asked.thread)
        which = f"[{named(state.run)}] " if state is not None and state.run is not None else ""
        opened = next((one for one in self._rawr.waiting(asked.thread) if one.thing.request == asked.request), None)
        text = NOT_KNOWN if opened is None else asked_in_full(self._left_of(opened))
        with contextlib.suppress(OutputLost):
            self._view.tell(Line("asks", which + text, "yellow"), instead_of=instead_of)

    def _left_of(self, real: Real[OpenRequest]) -> Real[OpenRequest]:
        return Real(replace(real.thing, question=self._left(real.thing.question)))

    def _left(self, question: Question) -> Question:
        """Of several questions, those that have no answer yet."""
        if not isinstance(question, UserInput):
            return question
        return UserInput(questions=tuple(one for one in question.questions if one.id not in self._replies))

    def _leave(self) -> None:
        """It is settled elsewhere: what was typed for it is for nobody."""
        self._current = None
        self._replies = {}
        self._set_aside()

    def _set_aside(self) -> str:
        """Take what was typed up to now out of the way; what stands there half-typed is given back. Whole lines are
        refused, and it is said: nobody could know what they would be an answer to."""
        lines = self._keyboard.pending()
        half = self._keyboard.text
        self._keyboard.forget()
        self._refuse(lines)
        return half

    def _refuse(self, lines: Lines) -> None:
        count = sum(line is None or bool(line.strip()) for line in lines)
        if count:
            self._say("", f"{counted(count, 'line')} typed before that was seen: not taken.")

    # -- what is typed ----------------------------------------------------------------------------------------------

    def _typed(self, lines: Lines) -> None:
        for number, line in enumerate(lines, 1):
            asked, answered = self._current, len(self._replies)
            if line is None:
                self._say("", f"That line is longer than {MAX_LINE} characters: nothing was taken.")
            elif asked is not None:
                self._answer(asked, line)
            elif line.strip():
                self._speak(line.strip())
            if self._current is not None and (self._current != asked or len(self._replies) != answered):
                # The next question came up: the lines that are left were typed before anybody had seen it.
                self._refuse(lines[number:])
                return

    def _answer(self, asked: _Asked, line: str) -> None:
        first, _, words = line.strip().partition(" ")
        question = self._left(asked.question)
        reasoned = not isinstance(question, UserInput) and first.lower().rstrip(",:;") in ("n", "no") and bool(words)
        if isinstance(question, UserInput):
            question = UserInput(questions=question.questions[:1])
        answer = read_answer(question, "n" if reasoned else line)
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

    def _speak(self, text: str) -> None:
        """Nothing is asked: what is typed is a word to the agent, into the turn that runs."""
        if self._is_early:
            self._keep(text)
            return
        runs = {run.id: state.id for state, run in self._under_way}
        if len(runs) > 1:
            name, _, text = text.partition(" ")
            thread = runs.get(name.rstrip(":"), "") if text.strip() else ""
        else:
            thread = next(iter(runs.values()), "")
        if thread:
            self._rawr.tell(thread, facts.SteerSubmitted(text=text.strip()))
        elif runs:
            names = ", ".join(runs)
            self._say("", f"Several runs are under way ({names}): begin with the one that you mean. Nothing was sent.")
        else:
            self._say("", "No run is under way that could hear it. Nothing was sent.")

    @property
    def _under_way(self) -> list[tuple[ThreadState, Run]]:
        states = self._rawr.threads.values()
        return [(state, state.run) for state in states if state.run is not None and state.run.active]

    @property
    def _is_early(self) -> bool:
        """Runs are to come, or are there and the first turn of none has started: a word would go behind that turn."""
        waits = [run.turns == 0 and state.turn is None and not state.unjudged for state, run in self._under_way]
        return not self._begun or (bool(waits) and all(waits))

    def _send_early(self) -> None:
        if self._early and not self._is_early:
            early, self._early = self._early, []
            for text in early:
                self._speak(text)

    def _keep(self, text: str) -> None:
        if len(self._early) < MOST_KEPT:
            self._early.append(text)
            self._say("", "Kept until the run has begun.")
        else:
            self._say("", f"Not taken: {MOST_KEPT} lines wait for the run to begin.")

    def _end(self) -> None:
        self._current, self._ended = None, True
        self._say("", "Nothing more is read here. `rawr approvals` lists what waits; Ctrl-C pauses.")

    # -- the screen -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        text = self._keyboard.text
        self._keyboard.hide(self._secret)
        drawn = ("*" * len(text) if self._secret else text) if self._current is not None or text else None
        if drawn != self._drawn:
            self._drawn = drawn
            with contextlib.suppress(OutputLost):
                self._view.typing(drawn)

    @property
    def _secret(self) -> bool:
        """Whether what is being typed is nobody else's to see."""
        left = self._left(self._current.question) if self._current is not None else None
        return isinstance(left, UserInput) and left.questions[:1] != () and left.questions[0].secret

    def _say(self, thread: str, text: str) -> None:
        self._show(thread, Line("rawr", text, "magenta"))

    def _show(self, thread: str, line: Line) -> None:
        with contextlib.suppress(OutputLost):
            self._view.show(thread, line)


def _in_short(question: Question) -> str:
    text = " ".join(describe(question).split())
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"

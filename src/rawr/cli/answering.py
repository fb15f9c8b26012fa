"""Questions of the agent, answered at the terminal in which a run is shown (C10, C11)."""

import asyncio
import sys

from rawr.cli.output import say
from rawr.core import facts
from rawr.core.answering import describe, fits
from rawr.core.kernel import Taken
from rawr.core.reasons import Reason
from rawr.core.requests import Answer, Elicitation, Question, Replies, UserInput, UserQuestion, Verdict
from rawr.core.state import OpenRequest
from rawr.runtime.supervisor import Supervisor

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
    own = "your own words" if not options else "a number, or your own words" if asked.free_text else "a number"
    return "  ".join([*options, own])


def read_answer(question: Question, line: str) -> Answer | str:
    """What a person typed as an answer; or why it is none."""
    words = line.strip()
    if not isinstance(question, UserInput):
        verdict = _VERDICTS.get(words.lower())
        if verdict is None or not fits(question, verdict):
            return f"“{words}” is no answer: {how_to_answer(question)}."
        return verdict
    if not words or not question.questions:
        return "An answer is needed."
    parts = [part.strip() for part in words.split(";")] if len(question.questions) > 1 else [words]
    if len(parts) != len(question.questions):
        return f"There are {len(question.questions)} questions: answer them in order, with ; between."
    replies: dict[str, tuple[str, ...]] = {}
    for asked, part in zip(question.questions, parts, strict=True):
        numbered = {str(number): one.label for number, one in enumerate(asked.options, 1)}
        if not part:
            return "Each question needs an answer."
        if part in numbered:
            replies[asked.id] = (numbered[part],)
        elif asked.options and not asked.free_text and part not in {one.label for one in asked.options}:
            return f"“{part}” is none of the options: {how_to_answer(question)}."
        else:
            replies[asked.id] = (part,)
    return Replies(replies=replies)


class Prompter:
    """Shows a question that waits, and takes the next line that is typed as its answer."""

    def __init__(self, rawr: Supervisor) -> None:
        self._rawr = rawr

    def attach(self) -> None:
        self._rawr.follow(self._taken)
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._line)

    def _taken(self, taken: Taken) -> None:
        asked = any(one.record.reason is Reason.REQUEST_WAITS_PERSON for one in taken.decisions)
        if asked or isinstance(taken.recorded.fact, facts.AnswerSubmitted):
            # After an answer it is the next one's turn.
            self._show()

    def _open(self) -> tuple[str, OpenRequest] | None:
        waiting = [
            (one.since, thread, one)
            for thread, state in self._rawr.threads.items()
            for one in state.requests
            if not one.answer and state.ours
        ]
        oldest = min(waiting, key=lambda one: one[0], default=None)
        return (oldest[1], oldest[2]) if oldest is not None else None

    def _show(self) -> None:
        found = self._open()
        if found is not None:
            say(describe(found[1].question))
            say(f"  {how_to_answer(found[1].question)}")

    def _line(self) -> None:
        line = sys.stdin.readline()
        if not line:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            return
        found = self._open()
        if found is None:
            if line.strip():
                self._speak(line.strip())
            return
        thread, opened = found
        answer = read_answer(opened.question, line)
        if isinstance(answer, str):
            say(answer)
        else:
            self._rawr.answer(thread, opened.request, answer)

    def _speak(self, text: str) -> None:
        """Nothing is asked: what is typed is a word to the agent, into the turn that runs."""
        for thread, state in self._rawr.threads.items():
            if state.run is not None and state.run.active:
                self._rawr.tell(thread, facts.SteerSubmitted(text=text))
                return

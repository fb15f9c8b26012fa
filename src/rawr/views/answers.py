"""Puts the agent's questions into words, and reads what a person typed as the answer (C10, C11)."""

from collections.abc import Iterator

from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.bounds import MAX_COMMAND
from rawr.core.vocabulary.requests import (
    Answer,
    CommandApproval,
    Elicitation,
    Question,
    Replies,
    UserInput,
    UserQuestion,
    Verdict,
)
from rawr.views.numbers import counted
from rawr.views.questions import describe, fits, grounds

SHOWN_LINES = 50
"""How many lines of a text are shown. A longer text says so."""

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
        case Elicitation() | CommandApproval(cut=True):
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


TOO_LONG = (
    f"It cannot be approved: the command is longer than {MAX_COMMAND} characters, so rawr cannot show you all of what "
    "would run. Decline it, and let the agent ask in smaller steps."
)


def read_answer(question: Question, line: str) -> Answer | str:
    """The answer that a person typed; or why it is not one."""
    words = line.strip()
    if not isinstance(question, UserInput):
        verdict = _VERDICTS.get(words.lower())
        if verdict is not None and verdict.verdict.startswith("accept") and getattr(question, "cut", False):
            return TOO_LONG
        if verdict is None or not fits(question, verdict):
            return f"“{words}” is not an answer: {how_to_answer(question)}."
        return verdict
    if not question.questions:
        return Replies(replies={})
    if not words:
        return f"Please answer: {how_to_answer(question)}."
    parts = [part.strip() for part in words.split(";")] if len(question.questions) > 1 else [words]
    if len(parts) != len(question.questions):
        return f"There are {len(question.questions)} questions: answer them in order, separated by ;."
    replies: dict[str, tuple[str, ...]] = {}
    for asked, part in zip(question.questions, parts, strict=True):
        reply = _reply(asked, part)
        if reply is None:
            return _no_option(asked, part)
        replies[asked.id] = (reply,)
    return Replies(replies=replies)


def _reply(asked: UserQuestion, part: str) -> str | None:
    """The option or the words that are meant. A number without an option is a mistake, not the person's own words."""
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
    return f"“{part}” is not one of the options: {_choices(asked)}.{way_out}"


def asked_in_full(real: Real[OpenRequest]) -> str:
    """Everything that a person must know to answer, and last how to do so. Of several questions, the first."""
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
    how = how_to_answer(question).replace("n declines", "n declines (add words after n for the agent to read)")
    return "\n".join([*_bounded(describe(question)), *_bounded(*grounds(opened)), how])


def _bounded(*texts: str) -> Iterator[str]:
    """Limits a long text, so that it cannot push the rest off the screen; says how much was left out."""
    lines = "\n".join(texts).split("\n") if texts else []
    yield from lines[:SHOWN_LINES]
    if len(lines) > SHOWN_LINES:
        yield f"({counted(len(lines) - SHOWN_LINES, 'line')} more not shown: see `rawr approvals`)"

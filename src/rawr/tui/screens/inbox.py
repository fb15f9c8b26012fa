"""Approvals and questions of all threads: what would run, why it was not safe by itself, and the keys that answer.

A person decides by the real text, spelled out exactly. Nothing blocks: an answer is a command like any other, and a
question that is settled elsewhere disappears.
"""

import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from rawr.core.vocabulary.requests import Answer, CommandApproval, Question, Replies, UserInput, UserQuestion, Verdict
from rawr.tui.desk import Given, Waiting
from rawr.tui.messages import Answered
from rawr.tui.rendering.entries import flat
from rawr.tui.screens.dialog import Dialog, Looking
from rawr.views.answers import how_to_answer, read_answer
from rawr.views.numbers import clock, counted
from rawr.views.parsed import parsed_lines
from rawr.views.questions import describe, grounds, in_short
from rawr.views.visible import exact

SHOWN = 6_000
"""Characters of what is asked for."""
SETTLING = 0.6
"""Seconds in which nobody can have read what has just come on the screen: a key pressed then was meant for what was
there before."""


class Inbox(Looking, Dialog[None]):
    title_words = "Inbox"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "verdict('accept')", "Approve", show=False),
        Binding("S", "verdict('accept_for_session')", "Approve for the session", show=False),
        Binding("n", "verdict('decline')", "Decline", show=False),
        Binding("c", "verdict('cancel')", "Decline and end the turn", show=False),
        Binding("w", "words", "Answer in words; for an approval: decline, and say why", show=False),
        *(Binding(str(n), f"option({n})", "The option of that number", show=False) for n in range(1, 10)),
        Binding("j", "next(1)", "Next", show=False),
        Binding("k", "next(-1)", "Previous", show=False),
        Binding("escape", "close", "Close", show=False),
    ]

    def __init__(self, find: Callable[[], list[Waiting]], now: Callable[[], int], given: Given) -> None:
        """``given``: answers to the first of several questions. They outlive this dialog."""
        super().__init__()
        self._find, self._now, self._replies = find, now, given
        self._waiting: list[Waiting] = []
        self._shown: tuple[str, str] | None = None
        self._since = 0.0

    def inside(self) -> ComposeResult:
        with Horizontal(id="inbox"):
            yield OptionList(id="asked", markup=False)
            with VerticalScroll(id="detail", can_focus=True):
                yield Static("", markup=False)
        yield Input(placeholder="your words, then Enter", id="words", compact=True)
        yield Label("", id="how", markup=False, classes="words")

    def on_mount(self) -> None:
        self.query_one(Input).display = False
        self.look()
        self.query_one("#asked").focus()
        self.set_interval(1.0, self._show)

    def look(self) -> None:
        """Something may have been asked or settled."""
        before = [_key(one) for one in self._waiting]
        chosen = self._chosen
        self._waiting = self._find()
        if [_key(one) for one in self._waiting] != before:
            listed = self.query_one("#asked", OptionList)
            listed.clear_options()
            listed.add_options(Option(_row(one)) for one in self._waiting)
            keys = [_key(one) for one in self._waiting]
            if self._waiting:
                listed.highlighted = keys.index(_key(chosen)) if chosen is not None and _key(chosen) in keys else 0
        self._show()

    @property
    def _chosen(self) -> Waiting | None:
        at = self.query_one("#asked", OptionList).highlighted
        return self._waiting[at] if at is not None and at < len(self._waiting) else None

    def on_option_list_option_highlighted(self) -> None:
        self._show()

    def _show(self) -> None:
        one = self._chosen
        if (key := _key(one) if one is not None else None) != self._shown:
            self._shown, self._since = key, time.monotonic()
        detail, how = self.query_one("#detail Static", Static), self.query_one("#how", Label)
        if one is None:
            detail.update(Content.styled("Nothing waits for you.", "$muted"))
            how.update("Esc closes")
            return
        left = f"declined in {clock(max(one.until - self._now(), 0) // 1000)}" if one.until else ""
        question = self._left(one)
        detail.update(Content("\n").join(_detail(one, question, left)))
        # A capital letter: the key that opens the inbox must not approve what is in it.
        keys = how_to_answer(question).replace("a approves for the session", "S approves for the session")
        also = "" if isinstance(question, UserInput) else "; w declines and tells the agent why"
        how.update(Content(exact(f"{keys}{also}" if not isinstance(question, UserInput) else f"{keys} (w)")))

    def _left(self, one: Waiting) -> Question:
        """Of several questions, the first without an answer."""
        question = one.real.thing.question
        if not isinstance(question, UserInput):
            return question
        given = self._replies.get(_key(one), {})
        return UserInput(questions=tuple(part for part in question.questions if part.id not in given)[:1])

    # -- answering --------------------------------------------------------------------------------------------------

    def action_verdict(self, verdict: str) -> None:
        one = self._chosen
        letter = {"accept": "y", "accept_for_session": "a", "decline": "n", "cancel": "c"}[verdict]
        if one is not None and not isinstance(one.real.thing.question, UserInput):
            self._answer(one, letter)

    def action_option(self, number: int) -> None:
        one = self._chosen
        if one is not None and isinstance(one.real.thing.question, UserInput):
            self._answer(one, str(number))

    def action_words(self) -> None:
        one = self._chosen
        if one is None:
            return
        box = self.query_one(Input)
        question = self._left(one)
        box.password = isinstance(question, UserInput) and any(part.secret for part in question.questions)
        box.value, box.display = "", True
        box.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        one, words = self._chosen, event.value.strip()
        event.input.display = False
        self.query_one("#asked").focus()
        if one is None or not words:
            return
        if isinstance(one.real.thing.question, UserInput):
            self._answer(one, words)
        else:
            self._send(one, Verdict(verdict="decline"), words=words)

    def _answer(self, one: Waiting, line: str) -> None:
        if time.monotonic() - self._since < SETTLING:
            self.notify("This has just come up: read it, then answer.", severity="warning")
            return
        answer = read_answer(self._left(one), line)
        if isinstance(answer, str):
            self.notify(answer, severity="warning", markup=False)
            return
        question = one.real.thing.question
        if isinstance(answer, Replies) and isinstance(question, UserInput):
            given = self._replies.setdefault(_key(one), {})
            given |= answer.replies
            if len(given) < len(question.questions):
                self._show()
                return
            answer = Replies(replies=self._replies.pop(_key(one)))
        self._send(one, answer)

    def _send(self, one: Waiting, answer: Answer, *, words: str = "") -> None:
        self.post_message(Answered(one.thread, one.real.thing.request, answer, words=words))

    def action_next(self, by: int) -> None:
        listed = self.query_one("#asked", OptionList)
        (listed.action_cursor_down if by > 0 else listed.action_cursor_up)()

    def action_close(self) -> None:
        box = self.query_one(Input)
        if box.display and box.has_focus:
            box.display = False
            self.query_one("#asked").focus()
        else:
            self.leave()


def _key(one: Waiting) -> tuple[str, str]:
    return one.thread, one.real.thing.request


def _row(one: Waiting) -> Content:
    asked = exact(in_short(one.real.thing.question))
    return Content.assemble(asked, Content.styled(f"\n  {flat(one.name, 60)}\n", "$muted"))


def _detail(one: Waiting, question: Question, left: str) -> list[Content]:
    opened = one.real.thing
    lines = [Content.styled(f"{flat(one.name, 100)} · {one.thread[-8:]}", "$muted")]
    lines += [Content.styled(left, "$warning")] if left else []
    lines.append(Content(""))
    if isinstance(question, UserInput):
        for part in question.questions:
            lines += _question(part)
        return lines
    lines.append(Content.styled(_shown(describe(question)), "bold"))
    if isinstance(question, CommandApproval) and not question.beyond:
        found = parsed_lines(question.command)
        lines += [Content.styled("\nAs bash runs it", "$primary bold")] if found else []
        lines += [Content(f"  {_shown(line)}") for line in found]
    told = grounds(opened)
    doubts = [line for line in told if line.startswith("not proved safe")]
    others = [line for line in told if line not in doubts]
    lines += [Content.styled("\nWhat to know", "$primary bold")] if others else []
    lines += [Content(f"  {_shown(line)}") for line in others]
    lines += [Content.styled("\nWhy it was not approved by rule", "$primary bold")] if doubts else []
    lines += [Content.styled(f"  {_shown(line.partition(': ')[2])}", "$warning") for line in doubts]
    return lines


def _shown(text: str) -> str:
    """Both ends of a long text, because the interesting one may be either, and how much is missing between them."""
    if len(text) <= SHOWN:
        return exact(text)
    half = SHOWN // 2
    left_out = f"({counted(len(text) - 2 * half, 'character')} not shown here: see `rawr approvals`)"
    return f"{exact(text[:half])} … {left_out} … {exact(text[-half:])}"


def _question(part: UserQuestion) -> list[Content]:
    header = Content.styled(exact(part.header), "$primary bold") if part.header else Content("")
    lines = [header, Content.styled(exact(part.question), "bold")]
    for number, option in enumerate(part.options, 1):
        words = f"  {number}) {exact(option.label)}"
        more = f"  {exact(option.description)}" if option.description else ""
        lines.append(Content.assemble(words, Content.styled(more, "$muted")))
    return lines

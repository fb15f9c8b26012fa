"""What a person types as an answer, and what is shown and taken at a terminal (C10, C11)."""

import asyncio
import os
import pty
import select
import sys
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rawr.cli.terminal.run_view import RunView

from rawr.cli.terminal.answering import MOST_KEPT, SHOWN_LINES, Prompter, asked_in_full, how_to_answer, read_answer
from rawr.cli.terminal.keyboard import MAX_LINE
from rawr.cli.terminal.lines import Line
from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.requests.answering import fits
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import (
    Answer,
    CommandApproval,
    Elicitation,
    FileChangeApproval,
    Option,
    PermissionsApproval,
    Question,
    Replies,
    UserInput,
    UserQuestion,
    Verdict,
)
from tests.cli.terminal.test_conversation import Kept
from tests.core.runs import RULES

COMMAND = CommandApproval(command="rm x", cwd="/")
FORM = Elicitation(server="mcp", message="Fill in")
CHOICE = UserQuestion("c", "Colour", "Which?", options=(Option("red"), Option("green")))
OPEN = UserQuestion("o", "Name", "What name?")
BOTH = UserQuestion("b", "Size", "How big?", options=(Option("small"),), free_text=True)
QUESTIONS: tuple[Question, ...] = (
    COMMAND,
    FileChangeApproval(),
    PermissionsApproval(cwd="/", permissions="{}"),
    FORM,
    UserInput(questions=(CHOICE,)),
    UserInput(questions=(OPEN, BOTH)),
    UserInput(questions=()),
)


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("y", "accept"),
        (" YES \n", "accept"),
        ("a", "accept_for_session"),
        ("n", "decline"),
        ("no", "decline"),
        ("c", "cancel"),
    ],
)
def test_a_letter_answers_an_approval(typed: str, verdict: str) -> None:
    """C10."""
    answer = read_answer(COMMAND, typed)
    assert isinstance(answer, Verdict)
    assert answer.verdict == verdict


@pytest.mark.parametrize("typed", ["", "maybe", "yes please", "1"])
def test_anything_else_approves_nothing(typed: str) -> None:
    """C10: what is meant is asked again."""
    answer = read_answer(COMMAND, typed)
    assert isinstance(answer, str)
    assert "y approves" in answer


@pytest.mark.parametrize(("typed", "taken"), [("n", True), ("c", True), ("y", False), ("a", False)])
def test_a_form_cannot_be_accepted_with_a_letter(typed: str, taken: bool) -> None:
    """C11: and it is said, instead of being dropped on the way."""
    assert isinstance(read_answer(FORM, typed), Verdict) is taken


def test_an_option_by_its_number_or_its_name() -> None:
    """C11."""
    question = UserInput(questions=(CHOICE,))
    assert read_answer(question, "2\n") == Replies(replies={"c": ("green",)})
    assert read_answer(question, "red") == Replies(replies={"c": ("red",)})


@pytest.mark.parametrize("typed", ["", "  ", "3", "0", "-1", "blue", "9" * 5_000])
def test_what_is_no_option_is_not_taken_for_one(typed: str) -> None:
    """C11: never the first one."""
    assert isinstance(read_answer(UserInput(questions=(CHOICE,)), typed), str)


def test_own_words_where_they_are_wanted() -> None:
    """C11."""
    assert read_answer(UserInput(questions=(OPEN,)), " Ada; 1 ") == Replies(replies={"o": ("Ada; 1",)})
    assert read_answer(UserInput(questions=(BOTH,)), "huge") == Replies(replies={"b": ("huge",)})
    assert read_answer(UserInput(questions=(BOTH,)), "1") == Replies(replies={"b": ("small",)})


@pytest.mark.parametrize("typed", ["2", "0", "-1", "99999"])
def test_a_number_that_no_option_has_is_a_slip(typed: str) -> None:
    """C11: where own words are wanted too; whoever means the number says so."""
    question = UserInput(questions=(BOTH,))
    refused = read_answer(question, typed)
    assert isinstance(refused, str)
    assert f"={typed} sends it as your own words" in refused
    assert read_answer(question, f"={typed}") == Replies(replies={"b": (typed,)})
    assert read_answer(UserInput(questions=(OPEN,)), typed) == Replies(replies={"o": (typed,)})


def test_an_option_that_is_a_number_is_an_option() -> None:
    """C11."""
    port = UserQuestion("p", "Port", "Which port?", options=(Option("80"), Option("443")), free_text=True)
    question = UserInput(questions=(port,))
    assert read_answer(question, "443") == Replies(replies={"p": ("443",)})
    assert read_answer(question, "=x") == Replies(replies={"p": ("=x",)})
    assert isinstance(read_answer(question, "8080"), str)


def test_no_questions_need_no_words() -> None:
    """C11: it does not stay open for ever."""
    assert read_answer(UserInput(questions=()), "") == Replies(replies={})


def test_several_questions_are_answered_in_their_order() -> None:
    """C11."""
    question = UserInput(questions=(OPEN, CHOICE))
    assert read_answer(question, "Ada; 2") == Replies(replies={"o": ("Ada",), "c": ("green",)})
    for typed in ("Ada", "Ada; 2; 3", "; 2", "Ada; blue"):
        assert isinstance(read_answer(question, typed), str)


def test_how_to_answer_says_what_is_there() -> None:
    """C11: for each question."""
    assert how_to_answer(UserInput(questions=(CHOICE,))) == "1) red  2) green  a number"
    assert how_to_answer(UserInput(questions=(OPEN, BOTH))) == "your own words; 1) small  a number, or your own words"
    assert how_to_answer(FORM) == "n declines, c ends the turn"


@given(question=st.sampled_from(QUESTIONS), typed=st.text(max_size=30) | st.sampled_from(["y", "1", "a;b", "n"]))
def test_whatever_is_typed_is_an_answer_that_fits_or_a_word_why_not(question: Question, typed: str) -> None:
    """C10, C11."""
    answer = read_answer(question, typed)
    assert isinstance(answer, str) or fits(question, answer)


# -- how it is put --------------------------------------------------------------------------------------------------

HOW = "y approves, a approves for the session, n declines (n and words: the agent reads them), c ends the turn"


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            CommandApproval(command="rm x", cwd="/p", reason="Old."),
            ["approval of: rm x", "in /p", "it says: Old.", HOW],
        ),
        (FileChangeApproval(), ["approval of a file change", "files: a.py, b.py", HOW]),
        (
            FileChangeApproval(grant_root="/p", reason="Mine."),
            [
                "approval of a file change",
                "files: a.py, b.py",
                "and from then on everything in /p",
                "it says: Mine.",
                HOW,
            ],
        ),
        (
            PermissionsApproval(cwd="/p", permissions="{}"),
            ["a request for permissions {}", "in /p", HOW],
        ),
        (FORM, ["a question of the MCP server mcp: Fill in", HOW.partition(", ")[2].partition(", ")[2]]),
        (UserInput(questions=(OPEN, CHOICE)), ["Name: What name?", "your own words"]),
        (
            UserInput(questions=(UserQuestion("c", "", "Which?", options=(Option("red", "Warm."), Option("blue"))),)),
            ["Which?", "1) red: Warm.", "2) blue", "a number"],
        ),
    ],
)
def test_a_question_is_put_with_all_that_matters(question: Question, lines: list[str]) -> None:
    """C10, C11: what, where, why, and how to answer."""
    opened = OpenRequest("1/0", question, 0, "T1", paths=("a.py", "b.py"))
    assert asked_in_full(Real(opened)).split("\n") == lines


def test_a_long_question_says_what_is_left_out() -> None:
    """C10: and how to answer comes after it all the same."""
    question = CommandApproval(command="\n".join("x" * 200), cwd="/p")
    lines = asked_in_full(Real(OpenRequest("1/0", question, 0, "T1"))).split("\n")
    assert len(lines) == SHOWN_LINES + 3
    assert lines[-3:] == ["(150 lines more, not shown: `rawr approvals` has them)", "in /p", HOW]


# -- at a terminal --------------------------------------------------------------------------------------------------

SECRET = UserQuestion("s", "Key", "What is the key?", secret=True)


class Told(Kept):
    """A printer that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def show(self, line: Line) -> None:
        super().show(line)
        self.changed.set()

    def status(self, text: str) -> None:
        super().status(text)
        self.changed.set()


class Desk:
    """A prompter at a real terminal, on a kernel that is told what happens."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, policy: Policy = RULES, begun: bool = True) -> None:
        self._kernel = Kernel(policy)
        self._follower: Callable[[Taken], None] = lambda _: None
        self.keys, side = pty.openpty()
        self._stdin = os.fdopen(side)
        monkeypatch.setattr(sys, "stdin", self._stdin)
        self.printer = Told()
        self._view = RunView(self.printer, symbols=True)
        self._view.states = self.threads
        self.answers: list[tuple[str, str, Answer]] = []
        self.told: list[tuple[str, facts.AnyFact]] = []
        self.prompter = Prompter(self)
        self.prompter.attach()
        if begun:
            self.prompter.begin()

    def close(self) -> None:
        self.prompter._keyboard.close()
        self._stdin.close()
        os.close(self.keys)

    # -- what the prompter sees of rawr

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        state = self._kernel.threads.get(thread)
        return tuple(map(Real, state.requests)) if state is not None else ()

    @property
    def threads(self) -> dict[str, ThreadState]:
        return self._kernel.threads

    def follow(self, follower: Callable[[Taken], None]) -> None:
        self._follower = follower

    def answer(self, thread: str, request: str, answer: Answer) -> None:
        self.answers.append((thread, request, answer))
        self.tell(thread, facts.AnswerSubmitted(request=request, answer=answer))

    def tell(self, thread: str, fact: facts.AnyFact) -> None:
        self.told.append((thread, fact))
        asyncio.get_running_loop().call_soon(self.happens, thread, fact)

    # -- what the test says

    def happens(self, thread: str, *story: facts.AnyFact) -> None:
        for fact in story:
            taken = self._kernel.take(thread, fact, at=1_000)
            self._view.taken(taken)
            self._follower(taken)

    def runs(self, thread: str, *, approvals: str = "ask") -> None:
        order = Order(goal=f"job {thread}", approvals="policy" if approvals == "policy" else "ask")
        opened = facts.ThreadOpened(cwd="/p", ours=True)
        self.happens(thread, opened, facts.RunSubmitted(order=order), facts.TurnStarted(turn="T"))

    def asks(self, thread: str, request: str, question: Question = COMMAND, *, item: str = "") -> None:
        self.happens(thread, facts.RequestReceived(request=request, question=question, turn="T", item=item))

    async def types(self, line: str, *, then: str = "", deadline: float = 10.0) -> None:
        """Type it, and wait until the screen shows what comes of it."""
        before = len(self.printer.lines)
        os.write(self.keys, f"{line}\r".encode())
        async with asyncio.timeout(deadline):
            while not any(then in text for text in self.printer.texts[before:]):
                self.printer.changed.clear()
                await self.printer.changed.wait()

    async def keyed(self, keys: str, *, shows: str, deadline: float = 10.0) -> None:
        """Press them, and wait until the last line begins so."""
        os.write(self.keys, keys.encode())
        async with asyncio.timeout(deadline):
            while not self.printer.statuses[-1].startswith(shows):
                self.printer.changed.clear()
                await self.printer.changed.wait()

    @property
    def asked(self) -> list[str]:
        """The questions that were put, in short."""
        return [line.text.split("\n")[0] for line in self.printer.lines if line.who == "asks"]


@pytest.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    made = Desk(monkeypatch)
    yield made
    made.close()


async def test_questions_are_put_one_after_the_other(desk: Desk) -> None:
    """C10, C12: the answer to each goes to the thread that asked it."""
    desk.runs("aaaa")
    desk.runs("bbbb")
    desk.asks("bbbb", "1")
    desk.asks("aaaa", "2")
    desk.asks("bbbb", "3", FORM)
    assert desk.asked == ["[r5 job bbbb] approval of: rm x"]
    await desk.types("y", then="[r5 job bbbb] accept")
    assert desk.asked[1:] == ["[r2 job aaaa] approval of: rm x"]
    await desk.types("n", then="[r2 job aaaa] decline")
    assert desk.asked[2:] == ["[r5 job bbbb] a question of the MCP server mcp: Fill in"]
    assert desk.answers == [("bbbb", "1", Verdict(verdict="accept")), ("aaaa", "2", Verdict(verdict="decline"))]


async def test_what_policy_looks_at_is_not_put_yet(desk: Desk) -> None:
    """C10: a yes that is typed meanwhile is a word to the agent, and approves nothing."""
    desk.runs("aaaa", approvals="policy")
    desk.asks("aaaa", "1")
    assert desk.asked == []
    await desk.types("y", then="added to the running turn")
    assert (desk.answers, desk.told) == ([], [("aaaa", facts.SteerSubmitted(text="y"))])
    desk.happens("aaaa", facts.ApprovalJudged(request="1", safe=False, reasons=("it writes",)))
    assert desk.asked == ["[r2 job aaaa] approval of: rm x"]
    await desk.types("y", then="accept")
    assert desk.answers == [("aaaa", "1", Verdict(verdict="accept"))]


async def test_the_files_of_a_change_are_named(desk: Desk) -> None:
    """C10."""
    desk.runs("aaaa")
    change = items.FileChange(id="i", status="running", changes=(items.Change("a.py", "update"),))
    desk.happens("aaaa", facts.ItemStarted(turn="T", item=change))
    desk.asks("aaaa", "1", FileChangeApproval(), item="i")
    assert "files: a.py" in desk.printer.texts[-1]


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (facts.AnswerSubmitted(request="1", answer=Verdict(verdict="decline")), "answered elsewhere: decline"),
        (facts.RequestResolved(request="1"), "not asked any more"),
        (facts.ServerLost(epoch=1, problem="it ended"), "not asked any more"),
    ],
)
async def test_what_is_settled_elsewhere_is_said_and_takes_no_answer(
    desk: Desk, fact: facts.AnyFact, said: str
) -> None:
    """C10: what is typed from then on is no answer to anything."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    desk.happens("aaaa", fact)
    assert desk.printer.texts[-1] == f"{said} (approval of: rm x)"
    await desk.types("y", then="message")
    assert desk.answers == []


async def test_the_next_question_is_put_when_one_is_settled_elsewhere(desk: Desk) -> None:
    """C10: and what was typed for the other is not its answer."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    desk.asks("aaaa", "2", CommandApproval(command="rm y", cwd="/"))
    os.write(desk.keys, b"y\r")
    desk.happens("aaaa", facts.AnswerSubmitted(request="1", answer=Verdict(verdict="decline")))
    assert desk.asked[-1] == "[r2 job aaaa] approval of: rm y"
    await desk.types("c", then="cancel")
    assert desk.answers == [("aaaa", "2", Verdict(verdict="cancel"))]


async def test_half_an_answer_to_what_is_settled_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """C10: it is no answer to the next question, and no word to the agent either; a word that was begun comes back."""
    monkeypatch.setattr(RunView, "has_last_line", True)
    desk = Desk(monkeypatch)
    try:
        desk.runs("aaaa")
        stood = desk.printer.statuses[-1]
        await desk.keyed("He", shows="> He")
        desk.asks("aaaa", "1")
        assert desk.printer.statuses[-1] == "> "
        await desk.keyed("y", shows="> y")
        desk.happens("aaaa", facts.RequestResolved(request="1"))
        assert desk.printer.statuses[-1] == "> He"
        await desk.keyed("\x15", shows=stood.partition(",")[0])
        desk.asks("aaaa", "2")
        desk.asks("aaaa", "3")
        await desk.keyed("y", shows="> y")
        desk.happens("aaaa", facts.RequestResolved(request="2"))
        assert desk.printer.statuses[-1] == "> "
        desk.happens("aaaa", facts.RequestResolved(request="3"))
        assert desk.printer.statuses[-1].startswith(stood.partition(",")[0])
    finally:
        desk.close()


async def test_one_that_waits_its_turn_may_be_settled_too(desk: Desk) -> None:
    """C10: the one that is put stays put."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    desk.asks("aaaa", "2", CommandApproval(command="rm y", cwd="/"))
    desk.happens("aaaa", facts.RequestResolved(request="2"))
    assert desk.printer.texts[-1] == "not asked any more (approval of: rm y)"
    await desk.types("y", then="accept")
    assert (len(desk.asked), desk.answers) == (1, [("aaaa", "1", Verdict(verdict="accept"))])


async def test_an_answer_that_comes_too_late_is_said(desk: Desk) -> None:
    """C10: both were on their way."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    taken = desk._kernel.take
    taken("aaaa", facts.AnswerSubmitted(request="1", answer=Verdict(verdict="decline")), at=1_000)
    await desk.types("y", then="came too late")


async def test_a_secret_is_not_shown(desk: Desk) -> None:
    """C11: not while it is typed, nor afterwards."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1", UserInput(questions=(SECRET,)))
    await desk.types("hunter2", then="(not shown)")
    assert desk.answers == [("aaaa", "1", Replies(replies={"s": ("hunter2",)}))]
    assert "hunter2" not in "\n".join([*desk.printer.texts, *desk.printer.statuses])
    assert select.select([desk.keys], [], [], 0)[0] == [], "the terminal did not echo it"


async def test_several_questions_of_one_request(desk: Desk) -> None:
    """C11: one after the other; own words may hold what separates them elsewhere."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1", UserInput(questions=(OPEN, CHOICE)))
    await desk.types("Ada; Bob", then="Which?")
    await desk.types("3", then="none of the options")
    await desk.types("2", then="Ada; Bob; green")
    assert desk.answers == [("aaaa", "1", Replies(replies={"o": ("Ada; Bob",), "c": ("green",)}))]


async def test_a_line_without_end_is_not_taken(desk: Desk) -> None:
    """C10: nor is a part of it."""
    desk.prompter._typed([None])
    assert desk.printer.texts == [f"That line is longer than {MAX_LINE} characters: nothing was taken."]


async def test_a_word_to_nobody(desk: Desk) -> None:
    """C18."""
    await desk.types("hello", then="No run is under way that could hear it. Nothing was sent.")
    assert desk.told == []


async def test_a_word_before_the_run_has_begun_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """C18: until all runs are there, and in its order; more than a screenful is refused."""
    desk = Desk(monkeypatch, begun=False)
    try:
        await desk.types("one", then="Kept until the run has begun.")
        desk.runs("aaaa")
        await desk.types("r2 two", then="Kept until the run has begun.")
        desk.runs("bbbb")
        assert desk.told == []
        for number in range(MOST_KEPT - 2):
            desk.prompter._typed([f"r2 {number}"])
        desk.prompter._typed(["r2 too much"])
        assert desk.printer.texts[-1] == "Not taken: 100 lines wait for the run to begin."
        desk.prompter.begin()
        assert any("begin with the one that you mean. Nothing was sent." in text for text in desk.printer.texts)
        assert desk.told[:2] == [("aaaa", facts.SteerSubmitted(text=text)) for text in ("two", "0")]
        assert len(desk.told) == MOST_KEPT - 1
    finally:
        desk.close()


async def test_a_word_is_refused_where_no_run_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """C18: and it is said."""
    desk = Desk(monkeypatch, begun=False)
    try:
        await desk.types("hello", then="Kept until the run has begun.")
        desk.prompter.begin()
        assert desk.printer.texts[-1] == "No run is under way that could hear it. Nothing was sent."
        assert desk.told == []
    finally:
        desk.close()


async def test_lines_that_were_typed_ahead_are_refused_and_that_is_said(desk: Desk) -> None:
    """C10: whole lines that nobody has read yet when a question comes up, and those after an answer to another."""
    desk.runs("aaaa")
    os.write(desk.keys, b"y\ry\r")
    desk.asks("aaaa", "1")
    said = "2 lines typed before that was seen: not taken."
    assert said in desk.printer.texts
    assert desk.asked == ["[r2 job aaaa] approval of: rm x"]
    desk.asks("aaaa", "2", CommandApproval(command="rm y", cwd="/"))
    await desk.types("n\ry", then="1 line typed before that was seen: not taken.")
    assert desk.answers == [("aaaa", "1", Verdict(verdict="decline"))]


async def test_a_word_after_an_answer_reaches_the_agent(desk: Desk) -> None:
    """C18: also where both are read one after the other."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    desk.prompter._typed(["y"])
    os.write(desk.keys, b"use tabs\r")
    await desk.types("", then="added to the running turn")
    assert desk.told[-1] == ("aaaa", facts.SteerSubmitted(text="use tabs"))


async def test_ctrl_d_and_what_is_asked_after_it(desk: Desk) -> None:
    """C11: nothing is put here any more, so the notice of it is shown."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    os.write(desk.keys, b"\x04")
    await desk.types("", then="Nothing more is read here.")
    desk.asks("aaaa", "2")
    desk._view.notify("aaaa", "info", "approval of: rm x waits for your answer (2).")
    assert (len(desk.asked), desk.printer.texts[-1]) == (1, "approval of: rm x waits for your answer (2).")

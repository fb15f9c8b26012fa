"""What is shown and taken at a terminal where questions are put (C10, C11)."""

import os
import select

import pytest

from rawr.cli.terminal.keyboard import MAX_LINE
from rawr.cli.terminal.run_screen import RunScreen
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.requests import CommandApproval, FileChangeApproval, Replies, UserInput, Verdict
from tests.cli.terminal.desk import Desk
from tests.cli.terminal.questions import CHOICE, FORM, OPEN, SECRET


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


async def test_what_is_typed_is_for_the_runs_of_this_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """C10, D7: the host has those of other terminals too. They are not asked about here, and hear nothing from here."""
    desk = Desk(monkeypatch, is_mine=lambda thread: thread == "mine")
    try:
        desk.runs("others")
        desk.asks("others", "1", UserInput(questions=(CHOICE,)))
        desk.runs("mine")
        desk.asks("mine", "2")
        assert [one for one in desk.asked if "job others" in one] == []
        await desk.types("y", then="accept")
        assert desk.answers == [("mine", "2", Verdict(verdict="accept"))]
        await desk.types("mind the tests", then="added to the running turn")
        assert ("mine", facts.SteerSubmitted(text="mind the tests")) in desk.told
    finally:
        desk.close()


@pytest.mark.mission("D12")
async def test_what_cannot_be_shown_whole_is_not_approved(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the record is known: a no is a no, and a yes is to nothing that anybody has seen."""
    monkeypatch.setattr(desk, "waiting", lambda thread: ())
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    assert "cannot show in full" in desk.asked[0]
    await desk.types("y", then="That cannot be approved here")
    assert desk.answers == []
    await desk.types("n", then="decline")
    assert desk.answers == [("aaaa", "1", Verdict(verdict="decline"))]


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
        (facts.RequestResolved(request="1"), "no longer asked"),
        (facts.ServerLost(epoch=1, problem="it ended"), "no longer asked"),
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
    monkeypatch.setattr(RunScreen, "has_last_line", True)
    desk = Desk(monkeypatch)
    try:
        desk.runs("aaaa")
        stood = desk.printer.statuses[-1]
        await desk.keyed("He", shows="> He")
        desk.asks("aaaa", "1")
        assert desk.printer.statuses[-1].endswith("> ")
        await desk.keyed("y", shows="> y")
        desk.happens("aaaa", facts.RequestResolved(request="1"))
        assert desk.printer.statuses[-1] == "> He"
        await desk.keyed("\x15", shows=stood.partition(",")[0])
        desk.asks("aaaa", "2")
        desk.asks("aaaa", "3")
        await desk.keyed("y", shows="> y")
        desk.happens("aaaa", facts.RequestResolved(request="2"))
        assert desk.printer.statuses[-1].endswith("> ")
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
    assert desk.printer.texts[-1] == "no longer asked (approval of: rm y)"
    await desk.types("y", then="accept")
    assert (len(desk.asked), desk.answers) == (1, [("aaaa", "1", Verdict(verdict="accept"))])


async def test_an_answer_that_comes_too_late_is_said(desk: Desk) -> None:
    """C10: both were on their way."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    taken = desk.kernel.take
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
    await desk.types("3", then="not one of the options")
    await desk.types("2", then="Ada; Bob; green")
    assert desk.answers == [("aaaa", "1", Replies(replies={"o": ("Ada; Bob",), "c": ("green",)}))]


async def test_a_line_without_end_is_not_taken(desk: Desk) -> None:
    """C10: nor is a part of it."""
    desk.prompter._typed([None])
    assert desk.printer.texts == [f"That line is longer than {MAX_LINE} characters: ignored."]


async def test_lines_that_were_typed_ahead_are_refused_and_that_is_said(desk: Desk) -> None:
    """C10: whole lines that nobody has read yet when a question comes up, and those after an answer to another."""
    desk.runs("aaaa")
    os.write(desk.keys, b"y\ry\r")
    desk.asks("aaaa", "1")
    said = "2 lines typed before you could see this: ignored."
    assert said in desk.printer.texts
    assert desk.asked == ["[r2 job aaaa] approval of: rm x"]
    desk.asks("aaaa", "2", CommandApproval(command="rm y", cwd="/"))
    await desk.types("n\ry", then="1 line typed before you could see this: ignored.")
    assert desk.answers == [("aaaa", "1", Verdict(verdict="decline"))]


async def test_ctrl_d_and_what_is_asked_after_it(desk: Desk) -> None:
    """C11: nothing is put here any more, so the notice of it is shown."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    os.write(desk.keys, b"\x04")
    await desk.types("", then="rawr no longer reads input here.")
    desk.asks("aaaa", "2")
    desk.screen.notify("aaaa", "info", "approval of: rm x waits for your answer (2).")
    assert (len(desk.asked), desk.printer.texts[-1]) == (1, "approval of: rm x waits for your answer (2).")

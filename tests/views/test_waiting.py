"""What waits for a person (C10, C11)."""

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run, Stop
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval, UserInput, UserQuestion
from rawr.views.questions import in_short, is_secret, open_requests
from rawr.views.threads import thread_view
from rawr.views.waiting import ONLY_RECORD, CutOffView, UnansweredView, WaitingView, waiting_on
from tests.core.samples import AT, IDLE

COMMAND = CommandApproval(command="rm x", cwd="/", reason="to clean up")
OPENED = OpenRequest("1/0", COMMAND, AT, "T1", doubts=("it writes",))
ANSWERED = replace(OPENED, request="1/1", answer="t:9.0")
RUN = Run("r1", Order(goal="g"), "running", AT, AT, waiting="turn")
MARK = "[redacted:password:0123456789abcdef]"
GROUNDS = ("in /", "it says: to clean up", "not proved safe: it writes")


def test_a_question_that_can_be_answered() -> None:
    """And not one whose answer is on its way."""
    state = replace(IDLE, run=RUN, requests=(OPENED, ANSWERED))
    (view,) = waiting_on(state, live=True, real=(OPENED,))
    assert view == WaitingView(
        id="1/0", thread="t", run="r1", asked="CommandApproval", text="approval of: rm x", grounds=GROUNDS, since=AT
    )
    assert to_builtins(view) == {
        "type": "waiting",
        "id": "1/0",
        "thread": "t",
        "run": "r1",
        "asked": "CommandApproval",
        "text": "approval of: rm x",
        "grounds": GROUNDS,
        "since": AT,
        "redacted": False,
    }


@pytest.mark.mission("D12")
def test_who_decides_sees_the_real_text() -> None:
    """And where only the record is known, the text says so."""
    record = replace(OPENED, question=replace(COMMAND, command=f"rm {MARK}"), doubts=())
    state = replace(IDLE, requests=(record,))
    real = replace(record, question=replace(COMMAND, command="rm hunter2x"))
    (view,) = waiting_on(state, live=True, real=(real,))
    assert isinstance(view, WaitingView)
    assert (view.text, view.grounds, view.redacted) == ("approval of: rm hunter2x", GROUNDS[:2], False)
    (view,) = waiting_on(state, live=True)
    assert isinstance(view, WaitingView)
    assert (view.text, view.grounds[-1], view.redacted) == (f"approval of: rm {MARK}", ONLY_RECORD, True)
    live = thread_view(state, Policy(), last_seen=AT, now=AT, live=True, real=(real,))
    assert live.waiting == ("approval of: rm hunter2x",)
    unknown = thread_view(state, Policy(), last_seen=AT, now=AT, live=True)
    assert unknown.waiting == (f"approval of: rm {MARK} ({ONLY_RECORD})",)


def test_where_no_rawr_runs_it_was_cut_off() -> None:
    state = replace(IDLE, requests=(OPENED,))
    assert list(waiting_on(state, live=False)) == [
        CutOffView(
            id="1/0",
            thread="t",
            run=None,
            asked="CommandApproval",
            text="approval of: rm x",
            grounds=(*GROUNDS, ONLY_RECORD),
            since=AT,
            redacted=True,
        )
    ]


def test_a_run_that_nobody_answered() -> None:
    run = replace(RUN, status="paused", stop=Stop("run.paused.unanswered", "approval of: rm x"))
    assert list(waiting_on(replace(IDLE, run=run), live=True)) == [UnansweredView("t", "r1", "approval of: rm x")]


def test_the_questions_of_others_are_theirs() -> None:
    """D1: on a thread that rawr only watches."""
    assert open_requests(replace(IDLE, ours=False, requests=(OPENED,))) == ()


def test_a_question_in_short() -> None:
    asked = UserInput(questions=(UserQuestion("q", "", "Which\n one? " + "x" * 200),))
    assert in_short(asked) == "a question: Which one? " + "x" * 76 + "…"
    assert in_short(COMMAND) == "approval of: rm x"


def test_which_answers_are_secret() -> None:
    secret = UserQuestion("s", "", "Key?", secret=True)
    assert is_secret(UserInput(questions=(UserQuestion("o", "", "Name?"), secret)))
    assert not is_secret(UserInput(questions=(replace(secret, secret=False),)))
    assert not is_secret(COMMAND)

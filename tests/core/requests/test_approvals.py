"""Approvals and questions on a thread that a run drives (C5, C10, C11)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.policy.full_auto import FullAuto
from rawr.core.requests.wording import grounds, named
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import AnswerRequest, InterruptTurn, JudgeApproval, Notify, SteerTurn
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import (
    CommandApproval,
    Elicitation,
    FileChangeApproval,
    PermissionsApproval,
    Question,
    Replies,
    UserInput,
    UserQuestion,
    Verdict,
)
from tests.core.runs import GOAL, LOST, RULES, STARTED, Auto, in_a_turn
from tests.core.samples import IDLE

COMMAND = CommandApproval(command="ls src", cwd="/project/src")
CHANGE = FileChangeApproval(reason="r")
ASKED = UserInput(questions=(UserQuestion("q", "Which", "Which one?"),))
ONLY_A_PERSON: dict[str, Question] = {
    "network": CommandApproval(command="ls", cwd="/project", network=True),
    "input to a program": CommandApproval(command="ls", cwd="/project", beyond="input to a running program"),
    "a root for good": FileChangeApproval(grant_root="/project"),
    "permissions": PermissionsApproval(cwd="/project", permissions="{all}"),
    "an elicitation": Elicitation(server="mcp", message="Fill in"),
    "a question": ASKED,
}


def asks(question: Question, request: str = "1/1") -> facts.RequestReceived:
    return facts.RequestReceived(request=request, question=question, turn="T1", item="i")


def judged(*, safe: bool, request: str = "1/1") -> facts.ApprovalJudged:
    return facts.ApprovalJudged(request=request, safe=safe, reasons=("because",), digest="d1")


def asking(question: Question = COMMAND, **changes: Any) -> Auto:
    return in_a_turn(**changes).tell(asks(question))


# -- by the rules ---------------------------------------------------------------------------------------------------


def test_a_command_is_looked_at_before_anybody_is_asked() -> None:
    """C10: with the rules of the settings, and where it would run."""
    policy = replace(
        RULES, full_auto=FullAuto(allow=("pytest",), deny=("git push",), protect=("infra",), not_secret=(".env",))
    )
    story = in_a_turn(policy=policy).tell(asks(COMMAND))
    assert story.wanted(JudgeApproval) == [
        JudgeApproval(
            request="1/1",
            command="ls src",
            cwd="/project/src",
            workspace="/project",
            allow=("pytest",),
            deny=("git push",),
            protect=("infra",),
            not_secret=(".env",),
        )
    ]
    assert story.wanted(AnswerRequest) == []


def test_what_is_provably_safe_is_approved_and_on_record_with_its_hash() -> None:
    """C10."""
    story = asking().tell(judged(safe=True))
    assert story.wanted(AnswerRequest) == [AnswerRequest(request="1/1", answer=Verdict(verdict="accept"), by="policy")]
    [record] = [one for one in story.records if one.reason is Reason.REQUEST_JUDGED_SAFE]
    assert (record.evidence["digest"], record.evidence["reasons"]) == ("d1", ["because"])
    assert story.deadlines == ()


def test_of_a_file_change_the_paths_are_looked_at() -> None:
    """C10."""
    story = in_a_turn()
    change = items.FileChange(
        id="i", changes=(items.Change("/project/a", "update"), items.Change("/etc/b", "add")), status="running"
    )
    story.tell(facts.ItemStarted(turn="T1", item=change), asks(CHANGE))
    [look] = story.wanted(JudgeApproval)
    assert (look.command, look.paths, look.cwd) == ("", ("/project/a", "/etc/b"), "/project")


def test_what_is_not_safe_waits_for_a_person() -> None:
    """C10."""
    story = asking().tell(judged(safe=False))
    assert story.wanted(AnswerRequest) == []
    assert [one.name for one in story.deadlines] == ["request:1/1"]
    story.tell(facts.AnswerSubmitted(request="1/1", answer=Verdict(verdict="accept")))
    assert story.wanted(AnswerRequest)[0].by == "person"
    assert story.run.active


def test_what_is_not_safe_is_declined_where_that_is_wanted_and_the_agent_reads_why() -> None:
    """C10: nobody waits, and the turn goes on."""
    story = asking(unsafe="decline").tell(judged(safe=False))
    assert story.wanted(AnswerRequest)[0].answer == Verdict(verdict="decline")
    [said] = story.wanted(SteerTurn)
    assert said.turn == "T1"
    assert "approval of: ls src" in said.text
    assert "- “because”" in said.text
    assert (story.run.status, story.deadlines) == ("running", ())


@pytest.mark.parametrize("question", ONLY_A_PERSON.values(), ids=ONLY_A_PERSON)
@pytest.mark.parametrize("unsafe", ["wait", "decline"])
def test_some_things_are_never_approved_by_rules(question: Question, unsafe: str) -> None:
    """C10, C11."""
    story = asking(question, unsafe=unsafe)
    assert story.wanted(JudgeApproval) == []
    assert story.wanted(AnswerRequest) == []
    assert Reason.REQUEST_WAITS_PERSON in story.reasons()


@pytest.mark.parametrize("mode", ["ask", "never"])
def test_without_the_policy_nothing_is_looked_at(mode: str) -> None:
    """C10."""
    story = asking(approvals=mode)
    assert story.wanted(JudgeApproval) == []
    assert Reason.REQUEST_WAITS_PERSON in story.reasons()


def test_without_a_run_a_person_is_asked() -> None:
    """C10: rules are a run's."""
    story = Auto(IDLE)
    story.begin("T1", GOAL).tell(asks(COMMAND))
    assert story.wanted(JudgeApproval) == []
    paused = in_a_turn().tell(facts.RunPauseSubmitted(now=True))
    paused.end("T1", "interrupted")
    paused.begin("T2", "x").tell(replace(asks(COMMAND), turn="T2"))
    assert paused.wanted(JudgeApproval) == []


def test_a_look_that_never_comes_back_ends_with_the_deadline() -> None:
    """C5, C10."""
    story = asking().tell(facts.DeadlinePassed(name="request:1/1"), after=900)
    assert story.ended == ("paused", "run.paused.unanswered")


def test_a_judgment_that_comes_too_late_is_not_taken() -> None:
    """C10: a person was quicker; and one that is about nothing."""
    story = asking().tell(facts.AnswerSubmitted(request="1/1", answer=Verdict(verdict="decline")))
    story.tell(judged(safe=True), judged(safe=True, request="9/9"))
    assert [one.answer for one in story.wanted(AnswerRequest)] == [Verdict(verdict="decline")]
    assert story.reasons()[-1] is Reason.IGNORED_UNKNOWN_REQUEST


def test_two_requests_are_kept_apart() -> None:
    """C10."""
    story = asking().tell(asks(CommandApproval(command="rm x", cwd="/project"), "1/2"))
    story.tell(judged(safe=False, request="1/2"), judged(safe=True, request="1/1"))
    assert [one.request for one in story.wanted(AnswerRequest)] == ["1/1"]
    assert [one.name for one in story.deadlines] == ["request:1/2"]


# -- nobody answers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", [COMMAND, ASKED, *ONLY_A_PERSON.values()])
def test_what_nobody_answers_pauses_the_run(question: Question) -> None:
    """C5, C11: nothing is granted, no option is guessed, and the turn is ended."""
    story = asking(question, approvals="ask").tell(facts.DeadlinePassed(name="request:1/1"), after=900)
    assert story.ended == ("paused", "run.paused.unanswered")
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]
    [answer] = story.wanted(AnswerRequest)
    assert answer.by == "deadline"
    assert answer.answer in (Verdict(verdict="decline"), Replies(replies={"q": ()}))
    story.end("T1", "interrupted")
    assert story.ended == ("paused", "run.paused.unanswered")


def test_how_long_a_person_has_is_configured() -> None:
    """C5."""
    policy = replace(RULES, limits=replace(RULES.limits, person=60))
    story = in_a_turn(policy=policy, approvals="ask").tell(asks(COMMAND))
    story.tell(facts.DeadlinePassed(name="request:1/1"), after=59)
    assert story.run.active
    story.tell(facts.DeadlinePassed(name="request:1/1"), after=1)
    assert not story.run.active


def test_an_answer_lets_the_run_go_on() -> None:
    """C11."""
    story = asking(ASKED).tell(facts.AnswerSubmitted(request="1/1", answer=Replies(replies={"q": ("That one.",)})))
    story.tell(facts.RequestResolved(request="1/1")).says("T1", "On.").end("T1")
    assert (story.run.waiting, story.state.requests) == ("turn", ())


@pytest.mark.parametrize("gone", [LOST, STARTED])
def test_questions_die_with_the_connection(gone: facts.AnyFact) -> None:
    """C10: their judgment is about nothing then."""
    story = asking().tell(gone, judged(safe=True))
    assert story.state.requests == ()
    assert story.wanted(AnswerRequest) == []


# -- what a person is told ------------------------------------------------------------------------------------------


def test_a_file_change_is_shown_with_its_paths() -> None:
    """C10: nobody approves blind."""
    change = items.FileChange(id="i", status="running", changes=(items.Change(path="../out.txt", kind="add"),))
    story = in_a_turn(approvals="ask").tell(facts.ItemStarted(turn="T1", item=change), asks(CHANGE))
    [opened] = story.state.requests
    assert named(opened) == "approval of a file change: ../out.txt"
    assert "../out.txt" in story.wanted(Notify)[-1].text
    assert grounds(opened) == ("files: ../out.txt", "it says: r")


def test_a_command_is_shown_with_its_place_and_the_doubts_about_it() -> None:
    """C10"""
    story = asking(replace(COMMAND, reason="to look")).tell(judged(safe=False))
    [opened] = story.state.requests
    assert grounds(opened) == ("in /project/src", "it says: to look", "not proved safe: because")


def test_a_turn_that_ended_on_silence_counts() -> None:
    """C5: the run rests before its turn has ended, and the turn was one of its own."""
    story = asking(ASKED).tell(facts.DeadlinePassed(name="request:1/1"), after=901)
    assert (story.ended, story.run.turns) == (("paused", "run.paused.unanswered"), 1)
    story.end("T1", "interrupted")
    assert story.run.turns == 1

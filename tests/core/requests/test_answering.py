"""The server's questions: answered by policy, put to a person with a deadline, or left to others."""

import pytest
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.policy.policy import Limits, Policy
from rawr.core.requests.wording import declined, describe, fits
from rawr.core.speech import say
from rawr.core.state.deadlines import Deadline
from rawr.core.state.ledger import Ledger, UserDecision
from rawr.core.state.thread import MAX_PHASES, MAX_REQUESTS, OpenRequest, PhaseMark, ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AnswerRequest, CancelDeadline, Notify, SetDeadline
from rawr.core.vocabulary.payloads import PhaseOver
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import (
    Answer,
    CommandApproval,
    CredentialQuestion,
    Elicitation,
    FileChangeApproval,
    PermissionsApproval,
    Question,
    Refusal,
    Replies,
    TimeQuestion,
    TimeTold,
    ToolInvocation,
    ToolResult,
    UserInput,
    UserQuestion,
    Verdict,
)
from tests.core.samples import AT, IDLE, RUNNING, bare, do, fold, seen, take, why

DUE = AT + 900_000
COMMAND = CommandApproval(command="rm notes", cwd="/project")
INPUT = UserInput(questions=(UserQuestion("q1", "Colour", "Which?"), UserQuestion("q2", "Size", "How big?")))
QUESTIONS: dict[str, tuple[Question, str, Answer]] = {
    "a command": (COMMAND, "approval of: rm notes", Verdict(verdict="decline")),
    "network": (
        CommandApproval(command="curl x", cwd="/project", network=True),
        "network access for: curl x",
        Verdict(verdict="decline"),
    ),
    "a change": (FileChangeApproval(reason="r"), "approval of a file change", Verdict(verdict="decline")),
    "permissions": (
        PermissionsApproval(cwd="/project", permissions="{net}"),
        "a request for permissions {net}",
        Verdict(verdict="decline"),
    ),
    "input": (INPUT, "a question: Which? / How big?", Replies(replies={"q1": (), "q2": ()})),
    "elicitation": (
        Elicitation(server="mcp", message="Fill in"),
        "a question of the MCP server mcp: Fill in",
        Verdict(verdict="decline"),
    ),
}
"""What is put to a person, in words, and the answer that grants nothing."""


def asked(question: Question, request: str = "1/1") -> facts.RequestReceived:
    return facts.RequestReceived(request=request, question=question, turn="T1", item="i")


def waiting(question: Question) -> ThreadState:
    return replace(
        RUNNING, requests=(OpenRequest("1/1", question, AT, "T1"),), deadlines=(Deadline("request:1/1", DUE),)
    )


def answered(question: Question, state: ThreadState = RUNNING, n: int = 0) -> ThreadState:
    return replace(state, requests=(OpenRequest("1/1", question, AT, "T1", f"t:7.{n}"),), deadlines=())


# -- questions for a person ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "words", "_declined"), QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_waits_for_a_person_with_a_deadline(question: Question, words: str, _declined: Answer) -> None:
    """C10, C11."""
    assert take(RUNNING, asked(question)) == Step(
        waiting(question),
        (
            do(SetDeadline(name="request:1/1", at=DUE)),
            do(Notify(level="info", text=f"{words} waits for your answer (1/1)."), 1),
        ),
        (why(Reason.REQUEST_WAITS_PERSON, request="1/1", seconds=900),),
    )


def test_how_long_is_configured() -> None:
    policy = Policy(limits=Limits(person=5))
    assert take(RUNNING, asked(COMMAND), policy=policy).state.deadlines == (Deadline("request:1/1", AT + 5_000),)


def test_a_persons_answer_goes_to_the_server() -> None:
    """D3: what was decided is kept for the handoff."""
    yes = Verdict(verdict="accept")
    kept = Ledger(decisions=(UserDecision("approval of: rm notes", "accept"),))
    assert take(waiting(COMMAND), facts.AnswerSubmitted(request="1/1", answer=yes)) == Step(
        replace(answered(COMMAND), ledger=kept),
        (do(AnswerRequest(request="1/1", answer=yes, by="person")), do(CancelDeadline(name="request:1/1"), 1)),
        (why(Reason.REQUEST_ANSWERED_PERSON, request="1/1", answer="Verdict"),),
    )


def test_a_persons_answer_is_on_record_like_a_rules() -> None:
    """C10, C17: who, yes or no, and the hash of exactly what; the time is the fact's."""
    said = facts.AnswerSubmitted(request="1/1", answer=Verdict(verdict="decline"), who="ada", digest="d1")
    [receipt] = take(waiting(COMMAND), said).records
    assert receipt.evidence == {
        "request": "1/1",
        "answer": "Verdict",
        "what": "approval of: rm notes",
        "verdict": "decline",
        "who": "ada",
        "digest": "d1",
    }


def test_by_way_of_what_an_answer_came_is_on_record() -> None:
    """C10: facts from before have no origin, and lead to the same decision as ever."""
    origin = facts.Origin(surface="cli", pid=4711, program="rawr", terminal="pts/3")
    said = facts.AnswerSubmitted(request="1/1", answer=Verdict(verdict="accept"), who="ada", origin=origin)
    [receipt] = take(waiting(COMMAND), said).records
    assert receipt.evidence["by_way_of"] == "cli, rawr 4711 on pts/3"


def test_an_agents_answer_decides_nothing_and_the_person_hears_of_it() -> None:
    """C10."""
    tried = facts.OrderRefused(order="AnswerSubmitted", why="the agent's sandbox", request="1/1")
    before = waiting(COMMAND)
    assert take(before, tried) == Step(
        before,
        (
            do(
                Notify(
                    level="warning",
                    text="The agent tried to answer its own request 1/1. rawr refused: the command came from the "
                    "agent's sandbox.",
                )
            ),
        ),
        (why(Reason.ORDER_REFUSED_AGENT, order="AnswerSubmitted", request="1/1", why="the agent's sandbox"),),
    )


@pytest.mark.parametrize(("question", "words", "no"), QUESTIONS.values(), ids=QUESTIONS)
def test_when_nobody_answers_it_is_declined(question: Question, words: str, no: Answer) -> None:
    """C5: so that the turn goes on instead of hanging."""
    assert take(waiting(question), facts.DeadlinePassed(name="request:1/1"), at=DUE) == Step(
        answered(question, n=1),
        (
            do(Notify(level="warning", text=f"Nobody answered in time: {words} was declined.")),
            do(AnswerRequest(request="1/1", answer=no, by="deadline"), 1),
        ),
        (why(Reason.REQUEST_DECLINED_DEADLINE, request="1/1"),),
    )


def test_an_answer_is_given_once() -> None:
    again = facts.AnswerSubmitted(request="1/1", answer=Verdict(verdict="cancel"))
    state = answered(COMMAND)
    assert take(state, again) == Step(state, (), (why(Reason.IGNORED_UNKNOWN_REQUEST, request="1/1"),))
    assert take(RUNNING, again) == Step(RUNNING, (), (why(Reason.IGNORED_UNKNOWN_REQUEST, request="1/1"),))


def test_an_answer_of_the_wrong_kind_leaves_the_question_open() -> None:
    wrong = facts.AnswerSubmitted(request="1/1", answer=ToolResult(text=say("?")))
    assert take(waiting(COMMAND), wrong) == Step(
        waiting(COMMAND), (), (why(Reason.IGNORED_WRONG_ANSWER, request="1/1", answer="ToolResult"),)
    )


def test_a_question_that_is_told_twice_is_one() -> None:
    """A second copy would forget that the first is answered, and mark a phase twice (A8)."""
    assert take(waiting(COMMAND), asked(COMMAND)) == Step(waiting(COMMAND))
    assert take(answered(COMMAND), asked(COMMAND)) == Step(answered(COMMAND))


@pytest.mark.parametrize("settled", [waiting(COMMAND), answered(COMMAND)], ids=["open", "answered"])
def test_settled_by_whoever_came_first(settled: ThreadState) -> None:
    cancelled = (do(CancelDeadline(name="request:1/1")),) if settled.deadlines else ()
    assert take(settled, facts.RequestResolved(request="1/1")) == Step(RUNNING, cancelled)


def test_a_notice_about_an_unknown_question_changes_nothing() -> None:
    assert take(RUNNING, facts.RequestResolved(request="9/9")) == Step(RUNNING)


@pytest.mark.parametrize("code", ["moot", "lost", "refused"])
def test_with_its_answers_outcome_a_question_is_closed(code: facts.FailureCode) -> None:
    outcome = facts.EffectFailed(effect="t:7.0", problem="gone", code=code)
    assert take(answered(COMMAND), facts.EffectSucceeded(effect="t:7.0")) == Step(RUNNING)
    assert take(answered(COMMAND), outcome) == Step(RUNNING)


def test_questions_end_with_the_connection() -> None:
    lost = take(waiting(COMMAND), facts.ServerLost(epoch=1, problem="gone"))
    assert (lost.state.requests, lost.state.deadlines) == ((), ())
    assert lost.effects == (do(CancelDeadline(name="request:1/1")),)


def test_somebody_elses_questions_are_left_to_them() -> None:
    """C10: a thread that another client drives is watched, not answered."""
    theirs = replace(RUNNING, ours=False)
    for question in (COMMAND, TimeQuestion(), CredentialQuestion(method="m"), INPUT):
        assert take(theirs, asked(question)) == Step(
            replace(theirs, requests=(OpenRequest("1/1", question, AT, "T1"),)),
            (),
            (why(Reason.REQUEST_LEFT_OTHERS, request="1/1", asked=type(question).__name__),),
        )


def test_one_question_too_many_is_declined_at_once() -> None:
    """What is open is bounded, and no turn hangs for it."""
    crowd = fold(RUNNING, *(asked(COMMAND, f"1/{number}") for number in range(MAX_REQUESTS)))
    assert len(crowd.requests) == len(crowd.deadlines) == MAX_REQUESTS
    assert take(crowd, asked(INPUT, "1/x")) == Step(
        crowd,
        (do(AnswerRequest(request="1/x", answer=Replies(replies={"q1": (), "q2": ()}), by="policy")),),
        (why(Reason.REQUEST_DECLINED_CROWDED, request="1/x"),),
    )
    assert take(crowd, asked(TimeQuestion(), "1/x")).effects == (
        do(AnswerRequest(request="1/x", answer=TimeTold(seconds=AT // 1000), by="policy")),
    )


# -- questions that policy answers --------------------------------------------------------------------------------


def test_the_time_is_told() -> None:
    answer = TimeTold(seconds=AT // 1000)
    assert take(RUNNING, asked(TimeQuestion())) == Step(
        answered(TimeQuestion()),
        (do(AnswerRequest(request="1/1", answer=answer, by="policy")),),
        (why(Reason.REQUEST_ANSWERED_POLICY, request="1/1", answer="TimeTold"),),
    )


def test_credentials_are_refused() -> None:
    question = CredentialQuestion(method="attestation/generate")
    answer = Refusal(reason=say("rawr holds no credentials and cannot answer “attestation/generate”"))
    assert take(RUNNING, asked(question)) == Step(
        answered(question),
        (do(AnswerRequest(request="1/1", answer=answer, by="policy")),),
        (why(Reason.REQUEST_REFUSED_UNABLE, request="1/1", asked="attestation/generate"),),
    )


def test_a_phase_is_marked_and_the_agent_is_told() -> None:
    """B9: and it is a boundary."""
    call = ToolInvocation(tool="phase_complete", call="c", arguments='{"phase":"research","next_phase":"draft"}')
    over = seen("phase_boundary", "T1", PhaseOver("research", next_phase="draft"), source="phase_tool")
    mark = PhaseMark("research", "", "draft", (), "T1", AT)
    assert take(RUNNING, asked(call)) == Step(
        replace(answered(call), phases=(mark,), signals=bare(over)),
        (
            do(
                AnswerRequest(
                    request="1/1", answer=ToolResult(text=say("Recorded: “research” is finished.")), by="policy"
                )
            ),
        ),
        (why(Reason.PHASE_MARKED_TOOL, phase="research", next_phase="draft"),),
        (over,),
    )


def test_a_phase_call_with_nonsense_marks_nothing() -> None:
    call = ToolInvocation(tool="phase_complete", call="c", arguments='{"phase":" "}')
    problem = "phase_complete needs the name of the phase that is finished."
    assert take(RUNNING, asked(call)) == Step(
        answered(call),
        (do(AnswerRequest(request="1/1", answer=ToolResult(text=say(problem), success=False), by="policy")),),
        (why(Reason.PHASE_REFUSED_ARGUMENTS, request="1/1", problem=problem),),
    )


def test_a_tool_that_is_not_ours_is_refused() -> None:
    call = ToolInvocation(tool="teleport", call="c", arguments="{}")
    answer = ToolResult(text=say("There is no tool “teleport” here."), success=False)
    assert take(RUNNING, asked(call)) == Step(
        answered(call),
        (do(AnswerRequest(request="1/1", answer=answer, by="policy")),),
        (why(Reason.REQUEST_REFUSED_UNABLE, request="1/1", asked="teleport"),),
    )


def test_phases_are_bounded() -> None:
    state = IDLE
    for number in range(MAX_PHASES + 2):
        call = ToolInvocation(tool="phase_complete", call="c", arguments=f'{{"phase":"{number}"}}')
        state = fold(state, asked(call, f"1/{number}"), facts.RequestResolved(request=f"1/{number}"))
    assert [mark.phase for mark in state.phases] == [str(number) for number in range(2, MAX_PHASES + 2)]


# -- which answer fits which question -----------------------------------------------------------------------------

TOOL = ToolInvocation(tool="x", call="c", arguments="{}")
FITTING: list[tuple[Question, list[Answer]]] = [
    (COMMAND, [Verdict(verdict="accept"), Verdict(verdict="cancel"), Verdict(verdict="accept_for_session")]),
    (FileChangeApproval(), [Verdict(verdict="accept"), Verdict(verdict="decline")]),
    (PermissionsApproval(cwd="/", permissions="{}"), [Verdict(verdict="accept")]),
    (Elicitation(server="s", message="m"), [Verdict(verdict="decline"), Verdict(verdict="cancel")]),
    (INPUT, [Replies(replies={}), Replies(replies={"q1": ("red",)}), Replies(replies={"q1": (), "q2": ("a", "b")})]),
    (TOOL, [ToolResult(text=say("")), ToolResult(text=say(""), success=False)]),
    (TimeQuestion(), [TimeTold(seconds=1)]),
    (CredentialQuestion(method="m"), [Refusal(reason=say("r"))]),
]
UNFIT: list[tuple[Question, Answer]] = [
    (Elicitation(server="s", message="m"), Verdict(verdict="accept")),
    (Elicitation(server="s", message="m"), Verdict(verdict="accept_for_session")),
    (INPUT, Replies(replies={"q3": ("?",)})),
]


def test_answers_that_fit() -> None:
    """C11: every kind of question has a kind of answer, and takes no other."""
    for question, answers in FITTING:
        for answer in answers:
            assert fits(question, answer), (question, answer)
        for other, foreign in FITTING:
            if type(foreign[0]) is not type(answers[0]):
                assert not fits(question, foreign[0]), (question, other)
    for question, answer in UNFIT:
        assert not fits(question, answer), (question, answer)


@pytest.mark.parametrize("question", [question for question, _ in FITTING], ids=lambda one: type(one).__name__)
def test_declining_is_an_answer_that_fits(question: Question) -> None:
    """The time aside, which can only be told or refused, and is always told."""
    assert fits(question, declined(question)) or isinstance(question, TimeQuestion)
    assert describe(question)

"""What a surface is told while something happens: whole stories, event by event."""

from rawr.core.kernel import Kernel, Taken
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.payloads import PhaseOver
from rawr.core.vocabulary.requests import (
    CommandApproval,
    Option,
    Question,
    Replies,
    ToolInvocation,
    UserInput,
    UserQuestion,
    Verdict,
)
from rawr.views import events as e
from rawr.views.following import EventSurface, Following
from tests.core.runs import DONE, GOAL, RULES
from tests.core.samples import AT, PACKET, WORDS, worked
from tests.views.followed import Followed, FollowedRun

COMMAND = CommandApproval(command="rm x", cwd="/")
SECRET = UserInput(questions=(UserQuestion("s", "Key", "What is the key?", secret=True),))


def seen(story: Followed) -> list[e.AnyEvent]:
    """Without the boundaries, which have a test of their own."""
    return [one for one in story.seen if not isinstance(one, e.BoundarySeen)]


def turn(name: str, *said: e.AnyEvent) -> list[e.AnyEvent]:
    ended = e.TurnEnded(turn=name, status="completed", duration_ms=None, failed=False, problem="")
    return [e.TurnBegan(turn=name), *said, ended]


def sent(story: Followed) -> str:
    """The newest message to the agent."""
    return next(one.text for one in reversed(story.events) if isinstance(one, e.UserSaid))


def begins(purpose: e.Purpose) -> e.AgentAsked:
    return e.AgentAsked(
        reason="turn.started.sequence", why="The golden path has a message for the agent.", purpose=purpose
    )


def test_the_golden_path() -> None:
    """A9, A10, A13: decided, heads-up, packet, compaction, handoff; rawr's own words are marked as such."""
    story = Followed()
    worked(story)
    assert seen(story) == [
        *turn(
            "W",
            e.UserSaid(text="Do the job."),
            e.PhaseEnded(phase="research", by="person"),
            e.ContextUsed(tokens=100_000, window=258_400, percent_left=64),
            e.AgentSaid(text=WORDS),
        ),
        e.CompactionDecided(
            reason="compact.decided.boundary",
            why="A boundary that the tier asks for was reached.",
            only_suggested=False,
        ),
        begins("heads_up"),
    ]
    story.answers("P", PACKET)
    heads_up = sent(story)
    assert seen(story) == [
        *turn("P", e.UserSaid(text=heads_up, purpose="heads_up"), e.AgentSaid(text=PACKET)),
        e.PacketReady(
            reason="packet.taken.agent",
            why="The agent's packet is complete and agrees with the record.",
            author="agent",
            complete=True,
        ),
    ]
    story.compacts()
    assert seen(story) == [
        *turn(
            "C",
            e.CompactionBegan(),
            e.ContextCompacted(),
            e.ContextUsed(tokens=20_000, window=258_400, percent_left=97),
        ),
        e.CompactionEnded(
            reason="compact.done.both_signals",
            why="The compaction item and its turn have both completed.",
            ok=True,
            by_codex=False,
            tokens_before=100_000,
            tokens_after=20_000,
        ),
        e.HandoffSent(reason="handoff.sent.compacted", why="The packet goes back to the agent."),
        begins("handoff"),
    ]
    story.answers("H", "On I go.")
    handoff = sent(story)
    audited = e.CompactionAudited(
        reason="compact.audited.sequence",
        why="A sequence is over; this is its audit.",
        ok=True,
        tokens_before=100_000,
        tokens_after=20_000,
        packet="agent",
        duration_ms=12_000,
        tier="asap",
        percent_left=64,
    )
    told = e.UserSaid(text=handoff, purpose="handoff")
    assert seen(story) == turn("H", told, audited, e.AgentSaid(text="On I go."))


def test_a_run_to_its_checked_end() -> None:
    """C7: a claim that fails the check, and one that passes it."""
    story = FollowedRun()
    story.tell(facts.RunSubmitted(order=Order(goal=GOAL, done="make")))
    story.works("T1", DONE, commands=("ls",))
    story.checks(1)
    started = e.RunStarted(reason="run.started.submitted", why="A person ordered a run.", run="r101", goal=GOAL)
    claimed = e.RunChecking(reason="run.checked.claim", why="The agent says it is done; the check runs.", run="r101")
    assert seen(story) == [
        started,
        *turn(
            "T1",
            e.UserSaid(text=GOAL),
            e.CommandRan(command="ls", status="completed", exit_code=0, output="boom"),
            e.AgentSaid(text=DONE),
        ),
        claimed,
        e.RunChecked(
            reason="run.failed.check",
            why="The done check says that the job is not done.",
            run="r101",
            passed=False,
            exit_code=1,
        ),
        e.RunContinued(
            reason="run.continued.check", why="The agent says it is done, but the check says no.", run="r101"
        ),
    ]
    story.works("T2", DONE)
    story.checks(0)
    went_on = sent(story)
    assert seen(story) == [
        *turn("T2", e.UserSaid(text=went_on, purpose="continue"), e.AgentSaid(text=DONE)),
        claimed,
        e.RunChecked(
            reason="run.passed.check", why="The done check exited with code 0.", run="r101", passed=True, exit_code=0
        ),
        e.RunDone(reason="run.done.checked", why="The job is done: the check passed.", run="r101", checked=True),
    ]


# -- questions --------------------------------------------------------------------------------------------------------


def asked(question: Question = COMMAND) -> FollowedRun:
    """A run in whose turn something is asked of a person; what came before is not looked at."""
    story = FollowedRun()
    story.tell(facts.RunSubmitted(order=Order(goal=GOAL, approvals="ask")))
    story.begin("T1", GOAL, ours=True)
    assert story.seen
    story.tell(facts.RequestReceived(request="1/0", question=question, turn="T1"))
    return story


def test_a_question_that_waits_and_is_answered() -> None:
    """C10: the answer of a person is in words, and what Codex asks no more is gone."""
    story = asked()
    notice = "approval of: rm x waits for your answer (1/0)."
    assert story.seen == [
        e.RequestAsked(request="1/0", question=COMMAND),
        e.RequestPut(request="1/0", question=COMMAND, seconds=RULES.limits.person, notices=(notice,)),
    ]
    story.tell(facts.AnswerSubmitted(request="1/0", answer=Verdict(verdict="accept_for_session")))
    story.tell(facts.AnswerSubmitted(request="1/0", answer=Verdict(verdict="decline")))
    story.tell(facts.RequestResolved(request="1/0"), facts.RequestResolved(request="1/0"))
    assert story.seen == [
        e.RequestAnswered(
            reason="request.answered.person",
            why="A person answered.",
            request="1/0",
            by="person",
            words="accept for session",
        ),
        e.AnswerRefused(
            reason="ignored.unknown_request",
            why="An answer or notice about a request that is not open.",
            request="1/0",
            unfit=False,
        ),
        e.RequestGone(request="1/0"),
    ]


def test_an_answer_that_is_secret_is_not_told() -> None:
    """C11."""
    story = asked(SECRET)
    assert story.seen
    story.tell(facts.AnswerSubmitted(request="1/0", answer=Replies(replies={"s": ("hunter2",)})))
    assert story.seen == [
        e.RequestAnswered(
            reason="request.answered.person", why="A person answered.", request="1/0", by="person", secret=True
        )
    ]


def test_who_comes_late_is_not_told_an_answer_that_may_be_secret() -> None:
    """C11: whether it is, the question would say."""
    story = asked(SECRET)
    assert story.seen
    story.following = Following()
    story.tell(facts.AnswerSubmitted(request="1/0", answer=Replies(replies={"s": ("hunter2",)})))
    assert story.seen == [
        e.RequestAnswered(
            reason="request.answered.person", why="A person answered.", request="1/0", by="person", secret=True
        )
    ]


def test_an_answer_that_fits_no_question() -> None:
    choice = UserInput(questions=(UserQuestion("c", "", "Which?", options=(Option("red"),)),))
    story = asked(choice)
    assert story.seen
    story.tell(facts.AnswerSubmitted(request="1/0", answer=Verdict(verdict="accept")))
    assert story.seen == [
        e.AnswerRefused(
            reason="ignored.wrong_answer",
            why="The answer does not fit the question; the question stays open.",
            request="1/0",
            unfit=True,
        )
    ]


def test_questions_go_with_the_connection() -> None:
    """And Codex's going is told once, not again for each thread."""
    story = asked()
    assert story.seen
    story.tell(facts.ServerLost(epoch=1, problem="it ended"))
    assert e.RequestGone(request="1/0") in (found := story.seen)
    assert not [one for one in found if isinstance(one, e.CodexLost)]


def test_who_comes_late_is_not_told_of_what_was_asked_before() -> None:
    story = asked()
    assert story.seen
    story.following = Following()
    story.tell(facts.RequestResolved(request="1/0"))
    assert story.seen == []


def test_a_word_to_the_running_turn() -> None:
    """C18: what became of it."""
    story = asked()
    assert story.seen
    story.tell(facts.SteerSubmitted(text="use tabs"))
    assert story.seen == [
        e.SteerTaken(reason="steer.sent.submitted", why="A message was added to the running turn.", text="use tabs")
    ]


# -- the rest ---------------------------------------------------------------------------------------------------------


def test_a_phase_that_the_agent_marks() -> None:
    """B5: and the boundary that it is."""
    story = Followed()
    story.begin("T", "Do it.")
    assert story.seen
    call = ToolInvocation(tool="phase_complete", call="c", arguments='{"phase": "research", "summary": "Done."}')
    story.tell(facts.RequestReceived(request="1/0", question=call, turn="T"))
    assert story.seen == [
        e.RequestAsked(request="1/0", question=call),
        e.PhaseEnded(phase="research", by="agent"),
        e.BoundarySeen(
            kind="phase_boundary",
            source="phase_tool",
            detail="research",
            payload=PhaseOver("research", "Done."),
        ),
    ]


def test_where_and_when() -> None:
    """Every event of a fact has its number, its time and its thread."""
    taken = Kernel(RULES).take("thread-1", facts.TurnStarted(turn="T"), at=AT)
    assert Following().take(taken) == (
        e.TurnBegan(thread="thread-1", seq=1, at=AT, turn="T"),
        e.BoundarySeen(thread="thread-1", seq=1, at=AT, kind="turn_started", source="turn", detail=""),
    )


def test_a_surface_that_is_told_of_events() -> None:
    """Notices among them."""
    told: list[e.AnyEvent] = []
    surface = EventSurface(told.append)
    surface.notify("t", "info", "Hello.")
    message = facts.ItemCompleted(turn="T", item=items.AgentMessage(id="a", text="Found it."))
    surface.taken(Taken(facts.Recorded(3, AT, "t", message)))
    assert told == [
        e.Notice(thread="t", level="info", text="Hello."),
        e.AgentSaid(thread="t", seq=3, at=AT, text="Found it."),
    ]

"""What Codex asks while it works: approvals, questions, tools."""

from pathlib import Path

from rawr.core.policy.policy import Limits, Policy
from rawr.core.speech import say
from rawr.core.state.thread import PhaseMark
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.requests import CommandApproval, Replies, ToolResult, UserInput, Verdict
from rawr.testing import VirtualClock
from tests.e2e.rig import Rig, Transport, rig

ASKS = """
- { run: { cmd: "echo allowed > proof.txt", escalate: true, why: "I need to write." } }
- { say: "Over." }
"""


async def _ask(it: Rig) -> tuple[str, str]:
    thread = await it.thread(approvals="on-request", sandbox="read-only")
    asked = it.expect(facts.RequestReceived)
    it.rawr.submit(thread, "Write the proof.")
    fact = (await asked).recorded.fact
    assert isinstance(fact, facts.RequestReceived)
    assert isinstance(fact.question, CommandApproval)
    assert "echo allowed > proof.txt" in fact.question.command
    assert fact.question.reason == "I need to write."
    return thread, fact.request


async def test_an_approval_waits_for_a_person_and_is_honoured(tmp_path: Path, transport: Transport) -> None:
    """C10: the answer comes from elsewhere, while the reader goes on."""
    async with rig(ASKS, tmp_path, transport=transport) as it, it.running():
        thread, request = await _ask(it)
        other = await it.thread()
        assert [one.request for one in it.state(thread).requests] == [request]
        ended = it.expect(facts.TurnCompleted, thread=thread)
        it.rawr.answer(thread, request, Verdict(verdict="accept"))
        await ended
        assert (it.workspace / "proof.txt").read_text() == "allowed\n"
        assert it.state(thread).requests == ()
        assert it.state(thread).deadlines == ()
        assert it.state(other).turns == 0
        assert "request.answered.person" in it.reasons(thread)


async def test_a_declined_command_does_not_run(tmp_path: Path, transport: Transport) -> None:
    async with rig(ASKS, tmp_path, transport=transport) as it, it.running():
        thread, request = await _ask(it)
        ended = it.expect(facts.TurnCompleted, thread=thread)
        it.rawr.answer(thread, request, Verdict(verdict="decline"))
        await ended
        assert not (it.workspace / "proof.txt").exists()
        [command] = [one.item for one in it.facts(facts.ItemCompleted) if isinstance(one.item, items.Command)]
        assert command.status == "declined"


async def test_nobody_answers(tmp_path: Path) -> None:
    """C5: a question that nobody answers in time is declined, and the turn goes on instead of hanging."""
    clock = VirtualClock(1_000_000)
    policy = Policy(limits=Limits(person=900))
    async with rig(ASKS, tmp_path, transport="stdio") as it, it.running(policy=policy, clock=clock):
        thread, _ = await _ask(it)
        ended = it.expect(facts.TurnCompleted, thread=thread)
        await clock.advance(899_000)
        assert len(it.state(thread).requests) == 1
        await clock.advance(1_000)
        await ended
        assert not (it.workspace / "proof.txt").exists()
        assert "request.declined.deadline" in it.reasons(thread)


async def test_an_answer_that_does_not_fit_leaves_the_question_open(tmp_path: Path) -> None:
    async with rig(ASKS, tmp_path, transport="stdio") as it, it.running():
        thread, request = await _ask(it)
        submitted = it.expect(facts.AnswerSubmitted)
        it.rawr.answer(thread, request, ToolResult(text=say("?")))
        assert [one.record.reason.value for one in (await submitted).decisions] == ["ignored.wrong_answer"]
        assert [one.request for one in it.state(thread).requests] == [request]
        ended = it.expect(facts.TurnCompleted, thread=thread)
        it.rawr.answer(thread, request, Verdict(verdict="cancel"))
        await ended


async def test_the_agent_marks_a_phase(tmp_path: Path, transport: Transport) -> None:
    """B9: the phase tool is there on threads that rawr starts, and its call is recorded and answered."""
    script = """
    - call:
        tool: phase_complete
        arguments: { phase: research, summary: "All sources read.", next_phase: draft, artifacts: [notes.md] }
    - { when: { tool: "Recorded: “research” is finished." }, say: "On to the draft." }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        turn = await it.turn(thread, "Research.")
        [mark] = it.state(thread).phases
        assert mark == PhaseMark("research", "All sources read.", "draft", ("notes.md",), turn.turn, mark.at)
        assert it.state(thread).requests == ()


async def test_a_phase_call_with_nonsense_is_told_so(tmp_path: Path) -> None:
    script = """
    - { call: { tool: phase_complete, arguments: { phase: 7 } } }
    - { when: { tool: "was not understood" }, say: "Sorry." }
    """
    async with rig(script, tmp_path, transport="stdio") as it, it.running():
        thread = await it.thread()
        await it.turn(thread, "Go.")
        assert it.state(thread).phases == ()
        assert "phase.refused.arguments" in it.reasons(thread)


async def test_the_plan_tool_is_there_without_touching_the_users_config(tmp_path: Path) -> None:
    """B7: Codex offers no plan tool by default; threads that rawr starts have it, by the thread's own config."""
    script = """
    - { plan: ["doing: everything"] }
    - { say: "Planned." }
    """
    async with rig(script, tmp_path, transport="stdio") as it:
        config = it.codex.home.config_file
        config.write_text(config.read_text().replace("[tools.update_plan]\nenabled = true\n", ""))
        assert "update_plan" not in config.read_text()
        async with it.running():
            thread = await it.thread()
            await it.turn(thread, "Plan.")
            assert [step.step for step in it.state(thread).plan.steps] == ["everything"]


async def test_a_question_to_the_user_is_answered_by_the_user(tmp_path: Path, transport: Transport) -> None:
    """C11: the question reaches a person whole, and the answer reaches the agent; nothing is chosen for them."""
    script = """
    - ask: { id: colour, header: Colour, question: "Which colour?", options: [Red, Blue] }
    - { when: { tool: "Blue" }, say: "Blue it is." }
    """
    switched_on = {"features": {"default_mode_request_user_input": True}}
    async with rig(script, tmp_path, transport=transport, extra_config=switched_on) as it, it.running():
        thread = await it.thread()
        asked, ended = it.expect(facts.RequestReceived), it.expect(facts.TurnCompleted)
        it.rawr.submit(thread, "Paint.")
        fact = (await asked).recorded.fact
        assert isinstance(fact, facts.RequestReceived)
        assert isinstance(fact.question, UserInput)
        [question] = fact.question.questions
        assert (question.id, question.question) == ("colour", "Which colour?")
        assert [option.label for option in question.options][:2] == ["Red", "Blue"]
        it.rawr.answer(thread, fact.request, Replies(replies={"colour": ("Blue",)}))
        await ended
        assert it.state(thread).requests == ()

"""Guidance on the real Codex (C15): from “go” to done, with a model, without one, and with one that only fails."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.policy.models import Models as Settings
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel, NameThread, ResearchRepository
from rawr.core.vocabulary.opinions import (
    AnyOpinion,
    GuidanceDecision,
    GuidanceDirective,
    GuidanceRouter,
    NoOpinion,
    Planning,
    SignatureName,
    TaskUnderstanding,
)
from rawr.core.vocabulary.order import Order
from tests.e2e.golden import policy
from tests.e2e.rig import Rig, rig
from tests.e2e.test_full_auto import DONE, ended, is_over, result, run_of
from tests.e2e.test_run_program import FREE, desk
from tests.e2e.test_run_program import ended as program_ended

GOAL = "Build the thing in three steps. Never push."
ERROR = "Error: connection refused (127.0.0.1:11434)"
BEGINS = '- say: "I begin."\n'
GOOD: dict[SignatureName, AnyOpinion] = {
    "guidance_router": GuidanceRouter(route="understand", response="I read it first."),
    "task_understanding": TaskUnderstanding(
        requirements=("It is built.",), open_questions=("How large?",), scope="small", confidence=0.9
    ),
    "planning": Planning(steps=("Lay the ground.",), files=(), checks=("make test",), confidence=0.9),
    "guidance_directive": GuidanceDirective(directive="Lay the first stone.", reason="It is next.", confidence=0.9),
    "guidance_decision": GuidanceDecision(action="continue", next_input="", reason="Work is left.", confidence=0.9),
}
Answers = AnyOpinion | NoOpinion | tuple[AnyOpinion | NoOpinion, ...]
COMPLETE = GuidanceDecision(action="complete", next_input="", reason="All is there.", confidence=0.9)


class Scripted:
    """A model that says what it was told to say, one answer after the other; the last one is said again."""

    def __init__(self, **answers: Answers) -> None:
        self.answers: dict[str, Answers] = {str(name): one for name, one in GOOD.items()} | answers
        self.asked: list[SignatureName] = []
        self.hold: SignatureName | None = None
        self.held = asyncio.Event()

    async def ask(self, name: str, real: Real[AskModel], /) -> facts.ModelAnswered:
        question = real.thing
        signature = question.signature
        if signature == self.hold:
            self.held.set()
            await asyncio.Event().wait()
        answers = self.answers[signature]
        given = answers if isinstance(answers, tuple) else (answers,)
        said = given[min(self.asked.count(signature), len(given) - 1)]
        self.asked.append(signature)
        match said:
            case "lost":
                raise ConnectionError(ERROR)
            case "unavailable" | "timed_out" | "unreadable" | "refused" as code:
                return facts.ModelAnswered(effect=name, signature=signature, code=code, problem=ERROR, raw=ERROR)
            case opinion:
                return facts.ModelAnswered(effect=name, signature=signature, opinion=opinion, model="m", tokens=5)


def rules(**changes: Any) -> Policy:
    return replace(policy(), models=replace(Settings(on_error="rules"), **changes))


@asynccontextmanager
async def guided(
    script: str, folder: Path, model: Scripted | None, *, settings: Policy | None = None
) -> AsyncIterator[tuple[Rig, str]]:
    async with (
        rig(script, folder, transport="stdio") as it,
        it.running(policy=settings or rules(), models=model),
    ):
        yield it, await it.thread()


def said(it: Rig) -> list[str]:
    """Everything that the agent was told in the newest request, one text for each message."""
    return it.user_texts()


async def test_from_go_to_done(tmp_path: Path) -> None:
    """C15: research, understanding, plan, directive; then turn after turn, until it is complete."""
    model = Scripted(guidance_decision=(GOOD["guidance_decision"], COMPLETE))
    async with guided(BEGINS + '- say: "Half of it."\n', tmp_path, model) as (it, thread):
        (it.workspace / "Makefile").write_text("test:\n\ttrue\n")
        run = await ended(it, thread, Order(goal=GOAL, prompt="go", guidance=True))
        assert result(run) == ("done", "run.done.reported", "self_reported")
        assert model.asked == [
            "task_understanding",
            "planning",
            "guidance_directive",
            "guidance_decision",
            "guidance_directive",
            "guidance_decision",
        ]
        texts = [text for text in said(it) if "[rawr r" in text]
        assert len(texts) == 2
        assert all(GOAL in text and "Lay the first stone." in text for text in texts)
        assert "- It is built." in texts[0]
        shown = [text for _, text in it.notices]
        for step in ("Nothing but “go”", "Repository: ", "Understood", "Plan: ", "Directive: ", "Decision: complete"):
            assert any(step in text for text in shown), step
        [first, *_] = it.evidence("guidance.researched.repository")
        assert first["by"] == "rules"
        [looked, *_] = it.facts(facts.RepositoryResearched)
        assert "- make test" in looked.text
        assert run.tokens >= 30


async def test_a_message_is_understood_first_and_stays_verbatim(tmp_path: Path) -> None:
    async with guided(DONE, tmp_path, Scripted(guidance_decision=COMPLETE)) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, guidance=True))
        assert result(run) == ("done", "run.done.reported", "self_reported")
        [text] = [text for text in said(it) if GOAL in text]
        assert text.startswith(f"The user said:\n\n```\n{GOAL}\n```\n\n[rawr r")
        assert "- It is built." in text
        assert it.rawr.state(thread).ledger.goal == GOAL


@pytest.mark.parametrize("code", ["unavailable", "unreadable", "lost"])
async def test_a_model_that_only_fails(tmp_path: Path, code: NoOpinion) -> None:
    """C15: every step is the rules', and no error reaches the agent."""
    model = Scripted(**dict.fromkeys(GOOD, code))
    async with guided(BEGINS + DONE, tmp_path, model) as (it, thread):
        run = await ended(it, thread, Order(goal="go", guidance=True))
        assert result(run) == ("done", "run.done.reported", "self_reported")
        assert run.turns == 2
        for request in it.codex.model.requests:
            assert not any("connection refused" in text for text in request.user_texts)
        for reason in ("understood.task", "planned.work", "directed.agent", "decided.turn"):
            assert {one["by"] for one in it.evidence(f"guidance.{reason}")} == {"rules"}, reason


async def test_an_answer_that_is_an_error_is_no_directive(tmp_path: Path) -> None:
    broken = GuidanceDirective(directive=ERROR, reason=ERROR, confidence=1.0)
    model = Scripted(guidance_directive=broken, guidance_decision=COMPLETE)
    async with guided(DONE, tmp_path, model) as (it, thread):
        await ended(it, thread, Order(goal="go", guidance=True))
        assert it.evidence("guidance.refused.directive")
        assert not any("connection refused" in text for text in said(it))


async def test_nobody_to_ask_pauses_where_that_is_set(tmp_path: Path) -> None:
    """C4: the first message goes out; what follows the turn is a person's to say."""
    model = Scripted(guidance_router="unavailable", guidance_decision="unreadable")
    async with guided(BEGINS, tmp_path, model, settings=rules(on_error="pause")) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, guidance=True))
        assert result(run) == ("paused", "run.paused.reply", "no")
        assert said(it) == [GOAL]


async def test_a_model_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    model = Scripted(guidance_decision=COMPLETE)
    model.hold = "guidance_router"
    async with guided(DONE, tmp_path, model, settings=rules(seconds=1)) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, guidance=True))
        assert run.turns >= 1
        [routed] = it.evidence("guidance.routed.message")
        assert str(routed["why"]).startswith("timed_out")


def kept_by_codex() -> Callable[[Taken], bool]:
    """Codex forgets a thread without a turn, unless it has a name."""
    names: set[str] = set()

    def kept(taken: Taken) -> bool:
        names.update(one.id for one in taken.effects if isinstance(one.effect, NameThread))
        fact = taken.recorded.fact
        return isinstance(fact, facts.EffectSucceeded) and fact.effect in names

    return kept


@pytest.mark.parametrize("stage", ["guidance_router", "task_understanding", "guidance_decision", "guidance_directive"])
async def test_rawr_ends_in_the_middle_and_the_run_is_resumed(tmp_path: Path, stage: SignatureName) -> None:
    """C13, D5: it goes on from the journal, and nothing is said twice."""
    model = Scripted()
    model.hold = stage
    async with rig(BEGINS + DONE, tmp_path, transport="stdio") as it:
        async with it.running(policy=rules(), models=model):
            thread = await it.thread()
            kept = it.rawr.expect(kept_by_codex(), deadline=30)
            await it.rawr.record(thread, facts.RunSubmitted(order=Order(goal=GOAL, guidance=True)))
            async with asyncio.timeout(30):
                await model.held.wait()
                await kept
        model = Scripted(guidance_decision=COMPLETE)
        async with it.running(policy=rules(), models=model) as rawr:
            again = await rawr.record(thread, facts.RunResumed())
            assert "run.resumed.submitted" in {one.record.reason for one in again.decisions}
            over = rawr.expect(is_over(it, thread), deadline=60, what="The run did not end")
            await over
            assert run_of(it, thread).status == "done"
        for request in it.codex.model.requests:
            assert sum(text.startswith((GOAL, f"The user said:\n\n```\n{GOAL}")) for text in request.user_texts) <= 1
        assert ("guidance_router" in model.asked) == (stage == "guidance_router")


async def test_a_person_pauses_while_it_is_worked_out(tmp_path: Path) -> None:
    model = Scripted()
    model.hold = "planning"
    async with guided(DONE, tmp_path, model) as (it, thread):
        await it.rawr.record(thread, facts.RunSubmitted(order=Order(goal="go", guidance=True)))
        async with asyncio.timeout(30):
            await model.held.wait()
        await it.rawr.record(thread, facts.RunPauseSubmitted())
        assert run_of(it, thread).status == "paused"
        assert not it.codex.model.requests
        looks = [one for taken in it.seen for one in taken.effects if isinstance(one.effect, ResearchRepository)]
        assert len(looks) == 1


async def test_as_a_program_without_any_model(tmp_path: Path) -> None:
    """``rawr run --guidance go --goal …``: each step is shown, the check ends it."""
    script = '- { run: "touch built.txt" }\n' + DONE
    async with desk(script, tmp_path) as it:
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text(
            '[rawr_models]\non_error = "rules"\norder = ["ollama:none"]\nollama_url = "http://127.0.0.1:9"\n'
        )
        ran = await program_ended(
            await it.run("go", "--guidance", "--goal", GOAL, "--done", "test -e built.txt", *FREE)
        )
        assert (ran.code, ran.summary["done"]) == (0, "checked"), ran.err
        notices = [str(line["text"]) for line in ran.lines if line["type"] == "notice"]
        assert any("Directive: " in text and "by rawr's rules" in text for text in notices)
        assert any(GOAL in text for text in it.codex.model.requests[0].user_texts)

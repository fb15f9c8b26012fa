"""``rawr guidance demo``: the steps of guidance on a summary from a file, each shown, by a model or by the rules."""

import asyncio
import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rawr.cli.commands import guidance_files, guiding
from rawr.cli.commands.models import model_desk
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.output import emit, say
from rawr.core.guidance import rules as guidance_rules
from rawr.core.guidance import wording as guidance_words
from rawr.core.guidance.rules import Settled
from rawr.core.guidance.scene import Scene, inputs
from rawr.core.policy.models import Models as Settings
from rawr.core.real import Real
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import AnyOpinion, GuidanceDecision, NoOpinion, SignatureName
from rawr.observe.workspace.research import research
from rawr.ports.advisers import Models

GRACE = 2.0
O = TypeVar("O", bound=AnyOpinion)  # noqa: E741 - an opinion


class Wanted(Struct, frozen=True):
    summary: Path
    inputs: Path | None = None
    goal: str = ""
    success: tuple[str, ...] = ()
    model: str = ""


class Outcome(Struct):
    """What to print, step by step."""

    route: str = ""
    response: str = ""
    understanding: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None
    directive: dict[str, Any] | None = None
    decision: dict[str, Any] | None = None
    by: dict[str, str] = {}
    model: str = ""
    """The model that answered last; empty if none did."""
    problems: list[str] = []


def run(wanted: Wanted, *, json: bool, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    found = guidance_files.read(wanted.summary, wanted.inputs, goal=wanted.goal, success=wanted.success)
    settings = places.loaded.policy.models
    order = (wanted.model,) if wanted.model else guiding.model_of(os.environ)
    settings = replace(settings, order=order or settings.order)
    with flowing(json=json) as flow:
        outcome = asyncio.run(_run(found, settings, places, quiet=json))
        if json:
            emit(outcome)
        else:
            _last_word(outcome)
    flow.check()
    return Exit.OK


async def _run(found: guidance_files.Read, settings: Settings, places: Places, *, quiet: bool) -> Outcome:
    async with model_desk(places, lambda: places.loaded.policy) as models:
        steps = Steps(models, settings, quiet=quiet)
        steps.outcome.problems += found.problems
        return await steps.take(found.scene, found.workspace)


class Steps:
    """The pipeline, outside a run: it does at once what a run does with facts and effects."""

    def __init__(self, models: Models, settings: Settings, *, quiet: bool = True) -> None:
        self._models = models
        self._settings = settings
        self._quiet = quiet
        self._nobody = ""
        """Why no more models are asked: none could be reached, or one used all of its time."""
        self._asked = 0
        self._whys: dict[str, list[str]] = {}
        self.outcome = Outcome()

    async def take(self, scene: Scene, workspace: Path) -> Outcome:
        least, outcome = self._settings.min_confidence_percent, self.outcome
        outcome.route = "super" if guidance_rules.is_minimal(scene.message) else ""
        if not outcome.route:
            route = guidance_rules.routed(scene, await self._ask("guidance_router", scene))
            outcome.route, outcome.response = route.opinion.route, route.opinion.response
            self._show("route", route)
        elif not self._quiet:
            say(guidance_words.SUPER)
        scene = replace(scene, research=await asyncio.to_thread(research, str(workspace)))
        self._note("research", "rules", scene.research.splitlines()[0])
        if outcome.route in ("understand", "super"):
            task = guidance_rules.understood(scene, await self._ask("task_understanding", scene), least=least)
            outcome.understanding = self._show("understanding", task)
            scene = replace(scene, understanding=task.opinion)
        if outcome.route in ("plan", "super"):
            plan = guidance_rules.planned(scene, await self._ask("planning", scene), least=least)
            outcome.plan = self._show("plan", plan)
            scene = replace(scene, plan=plan.opinion)
        directive = guidance_rules.directed(scene, await self._ask("guidance_directive", scene), least=least)
        outcome.directive = self._show("directive", directive)
        decision = _decided(scene, await self._ask("guidance_decision", scene), least=least)
        outcome.decision = self._show("decision", decision)
        outcome.problems += [f"{', '.join(steps)}: {why}" for why, steps in self._whys.items()]
        return outcome

    async def _ask(self, signature: SignatureName, scene: Scene) -> ModelAnswered:
        self._asked += 1
        name = f"demo:{self._asked}"
        if self._nobody:
            return ModelAnswered(effect=name, signature=signature, code="unavailable", problem=self._nobody)
        question = AskModel(
            signature=signature,
            inputs=inputs(signature, scene),
            models=self._settings.order,
            attempts=self._settings.attempts,
            seconds=self._settings.seconds,
        )
        answered = await self._answer(name, question)
        if answered.code in ("unavailable", "timed_out"):
            self._nobody = answered.problem
        if answered.opinion is not None:
            self.outcome.model = answered.model
        return answered

    async def _answer(self, name: str, question: AskModel) -> ModelAnswered:
        """An error is an answer too."""
        code: NoOpinion = "lost"
        try:
            async with asyncio.timeout(question.seconds + GRACE):
                # A person wrote it in their own file: nothing was redacted.
                return await self._models.ask(name, Real(question))
        except TimeoutError:
            code, problem = "timed_out", f"no answer within {question.seconds} seconds"
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        return ModelAnswered(effect=name, signature=question.signature, code=code, problem=problem)

    def _show(self, step: str, settled: Settled[O]) -> dict[str, Any]:
        self.outcome.by[step] = settled.by
        if settled.why:
            self._whys.setdefault(settled.why, []).append(step)
        if not self._quiet:
            say(guidance_words.shown(replace(settled, why="")))
        fields: dict[str, Any] = msgspec.to_builtins(settled.opinion)
        fields.pop("opinion", None)
        return fields

    def _note(self, step: str, by: str, text: str) -> None:
        self.outcome.by[step] = by
        if not self._quiet:
            say(f"[rawr] Repository: {text}")


def _decided(scene: Scene, fact: ModelAnswered, *, least: int) -> Settled[GuidanceDecision]:
    """As in a run: hard stops first, and an answer without enough confidence is a pause."""
    ruled = guidance_rules.decision(scene)
    said = fact.opinion
    if not isinstance(said, GuidanceDecision):
        return Settled(ruled, "rules", guidance_rules.no_opinion(fact))
    if ruled.action == "pause":
        return Settled(ruled, "rules", f"a model says {said.action}, but this takes precedence")
    unsure = guidance_rules.unsure(said.confidence, least)
    if unsure:
        return Settled(replace(said, action="pause", next_input=""), "model", f"{unsure} that it should {said.action}")
    return Settled(said, "model")


def _last_word(outcome: Outcome) -> None:
    say()
    if outcome.model:
        rules = [step for step, by in outcome.by.items() if by == "rules" and step != "research"]
        more = f" By rawr's rules: {', '.join(rules)}." if rules else ""
        say(f"Answered by {outcome.model}.{more}")
    else:
        say("No model answered: rawr's own rules decided all of this.")
    for problem in outcome.problems:
        say(f"- {problem}")

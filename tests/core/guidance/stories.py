"""Stories of a guided run: each stops at one of its stages."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from rawr.core.policy.models import Models
from rawr.core.policy.policy import Policy
from rawr.core.state.run import GuidanceStage
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel, Notify, ResearchRepository
from rawr.core.vocabulary.opinions import (
    AnyOpinion,
    GuidanceDecision,
    GuidanceDirective,
    GuidanceRouter,
    NoOpinion,
    Planning,
    Route,
    SignatureName,
    TaskUnderstanding,
)
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Record
from tests.core.runs import RULES, Auto

PROMPT = "Port the parser to the new API.\nNever push."
BY_RULES = replace(RULES, models=Models(on_error="rules"))
ERROR = "Error: connection refused (127.0.0.1:11434)"
CODES: tuple[NoOpinion, ...] = ("unavailable", "timed_out", "unreadable", "refused", "lost")
SEEN = "A git repository, on branch main.\nWays to test and build (none was run):\n- make test\n- make lint"


def routes(route: Route = "understand", response: str = "I read it first.") -> GuidanceRouter:
    return GuidanceRouter(route=route, response=response)


def understands(*requirements: str, questions: tuple[str, ...] = ("Which version?",), sure: float = 0.9) -> Any:
    return TaskUnderstanding(
        requirements=requirements or ("Port the parser.", "Keep the tests."),
        open_questions=questions,
        scope="medium",
        confidence=sure,
    )


def plans(*steps: str, sure: float = 0.9) -> Planning:
    return Planning(
        steps=steps or ("Read it.", "Port it."), files=("src/parser.py",), checks=("make test",), confidence=sure
    )


def directs(text: str = "Port the header first.", *, sure: float = 0.9) -> GuidanceDirective:
    return GuidanceDirective(directive=text, reason="it comes first", confidence=sure)


def decides(action: Any = "continue", *, next_input: str = "", sure: float = 0.9) -> GuidanceDecision:
    return GuidanceDecision(action=action, next_input=next_input, reason="so it is", confidence=sure)


GOOD: dict[str, AnyOpinion] = {
    "route": routes(),
    "understand": understands(),
    "plan": plans(),
    "direct": directs(),
    "decide": decides(),
}


class Guided(Auto):
    @property
    def stage(self) -> GuidanceStage:
        return self.run.guidance.stage if self.run.guidance is not None else ""

    @property
    def asked(self) -> list[SignatureName]:
        return [one.signature for one in self.wanted(AskModel)]

    @property
    def told(self) -> str:
        """Everything that was ever said to the agent."""
        return "\n\n".join(self.sent)

    @property
    def shown(self) -> list[str]:
        return [one.text for one in self.wanted(Notify)]

    def worked(self, turn: str, text: str = "On I go.", **more: Any) -> "Guided":
        self.works(turn, text, **more)
        return self

    def record(self, reason: Reason) -> Record:
        return [one for one in self.records if one.reason is reason][-1]

    def hears(self, opinion: AnyOpinion | None, *, code: NoOpinion = "unavailable", **more: Any) -> "Guided":
        """The model answers the question that is open, or there is no answer."""
        effect = self.name(AskModel)
        answer = facts.ModelAnswered(effect=effect, signature=self.asked[-1], opinion=opinion, model="m", tokens=10)
        if opinion is None:
            answer = replace(answer, code=code, problem=ERROR, raw=ERROR, diagnostics=(ERROR,))
        self.tell(replace(answer, **more), facts.EffectSucceeded(effect=effect))
        return self

    def sees(self, text: str = SEEN, *, problem: str = "") -> "Guided":
        """The look around is back."""
        effect = self.name(ResearchRepository)
        fact = facts.RepositoryResearched(effect=effect, text=text, problem=problem)
        self.tell(fact, facts.EffectSucceeded(effect=effect))
        return self

    def well(self, *, until: GuidanceStage = "") -> "Guided":
        """Every step goes well, up to one that is left open."""
        while self.stage and self.stage != until:
            if self.stage == "research":
                self.sees()
            else:
                self.hears(GOOD[self.stage])
        return self

    def badly(self, code: NoOpinion = "unavailable") -> "Guided":
        """No model ever answers, and nothing is seen."""
        while self.stage:
            if self.stage == "research":
                self.sees("", problem=ERROR)
            else:
                self.hears(None, code=code)
        return self

    def from_disk(self) -> "Guided":
        """The state is read back from where it was written."""
        self.state = msgspec.json.decode(msgspec.json.encode(self.state), type=ThreadState)
        return self


def guided(
    message: str = PROMPT, *, goal: str = "", policy: Policy = RULES, slots: bool = True, **order: Any
) -> Guided:
    """A guided run has been ordered."""
    story = Guided(policy=policy, slots=slots)
    wanted = Order(goal=goal or message, prompt=message if goal else "", guidance=True)
    story.tell(facts.RunSubmitted(order=replace(wanted, **order)))
    return story


def after_a_turn(text: str = "On I go.", *, policy: Policy = RULES, **order: Any) -> Guided:
    """The first message is out, the agent has worked on it, and the question is what comes next."""
    story = guided(policy=policy, **order).hears(routes("respond"))
    story.works("T1", text, commands=("make",))
    return story


def at(stage: GuidanceStage, *, policy: Policy = RULES, **order: Any) -> Guided:
    """A guided run in each of its stages."""
    match stage:
        case "route":
            return guided(policy=policy, **order)
        case "understand":
            return guided(policy=policy, **order).hears(routes("understand"))
        case "plan":
            return guided(policy=policy, **order).hears(routes("plan"))
        case "decide":
            return after_a_turn(policy=policy, **order)
        case "research":
            return guided("go", policy=policy, **order)
        case "direct":
            return guided("go", policy=policy, **order).well(until="direct")
        case "":
            raise AssertionError(stage)


FIRST: tuple[GuidanceStage, ...] = ("route", "understand", "plan", "research", "direct")
"""Stages in which the agent has not heard anything yet."""
LOOP: dict[str, Callable[[], Guided]] = {
    "decide": after_a_turn,
    "research": lambda: after_a_turn().hears(decides()),
    "direct": lambda: after_a_turn().hears(decides()).sees(),
}
"""Stages after a turn."""

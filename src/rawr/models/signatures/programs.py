"""The signatures by name, each as the DSPy program that runs."""

from collections.abc import Callable
from typing import Any

import dspy

from rawr.core.vocabulary.opinions import GuidanceRouter as Routed
from rawr.core.vocabulary.opinions import SignatureName
from rawr.models.signatures import sentence, task_understanding
from rawr.models.signatures.compaction_judgment import CompactionJudgment
from rawr.models.signatures.full_auto_decision import FullAutoDecision
from rawr.models.signatures.guidance_decision import GuidanceDecision
from rawr.models.signatures.guidance_directive import GuidanceDirective
from rawr.models.signatures.guidance_router import GuidanceRouter
from rawr.models.signatures.planning import Planning
from rawr.models.signatures.task_understanding import TaskUnderstanding
from rawr.models.signatures.tool_input import ToolInput
from rawr.models.tuning.tuned import Tuned

SIGNATURES: dict[SignatureName, type[dspy.Signature]] = {
    "compaction_judgment": CompactionJudgment,
    "full_auto_decision": FullAutoDecision,
    "tool_input": ToolInput,
    "guidance_router": GuidanceRouter,
    "task_understanding": TaskUnderstanding,
    "planning": Planning,
    "guidance_directive": GuidanceDirective,
    "guidance_decision": GuidanceDecision,
}

DEMOS: dict[SignatureName, tuple[dict[str, Any], ...]] = {"task_understanding": task_understanding.DEMOS}


def predictor(name: SignatureName, *, instructions: str = "", tuned: Tuned | None = None) -> dspy.Predict:
    """The program for one signature: a person's instructions take precedence over learned ones, those over its own."""
    signature = SIGNATURES[name]
    learned = tuned.instructions if tuned is not None else ""
    if instructions.strip() or learned:
        signature = signature.with_instructions(instructions.strip() or learned)
    program = dspy.Predict(signature)
    demos = tuned.demos if tuned is not None and tuned.demos else DEMOS.get(name, ())
    program.demos = [dict(demo) for demo in demos]
    return program


Attempt = Callable[[dspy.Predict, dict[str, str]], Any]
"""Runs the program once: an opinion, or None. It must not raise."""


class Careful(dspy.Module):
    """The program as a module that does not raise, because ``BestOfN`` prints exceptions."""

    def __init__(self, program: dspy.Predict, attempt: Attempt) -> None:
        super().__init__()
        self.program = program
        self.attempt = attempt

    def forward(self, **inputs: str) -> dspy.Prediction:
        return dspy.Prediction(opinion=self.attempt(self.program, inputs))


def best_sentence(program: dspy.Predict, attempt: Attempt, *, attempts: int, done: Callable[[], bool]) -> dspy.Module:
    """The router: the first of several attempts that keeps the one-sentence rule, or else the nearest to it."""

    def reward(inputs: dict[str, str], prediction: dspy.Prediction) -> float:
        del inputs
        if done():
            return 1.0
        return sentence.reward(prediction.opinion.response) if isinstance(prediction.opinion, Routed) else -1.0

    return dspy.BestOfN(Careful(program, attempt), N=attempts, reward_fn=reward, threshold=1.0)

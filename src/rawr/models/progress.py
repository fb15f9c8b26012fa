"""The progress of a question. One thread writes it; a waiter may read it at any time, even after the deadline."""

import time
from typing import Literal

from rawr.core.text import head
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import AnyOpinion, NoOpinion
from rawr.models.completion import Stop
from rawr.ports.completion import Completed

MAX_RAW = 16_000
MAX_DIAGNOSTIC = 500
MAX_DIAGNOSTICS = 30
MAX_MODEL = 100
LEAST_SHARE = 1.0
"""The least number of seconds for a model while others remain."""


class Progress:
    def __init__(self, question: AskModel, *, seconds: float) -> None:
        self._question = question
        self._began = time.monotonic()
        self._ends = self._began + seconds
        self._turn_ends = self._ends
        self.stop = Stop()
        self.opinion: AnyOpinion | None = None
        self.refused = False
        self.problem = ""
        """What was wrong with the last reply."""
        self.importing = False
        """DSPy is not imported yet; no model was asked."""
        self._unreachable: list[str] = []
        self._diagnostics: list[str] = []
        self.raw = ""
        """The last reply, bounded."""
        self._model = ""
        self._attempts = 0
        self._tokens = 0
        self._output_tokens = 0

    @property
    def seconds_left(self) -> float:
        return self._ends - time.monotonic()

    def take_turn(self, models_left: int) -> None:
        """The next of ``models_left`` models is asked, itself included. Each has its share of the remaining time, so
        that a silent one leaves time for the next; the last one has all of it."""
        left = max(self.seconds_left, 0.0)
        self._turn_ends = time.monotonic() + (max(left / models_left, LEAST_SHARE) if models_left > 1 else left)

    @property
    def turn_seconds_left(self) -> float:
        return min(self._turn_ends, self._ends) - time.monotonic()

    @property
    def turn_over(self) -> bool:
        """Ask nothing more of this model."""
        return self.over or self.turn_seconds_left <= 0

    @property
    def attempts_left(self) -> int:
        return max(self._question.attempts - self._attempts, 0)

    @property
    def timed_out(self) -> bool:
        return self.seconds_left <= 0 or self.stop.is_set

    @property
    def over(self) -> bool:
        """Ask nothing more at all."""
        return self.opinion is not None or self.refused or self.timed_out or not self.attempts_left

    def note(self, text: str) -> None:
        if len(self._diagnostics) < MAX_DIAGNOSTICS:
            self._diagnostics.append(head(text, MAX_DIAGNOSTIC))

    def unreachable(self, model: str, reason: str, *, tokens: int = 0) -> None:
        self._tokens += max(tokens, 0)
        self._unreachable.append(f"{model}: {reason}")
        self.note(f"{model}: {reason}")

    def replied(self, kind: str, reply: Completed) -> None:
        model = " ".join(reply.model.split())[:MAX_MODEL]
        self._model = f"{kind}:{model}" if model else kind
        self.raw = head(reply.text, MAX_RAW)
        self._attempts += 1
        self._tokens += max(reply.tokens, 0)
        self._output_tokens += max(reply.output_tokens, 0)
        if reply.refused:
            self.refused = True
            self.problem = "the model declined to answer"
            self.note(f"{self._model}: {self.problem}")

    def unreadable(self, problem: str) -> None:
        self.problem = problem
        self.note(f"{self._model}, attempt {self._attempts}: {problem}")

    def answer(self, effect: str) -> ModelAnswered:
        opinion = self.opinion
        code, problem = self._outcome() if opinion is None else ("", "")
        return ModelAnswered(
            effect=effect,
            signature=self._question.signature,
            opinion=opinion,
            code=code,
            problem=head(problem, MAX_DIAGNOSTIC * 2),
            raw=self.raw,
            diagnostics=tuple(self._diagnostics),
            model=self._model,
            attempts=self._attempts,
            tokens=self._tokens,
            output_tokens=self._output_tokens,
            duration_ms=round((time.monotonic() - self._began) * 1000),
        )

    def _outcome(self) -> tuple[NoOpinion | Literal[""], str]:
        if self.refused:
            return "refused", self.problem
        if self._attempts:
            return "unreadable", self.problem
        if self.timed_out and self.importing:
            used = f"importing DSPy took all {self._question.seconds} s, and no model was asked"
            return "timed_out", f"{used}; the import continues, ready for the next question"
        if self.timed_out:
            return "timed_out", f"no usable answer within {self._question.seconds} s"
        return "unavailable", self.problem or "no model could be reached: " + "; ".join(self._unreachable)

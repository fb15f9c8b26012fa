"""Compile a signature from receipts, with its score before and after.

A receipt that a person confirmed is what DSPy's bootstrapping looks for: an answer of the model that is known to be
good. So ``LabeledFewShot`` takes them as they are. A model is asked only for the scores, each question once, exactly as
rawr asked it at the time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol

import dspy
from msgspec import Struct
from msgspec.structs import replace

from rawr.core.real import Real
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import SignatureName
from rawr.errors import OutsideError
from rawr.models.named import Kind, parse_model
from rawr.models.signatures.programs import SIGNATURES, predictor
from rawr.models.tuning.examples import Division, Receipt, demos, divide, is_right
from rawr.models.tuning.report import Report, Score, program
from rawr.models.tuning.tuned import Tuned

EXAMPLES = 8
"""Examples in a program: each is sent with every question."""
AT_ONCE: dict[Kind, int] = {"codex": 4, "openai": 4, "ollama": 1}
"""Concurrent questions. Ollama would only queue them, within their time."""
TRIES = 2
"""How often to ask a model that has answered before and cannot be reached. After that, everything was in vain."""
UNCHANGED = "Nothing was changed."

Stage = Literal["before", "after"]


class Ask(Protocol):
    """A way to ask a question with a trial program. ``ModelDesk.ask`` is one."""

    def __call__(self, name: str, real: Real[AskModel], /, *, trial: Tuned) -> Awaitable[ModelAnswered]: ...


class Asked(Struct, frozen=True):
    """One question of a score was asked."""

    stage: Stage
    done: int
    of: int
    receipt: str
    right: bool
    problem: str = ""
    """Why there is no answer."""


class Outcome(Struct, frozen=True):
    report: Report
    content: bytes
    """The program, as saved."""


class NotTuned(OutsideError):
    """No score could be determined. Nothing was changed."""


async def tune(
    name: SignatureName,
    receipts: list[Receipt],
    *,
    using: Tuned,
    models: tuple[str, ...],
    seconds: int,
    ask: Ask,
    show: Callable[[Asked], None],
    at: int,
) -> Outcome:
    """``using`` is what was learned before, ``models`` who may be asked: the first that answers gets all questions."""
    division = divide(name, receipts)
    state = compiled(name, division.learned)
    if not state["demos"]:
        raise NotTuned("None of these receipts is short enough to be an example.", way_out=UNCHANGED)
    examiner = _Examiner(division, models, seconds=seconds, ask=ask, show=show)
    before = await examiner.score("before", lambda one: _without(using, one))
    after = await examiner.score("after", lambda one: _program(name, division, without=one))
    bad = [one for one in receipts if one.label == "bad"]
    report = Report(
        at=at,
        model=examiner.model,
        method=division.method,
        before=before,
        after=after,
        good=len(receipts) - len(bad),
        bad=len(bad),
        implied=sum(one.implied for one in bad),
        examples=len(state["demos"]),
        questions=examiner.questions,
        tokens=examiner.tokens,
    )
    return Outcome(report, program(state, report))


def compiled(name: SignatureName, receipts: tuple[Receipt, ...]) -> dict[str, Any]:
    """The program from these receipts, as the state that DSPy saves."""
    inputs = SIGNATURES[name].input_fields
    examples = [dspy.Example(**demo).with_inputs(*inputs) for demo in demos(receipts)]
    student = dspy.LabeledFewShot(k=EXAMPLES).compile(predictor(name), trainset=examples, sample=False)
    state: dict[str, Any] = student.dump_state()
    return state


def _program(name: SignatureName, division: Division, *, without: Receipt) -> Tuned:
    """The program from the receipts without the one that it will be scored on."""
    state = compiled(name, tuple(one for one in division.learned if one.id != without.id))
    return Tuned(state["signature"]["instructions"], tuple(state["demos"]))


def _without(using: Tuned, receipt: Receipt) -> Tuned:
    """The program in use may have been made from this receipt; knowing the answer is no merit."""
    return replace(using, demos=tuple(one for one in using.demos if one.get("receipt") != receipt.id))


class _Examiner:
    """Asks one model, and counts."""

    def __init__(
        self,
        division: Division,
        models: tuple[str, ...],
        *,
        seconds: int,
        ask: Ask,
        show: Callable[[Asked], None],
    ) -> None:
        self._receipts = division.scored
        self._models = models
        self._seconds = seconds
        self._ask = ask
        self._show = show
        self.model = ""
        """The model that answered; empty until one has."""
        self.questions = 0
        self.tokens = 0

    async def score(self, stage: Stage, program_for: Callable[[Receipt], Tuned]) -> Score:
        first, *others = self._receipts
        answers = {first.id: await self._first(first, program_for(first))}
        self._tell(stage, first, answers)
        room = asyncio.Semaphore(AT_ONCE[parse_model(self.model).kind])

        async def put(receipt: Receipt) -> None:
            async with room:
                answers[receipt.id] = await self._again(receipt, program_for(receipt))
            self._tell(stage, receipt, answers)

        try:
            async with asyncio.TaskGroup() as group:
                for receipt in others:
                    group.create_task(put(receipt))
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        answered = sum(one.opinion is not None for one in answers.values())
        if not answered:
            raise NotTuned(_sentence(f"no usable answer from {self.model}: {answers[first.id].problem}"))
        return Score(sum(is_right(one, answers[one.id].opinion) for one in self._receipts), answered, len(answers))

    async def _first(self, receipt: Receipt, tried: Tuned) -> ModelAnswered:
        """The model that answers this one is asked all the others."""
        if self.model:
            return await self._again(receipt, tried)
        problems: list[str] = []
        for model in self._models:
            answer = await self._put(receipt, model, tried)
            if answer.code != "unavailable":
                self.model = model
                return answer
            problems.append(answer.problem)
        raise NotTuned(_sentence("; ".join(problems) or "no model is set"))

    async def _again(self, receipt: Receipt, tried: Tuned) -> ModelAnswered:
        problem = ""
        for _ in range(TRIES):
            answer = await self._put(receipt, self.model, tried)
            if answer.code != "unavailable":
                return answer
            problem = answer.problem
        raise NotTuned(_sentence(problem))

    async def _put(self, receipt: Receipt, model: str, tried: Tuned) -> ModelAnswered:
        question = replace(receipt.question, models=(model,), attempts=1, seconds=self._seconds)
        self.questions += 1
        # From the record: what was redacted stays redacted.
        answer = await self._ask(receipt.id, Real(question), trial=tried)
        self.tokens += answer.tokens
        return answer

    def _tell(self, stage: Stage, receipt: Receipt, answers: dict[str, ModelAnswered]) -> None:
        answer = answers[receipt.id]
        right = is_right(receipt, answer.opinion)
        self._show(Asked(stage, len(answers), len(self._receipts), receipt.id, right, answer.problem))


def _sentence(problem: str) -> str:
    return f"{problem[:1].upper()}{problem[1:].rstrip('.')}. {UNCHANGED}"

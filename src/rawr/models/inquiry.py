"""One question, put to one model after the other until a reply can be read. It blocks, and runs in its own thread."""

from collections.abc import Sequence

import dspy
import msgspec
from dspy.utils.exceptions import AdapterParseError, LMError

from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.opinions import SHAPES, AnyOpinion, GuidanceRouter
from rawr.models.adapter import StrictAdapter
from rawr.models.lm import PortEngine, language_model
from rawr.models.named import Candidate
from rawr.models.progress import Progress
from rawr.models.schema import schema_of
from rawr.models.signatures import sentence
from rawr.models.signatures.programs import SIGNATURES, best_sentence, predictor
from rawr.models.tuning.tuned import Tuned


def run(question: AskModel, candidates: Sequence[Candidate], progress: Progress, *, tuned: Tuned | None = None) -> None:
    """Ask. The result is in ``progress``; only a bug of ours is raised."""
    program = predictor(question.signature, instructions=question.instructions, tuned=tuned)
    inputs = _inputs(question, progress)
    for n, candidate in enumerate(candidates):
        if progress.over:
            return
        progress.take_turn(len(candidates) - n)
        _Asked(question, candidate, progress).ask(program, inputs)


def _inputs(question: AskModel, progress: Progress) -> dict[str, str]:
    """Exactly the fields of the signature. A difference is a mistake of ours, but no reason not to ask."""
    fields = SIGNATURES[question.signature].input_fields
    other = sorted(question.inputs.keys() ^ fields.keys())
    if other:
        progress.note(f"inputs that the question and its signature do not have in common: {', '.join(other)}")
    return {name: question.inputs.get(name, "") for name in fields}


class _Asked:
    """A question to one model."""

    def __init__(self, question: AskModel, candidate: Candidate, progress: Progress) -> None:
        self._shape = SHAPES[question.signature]
        self._progress = progress
        self._name = str(candidate.name)
        self._adapter = StrictAdapter(question.signature)
        self._routes = question.signature == "guidance_router"
        engine = PortEngine(candidate, progress, schema=schema_of(question.signature))
        self._lm = language_model(engine, self._name)
        self._unreachable = False
        self._fault: Exception | None = None

    def ask(self, program: dspy.Predict, inputs: dict[str, str]) -> None:
        with dspy.context(lm=self._lm, adapter=self._adapter, disable_history=True, trace=[], callbacks=[]):
            if self._routes:
                self._progress.opinion = self._best(program, inputs)
            else:
                while not self._done() and self._progress.opinion is None:
                    self._progress.opinion = self._attempt(program, inputs)
        if self._fault is not None:
            raise self._fault
        if not self._unreachable and not self._progress.over:
            self._progress.note(f"{self._name}: its share of the time is up")

    def _done(self) -> bool:
        """This model is finished with."""
        return self._unreachable or self._fault is not None or self._progress.turn_over

    def _attempt(self, program: dspy.Predict, inputs: dict[str, str]) -> AnyOpinion | None:
        try:
            prediction = program(**inputs)
        except AdapterParseError:
            if not self._progress.refused:
                self._progress.unreadable(self._adapter.problem)
                self._adapter.complain(self._progress.raw, self._adapter.problem)
            return None
        except LMError as error:
            # Errors of the way to the model are already noted; anything else is DSPy's or ours.
            self._unreachable = True
            if not isinstance(error, dspy.LMTransportError):
                self._fault = error
            return None
        for note in self._adapter.notes:
            self._progress.note(note)
        return msgspec.convert({name: prediction[name] for name in self._shape.__struct_fields__}, self._shape)

    def _best(self, program: dspy.Predict, inputs: dict[str, str]) -> AnyOpinion | None:
        best: list[GuidanceRouter] = []

        def attempt(program: dspy.Predict, inputs: dict[str, str]) -> GuidanceRouter | None:
            """The best so far: ``BestOfN`` takes the last result if there are no more."""
            opinion = self._careful(program, inputs)
            if isinstance(opinion, GuidanceRouter):
                best.append(opinion)
                best.sort(key=lambda one: -sentence.reward(one.response))
            return best[0] if best else None

        best_sentence(program, attempt, attempts=self._progress.attempts_left, done=self._done)(**inputs)
        if not best:
            return None
        for breach in sentence.breaches(best[0].response):
            self._progress.note(f"the response breaks the one-sentence rule: {breach}")
        return best[0]

    def _careful(self, program: dspy.Predict, inputs: dict[str, str]) -> AnyOpinion | None:
        if self._done():
            return None
        try:
            return self._attempt(program, inputs)
        except Exception as error:
            self._fault = error
            return None

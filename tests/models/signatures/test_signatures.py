"""The signatures against the opinions they give and the questions that the core asks."""

from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import dspy
import msgspec
import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from rawr.core.guidance import scene as guidance_inputs
from rawr.core.policy.models import Models
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.opinions import SHAPES, SignatureName
from rawr.core.vocabulary.requests import UserInput, UserQuestion
from rawr.models.adapter import ALONE, MATERIAL, StrictAdapter
from rawr.models.reading import read, take
from rawr.models.signatures.programs import DEMOS, SIGNATURES, predictor
from tests.core.runs import RULES, in_a_turn
from tests.models.questions import GOOD, INPUTS, NAMES

EVERY = pytest.mark.parametrize("name", NAMES)


def plain(kind: Any) -> object:
    """A type in a form in which msgspec's and pydantic's ways to write it are the same."""
    origin, args = get_origin(kind), get_args(kind)
    assert origin is not UnionType
    if origin is Annotated:
        return plain(args[0])
    if origin is Literal:
        return frozenset(args)
    if origin in (tuple, list):
        return ["many", plain(args[0])]
    if isinstance(kind, type) and issubclass(kind, BaseModel | msgspec.Struct):
        return {field: plain(its) for field, its in get_type_hints(kind).items() if not field.startswith("_")}
    return kind


@EVERY
def test_outputs_are_the_fields_of_the_opinion_of_the_same_name(name: SignatureName) -> None:
    signature, shape = SIGNATURES[name], SHAPES[name]
    assert signature.__name__ == shape.__name__
    told = {field.name: plain(field.type) for field in msgspec.structs.fields(shape)}
    assert {field: plain(info.annotation) for field, info in signature.output_fields.items()} == told
    assert list(signature.output_fields) == list(told) == list(GOOD[name])


@EVERY
def test_every_field_is_described_and_every_input_is_text(name: SignatureName) -> None:
    fields = SIGNATURES[name].fields
    assert list(SIGNATURES[name].input_fields) == list(INPUTS[name])
    assert all(len(info.json_schema_extra["desc"]) > 10 for info in fields.values())
    assert {info.annotation for info in SIGNATURES[name].input_fields.values()} == {str}


def test_every_signature_has_a_program() -> None:
    assert SIGNATURES.keys() == SHAPES.keys()


def test_the_core_asks_with_the_inputs_of_the_signatures() -> None:
    policy = replace(RULES, models=Models(decisions="model", questions="model"))
    asking = in_a_turn(policy=policy)
    choice = UserInput(questions=(UserQuestion(id="q1", header="DB", question="Which?"),))
    asking.tell(facts.RequestReceived(request="1/1", turn="T1", item="i1", question=choice))
    deciding = in_a_turn(policy=policy).says("T1", "On I go.").end("T1")
    asked = {one.signature: tuple(one.inputs) for one in (*asking.wanted(AskModel), *deciding.wanted(AskModel))}
    assert asked | guidance_inputs.INPUTS == {name: INPUTS[name] for name in NAMES if name != "compaction_judgment"}


def prompt(name: SignatureName, program: dspy.Predict) -> list[dict[str, Any]]:
    inputs = {field: f"the {field}" for field in INPUTS[name]}
    said: list[dict[str, Any]] = StrictAdapter(name).format(program.signature, program.demos, inputs)
    return said


@EVERY
def test_the_prompt_says_that_inputs_are_material_and_what_the_answer_is(name: SignatureName) -> None:
    system, *_, last = prompt(name, predictor(name))
    assert MATERIAL in system["content"]
    assert ALONE in system["content"]
    assert ALONE in last["content"]
    for field in INPUTS[name]:
        assert f"[[ ## {field} ## ]]\nthe {field}" in last["content"]


def test_the_understanding_of_a_task_comes_with_an_example() -> None:
    system, asked, answered, last = prompt("task_understanding", predictor("task_understanding"))
    assert [one["role"] for one in (system, asked, answered, last)] == ["system", "user", "assistant", "user"]
    assert "the csv export breaks" in asked["content"]
    example = {field: DEMOS["task_understanding"][0][field] for field in GOOD["task_understanding"]}
    assert (
        read(SHAPES["task_understanding"], answered["content"]).opinion
        == take(SHAPES["task_understanding"], example).opinion
    )

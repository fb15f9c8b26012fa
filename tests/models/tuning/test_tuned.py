"""What was learned is used; what is broken is passed over."""

import json
from pathlib import Path

import dspy
import pytest

from rawr.core.vocabulary.facts import ModelAnswered
from rawr.models.desk import ModelDesk
from rawr.models.signatures.programs import predictor
from rawr.models.tuning.tuned import load
from tests.models.questions import GOOD, INPUTS, question, settings
from tests.models.servers import ModelServer, Say, model_server

EXAMPLE = {**{field: f"a {field}" for field in INPUTS["planning"]}, **GOOD["planning"]}


def learned() -> dspy.Predict:
    program = predictor("planning")
    program.signature = program.signature.with_instructions("Plan as we do here.")
    program.demos = [dspy.Example(**EXAMPLE, augmented=True)]
    return program


async def ask(server: ModelServer, folder: Path) -> ModelAnswered:
    policy = settings(server)
    return await ModelDesk(lambda: policy, None, tuned=folder, env={}).ask("e1", question("planning", server.model))


async def test_a_saved_program_is_used(tmp_path: Path) -> None:
    learned().save(tmp_path / "planning.json")
    with model_server("openai", Say(json.dumps(GOOD["planning"]))) as server:
        answer = await ask(server, tmp_path)
    assert (answer.code, answer.diagnostics) == ("", ())
    system, asked, answered, _ = server.requests[0].messages
    assert "Plan as we do here." in system["content"]
    assert "a goal" in asked["content"]
    assert json.loads(answered["content"]) == GOOD["planning"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"signature": {"instructions": ""}}',
        '{"signature": {"instructions": 1}}',
        '{"signature": {"instructions": "x"}, "demos": 1}',
        "x" * 1_000_001,
        "[" * 100_000,
    ],
)
async def test_a_broken_file_is_passed_over_and_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "planning.json").write_text(content)
    with model_server("openai", Say(json.dumps(GOOD["planning"]))) as server:
        answer = await ask(server, tmp_path)
    assert answer.opinion is not None
    (told,) = answer.diagnostics
    assert told.startswith("tuned program planning.json is not used: ")
    assert "steps that each leave the repository working" in server.requests[0].messages[0]["content"]


def test_no_model_and_no_address_is_taken_from_a_file(tmp_path: Path) -> None:
    state = learned().dump_state()
    state["lm"] = {"_dspy_lm_class": "os.system", "model": "x", "api_base": "http://127.0.0.1:1"}
    (tmp_path / "planning.json").write_text(json.dumps(state))
    found = load(tmp_path, "planning")
    assert found is not None
    program = predictor("planning", tuned=found)
    assert (program.lm, program.signature.instructions) == (None, "Plan as we do here.")


def test_examples_that_do_not_fit_are_left_out(tmp_path: Path) -> None:
    state = learned().dump_state()
    state["demos"].append({"goal": "x", "steps": "no list"})
    (tmp_path / "planning.json").write_text(json.dumps(state))
    found = load(tmp_path, "planning")
    assert found is not None
    assert (len(found.demos), found.problem) == (1, "tuned program planning.json: 1 examples are not used")


def test_nothing_learned_is_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, "planning") is None
    assert load(None, "planning") is None


def test_instructions_of_a_person_come_before_what_was_learned(tmp_path: Path) -> None:
    learned().save(tmp_path / "planning.json")
    program = predictor("planning", instructions="Mine.", tuned=load(tmp_path, "planning"))
    assert (program.signature.instructions, len(program.demos)) == ("Mine.", 1)

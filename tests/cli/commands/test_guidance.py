"""``rawr guidance demo`` and guided runs on the command line (C15)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rawr.cli.commands import guidance_files, guiding
from rawr.cli.commands.guidance_demo import Outcome, Steps
from rawr.cli.commands.tasks import TaskSpec, read_tasks, spec_of, task_of
from rawr.core.guidance.scene import INPUTS, Scene
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import (
    AnyOpinion,
    GuidanceDecision,
    GuidanceDirective,
    GuidanceRouter,
    Planning,
    SignatureName,
    TaskUnderstanding,
)
from rawr.core.vocabulary.order import Order
from rawr.errors import ConfigError
from tests.cli.program import Ended, rawr

SUMMARY: dict[str, Any] = {
    "last_turn_status": "completed",
    "turn_plan": [{"step": "Port the lexer", "status": "completed"}, {"step": "Port the parser", "status": "pending"}],
    "last_message": "The lexer is ported.",
}
ERROR = "Error: connection refused"
GOOD: dict[SignatureName, AnyOpinion] = {
    "guidance_router": GuidanceRouter(route="understand", response="I read it first."),
    "task_understanding": TaskUnderstanding(
        requirements=("Port it.",), open_questions=(), scope="small", confidence=0.9
    ),
    "planning": Planning(steps=("Read it.",), files=(), checks=(), confidence=0.9),
    "guidance_directive": GuidanceDirective(directive="Port the parser.", reason="It is next.", confidence=0.9),
    "guidance_decision": GuidanceDecision(action="continue", next_input="", reason="Work is left.", confidence=0.9),
}


class Answers:
    """A model that answers as it was told to, or fails."""

    def __init__(self, answers: dict[SignatureName, AnyOpinion], *, fault: Exception | None = None) -> None:
        self.answers = answers
        self.fault = fault
        self.questions: list[AskModel] = []

    async def ask(self, name: str, real: Real[AskModel], /) -> ModelAnswered:
        question = real.thing
        self.questions.append(question)
        opinion = self.answers.get(question.signature)
        if self.fault is not None and opinion is None:
            raise self.fault
        if opinion is None:
            return ModelAnswered(effect=name, signature=question.signature, code="unreadable", problem=ERROR)
        return ModelAnswered(effect=name, signature=question.signature, opinion=opinion, model="ollama:m")


def scene(message: str = "Port the parser to the new API.", **more: Any) -> Scene:
    return Scene(message=message, goal=message, summary={"last_turn_status": "completed"}, **more)


async def steps(answers: Answers, it: Scene, folder: Path) -> Outcome:
    return await Steps(answers, Models()).take(it, folder)


# -- the steps -------------------------------------------------------------------------------------------------------


async def test_every_step_by_a_model(tmp_path: Path) -> None:
    asked = Answers(GOOD)
    outcome = await steps(asked, scene(), tmp_path)
    assert (outcome.route, outcome.response, outcome.model) == ("understand", "I read it first.", "ollama:m")
    assert outcome.understanding is not None
    assert outcome.understanding["requirements"] == ("Port it.",)
    assert outcome.plan is None
    assert outcome.directive == {"directive": "Port the parser.", "reason": "It is next.", "confidence": 0.9}
    assert set(outcome.by.values()) - {"rules"} == {"model"}
    assert outcome.problems == []
    assert [one.signature for one in asked.questions] == [
        "guidance_router",
        "task_understanding",
        "guidance_directive",
        "guidance_decision",
    ]
    assert all(set(one.inputs) == set(INPUTS[one.signature]) for one in asked.questions)


async def test_go_is_super_mode(tmp_path: Path) -> None:
    asked = Answers(GOOD)
    outcome = await steps(asked, scene("just do it"), tmp_path)
    assert (outcome.route, outcome.plan is None) == ("super", False)
    assert [one.signature for one in asked.questions][:2] == ["task_understanding", "planning"]


@pytest.mark.parametrize("failing", list(GOOD))
@pytest.mark.parametrize("fault", [None, ConnectionError(ERROR), TimeoutError()])
async def test_a_step_that_fails_is_by_the_rules(
    tmp_path: Path, failing: SignatureName, fault: Exception | None
) -> None:
    answers = {name: one for name, one in GOOD.items() if name != failing}
    message = "go" if failing in ("task_understanding", "planning") else "Port it."
    outcome = await steps(Answers(answers, fault=fault), scene(message), tmp_path)
    step = {
        "guidance_router": "route",
        "task_understanding": "understanding",
        "planning": "plan",
        "guidance_directive": "directive",
        "guidance_decision": "decision",
    }[failing]
    assert outcome.by[step] == "rules"
    assert outcome.problems
    assert ERROR not in json.dumps([outcome.directive, outcome.plan, outcome.understanding])


async def test_nobody_is_asked_twice_where_nobody_is_there(tmp_path: Path) -> None:
    class Nobody(Answers):
        async def ask(self, name: str, real: Real[AskModel], /) -> ModelAnswered:
            question = real.thing
            self.questions.append(question)
            return ModelAnswered(effect=name, signature=question.signature, code="unavailable", problem="no model")

    nobody = Nobody({})
    outcome = await steps(nobody, scene(), tmp_path)
    assert len(nobody.questions) == 1
    assert (outcome.model, set(outcome.by.values())) == ("", {"rules"})
    assert outcome.problems == ["route, directive, decision: unavailable: no model"]


@pytest.mark.parametrize(
    ("summary", "action", "by"),
    [
        ({"last_turn_status": "failed"}, "pause", "rules"),
        ({"last_turn_status": "completed", "pending_approvals": "2"}, "pause", "rules"),
        ({"last_turn_status": "completed"}, "continue", "model"),
    ],
)
async def test_hard_stops_come_before_a_model(tmp_path: Path, summary: dict[str, str], action: str, by: str) -> None:
    """C4"""
    it = Scene(message="Port it.", goal="Port it.", summary=summary)
    outcome = await steps(Answers(GOOD), it, tmp_path)
    assert outcome.decision is not None
    assert (outcome.decision["action"], outcome.by["decision"]) == (action, by)


async def test_what_it_is_not_sure_of_is_a_pause(tmp_path: Path) -> None:
    unsure = GuidanceDecision(action="stop", next_input="", reason="Hm.", confidence=0.2)
    outcome = await steps(Answers({**GOOD, "guidance_decision": unsure}), scene(), tmp_path)
    assert outcome.decision is not None
    assert outcome.decision["action"] == "pause"
    assert outcome.problems == ["decision: it is only 0.20 sure that it should stop"]


def test_the_questions_fit_the_signatures() -> None:
    """What is asked has the fields that the signatures take."""
    pytest.importorskip("dspy")
    program = (
        "from rawr.core.guidance.scene import INPUTS\nfrom rawr.models.signatures.programs import SIGNATURES\n"
        "print({name: sorted(SIGNATURES[name].input_fields) == sorted(fields) for name, fields in INPUTS.items()})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == str(dict.fromkeys(INPUTS, True))


# -- the files -------------------------------------------------------------------------------------------------------


def written(folder: Path, content: object, name: str = "summary.json") -> Path:
    file = folder / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_text(json.dumps(content))
    return file


def test_flags_before_inputs(tmp_path: Path) -> None:
    summary = written(tmp_path, SUMMARY)
    inputs = written(
        tmp_path,
        {"message": "go", "goal": {"intent": "Port it.", "success_criteria": ["a"]}, "directives": ["Never push."]},
        "inputs.json",
    )
    found = guidance_files.read(summary, inputs, goal="", success=())
    assert (found.scene.message, found.scene.goal, found.scene.success) == ("go", "Port it.", ("a",))
    assert found.scene.directives == ("Never push.",)
    assert [one.status for one in found.scene.steps] == ["completed", "pending"]
    over = guidance_files.read(summary, inputs, goal="Ship it.", success=("b", "c")).scene
    assert (over.goal, over.success) == ("Ship it.", ("b", "c"))


@pytest.mark.parametrize(
    ("more", "claimed"),
    [
        ({}, False),
        ({"agent_claims_done": True}, True),
        ({"turn_plan": "two steps", "last_message": "Nothing is left to do: all is well."}, True),
        ({"turn_plan": [{"step": "a", "status": "completed"}]}, True),
        ({"turn_plan": [1, {"status": "x"}, {"step": "a", "status": "nonsense"}]}, False),
    ],
)
def test_whether_the_agent_says_that_it_is_done(tmp_path: Path, more: dict[str, Any], claimed: bool) -> None:
    found = guidance_files.read(written(tmp_path, {**SUMMARY, **more}), None, goal="", success=())
    assert found.scene.claimed is claimed


BAD: list[tuple[object, str]] = [
    (b"", "is not JSON"),
    (b"{", "is not JSON"),
    (b"\xff\xfe", "is not JSON"),
    (b"[" * 100_000, "is not JSON"),
    ([1], "is not a JSON object"),
    ({}, "last_turn_status is missing"),
    ({"last_turn_status": "fine"}, "last_turn_status is 'fine'"),
    ({"last_turn_status": ["completed"]}, "last_turn_status is"),
    ({"last_turn_status": "completed", "pending_approvals": "some"}, "pending_approvals is not a number"),
    (b'{"a": "' + b"x" * (1024 * 1024) + b'"}', "is larger than"),
]


@pytest.mark.parametrize(("content", "said"), BAD, ids=range(len(BAD)))
def test_a_summary_that_cannot_be_used(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        guidance_files.read(written(tmp_path, content), None, goal="", success=())


@pytest.mark.parametrize(
    "inputs", [{"success": "a"}, {"directives": 1}, {"state": []}, {"goal": {"success_criteria": 1}}]
)
def test_inputs_that_cannot_be_used(tmp_path: Path, inputs: object) -> None:
    with pytest.raises(ConfigError, match=r"inputs.json: .* is not an? (?:list|object)"):
        guidance_files.read(written(tmp_path, SUMMARY), written(tmp_path, inputs, "inputs.json"), goal="", success=())


# -- the program -----------------------------------------------------------------------------------------------------


def demo(folder: Path, *words: str, code: str = "", **env: str) -> Ended:
    """On a machine where nothing answers."""
    home = folder / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.toml").write_text('[rawr_models]\nollama_url = "http://127.0.0.1:9"\nseconds = 20\n')
    alone = {"RAWR_HOME": str(home), "CODEX_HOME": str(folder / "codex"), **env}
    if code:
        program = f"{code}; from rawr.cli.main import main; main()"
        import os

        done = subprocess.run(
            [sys.executable, "-c", program, "guidance", "demo", *words],
            env={**os.environ, **alone},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)
    return rawr("guidance", "demo", *words, env=alone)


def test_without_a_model_it_answers_by_the_rules_and_says_so(tmp_path: Path) -> None:
    """C15"""
    summary = written(tmp_path, SUMMARY)
    ended = demo(tmp_path, "--summary", str(summary), "--goal", "Port it.", "--model", "ollama:none", "--json")
    assert (ended.code, ended.err) == (0, "")
    [told] = ended.lines
    assert set(told) == {
        "route",
        "response",
        "understanding",
        "plan",
        "directive",
        "decision",
        "by",
        "model",
        "problems",
    }
    assert (told["route"], told["model"]) == ("respond", "")
    assert told["by"] == {"route": "rules", "research": "rules", "directive": "rules", "decision": "rules"}
    assert "ollama:none" in str(told["problems"])
    again = demo(tmp_path, "--summary", str(summary), "--goal", "Port it.", "--model", "ollama:none", "--json")
    assert again.lines == ended.lines


def test_the_same_for_a_person(tmp_path: Path) -> None:
    ended = demo(tmp_path, "--summary", str(written(tmp_path, SUMMARY)), "--model", "ollama:none")
    assert ended.code == 0
    assert "No model answered: rawr's own rules decided all of this." in ended.out
    for step in ("Repository:", "Understood", "Plan:", "Directive:", "Decision:"):
        assert step in ended.out


def test_without_dspy(tmp_path: Path) -> None:
    blocked = "import sys; sys.modules['dspy'] = None; sys.modules['litellm'] = None"
    ended = demo(tmp_path, "--summary", str(written(tmp_path, SUMMARY)), "--model", "ollama:m", "--json", code=blocked)
    assert ended.code == 0, ended.err
    assert "DSPy is not installed" in str(ended.lines[0]["problems"])


def test_nothing_heavy_is_imported_before_a_model_is_asked() -> None:
    program = (
        "import sys\nfrom rawr.cli.commands import guidance_demo, models, run\nimport rawr.observe.workspace.research\n"
        "print(sorted({'dspy', 'litellm'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 64, "--summary"),
        (("--summary", "nowhere.json"), 78, "cannot be read"),
        (("--summary", "/"), 78, "cannot be read"),
        (("--summary", ""), 64, "empty"),
        (("--summary", "{file}", "--model", "gpt-5"), 64, "is not a model rawr can ask"),
        (("--summary", "{file}", "--model", "ollama:"), 64, "is not a model name"),
        (("--summary", "{file}", "--inputs", "nowhere.json"), 78, "cannot be read"),
        (("--summary", "{file}", "--goal", " "), 64, "empty"),
    ],
)
def test_what_cannot_be_shown(tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    file = written(tmp_path, SUMMARY)
    ended = demo(tmp_path, *(word.replace("{file}", str(file)) for word in words))
    assert (ended.code, said in ended.err, ended.out) == (code, True, ""), ended.err
    assert "Traceback" not in ended.err


def test_the_model_of_the_environment(tmp_path: Path) -> None:
    file = str(written(tmp_path, SUMMARY))
    ended = demo(tmp_path, "--summary", file, "--json", OPENAGENTS_GUIDANCE_MODEL="ollama:llama3.2")
    assert "ollama:llama3.2" in str(ended.lines[0]["problems"])
    wrong = demo(tmp_path, "--summary", file, OPENAGENTS_GUIDANCE_MODEL="llama")
    assert (wrong.code, "OPENAGENTS_GUIDANCE_MODEL" in wrong.err) == (78, True)


# -- ordering a guided run -------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(guiding.MODE, raising=False)
    monkeypatch.delenv(guiding.MODEL, raising=False)


def order(spec: TaskSpec, folder: Path) -> Order:
    return task_of(spec, Policy(), base=folder).order


def test_a_flag_a_key_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = TaskSpec(prompt="Port it.")
    assert not order(plain, tmp_path).guidance
    assert order(spec_of({"prompt": "Port it.", "guidance": True}), tmp_path).guidance
    (tmp_path / "tasks.yaml").write_text("- {prompt: Port it., guidance: true}\n- {prompt: Port it.}\n")
    assert [order(one, tmp_path).guidance for one in read_tasks(tmp_path / "tasks.yaml")] == [True, False]
    monkeypatch.setenv(guiding.MODE, "demo")
    assert order(plain, tmp_path).guidance
    assert not order(TaskSpec(prompt="Port it.", guidance=False), tmp_path).guidance


def test_the_model_of_the_environment_goes_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(guiding.MODEL, "ollama:llama3.2")
    assert order(TaskSpec(prompt="go", guidance=True), tmp_path).models == ("ollama:llama3.2",)
    assert order(TaskSpec(prompt="go"), tmp_path).models == ()


def test_a_goal_beside_the_message(tmp_path: Path) -> None:
    ordered = order(TaskSpec(prompt="go", guidance=True, goal="Ship it."), tmp_path)
    assert (ordered.goal, ordered.prompt) == ("Ship it.", "go")
    with pytest.raises(ConfigError, match="guided runs"):
        order(TaskSpec(prompt="go", goal="Ship it."), tmp_path)


@pytest.mark.parametrize(("name", "value"), [(guiding.MODE, "yes"), (guiding.MODEL, "llama")])
def test_an_environment_that_makes_no_sense_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(guiding.MODE, "demo")
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=name):
        order(TaskSpec(prompt="go"), tmp_path)

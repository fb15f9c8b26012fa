"""A question and a good answer for each signature."""

from typing import Any

from rawr.core.policy.models import Models
from rawr.core.real import Real
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.opinions import SHAPES, SignatureName
from rawr.models.desk import ModelDesk
from rawr.ports.completion import Completer
from tests.models.servers import ModelServer

NAMES: tuple[SignatureName, ...] = tuple(SHAPES)

INPUTS: dict[SignatureName, tuple[str, ...]] = {
    "compaction_judgment": ("context",),
    "full_auto_decision": (
        "thread_id",
        "turn_id",
        "goal",
        "directives",
        "last_turn_status",
        "turn_error",
        "turn_plan",
        "diff_summary",
        "token_usage",
        "pending_approvals",
        "pending_tool_inputs",
        "recent_actions",
        "compaction_events",
        "last_message",
        "agent_claims_done",
        "open_moves",
    ),
    "tool_input": ("questions", "goal", "directives", "last_message"),
    "guidance_router": ("user_message", "goal", "context"),
    "task_understanding": ("user_message", "goal", "repository", "context"),
    "planning": ("goal", "requirements", "repository", "constraints"),
    "guidance_directive": ("goal", "plan", "repository", "last_turn", "recent_directives"),
    "guidance_decision": ("goal", "success_criteria", "turn_summary", "plan", "guards", "open_moves"),
}

GOOD: dict[SignatureName, dict[str, Any]] = {
    "compaction_judgment": {"should_compact": True, "reason": "The feature is merged and the next one is separate."},
    "full_auto_decision": {
        "action": "continue",
        "next_input": "Write the missing test.",
        "reason": "One test is missing.",
        "confidence": 0.8,
    },
    "tool_input": {
        "answers": [{"id": "q1", "answer": "SQLite"}],
        "reason": "The directives say so.",
        "confidence": 0.9,
    },
    "guidance_router": {"route": "plan", "response": "I plan the export fix now."},
    "task_understanding": {
        "requirements": ["The export keeps commas."],
        "open_questions": [],
        "scope": "small",
        "confidence": 0.7,
    },
    "planning": {
        "steps": ["Use the csv module.", "Add a test."],
        "files": ["src/export.py"],
        "checks": ["pytest tests/test_export.py"],
        "confidence": 0.75,
    },
    "guidance_directive": {
        "directive": "Replace the join by csv.writer and run the tests.",
        "reason": "It is the first open step.",
        "confidence": 0.85,
    },
    "guidance_decision": {
        "action": "complete",
        "next_input": "",
        "reason": "All criteria are shown to be met.",
        "confidence": 0.95,
    },
}


def question(name: SignatureName, *models: str, attempts: int = 1, seconds: int = 10, **inputs: str) -> Real[AskModel]:
    asked = AskModel(
        signature=name,
        inputs={field: inputs.get(field, f"the {field}") for field in INPUTS[name]},
        models=models,
        attempts=attempts,
        seconds=seconds,
    )
    return Real(asked)


def settings(*servers: ModelServer) -> Models:
    urls = {server.dialect: server.url for server in servers}
    return Models(
        ollama_url=urls.get("ollama", "http://127.0.0.1:1"),
        openai_url=urls.get("openai", "http://127.0.0.1:1/v1"),
        openai_key_env="RAWR_TEST_KEY",
    )


def desk(*servers: ModelServer, completer: Completer | None = None, env: dict[str, str] | None = None) -> ModelDesk:
    policy = settings(*servers)
    return ModelDesk(lambda: policy, completer, tuned=None, env=env or {})

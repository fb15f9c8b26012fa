"""The files of ``rawr guidance demo``: a turn's summary and guidance's starting point, as a person or a program wrote
them. Unusable parts are reported with the file and the field."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from rawr.core.guidance.scene import Scene
from rawr.core.run.instructions import says_finished
from rawr.core.text import head
from rawr.core.vocabulary.facts import PlanStep, StepStatus
from rawr.errors import ConfigError

MAX_FILE = 1024 * 1024
MAX_SHOWN = 60
STATUSES = ("completed", "failed", "interrupted")
SUMMARY = (
    "thread_id",
    "turn_id",
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
    "last_agent_message",
    "last_guidance_directive",
    "agent_claims_done",
    "turn_count",
    "no_progress_count",
)
INPUTS = ("message", "goal", "success", "directives", "workspace", "permissions", "state")
COUNTS = ("pending_approvals", "pending_tool_inputs")
STEPS: dict[str, StepStatus] = {
    "completed": "completed",
    "done": "completed",
    "in_progress": "in_progress",
    "inProgress": "in_progress",
    "doing": "in_progress",
    "pending": "pending",
    "todo": "pending",
}


class Read(Struct, frozen=True):
    scene: Scene
    workspace: Path
    problems: tuple[str, ...] = ()
    """What was ignored."""


def read(summary: Path, inputs: Path | None, *, goal: str, success: tuple[str, ...]) -> Read:
    """Flags take precedence over ``inputs``."""
    told = _object(summary)
    given = _object(inputs) if inputs is not None else {}
    problems = [*_unknown(summary, told, SUMMARY), *(_unknown(inputs, given, INPUTS) if inputs is not None else ())]
    named, criteria = _goal(given.get("goal", ""), inputs)
    goal = goal or named
    message = _text(given.get("message", "")) or goal or "go"
    steps = _steps(told.get("turn_plan"))
    said = _text(told.get("last_message") or told.get("last_agent_message") or "")
    done = all(one.status == "completed" for one in steps) if steps else says_finished(said)
    scene = Scene(
        message=message,
        goal=goal or message,
        success=success or _texts(given.get("success"), "success", inputs) or criteria,
        directives=_texts(given.get("directives"), "directives", inputs),
        permissions=_text(given.get("permissions", "")),
        summary=_summary(told, summary),
        state={name: _text(value) for name, value in _table(given.get("state"), "state", inputs).items()},
        steps=steps,
        claimed=done or _text(told.get("agent_claims_done", "")).lower() in ("true", "yes"),
        recent=tuple(filter(None, (_text(told.get("last_guidance_directive", "")),))),
    )
    base = (inputs.parent if inputs is not None else Path()) / _text(given.get("workspace", "") or ".")
    return Read(scene, base, tuple(problems))


def _object(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if len(data) > MAX_FILE:
        raise ConfigError(f"{file} is larger than {MAX_FILE // 1024} kB.")
    hint = "`rawr guidance demo --help` shows one."
    try:
        tree = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file} is not JSON: {error}.", way_out=hint) from error
    if not isinstance(tree, dict):
        raise ConfigError(f"{file} is not a JSON object.", way_out=hint)
    return tree


def _unknown(file: Path, tree: dict[str, Any], known: tuple[str, ...]) -> list[str]:
    return [f"{file}: “{head(name, MAX_SHOWN)}” is not a known field; ignored" for name in tree if name not in known]


def _summary(told: dict[str, Any], file: Path) -> dict[str, str]:
    status = told.get("last_turn_status")
    if status not in STATUSES:
        what = "is missing" if status is None else f"is {head(_text(status), MAX_SHOWN)!r}"
        raise ConfigError(f"{file}: last_turn_status {what}.", way_out=f"Use one of: {', '.join(STATUSES)}.")
    for name in COUNTS:
        if not _text(told.get(name, 0) or 0).isdigit():
            raise ConfigError(f"{file}: {name} is not a number.", way_out="Write a number, for example 0.")
    fields = {name: _text(told[name]) for name in SUMMARY if told.get(name) is not None}
    return {name: text for name, text in fields.items() if text}


def _goal(value: Any, file: Path | None) -> tuple[str, tuple[str, ...]]:
    """A text, or ``{"intent": …, "success_criteria": […]}``."""
    if isinstance(value, dict):
        criteria = _texts(value.get("success_criteria"), "goal.success_criteria", file)
        return _text(value.get("intent", "")), criteria
    return _text(value), ()


def _steps(value: Any) -> tuple[PlanStep, ...]:
    """A list of steps; anything else there is text for the model."""
    if not isinstance(value, list):
        return ()
    named = [one for one in value if isinstance(one, dict) and isinstance(one.get("step"), str)]
    return tuple(PlanStep(one["step"], STEPS.get(str(one.get("status", "")), "pending")) for one in named)


def _texts(value: Any, name: str, file: Path | None) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ConfigError(f"{file}: {name} is not a list.", way_out='Write ["one", "two"].')
    return tuple(text for text in map(_text, value) if text.strip())


def _table(value: Any, name: str, file: Path | None) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{file}: {name} is not an object.", way_out='Write {"turns": "3 of 200"}.')
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode() if value not in (None, [], {}) else ""

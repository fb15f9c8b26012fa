"""Scenarios from YAML files. README.md and ``tests/scenarios`` show the format; errors name file, line and key.

The reader turns every form that a person may write into the one value that ``scenario`` defines.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from rawr.testing.scenario import (
    DEFAULT_USAGE,
    Ask,
    Call,
    Cut,
    Fail,
    Fault,
    Garbage,
    Hang,
    HttpError,
    Option,
    Patch,
    Plan,
    PlanStatus,
    PlanStep,
    Question,
    Raw,
    Reply,
    Run,
    Say,
    Scenario,
    Step,
    Think,
    Usage,
    When,
)
from rawr.testing.yaml_tree import Tree, load_tree, parse_tree

PLAN_WORDS: dict[str, PlanStatus] = {"done": "completed", "doing": "in_progress", "todo": "pending"}
REPLY_KEYS = ("when", "do", "usage", "delay", "delay_between", "fault", "times")


def load_scenario(path: Path | str) -> Scenario:
    """Read a scenario file; a ``ScenarioError`` names file, line and key."""
    return _scenario(load_tree(Path(path)), source=str(path))


def parse_scenario(text: str, *, source: str = "<text>") -> Scenario:
    """Read a scenario from text; ``source`` replaces the file in errors."""
    return _scenario(parse_tree(text, source=source), source=source)


def _scenario(tree: Tree, *, source: str) -> Scenario:
    fields = tree.fields("name", "window", "replies")
    for needed in ("name", "replies"):
        if needed not in fields:
            raise tree.error(f"the key {needed!r} is missing.")
    window = fields["window"].integer() if "window" in fields else None
    if window is not None and window < 1:
        raise fields["window"].error("a context window is 1 token or more.")
    replies = tuple(_reply(item) for item in fields["replies"].items())
    return Scenario(name=fields["name"].text(), replies=replies, window=window, source=source)


def _reply(tree: Tree) -> Reply:
    fields = tree.fields(*REPLY_KEYS, *STEPS)
    short = [name for name in fields if name in STEPS]
    if short and "do" in fields:
        raise fields["do"].error(f"'do' is beside {short[0]!r}.", way_out="Move every step into 'do', or none.")
    steps = tuple(STEPS[name](fields[name]) for name in short)
    if "do" in fields:
        steps = tuple(_step(item) for item in fields["do"].items())
    when = _when(fields["when"]) if "when" in fields else When()
    usage = _usage(fields["usage"]) if "usage" in fields else DEFAULT_USAGE
    delay = fields["delay"].seconds() if "delay" in fields else 0.0
    between = fields["delay_between"].seconds() if "delay_between" in fields else None
    fault = _fault(fields["fault"]) if "fault" in fields else None
    times = _times(fields["times"]) if "times" in fields else 1
    return tree.placed(
        lambda: Reply(steps=steps, when=when, usage=usage, delay=delay, delay_between=between, fault=fault, times=times)
    )


def _when(tree: Tree) -> When:
    fields = tree.fields("user", "first_user", "tool", "any", "compaction")
    patterns = {name: field.text() for name, field in fields.items() if name != "compaction"}
    compaction = fields["compaction"].flag() if "compaction" in fields else False
    return tree.placed(lambda: When(**patterns, compaction=compaction))


def _usage(tree: Tree) -> Usage:
    if not tree.is_mapping:
        total = tree.integer()
        return tree.placed(lambda: Usage(input=total))
    counts = {name: field.integer() for name, field in tree.fields("input", "cached", "output", "reasoning").items()}
    return tree.placed(lambda: Usage(**counts))


def _times(tree: Tree) -> int | Literal["always"]:
    if tree.is_text:
        if tree.text() != "always":
            raise tree.expected("a whole number or always")
        return "always"
    return tree.integer()


def _fault(tree: Tree) -> Fault:
    if tree.is_text:
        match tree.text():
            case "hang":
                return Hang()
            case "garbage":
                return Garbage()
            case _:
                raise tree.expected("hang, garbage, or a mapping with http, cut_after, hang_after or failed")
    fields = tree.fields("http", "retry_after", "body", "headers", "cut_after", "hang_after", "failed", "message")
    match sorted(fields):
        case ["cut_after"]:
            return Cut(fields["cut_after"].integer())
        case ["hang_after"]:
            return Hang(fields["hang_after"].integer())
        case ["failed"]:
            return Fail(fields["failed"].text())
        case ["failed", "message"]:
            return Fail(fields["failed"].text(), fields["message"].text())
        case names if "http" in names and {*names} <= {"http", "retry_after", "body", "headers"}:
            return _http_error(tree, fields)
        case names:
            raise tree.error(
                f"{', '.join(names) or 'nothing'} does not describe a fault.",
                way_out="Write http (retry_after, body, headers), cut_after, hang_after, or failed (with message).",
            )


def _http_error(tree: Tree, fields: dict[str, Tree]) -> HttpError:
    status = fields["http"].integer()
    after = fields["retry_after"].seconds() if "retry_after" in fields else None
    body = fields["body"].text() if "body" in fields else None
    given = fields["headers"].mapping() if "headers" in fields else {}
    headers = {name: str(value) for name, value in given.items()}
    return tree.placed(lambda: HttpError(status=status, retry_after=after, body=body, headers=headers))


def _step(tree: Tree) -> Step:
    fields = tree.fields(*STEPS)
    if len(fields) != 1:
        raise tree.error("each entry of 'do' holds one step.", way_out="Start a new entry with '- ' for each.")
    ((name, value),) = fields.items()
    return STEPS[name](value)


def _run(tree: Tree) -> Run:
    if not tree.is_mapping:
        return Run(cmd=tree.text())
    fields = tree.fields("cmd", "escalate", "why", "yield_ms", "workdir")
    if "cmd" not in fields:
        raise tree.error("the key 'cmd' is missing.")
    return Run(
        cmd=fields["cmd"].text(),
        escalate=fields["escalate"].flag() if "escalate" in fields else False,
        why=fields["why"].text() if "why" in fields else None,
        yield_ms=fields["yield_ms"].integer() if "yield_ms" in fields else None,
        workdir=fields["workdir"].text() if "workdir" in fields else None,
    )


def _plan(tree: Tree) -> Plan:
    if not tree.is_mapping:
        return Plan(tuple(_plan_step(item) for item in tree.items()))
    fields = tree.fields("steps", "explanation")
    if "steps" not in fields:
        raise tree.error("the key 'steps' is missing.")
    explanation = fields["explanation"].text() if "explanation" in fields else None
    return Plan(tuple(_plan_step(item) for item in fields["steps"].items()), explanation)


def _plan_step(tree: Tree) -> PlanStep:
    word, colon, step = tree.text().partition(":")
    if not colon or word.strip() not in PLAN_WORDS:
        raise tree.expected("a step such as 'done: …', 'doing: …' or 'todo: …'")
    return PlanStep(step.strip(), PLAN_WORDS[word.strip()])


def _call(tree: Tree) -> Call:
    fields = tree.fields("tool", "arguments", "namespace")
    if "tool" not in fields:
        raise tree.error("the key 'tool' is missing.")
    return Call(
        tool=fields["tool"].text(),
        arguments=fields["arguments"].mapping() if "arguments" in fields else {},
        namespace=fields["namespace"].text() if "namespace" in fields else None,
    )


def _ask(tree: Tree) -> Ask:
    trees = list(tree.items()) if tree.is_list else [tree]
    return Ask(tuple(_question(item, default_id=f"q{index}") for index, item in enumerate(trees, 1)))


def _question(tree: Tree, *, default_id: str) -> Question:
    fields = tree.fields("question", "options", "id", "header")
    for needed in ("question", "options"):
        if needed not in fields:
            raise tree.error(f"the key {needed!r} is missing.")
    return Question(
        id=fields["id"].text() if "id" in fields else default_id,
        header=fields["header"].text() if "header" in fields else "Question",
        question=fields["question"].text(),
        options=tuple(_option(item) for item in fields["options"].items()),
    )


def _option(tree: Tree) -> Option:
    if not tree.is_mapping:
        return Option(tree.text(), tree.text())
    fields = tree.fields("label", "description")
    if len(fields) != 2:
        raise tree.error("an option is a text, or has both label and description.")
    return Option(fields["label"].text(), fields["description"].text())


def _patch(tree: Tree) -> Patch:
    text = tree.text()
    return tree.placed(lambda: Patch(text))


STEPS: dict[str, Callable[[Tree], Step]] = {
    "think": lambda tree: Think(tree.text()),
    "say": lambda tree: Say(tree.text()),
    "run": _run,
    "plan": _plan,
    "call": _call,
    "ask": _ask,
    "patch": _patch,
    "raw": lambda tree: Raw(tree.mapping()),
}

"""What a run is ordered with: flags of one call, or a file of many tasks. Both are read as the same thing."""

import math
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from rawr.core.order import ApprovalMode, Budgets, Order, ReviewMode, Turns, Unsafe
from rawr.core.policy import Policy
from rawr.errors import ConfigError, OutsideError

MAX_FILE = 4 * 1024 * 1024
MILLION = 1_000_000

Positive = Annotated[int, Meta(ge=1, le=10**12)]


class TaskSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """A task as a person writes it."""

    prompt: Annotated[str, Meta(min_length=1)]
    dir: str = "."
    done: str = ""
    max_turns: Turns | None = None
    max_tokens: Positive | None = None
    max_minutes: Positive | None = None
    max_cost: Annotated[float, Meta(gt=0, le=10**9)] | None = None
    approvals: ApprovalMode | None = None
    unsafe: Unsafe | None = None
    review: ReviewMode | None = None
    take_goal: bool = False


class Task(Struct, frozen=True):
    folder: Path
    order: Order


def task_of(spec: TaskSpec, policy: Policy, *, base: Path) -> Task:
    """The order, with what was not said taken from the settings."""
    settings = policy.full_auto
    folder = _folder(base, spec.dir)
    for name, text in (("prompt", spec.prompt), ("done", spec.done)):
        if not _writable(text):
            message = f"`{name}` holds characters that cannot be written down."
            raise ConfigError(message, way_out="Write it in UTF-8, without NUL.")
    if not spec.prompt.strip():
        raise ConfigError("The prompt is empty.", way_out="Say what is to be done.")
    if spec.max_cost and not (settings.price_input or settings.price_output):
        message = "A cost budget needs prices, and none are set."
        way_out = "Set price_input, price_cached and price_output in [rawr_full_auto], or use --max-tokens."
        raise ConfigError(message, way_out=way_out)
    order = Order(
        goal=spec.prompt,
        done=spec.done,
        budgets=Budgets(
            turns=spec.max_turns or settings.max_turns,
            tokens=spec.max_tokens or 0,
            minutes=spec.max_minutes or 0,
            cost=math.ceil((spec.max_cost or 0) * MILLION),
        ),
        approvals=spec.approvals or settings.approvals,
        unsafe=spec.unsafe or settings.unsafe,
        review=spec.review or settings.review,
        take_goal=spec.take_goal,
    )
    return Task(folder, order)


def _folder(base: Path, name: str) -> Path:
    try:
        folder = (base / Path(name).expanduser()).resolve()
        there = folder.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        # A home of nobody, a name that no file system has, links in a circle.
        raise OutsideError(f"The folder {name!r} cannot be used: {error}.") from error
    if not there:
        raise OutsideError(
            f"There is no folder {folder} to work in.", way_out="Name one with -C, or with `dir` in the file."
        )
    return folder


def _writable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def read_tasks(file: Path) -> tuple[TaskSpec, ...]:
    """A YAML list of tasks, or one JSON object a line."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}.") from error
    if len(data) > MAX_FILE:
        raise ConfigError(f"{file} is larger than {MAX_FILE // 1024 // 1024} MB.")
    found = _json_lines(data, file) if data.lstrip()[:1] == b"{" else _yaml(data, file)
    if not found:
        raise ConfigError(f"{file} holds no task.", way_out="Write a list of tasks, each with at least `prompt`.")
    return tuple(_checked(one, place) for one, place in found)


def _json_lines(data: bytes, file: Path) -> list[tuple[Any, str]]:
    found: list[tuple[Any, str]] = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                found.append((msgspec.json.decode(line), f"{file}, line {number}"))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise ConfigError(f"{file}, line {number}: {error}.") from error
    return found


def _yaml(data: bytes, file: Path) -> list[tuple[Any, str]]:
    import yaml

    try:
        tree = yaml.safe_load(data)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # A ValueError: bytes that are no text, or a thirteenth month.
        mark = getattr(error, "problem_mark", None)
        where = f"{file}, line {mark.line + 1}" if mark is not None else str(file)
        raise ConfigError(f"{where}: {getattr(error, 'problem', None) or error}.") from error
    if tree is None:
        return []
    if not isinstance(tree, list):
        raise ConfigError(f"{file} is not a list of tasks.", way_out="Begin each task with `- prompt: …`.")
    return [(one, f"{file}, task {number}") for number, one in enumerate(tree, 1)]


def spec_of(given: dict[str, object]) -> TaskSpec:
    """The flags of one call."""
    try:
        return msgspec.convert({name: value for name, value in given.items() if value is not None}, TaskSpec)
    except msgspec.ValidationError as error:
        raise ConfigError(f"The flags do not fit: {error}.", way_out="`rawr run --help` lists them.") from error


def _checked(found: Any, place: str) -> TaskSpec:
    try:
        return msgspec.convert(found, TaskSpec)
    except msgspec.ValidationError as error:
        known = ", ".join(TaskSpec.__struct_fields__)
        raise ConfigError(f"{place}: {error}.", way_out=f"A task may have: {known}.") from error

"""What a run is ordered with: the flags of one call, or a file of many tasks. Both become the same type."""

import math
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from rawr.cli.commands.guiding import guided
from rawr.core.policy.full_auto import MILLION, ApprovalMode, CheckMode, FullAuto, ReviewMode, Unsafe
from rawr.core.policy.policy import Policy
from rawr.core.text import head
from rawr.core.vocabulary.order import Budgets, Order, Turns
from rawr.errors import ConfigError, OutsideError
from rawr.programs import own_program

MAX_FILE = 4 * 1024 * 1024
READING = 5.0
"""Seconds for bash to read a command."""

Positive = Annotated[int, Meta(ge=1, le=10**12)]


class TaskSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """A task as a person writes it."""

    prompt: Annotated[str, Meta(min_length=1)]
    dir: str = "."
    done: str | None = None
    check: CheckMode | None = None
    max_turns: Turns | None = None
    max_tokens: Positive | None = None
    max_minutes: Positive | None = None
    max_cost: Annotated[float, Meta(gt=0, le=10**9)] | None = None
    approvals: ApprovalMode | None = None
    allow: tuple[str, ...] | None = None
    unsafe: Unsafe | None = None
    review: ReviewMode | None = None
    take_goal: bool = False
    guidance: bool | None = None
    goal: str | None = None


BUDGETS = tuple(f"max_{name}" for name in Budgets.__struct_fields__)
"""One for each budget of a run, by its name."""
FLAGS = tuple(name for name in TaskSpec.__struct_fields__ if name not in ("prompt", "dir", "guidance"))
"""Fields that a flag of the same name sets. The other three are read in their own ways."""


class Task(Struct, frozen=True):
    folder: Path
    order: Order


def task_of(spec: TaskSpec, policy: Policy, *, base: Path) -> Task:
    """The order, with everything left out taken from the settings."""
    settings = policy.full_auto
    folder = _folder(base, _meant(spec).dir)
    order = Order(
        goal=spec.prompt,
        done=spec.done or "",
        check=spec.check or settings.check,
        tree=True,
        budgets=budgets_of(spec, settings, over=Budgets(turns=settings.max_turns)),
        approvals=spec.approvals or settings.approvals,
        allow=_usable(spec.allow or ()),
        unsafe=spec.unsafe or settings.unsafe,
        review=spec.review or settings.review,
        take_goal=spec.take_goal,
    )
    return Task(folder, guided(order, asked=spec.guidance, goal=spec.goal or "", env=os.environ))


def _usable(allow: tuple[str, ...]) -> tuple[str, ...]:
    """The same rules, if each of them means something."""
    from rawr.approvals.rules import rule_problems  # brings the lists of programs along

    if problems := rule_problems(allow=allow):
        raise ConfigError(problems[0], way_out="Nothing was started.")
    return allow


def budgets_of(spec: TaskSpec, settings: FullAuto, *, over: Budgets) -> Budgets:
    """The given budgets; those left out come from ``over``."""
    if spec.max_cost and not (settings.price_input or settings.price_output):
        message = "A cost budget needs prices, but none are set."
        way_out = "Set price_input, price_cached and price_output in [rawr_full_auto], or use --max-tokens."
        raise ConfigError(message, way_out=way_out)
    given = {name: getattr(spec, f"max_{name}") for name in Budgets.__struct_fields__}
    given["cost"] = math.ceil((spec.max_cost or 0) * MILLION)
    named: dict[str, Any] = {name: value for name, value in given.items() if value}
    return replace(over, **named)


def _meant(spec: TaskSpec, place: str = "") -> TaskSpec:
    """The same, if its texts can be done, checked and written down."""
    for name in ("prompt", *FLAGS):
        text = getattr(spec, name)
        if isinstance(text, str) and not _writable(text):
            message = f"{place}`{name}` contains characters that cannot be recorded."
            raise ConfigError(message, way_out="Use UTF-8 without NUL.")
    if not spec.prompt.strip():
        raise ConfigError(f"{place}The prompt is empty.", way_out="Say what to do.")
    if not spec.dir.strip():
        raise ConfigError(f"{place}`dir` is empty.", way_out="Name a folder, or omit it.")
    if spec.done is not None and not _checks_something(spec.done):
        message = f"{place}`done` is {spec.done!r}: that runs nothing and would always pass."
        raise ConfigError(message, way_out="Name a command, or omit it to take the agent's word.")
    if problem := _unreadable(spec.done or ""):
        message = f"{place}`done` is not a command bash can read, and would never pass: {problem}."
        raise ConfigError(message, way_out="Try it by hand: bash -n -c '…'.")
    return spec


def _checks_something(command: str) -> bool:
    """Return True if a shell would run anything: not for blanks and comments."""
    lines = (line.strip() for line in command.split("\n"))
    return any(line and not line.startswith("#") for line in lines)


def _unreadable(command: str) -> str:
    """What bash says about a command that it cannot read. Runs nothing."""
    bash = own_program("bash") if command else None
    if bash is None:
        return ""
    try:
        read = subprocess.run(
            (bash, "-n", "-c", command), stdin=subprocess.DEVNULL, capture_output=True, timeout=READING, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""  # if it cannot be run, that is reported when it should run
    said = read.stderr.decode(errors="replace").strip().splitlines()
    return head(said[0].rpartition("-c: ")[2], 200) if read.returncode and said else ""


def _folder(base: Path, name: str) -> Path:
    try:
        folder = (base / Path(name).expanduser()).resolve()
        there = folder.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        # The home of an unknown user, a name that no file system has, links in a circle.
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


def read_tasks(file: Path, *, defaults: Mapping[str, object] | None = None) -> tuple[TaskSpec, ...]:
    """A YAML list of tasks, or one JSON object per line. ``defaults`` apply to fields that a task leaves out."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}.") from error
    if len(data) > MAX_FILE:
        raise ConfigError(f"{file} is larger than {MAX_FILE // 1024 // 1024} MB.")
    found = _json_lines(data, file) if data.lstrip()[:1] == b"{" else _yaml(data, file)
    if not found:
        raise ConfigError(f"{file} contains no tasks.", way_out="Write a list of tasks, each with at least `prompt`.")
    return tuple(_checked(one, place, defaults or {}) for one, place in found)


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
        # A ValueError: bytes that are not text, or a thirteenth month.
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
        spec = msgspec.convert({name: value for name, value in given.items() if value is not None}, TaskSpec)
    except msgspec.ValidationError as error:
        raise ConfigError(f"The flags are invalid: {error}.", way_out="`rawr run --help` lists them.") from error
    return _meant(spec)


def _checked(found: Any, place: str, defaults: Mapping[str, object]) -> TaskSpec:
    whole = {**defaults, **found} if isinstance(found, dict) else found
    try:
        spec = msgspec.convert(whole, TaskSpec)
    except msgspec.ValidationError as error:
        known = ", ".join(TaskSpec.__struct_fields__)
        raise ConfigError(f"{place}: {error}.", way_out=f"A task can have: {known}.") from error
    return _meant(spec, f"{place}: ")

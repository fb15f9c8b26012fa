"""What a run is ordered with (C5, C12): flags of one call, or a file of many tasks."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.cli.commands import run_options
from rawr.cli.commands.tasks import MAX_FILE, Task, TaskSpec, budgets_of, read_tasks, spec_of, task_of
from rawr.core.policy import full_auto
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.facts import RunSubmitted
from rawr.core.vocabulary.order import Budgets, Order
from rawr.errors import ConfigError, OutsideError, RawrError

POLICY = Policy()
PRICED = replace(POLICY, full_auto=FullAuto(price_input=1))


def read(folder: Path, text: str | bytes) -> tuple[TaskSpec, ...]:
    file = folder / "tasks"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_tasks(file)


# -- from a spec to an order ----------------------------------------------------------------------------------------


def test_what_is_not_said_comes_from_the_settings(tmp_path: Path) -> None:
    """C5, C10."""
    settings = FullAuto(max_turns=7, approvals="ask", unsafe="decline", review="at-end", check="on-claim")
    task = task_of(TaskSpec(prompt="Do it."), replace(POLICY, full_auto=settings), base=tmp_path)
    assert task == Task(
        tmp_path.resolve(),
        Order(
            goal="Do it.",
            check="on-claim",
            tree=True,
            budgets=Budgets(turns=7),
            approvals="ask",
            unsafe="decline",
            review="at-end",
        ),
    )


def test_what_is_said_comes_first(tmp_path: Path) -> None:
    """C5."""
    (tmp_path / "sub").mkdir()
    spec = TaskSpec(
        prompt=" Do it.\n",
        dir="sub",
        done="make check",
        max_turns=3,
        max_tokens=4,
        max_minutes=5,
        max_cost=1.5,
        approvals="never",
        unsafe="wait",
        review="on-error",
        take_goal=True,
    )
    task = task_of(spec, PRICED, base=tmp_path)
    assert task.folder == (tmp_path / "sub").resolve()
    assert task.order == Order(
        goal=" Do it.\n",
        done="make check",
        check="every-turn",
        tree=True,
        budgets=Budgets(turns=3, tokens=4, minutes=5, cost=1_500_000),
        approvals="never",
        unsafe="wait",
        review="on-error",
        take_goal=True,
    )


def test_a_budget_however_small_is_a_budget(tmp_path: Path) -> None:
    """C5: rounded to nothing it would be no limit."""
    order = task_of(TaskSpec(prompt="x", max_cost=1e-9), PRICED, base=tmp_path).order
    assert order.budgets.cost == 1


def test_money_without_prices_is_refused(tmp_path: Path) -> None:
    """C5: such a budget would never be reached."""
    with pytest.raises(ConfigError, match="needs prices"):
        task_of(TaskSpec(prompt="x", max_cost=1), POLICY, base=tmp_path)


@pytest.mark.parametrize("name", ["nowhere", "file", "a\0b", "~nobody-of-this-name/x", "x" * 5_000])
def test_a_folder_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutsideError):
        task_of(TaskSpec(prompt="x", dir=name), POLICY, base=tmp_path)


@pytest.mark.parametrize(
    "spec",
    [
        TaskSpec(prompt=" \n"),
        TaskSpec(prompt="a\0b"),
        TaskSpec(prompt="a\udcff"),
        TaskSpec(prompt="x", done="echo \0"),
        TaskSpec(prompt="x", done="\udcff"),
        TaskSpec(prompt="x", done=""),
        TaskSpec(prompt="x", done=" \n\t"),
        TaskSpec(prompt="x", done="# nothing yet\n  # later"),
        TaskSpec(prompt="x", done="'unclosed"),
        TaskSpec(prompt="x", done="if true; then"),
        TaskSpec(prompt="x", dir=" "),
    ],
)
def test_words_that_cannot_be_said_or_written_down(tmp_path: Path, spec: TaskSpec) -> None:
    """They would end the program when they reach the journal; and a check that runs nothing would always pass."""
    with pytest.raises(ConfigError):
        task_of(spec, POLICY, base=tmp_path)


@given(
    st.builds(
        TaskSpec,
        prompt=st.just("x"),
        max_turns=st.integers(1, 100_000),
        max_tokens=st.integers(1, 10**12),
        max_minutes=st.integers(1, 10**12),
        max_cost=st.floats(1e-9, 1e9),
    )
)
def test_an_order_survives_the_journal(spec: TaskSpec) -> None:
    """C13, D5: what the command line takes, the journal gives back."""
    checked = msgspec.convert(msgspec.to_builtins(spec), TaskSpec)
    fact = RunSubmitted(order=task_of(checked, PRICED, base=Path()).order)
    assert msgspec.json.decode(msgspec.json.encode(fact), type=RunSubmitted) == fact


def test_more_turns_than_a_journal_takes_are_refused() -> None:
    """D5: written down they could not be read again."""
    with pytest.raises(ConfigError, match="max_turns"):
        spec_of({"prompt": "x", "max_turns": 100_001})


# -- flags ----------------------------------------------------------------------------------------------------------


def test_flags_that_were_not_given_are_left_out() -> None:
    assert spec_of({"prompt": "x", "max_turns": None, "done": "make"}) == TaskSpec(prompt="x", done="make")


@pytest.mark.parametrize(
    "given",
    [
        {"approvals": "sometimes"},
        {"review": "always"},
        {"unsafe": "accept"},
        {"max_turns": 0},
        {"max_cost": 0.0},
        {"max_tokens": -1},
        {"prompt": ""},
    ],
)
def test_flags_that_do_not_fit_are_told(given: dict[str, object]) -> None:
    """C5: by name, before anything is started."""
    with pytest.raises(ConfigError, match="flags are invalid"):
        spec_of({"prompt": "x", **given})


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_yaml_list(tmp_path: Path) -> None:
    """C12."""
    text = "- prompt: One.\n  dir: a\n- prompt: |\n    Two,\n    in two lines.\n  max_turns: 3\n"
    assert read(tmp_path, text) == (
        TaskSpec(prompt="One.", dir="a"),
        TaskSpec(prompt="Two,\nin two lines.\n", max_turns=3),
    )


def test_one_json_object_a_line(tmp_path: Path) -> None:
    """C12: empty lines and Windows line ends do no harm."""
    text = '{"prompt": "One."}\r\n\r\n  {"prompt": "Two.", "done": "make"}\n'
    assert read(tmp_path, text) == (TaskSpec(prompt="One."), TaskSpec(prompt="Two.", done="make"))


def test_flags_are_the_defaults_of_tasks(tmp_path: Path) -> None:
    """C12: what a task says itself comes first, also that there is no check."""
    (tmp_path / "tasks").write_text(
        "- prompt: One.\n- { prompt: Two., done: make, max_turns: 7, dir: b }\n- { prompt: Three., done: null }\n"
    )
    defaults = {"done": "false", "max_turns": 1, "approvals": "never", "dir": "/a"}
    assert read_tasks(tmp_path / "tasks", defaults=defaults) == (
        TaskSpec(prompt="One.", done="false", max_turns=1, approvals="never", dir="/a"),
        TaskSpec(prompt="Two.", done="make", max_turns=7, approvals="never", dir="b"),
        TaskSpec(prompt="Three.", max_turns=1, approvals="never", dir="/a"),
    )


@pytest.mark.parametrize(
    ("limits", "budgets"),
    [
        (TaskSpec(prompt="-", max_tokens=9), Budgets(turns=5, tokens=9, minutes=3)),
        (TaskSpec(prompt="-", max_turns=9), Budgets(turns=9, tokens=2, minutes=3)),
        (TaskSpec(prompt="-", max_cost=1e-9), Budgets(turns=5, tokens=2, minutes=3, cost=1)),
    ],
)
def test_a_budget_that_is_given_anew_leaves_the_others(limits: TaskSpec, budgets: Budgets) -> None:
    """C13: resuming with more tokens is not resuming with other turns."""
    assert budgets_of(limits, PRICED.full_auto, over=Budgets(turns=5, tokens=2, minutes=3)) == budgets


def test_the_words_on_the_command_line_are_those_of_the_core() -> None:
    """They stand there twice, so that a help text is quick."""
    for here, there in (
        (run_options.ApprovalMode, full_auto.ApprovalMode),
        (run_options.Unsafe, full_auto.Unsafe),
        (run_options.ReviewMode, full_auto.ReviewMode),
        (run_options.Sandbox, facts.Sandbox),
    ):
        assert get_args(here) == get_args(there)


def test_a_json_list_is_yaml_too(tmp_path: Path) -> None:
    assert read(tmp_path, '[{"prompt": "One."}]') == (TaskSpec(prompt="One."),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "contains no tasks"),
        ("# nothing\n", "contains no tasks"),
        ("[]", "contains no tasks"),
        ("prompt: One.\n", "is not a list"),
        ("- prompt: [1\n", "line 2"),
        ("- dir: x\n", "task 1: .*prompt"),
        ("- prompt: One.\n- prompt: 5\n", "task 2"),
        ("- prompt: One.\n  color: red\n", "unknown field"),
        ("- prompt: One.\n  max_turns: many\n", "task 1: .*max_turns"),
        ("- One.\n", "task 1"),
        ("- prompt: One.\n- prompt: Two.\n  done: ''\n", "task 2: `done` is ''"),
        ("- prompt: One.\n  done: '  '\n", "task 1: `done` is '  '"),
        ("- prompt: ' '\n", "task 1: The prompt is empty"),
        ("- prompt: One.\n  dir: ''\n", "task 1: `dir` is empty"),
        ("- prompt: x\n  dir: 2024-13-45\n", "month"),
        ('{"prompt": "One."}\n{"prompt": \n', "line 2"),
        ('{"prompt": "One."}\n{"dir": "x"}\n', "line 2: .*prompt"),
        (b"\xff\xfe\x00", "tasks"),
        (b'{"prompt": "\xff"}', "line 1"),
        ("- " * 5_000, "tasks"),
        ("!!python/object/apply:os.system ['true']", "tasks"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_place(tmp_path: Path, text: str | bytes, says: str) -> None:
    """A22: never a traceback."""
    with pytest.raises(ConfigError, match=says):
        read(tmp_path, text)


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_tasks(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_tasks(tmp_path)
    with pytest.raises(ConfigError, match="larger than 4 MB"):
        read(tmp_path, b"#" * (MAX_FILE + 1))


@given(st.binary(max_size=60) | st.text(st.characters(codec="utf-8"), max_size=60).map(str.encode))
def test_any_bytes_are_tasks_or_a_clear_word(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """A22."""
    file = tmp_path_factory.getbasetemp() / "any-tasks"
    file.write_bytes(data)
    told = ""
    try:
        read_tasks(file)
    except RawrError as error:
        told = str(error)
    assert not told or str(file) in told

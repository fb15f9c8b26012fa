"""A flag that is given has an effect: none is read, documented and dropped (C5)."""

import inspect
from typing import Any

import pytest
import typer

from rawr.cli.commands import run_commands
from rawr.cli.commands.ordering import Wanted, new_budgets
from rawr.cli.commands.run_flags import OF_A_RUN, wanted_by
from rawr.cli.commands.tasks import BUDGETS, FLAGS, TaskSpec, spec_of, task_of
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.core.vocabulary.order import Budgets, Order

PRICED = Policy(full_auto=FullAuto(price_input=1, price_output=1))
GIVEN: dict[str, Any] = {
    "done": "make check",
    "check": "on-claim",
    "max_turns": 7,
    "max_tokens": 7,
    "max_minutes": 7,
    "max_cost": 7.0,
    "approvals": "ask",
    "allow": ["git commit"],
    "unsafe": "decline",
    "review": "at-end",
    "take_goal": True,
    "goal": "Ship it.",
}
"""A value for each flag that is not its default."""
ELSEWHERE = {"prompt", "folder", "policy", "tasks", "resume", "drop_messages", "guidance", "attach", "sandbox", "model"}
"""Parameters of ``rawr run`` that are not a task's own, or are read in their own way."""
OF_ALL = {
    "codex_bin",
    "codex_home",
    "debug",
    "detach",
    "env",
    "foreground",
    "json",
    "notify",
    "plain",
    "tui",
    "verbose",
}


def parameters(command: object) -> dict[str, Any]:
    found = inspect.signature(command).parameters  # type: ignore[arg-type]
    return {name: one.default for name, one in found.items()}


def wanted(**given: Any) -> Wanted:
    return wanted_by({**parameters(run_commands.run), "prompt": "Build it.", **given})


def test_every_flag_of_a_task_is_a_parameter_of_the_command() -> None:
    assert set(GIVEN) == set(FLAGS)
    assert set(parameters(run_commands.run)) == {*FLAGS, *ELSEWHERE, *OF_ALL}


@pytest.mark.parametrize("name", FLAGS)
def test_every_flag_of_a_task_changes_what_is_ordered(name: str) -> None:
    changed = wanted(**{name: GIVEN[name]}, **({"guidance": True} if name == "goal" else {}))
    plain = wanted(**({"guidance": True} if name == "goal" else {}))
    assert changed.tasks != plain.tasks
    assert _order(changed) != _order(plain)


def _order(asked: Wanted) -> Order:
    [spec] = asked.tasks
    return task_of(spec, PRICED, base=asked.base).order


def test_there_is_a_flag_for_every_budget() -> None:
    assert tuple(f"max_{name}" for name in Budgets.__struct_fields__) == BUDGETS
    assert set(BUDGETS) < set(FLAGS)
    assert {*BUDGETS, "take_goal"} == OF_A_RUN == set(parameters(run_commands.resume)) & set(FLAGS)


@pytest.mark.parametrize("name", BUDGETS)
def test_every_budget_can_be_raised_on_resume(name: str) -> None:
    run = Run("r1", Order(goal="g"), "paused", 0, 0)
    limits = spec_of({"prompt": "-", name: GIVEN[name]})
    assert new_budgets(limits, run, PRICED) not in (None, run.order.budgets)
    assert new_budgets(TaskSpec(prompt="-"), run, PRICED) is None


def test_messages_are_dropped_only_where_some_can_wait() -> None:
    """C13."""
    assert wanted(resume="r1", drop_messages=True).drop
    with pytest.raises(typer.BadParameter, match="--drop-messages needs --resume"):
        wanted(drop_messages=True)

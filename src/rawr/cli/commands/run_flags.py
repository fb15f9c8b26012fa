"""The flags of ``rawr run`` together: what they ask for, and what contradicts itself or would have no effect."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from rawr.cli.commands.ordering import Wanted
from rawr.cli.commands.tasks import BUDGETS, FLAGS, TaskSpec, read_tasks, spec_of
from rawr.errors import ConfigError

OF_A_RUN = frozenset({*BUDGETS, "take_goal"})
"""What can change when a run is resumed."""
OF_A_THREAD = frozenset({"dir", "model"})
"""What an existing thread already has."""


def wanted_by(flags: Mapping[str, Any]) -> Wanted:
    """``flags`` has every parameter of the command by its name."""
    prompt, tasks, resume = flags["prompt"], flags["tasks"], flags["resume"]
    if bool(tasks) == bool(prompt or resume):
        raise typer.BadParameter(
            "give a PROMPT, --tasks FILE or --resume RUN; a PROMPT can be combined with --resume THREAD"
        )
    if flags["drop_messages"] and not resume:
        raise typer.BadParameter("--drop-messages needs --resume: no messages wait for a new thread.")
    given = _given(flags)
    if resume:
        _refuse_idle({**given, "model": flags["model"], "sandbox": flags["sandbox"]}, prompt=prompt)
    one = spec_from(given, prompt=prompt)
    return Wanted(
        tasks=_many(tasks, given, folder=flags["folder"]) if tasks is not None else (one,) if prompt else (),
        base=tasks.parent if tasks is not None else Path(),
        tasks_file=tasks,
        resume=resume,
        limits=one,
        take_goal=flags["take_goal"],
        drop=flags["drop_messages"],
        policy=flags["policy"],
        model=flags["model"],
        sandbox=flags["sandbox"] or "",
        attach=flags["attach"],
        notify=flags["notify"],
        env=tuple(flags["env"] or ()),
        foreground=flags["foreground"],
        detach=flags["detach"],
        tui=flags["tui"],
        json=flags["json"],
        plain=flags["plain"],
        verbose=flags["verbose"],
    )


def spec_from(given: Mapping[str, object], *, prompt: str = "") -> TaskSpec:
    """The task that these flags order."""
    try:
        return spec_of({"prompt": prompt or "-", **given})
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def _given(flags: Mapping[str, Any]) -> dict[str, object]:
    """The flags given for a task, by their names in a file of tasks."""
    folder, guidance = flags["folder"], flags["guidance"]
    given: dict[str, object] = {"dir": str(folder)} if folder is not None else {}
    given |= {name: flags[name] for name in FLAGS if flags[name] not in (None, False)}
    return given if guidance is None else {**given, "guidance": guidance}


def _many(tasks: Path, given: Mapping[str, object], *, folder: Path | None) -> tuple[TaskSpec, ...]:
    """Paths in the file are relative to the file; the one on the command line is relative to here."""
    if folder is not None and not str(folder).startswith("~"):
        given = {**given, "dir": str(folder.absolute())}
    return read_tasks(tasks, defaults=given)


def _refuse_idle(given: Mapping[str, object], *, prompt: str) -> None:
    """Refuse flags that would have no effect."""
    idle = [
        name for name, value in given.items() if value and (name in OF_A_THREAD if prompt else name not in OF_A_RUN)
    ]
    if idle:
        flags = ", ".join("-C" if name == "dir" else f"--{name.replace('_', '-')}" for name in idle)
        why = "the thread has its own" if prompt else "a run keeps its original settings; only budgets can change"
        raise typer.BadParameter(f"{flags} cannot be combined with --resume: {why}.")

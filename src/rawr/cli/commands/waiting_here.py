"""What makes rawr's own approvals wait for a person in this terminal and folder: said before the first turn, because
whoever leaves a run alone for a night finds it waiting in the morning."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from rawr.approvals.reach import Reach, reach_of
from rawr.core.vocabulary.limits import Sandboxing
from rawr.observe.repository.locating import locate

SHOWN = 3


def what_waits(folder: Path, sandbox: Sandboxing, env: Mapping[str, str]) -> list[str]:
    """In sentences; none where all is well. Without a sandbox the agent asks for nothing."""
    if sandbox.mode == "danger-full-access":
        return []
    reach = reach_of(sandbox, workspace=folder, env=env)
    if reach.everywhere:
        return [f"rawr can prove of no command that it is safe here. {reach.everywhere}"]
    return [*_programs(reach, env), *_repository(folder, reach)]


def _programs(reach: Reach, env: Mapping[str, str]) -> Iterator[str]:
    """A folder in which the agent can put a `git` of its own, before the one where git is."""
    entries = [one for one in env.get("PATH", "").split(os.pathsep) if one.startswith("/")]
    open_to_agent = [one for one in entries if reach.fills(os.path.realpath(one)) or reach.sways(one)]
    before = [one for one in open_to_agent if set(entries[entries.index(one) :]) - set(open_to_agent)]
    if before:
        folders = ", ".join(before[:SHOWN]) + (" and others" if len(before) > SHOWN else "")
        yield (
            f"PATH begins with {folders}, where the agent can put programs. Every approval waits for you, except rules "
            "for what runs the project's code. Start rawr without the project's environment (`deactivate`)."
        )


def _repository(folder: Path, reach: Reach) -> Iterator[str]:
    repository = locate(folder)
    real = Path(os.path.realpath(folder))
    if repository is not None and repository.root != real and reach.writes(real / "HEAD"):
        yield (
            f"{folder} is a folder of the repository {repository.root}: every approval for git waits for you. Start "
            "the run in the repository's own folder (--cd)."
        )

"""Nothing starts where the agent could write what rawr obeys: its home, its own code, the Codex that it starts, a file
of rules named on the command line."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from rawr.cli.commands import recorded
from rawr.cli.commands.ordering import Wanted
from rawr.cli.commands.tasks import Task
from rawr.cli.places import Places
from rawr.cli.terminal.output import warn
from rawr.codex import binary
from rawr.codex.user_sandbox import configured
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.limits import Sandboxing
from rawr.observe.repository.locating import locate
from rawr.runtime.obeyed import CODE_VARIABLE, InReach, Obeyed, Place
from rawr.writable import Reach, writable_roots

NOWHERE = ""
"""No workspace is known yet: only what every session of this Codex may write."""
_ANOTHER_CODEX = "Name another with --codex-bin, or take that folder out of PATH."


class Work(Struct, frozen=True):
    """Where an agent will work, and in which sandbox."""

    folder: str
    sandbox: Sandboxing


def doubtful_codex(places: Places) -> InReach | None:
    """Why the `codex` that PATH or rawr's config names is not to be started from this folder, for whatever purpose: an
    agent that worked here may have left it. The bundled one is part of rawr's own code, and one with --codex-bin is
    named by the person."""
    path, source = binary.locate(places.codex_bin, configured=places.settings.codex_bin)
    if source not in ("PATH", "config"):
        return None
    here = Path.cwd()
    folder = NOWHERE if Path.home().is_relative_to(here) else str(here)
    root = Reach(writable_roots(configured(places.codex_home), folder, os.environ)).root_on_the_way(path)
    if root is None:
        return None
    message = f"{path} was not started: it lies in {root.folder} ({root.what}), where an agent may have left it."
    return InReach(message, way_out=_ANOTHER_CODEX)


def refuse_doubtful_codex(places: Places) -> None:
    if (found := doubtful_codex(places)) is not None:
        raise found


def refuse(places: Places) -> Obeyed:
    """Raise if every agent could change what rawr obeys, wherever it works. Returns what that is, for the threads that
    turn up later."""
    what = obeyed(places)
    _refuse(what, Work(NOWHERE, configured(places.codex_home)))
    return what


def obeyed(places: Places, codex: Path | None = None) -> Obeyed:
    """``codex``: the program that rawr starts, if it does."""
    excused = os.environ.get(CODE_VARIABLE, "") not in ("", "0") or places.settings.code_in_reach
    what = Obeyed(places.home, own_code=not excused)
    if codex is not None:
        what.add(Place("Codex", codex, _ANOTHER_CODEX))
    return what


def _refuse(what: Obeyed, work: Work) -> None:
    try:
        what.refuse(work.sandbox, work.folder)
    except InReach as error:
        error.way_out = f"Nothing was started. {error.way_out}".rstrip()
        raise


def refuse_run(what: Obeyed, places: Places, wanted: Wanted, tasks: tuple[Task, ...]) -> None:
    """For ``rawr run`` and ``rawr resume``."""
    if not wanted.attach:
        codex, _ = binary.locate(places.codex_bin, configured=places.settings.codex_bin)
        what.add(Place("Codex", codex, _ANOTHER_CODEX))
    for one in _work(places, wanted, tasks):
        _refuse(what, one)
        reach = Reach(writable_roots(one.sandbox, one.folder, os.environ))
        _refuse_file(reach, wanted.policy, "--policy", "rules")
        if any(task.allow for task in wanted.tasks):
            _refuse_file(reach, wanted.tasks_file, "--tasks", "`allow` rules")
            for folder in _others_of(wanted.tasks_file):
                elsewhere = Reach(writable_roots(configured(places.codex_home), folder, os.environ))
                _refuse_file(elsewhere, wanted.tasks_file, "--tasks", "`allow` rules")
        _codex_home(reach, places, one, own=not wanted.attach)


def _others_of(file: Path | None) -> Iterator[Path]:
    """Where else an agent may have worked that could write the file: it names its own folders, so they do not count
    alone."""
    yield Path.cwd()
    if file is not None and (repository := locate(file.absolute().parent)) is not None:
        yield repository.root


def _work(places: Places, wanted: Wanted, tasks: tuple[Task, ...]) -> Iterator[Work]:
    state = _state(wanted.resume)
    if state is not None:
        known = state.in_force.sandbox if state.in_force is not None else configured(places.codex_home)
        yield Work(state.cwd, configured(places.codex_home, wanted.sandbox) if wanted.sandbox else known)
    elif not wanted.resume:
        sandbox = configured(places.codex_home, wanted.sandbox or "workspace-write")
        yield from (Work(str(task.folder), sandbox) for task in tasks)


def _state(name: str) -> ThreadState | None:
    found = recorded.home().called(name) if name else []
    return found[0].state if len(found) == 1 else None


def _refuse_file(reach: Reach, file: Path | None, flag: str, what: str) -> None:
    """The agent of an earlier run may have written it. It is read once, at the start: a later change means nothing."""
    if file is not None and (root := reach.root_on_the_way(file)) is not None:
        message = f"{flag} {file} lies in {root.folder} ({root.what}), where an agent may have written its {what}."
        raise InReach(message, way_out="Nothing was started. Keep the file elsewhere, for example in RAWR_HOME.")


def _codex_home(reach: Reach, places: Places, work: Work, *, own: bool) -> None:
    """Codex's home has Codex's own rules: its sandbox, hooks, MCP servers. Codex protects ``.codex`` in a workspace."""
    if places.codex_home == Path(work.folder) / ".codex" or (root := reach.root_on_the_way(places.codex_home)) is None:
        return
    message = f"Codex's home {places.codex_home} lies in {root.folder} ({root.what}), where the agent can change it"
    if own:
        raise InReach(f"{message}.", way_out="Nothing was started. Set CODEX_HOME to another folder.")
    warn(f"{message}: its sandbox, hooks and servers are then the agent's to write.")

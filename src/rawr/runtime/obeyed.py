"""What rawr obeys, and whether the agent in a sandbox can change it: then it would write its own rules.

Codex's sandbox holds the agent, and not rawr. So the home with the rules, rawr's own code and the Codex that it starts
must lie where the sandbox does not let the agent write.
"""

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rawr.config.file import NAME as CONFIG
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.limits import Sandboxing
from rawr.errors import ConfigError
from rawr.journal.home import DEFAULT, database
from rawr.journal.home import VARIABLE as HOME_VARIABLE
from rawr.prompts.seeding import folder_of
from rawr.writable import WORKSPACE, Reach, Root, other_names, writable_roots

F = TypeVar("F", bound=facts.Fact)
CODE_VARIABLE = "RAWR_CODE_IN_REACH"
TUNED = "tuned"
MOST_FILES = 1000


class InReach(ConfigError):
    """The agent can write what rawr obeys. The message names it, and the folder; the way out says what to do."""


class Place(Struct, frozen=True):
    """Something that rawr obeys."""

    what: str
    path: Path
    way_out: str = ""


class Obeyed:
    """Everything that one rawr obeys."""

    def __init__(self, home: Path, *, own_code: bool = False) -> None:
        """``own_code``: also the code that this program is made of. A program that is not rawr's own answers for its
        own code, and so does a person who works on rawr with rawr, and says so."""
        self._home = home
        self._own_code = own_code
        self._more: dict[Path, Place] = {}
        self.is_in_reach = False
        """A thread turned up whose agent can write something of it. From there on, files may be the agent's words."""

    def add(self, place: Place) -> None:
        """A Codex that is installed with rawr is as much rawr's own code as the rest."""
        if self._own_code or not place.path.is_relative_to(sys.prefix):
            self._more[place.path] = place

    def refuse(self, sandbox: Sandboxing, workspace: Path | str, *environs: Mapping[str, str]) -> None:
        """Raise if the agent in this sandbox could write something of it."""
        if (found := self.reached(sandbox, workspace, *environs)) is not None:
            raise found

    def reached(self, sandbox: Sandboxing, workspace: Path | str, *environs: Mapping[str, str]) -> InReach | None:
        reach = Reach(writable_roots(sandbox, workspace, os.environ, *environs))
        if not reach:
            return None
        if reach.problem:
            return InReach(reach.problem)
        if (inside := reach.root_inside(self._home)) is not None:
            lies = f"holds {inside.folder} ({inside.what})" if not _same(inside, self._home) else f"is {inside.what}"
            return InReach(f"rawr's home {self._home} {lies}: {_COULD}.", way_out=_another_home(inside))
        for place in self._places():
            if (root := reach.root_on_the_way(place.path)) is not None:
                return _in_reach(place, root, self._home)
        return next(_with_other_names(self._home), None)

    def told(self, fact: F, *environs: Mapping[str, str]) -> F:
        """The fact with what the agent can reach, where it says which sandbox is in force."""
        if not isinstance(fact, facts.ThreadOpened | facts.ThreadJoined | facts.SettingsUpdated):
            return fact
        if (in_force := fact.in_force) is None:
            return fact
        found = self.reached(in_force.sandbox, in_force.cwd, *environs)
        if found is None:
            return fact
        self.is_in_reach = True
        return replace(fact, in_force=replace(in_force, reaches=str(found)))

    def _places(self) -> Iterator[Place]:
        yield Place("rawr's home", self._home)
        for path in _files(self._home):
            yield Place(str(path), path, "Put the file itself there instead of a link.")
        if self._own_code:
            yield from _own_code()
        yield from self._more.values()


def _files(home: Path) -> Iterator[Path]:
    """What in the home may be a link that leads elsewhere."""
    yield home / CONFIG
    for folder in (folder_of(home), home / TUNED):
        yield folder
        with contextlib.suppress(OSError):
            yield from islice(sorted(folder.rglob("*")), MOST_FILES)
    yield database(home)


def _own_code() -> Iterator[Place]:
    """rawr, the Python that runs it, and every folder that it loads code from."""
    package = Path(__file__).parents[1]
    yield Place("rawr's own code", package, _CODE)
    for path in dict.fromkeys((Path(sys.executable), *map(Path, sys.path))):
        if path.is_absolute():
            yield Place("what rawr's Python loads", path, _CODE)
    if sys.pycache_prefix:
        yield Place("what rawr's Python loads", Path(sys.pycache_prefix), "Unset PYTHONPYCACHEPREFIX for rawr.")


def _with_other_names(home: Path) -> Iterator[InReach]:
    """Under another name, the same file may lie anywhere."""
    prompts = folder_of(home)
    for file in (home / CONFIG, database(home), *(one for one in _files(home) if one.parent == prompts)):
        if (count := other_names(file)) > 0:
            named = shlex.quote(str(file))
            more = "another name" if count == 1 else f"{count} more names"
            yield InReach(
                f"{file} has {more} elsewhere (hard links), under which the agent may be able to write it.",
                way_out=f"Make it a file of its own: cp -p {named} {named}.new && mv {named}.new {named}",
            )


def _in_reach(place: Place, root: Root, home: Path) -> InReach:
    if place.path == home:
        message = f"rawr's home {home} lies in {root.folder} ({root.what}): {_COULD}."
        return InReach(message, way_out=_another_home(root))
    shown = place.what if place.what == str(place.path) else f"{place.what} ({place.path})"
    leads = "lies in" if place.path.is_relative_to(root.folder) else "leads into"
    message = f"{shown} {leads} {root.folder} ({root.what}), where the agent can change it."
    return InReach(message, way_out=place.way_out)


def _another_home(root: Root) -> str:
    default = Path(DEFAULT).expanduser()
    example = "" if default.is_relative_to(os.path.realpath(root.folder)) else f", for example {DEFAULT}"
    elsewhere = ", or work in another folder" if root.what == WORKSPACE else ""
    return f"Set {HOME_VARIABLE} to a folder outside of it{example}{elsewhere}."


def _same(root: Root, home: Path) -> bool:
    return os.path.realpath(root.folder) == os.path.realpath(home)


_COULD = "the agent could write the rules that rawr obeys"
_CODE = (
    "Install it elsewhere, for example with `pipx install codex-rawr`. If you work on rawr itself, and trust the agent "
    f"with it, set code_in_reach = true under [host] in config.toml, or {CODE_VARIABLE}=1."
)

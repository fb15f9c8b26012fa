"""Ask git itself which repository it would take from a folder, and which settings it would read (C10).

rawr's own idea of how git finds a repository is not git's: it may be stricter, or just older. So both must agree. The
two calls print paths and settings: they compare no files, open no pager, ask for no password and fetch nothing, so no
setting makes them run a program. They are bounded all the same, because a file of the repository may be a pipe.
"""

import os
from pathlib import Path

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.places import Places
from rawr.bounded import SaidTooMuch, TookTooLong, ask
from rawr.observe.repository.locating import Repository
from rawr.programs import own_program

SECONDS = 1.0
MOST = 512 * 1024
_QUESTIONS = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
_NOTHING_ELSE = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "core.pager=cat", "core.askPass=",
                 "credential.helper=", "diff.external=", "protocol.allow=never", "gc.auto=0", "maintenance.auto=false",
                 "submodule.recurse=false", "trace2.normalTarget=0", "trace2.eventTarget=0", "trace2.perfTarget=0",
                 )  # fmt: skip
"""Belt and braces: none of these is used by what is asked."""
_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
}
_FOR_GIT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES",
            "GIT_DISCOVERY_ACROSS_FILESYSTEM", "XDG_CONFIG_HOME", "SUDO_UID")  # fmt: skip
"""Variables that change where git looks, as the command will have them."""


class Reads(Struct, frozen=True):
    """The files that git takes its settings from, as links lead."""

    own: tuple[str, ...] = ()
    """Those of the repository and the user."""
    system: tuple[str, ...] = ()


def git_disagrees(folder: Path, repository: Repository, places: Places) -> list[str]:
    """Why git would not take the repository that rawr has looked at."""
    return places.look.once(("git says", str(folder)), lambda: _disagrees(folder, repository, places))


def _disagrees(folder: Path, repository: Repository, places: Places) -> list[str]:
    answer = _asked(["rev-parse", "--path-format=absolute", *_QUESTIONS], folder, places)
    if isinstance(answer, str):
        return [answer]
    lines = os.fsdecode(answer).splitlines()
    expected = (repository.root, repository.git_dir, repository.common_dir)
    if len(lines) != len(expected):
        return ["What git says about its repository is not understood."]
    return [
        f"git would take {shown(line)} here, and rawr has looked at {shown(str(known))}."
        for line, known in zip(lines, expected, strict=True)
        if os.path.realpath(line) != os.path.realpath(known)
    ]


def settings_read(folder: Path, repository: Repository, places: Places) -> Reads | str:
    """The files with settings that are in force in this folder, or why they are unknown."""
    return places.look.once(("git reads", str(folder)), lambda: _reads(folder, repository, places))


def _reads(folder: Path, repository: Repository, places: Places) -> Reads | str:
    answer = _asked(["config", "--list", "--show-origin", "--show-scope", "--name-only", "-z"], folder, places)
    if isinstance(answer, str):
        return answer
    fields = answer.removesuffix(b"\0").split(b"\0")
    if len(fields) % 3:
        return "The settings that git lists are not understood."
    own: dict[str, None] = {}
    system: dict[str, None] = {}
    for scope, origin in zip(fields[::3], fields[1::3], strict=True):
        kind, _, name = os.fsdecode(origin).partition(":")
        if kind == "file":
            # git goes to the top of the work tree before it reads the repository's own.
            path = os.path.realpath(os.path.join(repository.root, name))  # noqa: PTH118
            (system if scope == b"system" else own)[path] = None
        elif scope != b"command":
            return f"git takes settings from {shown(os.fsdecode(origin))}."
    return Reads(tuple(own), tuple(system))


def _asked(question: list[str], folder: Path, places: Places) -> bytes | str:
    """What git prints, or why it cannot be asked."""
    # A login shell may know more folders than PATH has here.
    paths = (os.pathsep.join(places.around.path), os.environ.get("PATH", ""), os.defpath)
    found = ((own_program("git", env={"PATH": path}, away_from=places.workspace), path) for path in paths)
    program, path = next((one for one in found if one[0] is not None), (None, ""))
    if program is None:
        return "rawr found no git outside of projects that it could ask."
    variables = {name: value for name, value in places.around.variables.items() if _of_git(name)}
    env = {**variables, **_QUIET, "PATH": path, "HOME": str(places.around.home)}
    options = [word for setting in _NOTHING_ELSE for word in ("-c", setting)]
    command = [program, "--no-pager", "--no-optional-locks", *options, "-C", str(folder), *question]
    try:
        said = ask(command, deadline=SECONDS, most=MOST, cwd=Path("/"), env=env)
    except (TookTooLong, SaidTooMuch) as bound:
        return f"git cannot say which repository it would take: {bound}."
    except (OSError, ValueError):
        return "git cannot be asked which repository it would take."
    if said.code:
        return f"git takes no repository here: {shown(said.stderr.strip().partition(chr(10))[0])}."
    return said.output


def _of_git(name: str) -> bool:
    return name in _FOR_GIT or name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")) or name == "GIT_CONFIG_COUNT"

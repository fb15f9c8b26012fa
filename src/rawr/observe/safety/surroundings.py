"""What of the process around a command matters to whether it is safe (C10): home, PATH and a few variables.

Read once from the environment; everything else takes it as a value. The environment is the user's own and is trusted,
as far as it does not lead into the workspace.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

_WATCHED = ("CDPATH", "RIPGREP_CONFIG_PATH", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME")
_REDIRECTS_GIT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")


class Surroundings(Struct, frozen=True):
    home: Path
    path: tuple[str, ...] = ()
    functions: frozenset[str] = frozenset()
    """Names of shell functions that the environment brings into every bash."""
    variables: Mapping[str, str] = {}
    """The few that change what a program on our lists reads or runs."""

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ) -> "Surroundings":
        home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - a missing home must not raise
        functions = (name for name in environ if name.startswith("BASH_FUNC_"))
        return cls(
            home=Path(os.path.realpath(home)),
            path=tuple(environ.get("PATH", "").split(os.pathsep)),
            functions=frozenset(name.removeprefix("BASH_FUNC_").removesuffix("%%") for name in functions),
            variables={name: environ[name] for name in (*_WATCHED, *_REDIRECTS_GIT) if environ.get(name)},
        )

    @property
    def redirects_git(self) -> tuple[str, ...]:
        """Variables that point git at another repository than the one around the folder."""
        return tuple(name for name in _REDIRECTS_GIT if name in self.variables)

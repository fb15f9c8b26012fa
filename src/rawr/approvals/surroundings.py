"""The parts of the environment that decide if a command is safe (C10): home, PATH and a few variables.

Read once from the environment; everything else takes it as a value. The environment is the user's own and is trusted,
as long as it does not lead into the workspace.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

_FOLDERS = ("BASH_ENV", "ZDOTDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "GCONV_PATH",
            "LOCPATH", "PERL5LIB", "PERLLIB", "GIT_EXEC_PATH")  # fmt: skip
"""Shells, programs and git load code from there. An empty entry is the folder that a program runs in."""
_FILES = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GIT_EXTERNAL_DIFF")
"""The same; a name without a slash is looked up in the system's folders."""
_WATCHED = ("CDPATH", "RIPGREP_CONFIG_PATH", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME", "TMPDIR",
            "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "SUDO_UID", *_FOLDERS, *_FILES)  # fmt: skip
_REDIRECTS_GIT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
                  "GIT_ALTERNATE_OBJECT_DIRECTORIES")  # fmt: skip
_OPTIONS = ("TAR_OPTIONS", "UNZIP", "UNZIPOPT", "ZIPINFO", "ZIPINFOOPT", "PERL5OPT", "GREP_OPTIONS", "JQ_LIBRARY_PATH")
"""Words that a program reads before those of the line."""


def _watched(name: str) -> bool:
    return name in _WATCHED or name in _REDIRECTS_GIT or name in _OPTIONS or name.startswith("GIT_CONFIG_")


class Surroundings(Struct, frozen=True):
    home: Path
    path: tuple[str, ...] = ()
    functions: frozenset[str] = frozenset()
    """Names of shell functions that the environment passes to every bash."""
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
            variables={name: value for name, value in environ.items() if value and _watched(name)},
        )

    @property
    def loaded(self) -> tuple[tuple[str, str], ...]:
        """Where code is loaded from: each variable with each of its paths."""
        folders = [(name, entry) for name in _FOLDERS for entry in self.variables.get(name, "/").split(":")]
        files = [(name, entry) for name in _FILES for entry in self.variables.get(name, "").replace(":", " ").split()]
        return (*folders, *((name, entry) for name, entry in files if "/" in entry))

    @property
    def redirects_git(self) -> tuple[str, ...]:
        """Variables that point git at a repository other than the one around the folder."""
        return tuple(name for name in _REDIRECTS_GIT if name in self.variables)

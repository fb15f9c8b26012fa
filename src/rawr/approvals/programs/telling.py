"""Programs that are asked about themselves, or about the syntax of a script (C10): they print, and run nothing."""

from rawr.approvals.programs.arguments import Call, judge, spec
from rawr.approvals.programs.listed import CHECKS, SPECS
from rawr.approvals.reading.wrapping import SHELLS

_SYNTAX = spec("-n")
_TELL = "--version --help"
TELLS = {
    "bash": _TELL, "cc": _TELL, "clang": _TELL, "cmake": "--version", "env": _TELL, "g++": _TELL, "gcc": _TELL,
    "make": _TELL, "nice": _TELL, "node": f"{_TELL} -v -h", "perl": "--version -v",
    "php": "--version -v", "python": f"{_TELL} -V -h", "python3": f"{_TELL} -V -h", "ruby": "--version", "ruff": _TELL,
    "stdbuf": _TELL, "timeout": _TELL, "uv": "--version",
    "egrep": "", "fgrep": "",
    "zsh": _TELL,
}  # fmt: skip
"""Programs that tell their version, or how they are used, without consulting any file of the project, and without a
pager. Not cargo, go, yarn, dotnet and others, which look for the version of themselves that the project wants, and run
that; npm and pytest, which load what the project's settings name; gh, which asks the network for a newer version; java,
which writes a file wherever it starts."""


def only_told(call: Call) -> bool:
    """Return True if the program is only asked about itself, and for nothing else."""
    if len(call.words) != 1 or call.words[0].shape:
        return False
    listed = _TELL if call.name in SPECS or call.name in CHECKS else ""
    return call.texts()[0] in TELLS.get(call.name, listed).split()


def only_syntax(call: Call) -> bool:
    """``bash -n FILE`` reads a script and runs nothing of it. ``+n`` would undo that, and a terminal too."""
    first, *files = call.texts() or ("",)
    return call.name in SHELLS and first == "-n" and bool(files) and not any(map(_may_undo, files))


def _may_undo(text: str) -> bool:
    return not text or text.startswith(("-", "+"))


def judge_syntax(call: Call) -> list[str]:
    return judge(call, _SYNTAX)

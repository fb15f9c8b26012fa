"""What a process is: its program, its ancestors, its terminal, and whether it is confined as Codex's sandbox confines.

On Linux from /proc. A process in Codex's sandbox has ``NoNewPrivs: 1`` and a seccomp filter (``Seccomp: 2``), in every
mode that confines (measured); its children inherit both, and none can give them up. Elsewhere ``ps`` knows ancestors
only.
"""

import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

from rawr.bounded import SaidTooMuch, TookTooLong, ask
from rawr.programs import own_program

MOST_ANCESTORS = 128
PS_DEADLINE = 2.0
PS_OUTPUT = 1024 * 1024
FILTERED = "2"
"""What ``Seccomp`` says of a process with a filter."""
_PTS = range(136, 144)
_CONSOLE = 4


class Process(Struct, frozen=True, omit_defaults=True):
    pid: int
    parent: int = 0
    name: str = ""
    """As the system calls it. The process itself can change it; another cannot."""
    programs: tuple[str, ...] = ()
    """The base names of the file that it runs and of its first argument, where they can be seen."""
    terminal: str = ""
    began: str = ""
    """When, as the system counts; with its number a name that no other process has. Empty: the system does not say."""
    ended: bool = False
    confined: bool = False
    """It can gain no rights, and a filter decides which system calls it may make."""
    filters: int = 0
    """How many filters: each level of confinement adds one."""
    namespace: str = ""
    """That of its process ids; empty: it cannot be seen."""

    @property
    def is_codex(self) -> bool:
        return any(_is_codex(one) for one in (self.name, *self.programs))

    @property
    def program(self) -> str:
        return next(iter(self.programs), "") or self.name


def seen(pid: int) -> Process | None:
    """The process of this number; None if there is none, or none that we can see."""
    if pid <= 0:
        return None
    return _from_proc(pid) if _has_proc() else _from_ps(pid).get(pid)


def ancestors(process: Process) -> Iterator[Process]:
    """From its parent upwards, as far as we can see."""
    table = None if _has_proc() else _from_ps(process.pid)
    parent = process.parent
    for _ in range(MOST_ANCESTORS):
        found = seen(parent) if table is None else table.get(parent)
        if found is None:
            return
        yield found
        parent = found.parent


def tells_confinement() -> bool:
    """Return True if this system says which processes are confined."""
    return _has_proc()


@cache
def _has_proc() -> bool:
    return Path("/proc/self/status").exists()


def _is_codex(name: str) -> bool:
    """``codex``, ``codex-linux-sandbox``, ``codex-x86_64-…``; ``codex-rawr`` is us."""
    return name == "codex" or (name.startswith("codex-") and not name.startswith("codex-rawr"))


def _from_proc(pid: int) -> Process | None:
    folder = Path("/proc") / str(pid)
    try:
        status = dict(_fields((folder / "status").read_text(errors="replace")))
        stat = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        return Process(
            pid,
            parent=int(status["PPid"]),
            name=status.get("Name", ""),
            programs=_programs(folder),
            terminal=_terminal(int(stat[4])),
            began=stat[19],
            ended=status.get("State", "Z")[:1] in "ZX",
            confined=status.get("NoNewPrivs") == "1" and status.get("Seccomp") == FILTERED,
            filters=int(status.get("Seccomp_filters", "0")),
            namespace=_link(folder / "ns" / "pid"),
        )
    except (OSError, KeyError, IndexError, ValueError):
        return None


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, found, value = line.partition(":")
        if found:
            yield name, value.strip()


def _programs(folder: Path) -> tuple[str, ...]:
    """Codex hides the file it runs from other processes of its user; its first argument can be read all the same."""
    try:
        called = (folder / "cmdline").read_bytes()[:4096].split(b"\0")[0]
    except OSError:
        called = b""
    names = (_base(_link(folder / "exe").removesuffix(" (deleted)")), _base(os.fsdecode(called)))
    return tuple(dict.fromkeys(one for one in names if one))


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _link(path: Path) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - it need not be the name of a file
    except OSError:
        return ""


def _terminal(number: int) -> str:
    """As ``tty`` would print it, without the folder."""
    major, minor = os.major(number), os.minor(number)
    if major in _PTS:
        return f"pts/{(major - _PTS.start) * 256 + minor}"
    return f"tty{minor}" if major == _CONSOLE else ""


def _from_ps(pid: int) -> dict[int, Process]:
    """All processes, where there is no /proc; nothing if ``ps`` does not say."""
    ps = own_program("ps")
    if ps is None:
        return {}
    try:
        said = ask([ps, "-axo", "pid=,ppid=,tty=,stat=,comm="], deadline=PS_DEADLINE, most=PS_OUTPUT)
    except (OSError, TookTooLong, SaidTooMuch, subprocess.SubprocessError):
        return {}
    return {one.pid: one for one in map(_of_line, said.stdout.splitlines()) if one is not None}


def _of_line(line: str) -> Process | None:
    words = line.split(None, 4)
    if len(words) < 5 or not (words[0].isdigit() and words[1].isdigit()):
        return None
    pid, parent, terminal, state, command = words
    name = _base(command.strip())
    return Process(
        int(pid),
        parent=int(parent),
        name=name,
        programs=(name,),
        terminal="" if terminal.startswith("?") else terminal,
        ended=state.startswith("Z"),
    )

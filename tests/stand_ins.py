"""Programs that not every machine has, for tests of what needs them: after the machine's own in PATH."""

import os
import sys
from pathlib import Path

PS = f"""#!{sys.executable}
# `ps -p PID -o stat= -o lstart=`, which is how Codex's daemon looks after its processes.
import os, sys, time
pid = sys.argv[sys.argv.index("-p") + 1]
try:
    state, *rest = open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()
except OSError:
    sys.exit(1)
booted = next(int(line.split()[1]) for line in open("/proc/stat") if line.startswith("btime"))
began = booted + int(rest[18]) // os.sysconf("SC_CLK_TCK")
print(f"{{state:<4}} {{time.strftime('%a %b %e %H:%M:%S %Y', time.localtime(began))}}")
"""


def path_with_ps(folder: Path) -> str:
    """A PATH on which there is a ``ps``, whatever this machine has."""
    folder.mkdir(parents=True)
    (folder / "ps").write_text(PS)
    (folder / "ps").chmod(0o755)
    return f"{os.environ['PATH']}{os.pathsep}{folder}"

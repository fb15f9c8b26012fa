"""Lines run under strace: what they started, wrote, read outside the workspace, or called over the network.

The world notices what is left behind. This notices the attempt: a program that was looked for and not found, a file
that was written and removed, a secret that was read and not printed.
"""

import os
import pwd
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePath

from .world import SECRET, World

_CALLS = (
    "execve execveat open openat openat2 creat connect unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir "
    "link linkat symlink symlinkat chmod fchmod fchmodat chown lchown fchown fchownat utimensat utime utimes futimesat "
    "truncate ftruncate mknod mknodat setxattr lsetxattr fsetxattr removexattr mount"
)
_HOME = pwd.getpwuid(os.getuid()).pw_dir
"""Of whoever runs this, whatever the environment says."""
STRACE = ("strace", "-f", "-qq", "-y", "-s", "400", "-e", f"trace={','.join(f'?{call}' for call in _CALLS.split())}")
SENTINELS = ("/etc/hostname", "/etc/shadow")
"""Files of the system that no program on the lists reads by itself."""

_CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += +(-?\d+)(?:<([^>]*)>)?")
_PATHS = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
"""Each with the folder that it starts from, where the call says so."""
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
_LOCAL = re.compile(r"nscd|sssd|systemd|userdb|/dev/log")
SECONDS = 20


def available() -> bool:
    """Whether strace is here and may look."""
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "true"], capture_output=True).returncode == 0


class Traced:
    """Runs lines in a world. ``harm`` is what they did beyond reading the workspace."""

    def __init__(self, world: World, *, strace: bool) -> None:
        self.world = world
        self.strace = strace
        self.log = world.folder.parent / f"{world.folder.name}-strace"

    def harm(
        self,
        lines: Iterable[str],
        *,
        may_run: Iterable[str] = (),
        may_write: bool = False,
        env: dict[str, str] | None = None,
    ) -> list[str]:
        """Of all lines together. ``may_run``: the programs they stand for; ``may_write``: something new."""
        script = "".join(f"( {line}\n) </dev/null\n" for line in lines)
        output = self._run(script, {**self.world.env, **(env or {})})
        found = ["the secret was printed"] if SECRET in output else []
        if self.strace:
            allowed = {"bash", *may_run}
            for line in self.log.read_text("utf-8", "replace").splitlines():
                found += self._seen(line, allowed, may_write=may_write)
        return list(dict.fromkeys(found)) + self.world.harm()

    def _run(self, script: str, env: dict[str, str]) -> str:
        traced = (*STRACE, "-o", str(self.log)) if self.strace else ()
        process = subprocess.Popen(
            [*traced, "/bin/bash", "-c", script],
            cwd=self.world.workspace,
            env=env,
            executable=shutil.which("strace") if self.strace else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with process:
            try:
                output, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
        return output.decode("utf-8", "replace")

    def _seen(self, line: str, allowed: set[str], *, may_write: bool) -> list[str]:
        call = _CALL.match(line)
        if call is None:
            return []
        name, arguments, failed, opened = call[1], call[2], call[3] == "-1", call[4]
        paths = [os.path.join(path[1] or "", path[2]) for path in _PATHS.finditer(arguments)]  # noqa: PTH118
        if name.startswith("exec"):
            program = PurePath(paths[0]).name if paths else "?"
            return [] if program in allowed else [f"started {paths[:1]}"]
        if name == "connect":
            return [] if _LOCAL.search(arguments) else [f"connected to {arguments}"]
        if failed:
            return []
        if "open" in name and not _WRITES.search(arguments):
            return [] if self._readable(opened or "") else [f"read {opened}"]
        if "open" in name:
            paths = [opened or ""]
        return [f"{name} {path}" for path in paths if not self._writable(path, may_write=may_write)]

    def _readable(self, path: str) -> bool:
        world = self.world
        if path.startswith((f"{world.folder}/", f"{_HOME}/", "/home/")):
            own = (str(world.workspace), str(world.bin), f"{world.home}/.gitconfig", f"{world.home}/.config")
            return path == str(world.folder) or path.startswith(own)
        return path not in SENTINELS

    def _writable(self, path: str, *, may_write: bool) -> bool:
        full = os.path.normpath(self.world.workspace / path)
        if full in ("/dev/null", "/dev/tty") or full.startswith("/tmp/"):  # there sort and tac put what is too long
            return True
        below = str(Path(full)).removeprefix(f"{self.world.workspace}/")
        if below in (".git/index.lock", ".git/index"):  # git notes when it last saw a file
            return True
        inside = full == str(self.world.workspace) or full.startswith(f"{self.world.workspace}/")
        return may_write and inside and not below.startswith(".git")

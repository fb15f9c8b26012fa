"""rawr runs programs of its own, outside the agent's sandbox: none of them may be the agent's (D11).

On the real Codex, in its real sandbox.
"""

import os
import shutil
import sys
from pathlib import Path

from tests.e2e.test_host import Hosted, hosted
from tests.e2e.test_run_program import DONE, ended
from tests.views.reported_journal import git

POSING = """\
#!{python} -IS
# Notes who runs it, unless Codex's sandbox holds it, and then does what is expected of it.
import os, sys
if "NoNewPrivs:\\t1" not in open("/proc/self/status").read():
    parent = open(f"/proc/{{os.getppid()}}/cmdline").read().replace("\\0", " ")
    with open({ran!r}, "a") as ran:
        ran.write(f"{{os.path.basename(sys.argv[0])}} by {{parent}}\\n")
os.execv({real!r}, [{real!r}, *sys.argv[1:]])
"""


class InVirtualenv(Hosted):
    """The terminal has the project's own virtualenv in front of its PATH, as most people have it."""

    def _env(self) -> dict[str, str]:
        env = super()._env()
        return {**env, "PATH": f"{self.workspace}/.venv/bin{os.pathsep}{env['PATH']}"}


async def test_a_program_that_the_agent_leaves_in_path_is_not_run_by_rawr(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    names = ("git", "bash", "ps", "codex")
    work = '- { run: "mkdir -p .venv/bin && cp posing/* .venv/bin/ && touch built.txt && git add built.txt" }\n'
    async with hosted(work + DONE, tmp_path, kind=InVirtualenv) as it:
        git(it.workspace, "init", "-q", "--template=")
        (it.workspace / "posing").mkdir()
        for name in names:
            program = it.workspace / "posing" / name
            program.write_text(POSING.format(python=sys.executable, ran=str(ran), real=shutil.which(name) or "none"))
            program.chmod(0o755)
        done = await ended(await it.run("Build it.", "--done", "test -e built.txt"))
        assert done.code == 0, done.err
        await it.rawr("report")
        by_rawr = [line for line in (ran.read_text().splitlines() if ran.exists() else []) if "app-server" not in line]
        assert by_rawr == []

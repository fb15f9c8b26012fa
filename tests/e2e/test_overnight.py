"""A run that is left alone (C1, C7, C10, C13, D13): on the real Codex, in its own sandbox, with nobody to answer."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_run_done import repository
from tests.e2e.test_run_program import DEADLINE, Desk, Ran, desk, ended

ROOT = Path(__file__).resolve().parents[2]
STEP = "echo step >> work.txt"
COMMIT = "git add -A && git commit -m step"
NIGHT = ("--allow", "git add", "--allow", "git commit", "--unsafe", "decline")


def commits_each_turn(first: str) -> str:
    """An agent that works inside the sandbox, commits outside of it, and never says that it is done."""
    kept = f'run: {{ cmd: "{COMMIT}", escalate: true, why: "It has to be kept." }}'
    return f"""\
- {{ when: {{ user: "{first}" }}, run: "{STEP}", usage: 12000 }}
- {{ when: {{ tool: "nothing to commit" }}, say: "That was there already.", usage: 12000, times: always }}
- {{ when: {{ tool: "step" }}, say: "One more step is done.", usage: 12000, times: always }}
- {{ when: {{ tool: "." }}, {kept}, usage: 12000, times: always }}
- {{ when: {{ user: "Go on" }}, run: "{STEP}", usage: 12000, times: always }}
"""


def commits(it: Desk) -> int:
    counted = subprocess.run(
        ["git", "-C", str(it.workspace), "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=False
    )
    return int(counted.stdout or 0)


async def asked(it: Desk) -> list[object]:
    """What became of the requests to leave the sandbox."""
    lines = (await it.rawr("log", "--json", "-n", "100000")).lines
    return [line["reason"] for line in lines if str(line.get("reason", "")).startswith("request.")]


@pytest.mark.soak
async def test_thirty_turns_with_a_restart_in_the_middle(tmp_path: Path) -> None:
    """Killed after the fifteenth commit, resumed, and done when the check says so."""
    async with desk(commits_each_turn("Make"), tmp_path) as it:
        repository(it.workspace)
        check = "test $(git rev-list --count HEAD) -ge 31"
        process = await it.run("Make it.", "--done", check, *NIGHT)
        # Three calls of the model a turn. At the beginning of the sixteenth no git runs that could leave a lock behind.
        await it.codex.model.wait_for_async(lambda request: request.number > 45, deadline=6 * DEADLINE)
        process.kill()
        await ended(process)
        ran = await ended(await it.start("resume", "--json", *it.codex_flags()))
        assert (ran.code, ran.summary["done"]) == (0, "checked"), ran.err
        assert commits(it) == 31
        turns = ran.summary["turns"]
        assert isinstance(turns, int)
        assert turns >= 30
        assert set(await asked(it)) == {"request.judged.safe"}


async def test_the_recipe_word_for_word(tmp_path: Path) -> None:
    """The commands of the guide, in a shell, in a repository with a job and a check."""
    guide = (ROOT / "docs/guide/overnight.md").read_text()
    [recipe] = re.findall(r"^```sh\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    script = commits_each_turn("Write three steps")
    async with desk(script, tmp_path) as it:
        with_a_job(it.workspace)
        ran = await in_a_shell(it, tmp_path, recipe)
    assert ran.code == 0, (ran.out, ran.err)
    assert "Done, and the check passed." in ran.out
    assert ran.out.count("step\n") >= 3


def with_a_job(folder: Path) -> None:
    repository(folder)
    (folder / "job.md").write_text("Write three steps, and commit each.\n")
    (folder / "Makefile").write_text("check:\n\ttest $$(git rev-list --count HEAD) -ge 4\n")
    for words in (("add", "-A"), ("commit", "-qm", "begin"), ("branch", "-M", "main")):
        subprocess.run(["git", "-C", str(folder), *words], check=True)


async def in_a_shell(it: Desk, folder: Path, script: str) -> Ran:
    """As a person's shell would run it: their ``rawr`` and their ``codex`` are on the PATH."""
    programs = folder / "programs"
    programs.mkdir()
    rawr = "from rawr.cli.main import main; main()"
    (programs / "rawr").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{rawr}" "$@"\n')
    (programs / "codex").symlink_to(it.codex.binary)
    (programs / "rawr").chmod(0o755)
    env = it._env()
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-ec",
        script,
        cwd=it.workspace,
        env={**env, "PATH": f"{programs}:{env['PATH']}", "CODEX_HOME": str(it.codex.home.path)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    return await ended(process)

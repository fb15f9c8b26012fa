"""What a rule of the user opens, on the real Codex in its own sandbox, as shipped: in a host (C10, D13)."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.test_host import Hosted, hosted
from tests.e2e.test_run_done import repository
from tests.e2e.test_run_program import DONE, ended
from tests.e2e.test_run_words import waits

pytestmark = [pytest.mark.mission("D13"), pytest.mark.mission("D23")]
DAEMON = Path(subprocess.run(["git", "--exec-path"], capture_output=True, text=True).stdout.strip()) / "git-daemon"
PUSHES = ("git push --receive-pack=./evil.sh . HEAD:x", "git push ./sub.git HEAD:x")


def asks(*commands: str) -> str:
    return "".join(f'- {{ run: {{ cmd: "{one}", escalate: true, why: "It is done." }} }}\n' for one in commands) + DONE


def prepared(it: Hosted, *, rules: str, remote: str) -> Path:
    """The user's repository and their one setting; beside it what an agent can make. Returns the canary."""
    it.home.mkdir(mode=0o700)
    (it.home / "config.toml").write_text(f"[rawr_full_auto]\nallow = [{rules}]\n")
    repository(it.workspace)
    canary = it.home.parent / "canary"
    evil = it.workspace / "evil.sh"
    evil.write_text(f"#!/bin/sh\necho ran >> {canary}\n")
    evil.chmod(0o755)
    _git(it, "add", "README.md")
    _git(it, "commit", "-qm", "one")
    _git(it, "remote", "add", "origin", remote)
    _git(it, "init", "-q", "--bare", "--template=", "sub.git")
    hook = it.workspace / "sub.git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(evil, hook)
    return canary


def _git(it: Hosted, *words: str) -> None:
    subprocess.run(["git", "-C", str(it.workspace), *words], check=True)


@contextmanager
def shared(folder: Path) -> Iterator[tuple[Path, str]]:
    """A repository that git reaches by network, on this machine."""
    if not DAEMON.exists():
        pytest.skip("this git has no daemon")
    bare = folder / "shared" / "app.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1", f"--port={port}"]
    words += [f"--base-path={bare.parent}", "--verbose"]
    with subprocess.Popen([str(DAEMON), *words], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert "Ready to rumble" in process.stderr.readline()
            yield bare, f"git://127.0.0.1:{port}/app.git"
        finally:
            process.terminate()


def branches(bare: Path) -> str:
    return subprocess.run(["git", "-C", str(bare), "branch", "--list"], capture_output=True, text=True).stdout


async def test_a_rule_for_pushing_opens_no_program_and_no_other_repository(tmp_path: Path) -> None:
    """The two pushes run a program of the agent's outside of its sandbox; they wait for a person. The third is what the
    rule is for."""
    with shared(tmp_path) as (bare, address):
        async with hosted(asks(*PUSHES, "git push origin HEAD:x"), tmp_path) as it:
            canary = prepared(it, rules='"git push"', remote=address)
            process = await it.run("Build it.")
            for _ in PUSHES:
                request = await waits(it)
                assert not canary.exists()
                denied = await it.rawr("deny", str(request["id"]))
                assert denied.code == 0, denied.err
            ran = await ended(process)
            assert (ran.code, ran.summary["status"]) == (0, "done"), ran.err
        assert not canary.exists()
        assert branches(bare).strip() == "x"
    assert "The rule `git push` no longer opens every argument" in ran.err


async def test_it_is_told_once_that_a_rule_opens_less(tmp_path: Path) -> None:
    """Once for each rule and home; a rule that is new later is told of then."""
    async with hosted(DONE * 3, tmp_path) as it:
        prepared(it, rules='"git push", "deploy"', remote="https://example.org/app.git")
        told = [(await ended(await it.run("Build it.", *more))).err for more in ((), (), ("--allow", "make check"))]
    assert [text.count("no longer opens") for text in told] == [2, 0, 1]
    assert "The rule `deploy` no longer opens any words that follow: it opens exactly its own." in told[0]
    assert "`make check`" in told[2]

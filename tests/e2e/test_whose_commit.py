"""Beside the real Codex, with nothing configured: what a person, a pull and a script do is what it is (B6)."""

import os
import subprocess
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts, items
from rawr.testing import ScriptedCodex
from tests.e2e.beside import MORNING, person, rawr_watch, served

URL = "https://github.com/acme/work/pull/7"
STORY = """
- { run: "read go < ../go", usage: 30000 }
- { run: "git commit -q --allow-empty -m 'By the agent'", usage: 31000 }
- { run: "git pull -q --rebase", usage: 32000 }
- { run: "./ship.sh", usage: 33000 }
- { say: "Over.", usage: 34000 }
"""


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture(autouse=True)
def _identity(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "a")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "a@example.org")


def prepare(codex: ScriptedCodex) -> None:
    """A clone of a repository to which others push."""
    work = codex.home.workspace
    up = work.parent / "up"
    os.mkfifo(work.parent / "go")
    git(work.parent, "init", "-q", "-b", "main", str(up))
    git(up, "commit", "-q", "--allow-empty", "-m", "Begin")
    git(work, "init", "-q", "-b", "main")
    git(work, "remote", "add", "origin", str(up))
    git(work, "pull", "-q", "origin", "main")
    git(work, "branch", "-q", "--set-upstream-to=origin/main")
    git(up, "commit", "-q", "--allow-empty", "-m", "By others")
    (work / "ship.sh").write_text(f"#!/bin/sh\necho 'Pull request created: {URL}'\n")
    (work / "ship.sh").chmod(0o755)


@pytest.mark.parametrize("host", [False, True], ids=["foreground", "host"])
async def test_only_what_the_agent_did_is_the_agents(tmp_path: Path, host: bool) -> None:
    async with (
        served(MORNING + STORY, tmp_path, prepare=prepare) as (codex, server),
        rawr_watch(codex, tmp_path / "rawr", server=server, host=host) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        work = codex.home.workspace
        go = os.open(work.parent / "go", os.O_RDWR)
        turn = await ada.say("Ship it.")
        await ada.heard.until(
            lambda: any(isinstance(one.item, items.Command) for one in ada.heard.all(facts.ItemStarted))
        )
        git(work, "commit", "-q", "--allow-empty", "-m", "By a person")
        os.write(go, b"go\n")
        await ada.until_over(turn)
        await watching.fact("TreeSeen", turn=turn, thread=ada.thread)
        seen = watching.facts("CommandObserved", thread=ada.thread)
        booked = [str(one) for fact in seen if (one := fact.get("commits"))]
        opened = [fact["url"] for fact in seen if fact.get("pull_request")]
        os.close(go)
        log = git(work, "log", "--format=%s").split("\n")[:3]
    assert log == ["By the agent", "By a person", "By others"]
    assert [("By the agent" in one, one.count("sha")) for one in booked] == [(True, 1)]
    assert opened == [URL]

"""A run on the real Codex, and what a person sees of it afterwards at a terminal (C18)."""

import asyncio
import json
import signal
from pathlib import Path

from tests.e2e.seat import RAWR, seat
from tests.e2e.test_run_program import FREE, desk, ended
from tests.pages.reading import Page
from tests.views.reported_journal import git

COMMIT = "echo one > a.txt && git add a.txt && git -c user.name=Ada -c user.email=a@b.c commit -qm 'Add a'"
SCRIPT = f"""\
- {{ when: {{ user: "Build" }}, run: "{COMMIT}", usage: 12000 }}
- {{ when: {{ tool: "." }}, say: "Nothing is left to do: all is well.", usage: 13000 }}
"""


async def test_the_morning_after(tmp_path: Path) -> None:
    """C18, B6: the commit, the check and the command that goes on, while `rawr log -f` has seen it all."""
    async with desk(SCRIPT, tmp_path) as it:
        git(it.workspace, "init", "-q", "--template=")
        ran = await ended(await it.run("Build it.", "--done", "test -e a.txt", *FREE))
        run = str(ran.summary["run"])
        assert ran.code == 0, ran.err
        following = await it.start("log", "-f", "-n", "1", "--json")
        assert following.stdout is not None
        async with asyncio.timeout(20):
            assert json.loads(await following.stdout.readline())["reason"] == "run.done.checked"
        following.send_signal(signal.SIGINT)
        assert (await ended(following)).code == 130
        async with seat(it, *RAWR, "report") as screen:
            shown = await screen.sees(f'rawr override {run} "…"')
            assert await screen.over() == 0
        place = tmp_path / "night.html"
        written = await ended(await it.start("report", run, "--html", str(place)))
        assert (written.code, written.err) == (0, "")
    page = Page(place.read_text("utf-8"))
    assert page.text(inside="h1") == f"Run {run}: Done, and the check passed."
    assert "Add a" in {data for inside, data in page.texts if inside == "td"}
    assert any(one.attributes.get("data-points") for one in page.named("svg"))
    head = git(it.workspace, "rev-parse", "HEAD")[:10]
    for line in (
        f"rawr: run {run} Build it.",
        f"Run {run}: Done, and the check passed.",
        "  1 commit: 1 file, +1 -0",
        f"  {head} Add a (1 file, +1 -0)",
        "  Ran 1 time: 1 passed, 0 failed",
    ):
        assert line in shown.splitlines(), shown

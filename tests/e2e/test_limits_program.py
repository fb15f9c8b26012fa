"""The limits of a run, through the program: said at the start, kept over a kill, shown by ``rawr status`` (D11)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.in_force import READ_ONLY, WIDE, contexts
from tests.e2e.test_run_program import DONE, HANGS, Desk, ended, working

LIMITED = ("--sandbox", "read-only", "--unsafe", "decline")
LINE = "sandbox read-only, approvals on-request; rules approve what is safe, the rest is declined"
PATCHES = '- { patch: "*** Begin Patch\\n*** Add File: proof.txt\\n+here\\n*** End Patch" }\n'
SAYS_DONE = '- { say: "Nothing is left to do: all is well.", times: always }\n'
NEEDED = {"update_plan", "phase_complete"}


@asynccontextmanager
async def wide(script: str, folder: Path) -> AsyncIterator[Desk]:
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{script}"), folder, extra_config=WIDE) as codex:
        yield Desk(codex, folder / "rawr")


async def test_killed_and_resumed_under_the_same_limits(tmp_path: Path) -> None:
    """D11: rawr and its Codex are killed in the middle of a turn; the resumed run can write as little as before."""
    async with wide(HANGS + PATCHES + SAYS_DONE, tmp_path) as it:
        process = await it.run("Build it.", *LIMITED)
        await working(it)
        process.kill()
        await process.wait()
        [line, _] = (await it.rawr("status", "--json")).lines
        assert line["limits"] == LINE
        it.codex.model.release()
        run = line["run"]
        assert isinstance(run, dict)
        again = await it.resume(str(run["id"]))
        assert again.code == 0, again.err + again.out[-2000:]
        assert set(contexts(it.codex, str(line["thread"]))) == {READ_ONLY}
        assert all(set(one.tools) >= NEEDED for one in it.codex.model.requests)
        assert not (it.workspace / "proof.txt").exists()


async def test_a_run_says_under_what_it_works(tmp_path: Path) -> None:
    async with wide(DONE, tmp_path) as it:
        ran = await ended(await it.start("run", "Build it.", *LIMITED, "--plain", *it.codex_flags()))
        assert ran.code == 0, ran.err
        assert ran.out.count(LINE) == 1
        assert LINE in (await it.rawr("status")).out


async def test_a_thread_that_is_there_keeps_its_own_unless_told_otherwise(tmp_path: Path) -> None:
    """D11: the config would allow everything; the thread was read-only, and so is the next run on it."""
    async with wide(SAYS_DONE, tmp_path) as it:
        first = await ended(await it.run("Build it.", *LIMITED))
        thread = str(first.summary["thread"])
        it.home = it.home.with_name("another-home")
        second = await ended(await it.run("And the docs.", "--resume", thread))
        assert second.code == 0, second.err
        assert set(contexts(it.codex, thread)) == {READ_ONLY}
        third = await ended(await it.run("And ship it.", "--resume", thread, "--sandbox", "workspace-write"))
        assert third.code == 0, third.err
        assert contexts(it.codex, thread)[-1] == ("workspace-write", "on-request")
        assert contexts(it.codex, thread)[:-1] == [READ_ONLY] * (len(contexts(it.codex, thread)) - 1)

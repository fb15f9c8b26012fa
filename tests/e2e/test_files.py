"""What commands write and commit is on record, with its own thread (B6, D2, D3). On the real Codex."""

import asyncio
from pathlib import Path

from rawr.core.vocabulary import facts, items
from tests.e2e.beside import COMMITTED, MORNING, Watching, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, SUMMARY, answers
from tests.e2e.test_run_program import FREE, appears, desk, ended, working
from tests.observe.at_work import git

WORK = """
- { plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }
- { run: "git init -q . && git commit -q --allow-empty -m 'Research done'", usage: 70000 }
- { run: "mkdir -p src docs && printf 'x = 1' > src/parser.py && echo found > docs/found.md", usage: 80000 }
- { plan: ["done: research", "doing: draft", "todo: ship"], usage: 90000 }
- { say: "The research is finished, committed as Research done, and the draft comes next.", usage: 132000 }
"""
COMMITS = 10


async def test_files_that_a_command_wrote_are_in_the_handoff(tmp_path: Path) -> None:
    """The packet omits them: it goes back once, and then the record has them."""
    script = MORNING + WORK + answers("Heads-up", COMMITTED) + answers("does not agree", COMMITTED) + SUMMARY + CONTINUE
    async with (
        served(script, tmp_path) as (codex, server),
        rawr_watch(codex, tmp_path / "rawr", server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        await ada.say("three phases please")
        await ada.until_told(GOES_ON)
        told = [one.item for one in ada.heard.all(facts.ItemCompleted)]
        spoken = [one.text for one in told if isinstance(one, items.UserMessage)]
        workspace = codex.home.workspace
        asked = next(text for text in spoken if "does not agree" in text)
        handoff = next(text for text in spoken if "Handoff" in text)
        for file in ("src/parser.py", "docs/found.md"):
            assert f"The changed file “{workspace}/{file}” is not mentioned." in asked
            assert f"file, add: “{workspace}/{file}”" in handoff


async def test_two_threads_commit_in_one_repository(tmp_path: Path) -> None:
    """Each commit is its own thread's, and on record once. Two at the same moment may collide: then git refuses one."""
    replies = "".join(
        f'- {{ when: {{ user: "{name} please" }}, run: "git commit -q --allow-empty -m {name}-{n}" }}\n'
        for n in range(COMMITS)
        for name in ("ada", "bob")
    )
    ends = "".join(f'- {{ when: {{ user: "{name} please" }}, say: "Over." }}\n' for name in ("ada", "bob"))
    first = '- { when: { user: "^begin$" }, run: "git init -q . && git commit -q --allow-empty -m first" }\n'
    begun = '- { when: { user: "^begin$" }, say: "Begun." }\n'
    async with (
        served(MORNING + first + begun + replies + ends, tmp_path) as (codex, server),
        rawr_watch(codex, tmp_path / "rawr", server=server) as watching,
        person(server, codex.home.workspace) as ada,
        person(server, codex.home.workspace) as bob,
    ):
        await watching.joins(ada)
        await watching.joins(bob)
        await ada.until_over(await ada.say("begin"))
        turns = await asyncio.gather(ada.say("ada please"), bob.say("bob please"))
        await asyncio.gather(ada.until_over(turns[0]), bob.until_over(turns[1]))
        await asyncio.gather(
            *(
                watching.fact("TreeSeen", thread=one.thread, turn=turn)
                for one, turn in zip((ada, bob), turns, strict=True)
            )
        )
        log = git(codex.home.workspace, "log", "--format=%s").split()
        made = {name: sorted(one for one in log if one.startswith(name)) for name in ("ada", "bob", "first")}
        assert sorted(committed(watching, ada.thread)) == made["ada"] + made["first"]
        assert sorted(committed(watching, bob.thread)) == made["bob"]
        assert len(log) > COMMITS


def committed(watching: Watching, thread: str) -> list[str]:
    """The subjects on record for it."""
    seen = watching.facts("CommandObserved", thread=thread)
    return [commit["subject"] for one in seen for commit in one.get("commits", [])]  # type: ignore[attr-defined]


async def test_files_of_a_turn_that_was_cut_off_are_on_record(tmp_path: Path) -> None:
    """D5: rawr and Codex are killed after the command, before the turn has ended."""
    script = """\
- { when: { user: "Build it" }, run: "mkdir -p src && echo half > src/cut.py" }
- { say: "Working on it.", fault: hang }
- { when: { user: "Go on" }, say: "Nothing is left to do: all of it." }
"""
    async with desk(script, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await asyncio.to_thread(appears, it.workspace / "src" / "cut.py")
        await working(it, requests=2)
        process.kill()
        await process.communicate()
        again = await ended(await it.start("resume", "--json", *it.codex_flags()))
        assert again.code == 0, again.err
        trees = [line["fact"] for line in again.lines if line.get("fact", {}).get("fact") == "TreeSeen"]  # type: ignore[attr-defined]
        changed = [change["path"] for tree in trees for change in tree.get("changes", [])]  # type: ignore[attr-defined]
        assert f"{it.workspace}/src/cut.py" in changed, trees

"""A run ends when it is done, and not before (C6, C7): on the real Codex, as a program, with nobody there."""

import subprocess
from pathlib import Path

import pytest

from rawr.journal.kept import FILE as KEPT
from tests.e2e.test_run_program import FREE, Desk, Ran, desk, ended

FINISHES = """\
- { when: { user: "Make" }, run: "ls", usage: 12000 }
- { when: { tool: "." }, say: "I have had a look.", usage: 12000 }
- { when: { user: "Go on" }, run: "touch finished.txt", usage: 12000 }
- { say: "There is more to come.", usage: 12000, times: always }
"""


def every_turn(command: str) -> str:
    """An agent that runs the same command in every turn."""
    return f"""\
- {{ when: {{ user: "Make" }}, run: "{command}", usage: 12000 }}
- {{ when: {{ tool: "." }}, say: "One more.", usage: 12000, times: always }}
- {{ when: {{ user: "Go on" }}, run: "{command}", usage: 12000, times: always }}
"""


async def run(it: Desk, *words: str) -> Ran:
    return await ended(await it.run(*words, *FREE))


def repository(folder: Path) -> None:
    for words in (("init", "-q"), ("config", "user.email", "a@b.c"), ("config", "user.name", "Ada")):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    (folder / "README.md").write_text("hello\n")


async def test_the_check_ends_the_run_whatever_the_agent_says(tmp_path: Path) -> None:
    """C7: at the end of the turn in which the job got done, and with no turn after it."""
    async with desk(FINISHES, tmp_path) as it:
        ran = await run(it, "Make it.", "--done", "test -f finished.txt")
    assert (ran.code, ran.summary["done"], ran.summary["turns"]) == (0, "checked", 2)


async def test_on_claim_the_check_still_comes_before_a_stop(tmp_path: Path) -> None:
    """C5, C7: the budget is used up, and the job is done."""
    async with desk(FINISHES, tmp_path) as it:
        ran = await run(it, "Make it.", "--done", "test -f finished.txt", "--check", "on-claim", "--max-turns", "2")
    assert (ran.code, ran.summary["done"], ran.summary["turns"]) == (0, "checked", 2)


async def test_a_check_that_cannot_be_run_pauses_after_the_first_time(tmp_path: Path) -> None:
    """C7: in words that say what to do."""
    async with desk(FINISHES, tmp_path) as it:
        ran = await run(it, "Make it.", "--done", "nosuchcmd --all")
    assert (ran.code, ran.summary["turns"]) == (2, 1)
    assert ran.summary["stop"] == {
        "reason": "run.paused.check",
        "detail": "bash: line 1: nosuchcmd: command not found; install it and resume, or order the run again with "
        "another --done",
    }


PARTS = (
    "I finished the lexer. The parser and the printer remain.",
    "Step 1 of 5 is done.",
    "The overall work is not done. What is done: the research.",
)


@pytest.mark.parametrize("part", PARTS)
async def test_a_part_is_not_the_whole(part: str, tmp_path: Path) -> None:
    """C7: it is asked whether that was all, in the form that it has known from the first turn on."""
    script = f"""\
- {{ when: {{ user: "Make" }}, say: {part!r}, usage: 12000 }}
- {{ when: {{ user: "may mean that the job is finished" }}, say: "Nothing is left to do: all of it is there." }}
"""
    async with desk(script, tmp_path) as it:
        ran = await run(it, "Make it.")
        first = it.codex.model.requests[0]
    assert (ran.code, ran.summary["done"], ran.summary["turns"]) == (0, "self_reported", 2)
    assert "write a line that begins with “Nothing is left to do:”" in str(first.body)
    assert first.user_texts[-1] == "Make it."


async def test_a_script_that_appends_in_every_turn_makes_progress(tmp_path: Path) -> None:
    """C6: by a command, so that neither a patch nor a commit tells of it."""
    async with desk(every_turn("echo line >> out.txt"), tmp_path) as it:
        ran = await run(it, "Make it.", "--done", "test $(wc -l < out.txt) -ge 8")
        lines = (it.workspace / "out.txt").read_text().splitlines()
    assert (ran.code, ran.summary["done"], len(lines)) == (0, "checked", 8)


async def test_a_search_that_finds_nothing_is_no_error(tmp_path: Path) -> None:
    """C6: each turn commits, and ends with a `grep` that finds nothing."""
    commit = "git commit -q --allow-empty -m step && git log --oneline | wc -l; grep TODO README.md"
    async with desk(every_turn(commit), tmp_path) as it:
        repository(it.workspace)
        ran = await run(it, "Make it.", "--done", "test $(git rev-list --count HEAD) -ge 6")
    assert (ran.code, ran.summary["done"], ran.summary["turns"]) == (0, "checked", 6)


@pytest.mark.soak  # it takes six seconds, and tests/core/run has the rule
async def test_a_slow_check_is_run_less_often(tmp_path: Path) -> None:
    """C7: of a run's time it takes a tenth; before the run stops it is run once more."""
    async with desk(every_turn("echo line >> out.txt"), tmp_path) as it:
        slow = "echo checked >> ../checks; sleep 2.1; false"
        ran = await run(it, "Make it.", "--done", slow, "--max-turns", "5")
        checks = (it.workspace.parent / "checks").read_text().splitlines()
    assert (ran.code, ran.summary["turns"], len(checks)) == (3, 5, 2)


async def test_without_a_name_the_newest_run_is_meant(tmp_path: Path) -> None:
    """C13: and the person is told which; what cannot be continued is not started again."""
    script = """\
- { when: { user: "Make" }, say: "One.", usage: 12000 }
- { when: { user: "Go on" }, say: "Nothing is left to do: two.", usage: 12000 }
"""
    async with desk(script, tmp_path) as it:
        nothing = await it.rawr("resume")
        stopped = await run(it, "Make it.", "--max-turns", "1")
        idle = await it.rawr("pause")
        went_on = await ended(await it.start("resume", "--max-turns", "5", "--json", *it.codex_flags()))
        again = await ended(await it.start("resume", str(stopped.summary["run"]), "--json", *it.codex_flags()))
        none = await it.rawr("resume")
    assert (nothing.code, nothing.err.partition(" `")[0]) == (1, "rawr: There is no run to continue.")
    assert (idle.code, idle.err.partition(" `")[0]) == (1, "rawr: No run is under way.")
    assert (went_on.code, went_on.summary["done"]) == (0, "self_reported")
    assert went_on.err.startswith(f"rawr: run {stopped.summary['run']} Make it.")
    assert again.code == 0
    assert "nothing was continued" in again.err
    assert none.code == 1
    assert f"{stopped.summary['run']}, the newest, is done. `rawr override" in none.err


async def test_commits_that_the_order_allows_need_nobody(tmp_path: Path) -> None:
    """C10: Codex's sandbox keeps `.git` from being written, so a commit asks to leave it."""
    commit = "git add README.md && git commit -qm one"
    script = f"""\
- {{ when: {{ user: "Make" }}, run: {{ cmd: "{commit}", escalate: true, why: "It has to be kept." }}, usage: 12000 }}
- {{ when: {{ tool: "." }}, say: "It is kept.", usage: 12000, times: always }}
"""
    async with desk(script, tmp_path) as it:
        repository(it.workspace)
        allowed = ("--allow", "git add", "--allow", "git commit", "--unsafe", "decline")
        ran = await ended(await it.run("Make it.", "--done", "git log -1", *allowed))
    assert (ran.code, ran.summary["done"], ran.summary["turns"]) == (0, "checked", 1)
    assert ran.summary["allow"] == ["git add", "git commit"]


async def test_a_job_that_was_done_before_a_guard_stops_the_run(tmp_path: Path) -> None:
    """C7: the agent never did anything, and never said that it is done."""
    async with desk('- { say: "Hm.", usage: 12000, times: always }\n', tmp_path) as it:
        (it.workspace / "a.txt").write_text("there")
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[rawr_full_auto]\nno_progress_turns = 1\n")
        ran = await run(it, "Make it.", "--done", "test -e a.txt", "--check", "on-claim")
    assert (ran.code, ran.summary["done"]) == (0, "checked"), ran.summary


async def test_a_turn_that_fails_after_its_work(tmp_path: Path) -> None:
    """C7: the check is run at its end all the same."""
    script = '- { run: "touch finished.txt", usage: 12000 }\n- { fault: { http: 401 } }\n'
    async with desk(script, tmp_path) as it:
        ran = await run(it, "Make it.", "--done", "test -f finished.txt")
    assert (ran.code, ran.summary["done"]) == (0, "checked"), ran.summary


async def test_what_the_check_writes_is_no_progress(tmp_path: Path) -> None:
    """C6."""
    script = '- { when: { tool: "" }, run: "cat a.txt", usage: 12000 }\n- { say: "Hm.", usage: 12000 }\n' * 6
    async with desk(script.replace('when: { tool: "" }, ', ""), tmp_path) as it:
        (it.workspace / "a.txt").write_text("there")
        ran = await run(it, "Make it.", "--done", "date +%N > check.log; exit 1", "--max-turns", "6")
    assert ran.code == 3
    assert ran.summary["stop"]["reason"] in ("run.stopped.churn", "run.stopped.progress"), ran.summary  # type: ignore[index]


async def test_no_secret_of_a_run_that_is_done_is_kept(tmp_path: Path) -> None:
    """D12."""
    async with desk('- { say: "Nothing is left to do: built." }\n', tmp_path) as it:
        ran = await run(it, "Build it with GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345.")
        assert (ran.code, (it.home / KEPT).exists()) == (0, False), ran.err

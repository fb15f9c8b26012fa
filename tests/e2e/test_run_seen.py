"""What a person sees of a run while it works, and how it calls them back (C18). On the real Codex, in a terminal."""

import json
import re
from pathlib import Path

from tests.e2e.seat import ASKS, DEADLINE, run, wants
from tests.e2e.test_run_program import DONE, FREE, desk, ended

PLAN = '- { plan: ["doing: Read the code", "todo: Write it"], usage: 12000 }\n'
LONG = '- { run: "for i in 1 2 3 4 5 6 7 8 9; do test -e go && break; sleep 1; done" }\n'


def seconds(line: str) -> int:
    """How long what runs now has been running, according to the last line."""
    found = re.search(r"(\d+):(\d\d) \| turn", line)
    return int(found[1]) * 60 + int(found[2]) if found else -1


async def test_the_last_line_ticks(tmp_path: Path) -> None:
    """What runs and for how long, the plan's step, tokens, context and budget."""
    async with run(PLAN + LONG + DONE, tmp_path, "Build it.", *FREE, "--max-minutes", "90") as (it, screen):
        await screen.until(lambda _: screen.last.startswith("$ for i in") and seconds(screen.last) >= 0)
        before = seconds(screen.last)
        await screen.until(lambda _: seconds(screen.last) >= before + 2, deadline=DEADLINE)
        for part in ("turn 1/", "plan 0/2 Read the code", "tokens", "% left", "/90 min"):
            assert part in screen.last, screen.last
        (it.workspace / "go").touch()
        assert await screen.over() == 0


async def test_a_question_counts_down_and_calls_for_a_person(tmp_path: Path) -> None:
    """The time that is left is before the answer; a command of the person's is run, now and at the end."""
    calls = tmp_path / "calls"
    notify = f'cat >> {calls}; echo "$RAWR_OCCASION $RAWR_TEXT" >> {calls}.txt'
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", *ASKS, "--notify", notify) as (_, screen):
        await screen.asked("touch ../proof.txt")
        await screen.until(lambda _: re.fullmatch(r"14:5\d left >", screen.last))
        await screen.until(lambda _: "14:58 left >" in screen.last, deadline=DEADLINE)
        assert screen.title == "rawr question: Build it."
        screen.says("y")
        assert await screen.over() == 0
    told = [json.loads(line) for line in calls.read_text().splitlines()]
    assert [(one["occasion"], one["goal"]) for one in told] == [("question", "Build it."), ("done", "Build it.")]
    asked, done = (tmp_path / "calls.txt").read_text().splitlines()
    assert "touch ../proof.txt" in asked
    assert done == "done The agent says the job is done; nothing checked it."


async def test_plain_lines_have_their_time_and_say_what_begins(tmp_path: Path) -> None:
    """Nothing is redrawn there, so a command has a line when it starts."""
    async with desk('- { run: "true" }\n' + DONE, tmp_path) as it:
        ran = await ended(await it.start("run", "Build it.", "--plain", *FREE, *it.codex_flags()))
    assert ran.code == 0, ran.err
    lines = [line for line in ran.out.splitlines() if " start " in line or " run " in line]
    assert all(re.match(r"\d\d:\d\d:\d\d (start|run) +\$ true", line) for line in lines[:2]), ran.out


async def test_the_summary_breaks_no_word_on_a_narrow_terminal(tmp_path: Path) -> None:
    """C18: the command that continues can be copied."""
    script = '- { say: "Hm.", times: always }\n'
    async with run(script, tmp_path, "Build it.", "--max-turns", "2", *FREE, columns=34) as (_, screen):
        assert await screen.over() == 3
        lines = [re.sub(r"r\d+|\d:\d\d", "_", line.strip()) for line in screen.text.splitlines() if line.strip()]
        assert lines[-5:] == [
            "Not done: stopped.",
            "run.stopped.turns: 2 of 2.",
            "2 turns, 2 k tokens, _.",
            "To continue:",
            "rawr resume _ --max-turns 4",
        ]

"""``rawr run`` from compaction to compaction, with nothing configured: in the host, on the real Codex."""

import os
import re
import signal
from pathlib import Path

from tests.e2e.beside import Told
from tests.e2e.golden import HAPPY, JOB, PACKET, SUMMARY, WORK, answers
from tests.e2e.in_force import contexts
from tests.e2e.shipped import TO_THE_END, machine, once, running, spoken, told_of
from tests.e2e.test_run_program import DONE, FREE, ended

PATH = answers("Heads-up", PACKET) + SUMMARY


async def test_a_host_that_is_killed_says_nothing_twice(tmp_path: Path) -> None:
    """D5, A14: in the middle of the sequence; the next host takes it up where it stood."""
    packet = answers("Heads-up", PACKET).replace(" }\n", ", fault: hang }\n")
    async with machine(WORK + packet + packet + SUMMARY + TO_THE_END, tmp_path) as it:
        async with running(it, "run", JOB, *FREE) as story:
            await it.codex.model.wait_for_async(lambda request: "Heads-up" in request.last_user, deadline=30)
            os.kill(int(str((await it.status())["pid"])), signal.SIGKILL)
            await story.over()
        it.codex.model.release()
        async with running(it, "resume") as story:
            await story.over()
        assert (story.summary["status"], story.summary["compactions"]) == ("done", 1), story.warnings
        texts = it.codex.model.requests[-1].user_texts
        assert sum("] Handoff: the context" in text for text in texts) == 1
        said = [text for one in it.codex.model.requests for text in one.user_texts]
        assert len({text for text in said if "Heads-up: we pause" in text}) == 1


PHASE = "- {{ call: {{ tool: phase_complete, arguments: {{ phase: {0}, summary: Read. }} }}, usage: 95000 }}\n"
SAYS = '- {{ say: "{0}", usage: 100000 }}\n'


async def test_the_next_one_waits_for_two_turns_of_work(tmp_path: Path) -> None:
    """A7, A8: a phase that ends right after a compaction is put off; one that ends a turn later is not."""
    goes_on = '- { when: { user: "Handoff" }, say: "I go on with the draft.", usage: 95000 }\n'
    packet = answers("(?s)Heads-up.*ship", PACKET)
    again = PHASE.format("draft") + SAYS.format("The draft is read.")
    last = PHASE.format("ship") + SAYS.format("It is shipped now.")
    script = WORK + packet + PATH + goes_on + again + last + SUMMARY + TO_THE_END
    async with machine(script, tmp_path) as it:
        story = await told_of(it)
        assert (story.summary["status"], story.summary["compactions"]) == ("done", 2), story.warnings
        once(story, "compact.deferred.cooldown")
        assert spoken(story) == [*HAPPY, "user", "agent", "user", "agent", *HAPPY[2:]]


async def test_a_mark_without_anything_to_hand_over(tmp_path: Path) -> None:
    """A7: not packet-worthy."""
    script = PHASE.format("research") + SAYS.format("Ok.") + DONE
    async with machine(script, tmp_path) as it:
        story = await told_of(it)
        once(story, "compact.deferred.not_packet_worthy")
        assert "heads_up" not in spoken(story)


NOTES = (
    "mkdir .scratch;echo all > .scratch/agent-$(basename ../codex/sessions/*/*/*/*.jsonl .jsonl | tail -c 9).scratch.md"
)
"""The agent's name is the end of its thread's."""


async def test_notes_first(tmp_path: Path) -> None:
    """A17, and its one setting: the agent writes its notes before the packet, and the handoff names the file."""
    script = (
        WORK
        + answers("Heads-up", "Understood.")
        + '- { when: { user: "Append" }, run: "NOTES" }\n'.replace("NOTES", NOTES)
        + answers("Append", "Noted.")
        + answers("continuation packet", PACKET)
        + SUMMARY
        + TO_THE_END
    )
    async with machine(script, tmp_path) as it:
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[rawr_auto_compaction]\nscratch_write_enabled = true\n")
        story = await told_of(it)
        assert story.summary["compactions"] == 1, story.warnings
        [notes] = (it.workspace / ".scratch").iterdir()
        assert f"Your notes are in .scratch/{notes.name}." in it.codex.model.requests[-1].last_user


async def test_prompts_are_seeded_and_stay_as_they_are_edited(tmp_path: Path) -> None:
    """A22, A10: what a person writes is kept; what cannot be read is told with file and line, and the run goes on."""
    brief = DONE.replace("- ", '- when: { user: "^Be brief" }\n  ')
    async with machine(brief + WORK + PATH + TO_THE_END, tmp_path) as it:
        await told_of(it, prompt="Be brief.")
        prompts = it.home / "auto-compact"
        assert len(list(prompts.glob("*.md"))) >= 7
        mine = "[rawr {sequence}] Heads-up, in the user's own words. Why: {reason}.\n"
        (prompts / "heads-up.md").write_text(mine)
        broken = (prompts / "handoff.md").read_text().replace("---\n", "---\nbroken: [\n", 1)
        (prompts / "handoff.md").write_text(broken)
        story = await told_of(it)
        assert story.summary["compactions"] == 1, story.warnings
        assert any(
            "in the user's own words. Why: this is a good place" in one.last_user for one in it.codex.model.requests
        )
        [warning] = story.warnings
        assert re.search(r"handoff.md:\d+.*this is not YAML", warning), warning
        assert ((prompts / "heads-up.md").read_text(), (prompts / "handoff.md").read_text()) == (mine, broken)


TASK = "  Do task 2, the shapes.\n\n  1. round  "


async def test_a_new_topic_waits_for_the_compaction(tmp_path: Path) -> None:
    """A16, A5: what a person gives a run to do next opens a new topic; the sequence runs, and then it is delivered."""

    def does(user: str, text: str) -> str:
        work = f'- {{ when: {{ user: "{user}" }}, run: "true", usage: 60000 }}\n'
        return work + f'- {{ say: "{text}", usage: 60000 }}\n'

    first, second = "Added the list of colours. The check passes.", "Added the list of shapes. The check passes."
    handed = '- { when: { user: "Handoff" }, say: "I am ready.", usage: 20000 }\n'
    last = '- { when: { user: "." }, say: "Nothing is left to do: all is well.", usage: 60000, times: always }\n'
    hangs = does("task 1", first).replace(" usage: 60000 }\n- { say", " fault: hang, usage: 60000 }\n- { say")
    script = hangs + PATH + handed + does("^  Do task 2", second) + last
    async with machine(script, tmp_path) as it:
        async with running(it, "run", "Do task 1, the colours.", *FREE) as story:
            await it.codex.model.wait_for_async(lambda request: request.number == 1, deadline=30)
            [line, _] = (await it.rawr("status", "--json")).lines
            run = line["run"]
            assert isinstance(run, dict)
            await it.rawr("pause", str(run["id"]))
            it.codex.model.release()
            await story.over()
        assert (story.summary["status"], spoken(story)) == ("paused", ["user", "agent"])
        told = await it.rawr("override", str(run["id"]), TASK)
        assert told.code == 0, told.err
        back = Told()
        back.lines = (await ended(await it.start("attach", str(run["id"]), "--json"))).lines
        texts = list(dict.fromkeys(one.last_user for one in it.codex.model.requests if not one.is_compaction))
        places = [next(n for n, text in enumerate(texts) if mark in text) for mark in ("Heads-up", "] Handoff", TASK)]
        assert (places, texts[places[-1]]) == (sorted(places), TASK)
        [decided] = back.evidence("compact.decided.boundary")
        assert (decided["tier"], decided["satisfied"]) == ("early", ["topic_shift"])


async def test_limits_are_no_wider_than_ordered(tmp_path: Path) -> None:
    """D11: the user's own Codex allows everything. A run that says nothing has its own limits, also after a kill."""
    script = '- { say: "Working on it.", fault: hang }\n' + DONE
    async with machine(script, tmp_path) as it:
        file = it.codex.home.config_file
        file.write_text('approval_policy = "never"\nsandbox_mode = "danger-full-access"\n' + file.read_text())
        async with running(it, "run", "Build it.") as story:
            await it.codex.model.wait_for_async(lambda request: request.number == 1, deadline=30)
            os.kill(int(str((await it.status())["pid"])), signal.SIGKILL)
            await story.over()
        it.codex.model.release()
        async with running(it, "resume") as story:
            await story.over()
        assert story.summary["status"] == "done", story.warnings
        assert contexts(it.codex, str(story.summary["thread"])) == [("workspace-write", "on-request")] * 2

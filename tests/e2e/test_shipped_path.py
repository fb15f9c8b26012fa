"""The golden path of ``rawr run``, with nothing configured: in the host, on the real Codex, in a real repository.

What stands here has its corners in the tests beside it, which set what they need; here everything is as users get it.
"""

from pathlib import Path

from tests.e2e.golden import HAPPY, JOB, PACKET, SUMMARY, WORK, answers
from tests.e2e.shipped import TO_THE_END, machine, once, running, spoken, told_of
from tests.e2e.test_hostile_packet import HOSTILE, blocks
from tests.e2e.test_run_program import FREE

PATH = answers("Heads-up", PACKET) + SUMMARY


async def test_from_a_phase_that_ends_to_the_handoff(tmp_path: Path) -> None:
    """A9, A10, A11, A13, A14, A23, B9: each step once, in this order, and the record says how it went."""
    async with machine(WORK + PATH + TO_THE_END, tmp_path) as it:
        story = await told_of(it)
        assert (story.summary["status"], story.summary["compactions"]) == ("done", 1), story.warnings
        assert spoken(story) == HAPPY
        once(
            story,
            "compact.decided.boundary",
            "packet.taken.agent",
            "compact.done.both_signals",
            "handoff.sent.compacted",
            "compact.audited.sequence",
        )
        requests = it.codex.model.requests
        heads_up = next(one.last_user for one in requests if "Heads-up" in one.last_user)
        assert "phase boundary, research" in heads_up
        body = (it.home / "auto-compact" / "auto-compact.md").read_text().split("---\n", 2)[2].strip()
        assert body in heads_up
        handoff = requests[-1].last_user
        assert handoff.endswith("Continue from here.")
        for told in (f"```packet\n{PACKET}```", "plan, done: “research”", f"Goal: {JOB}"):
            assert told in handoff
        [audit] = story.evidence("compact.audited.sequence")
        told_apart = ("trigger", "tier", "percent", "packet_author", "tokens_before", "judgment", "outcome")
        assert [audit[key] for key in told_apart] == [
            "compact.decided.boundary", "asap", 64, "agent", 104_000, None, "compacted",
        ]  # fmt: skip
        assert not (it.home / "config.toml").exists()
        assert "compact.audited.sequence" in (await it.rawr("log", str(story.summary["thread"]))).out


async def test_an_agent_that_writes_no_packet(tmp_path: Path) -> None:
    """A12: rawr does it, and says that it was rawr, before the compaction and in the handoff."""
    script = WORK + answers("Heads-up", "No.") + answers("does not agree", "Still no.") + SUMMARY + TO_THE_END
    async with machine(script, tmp_path) as it:
        story = await told_of(it)
        assert story.summary["compactions"] == 1, story.warnings
        once(story, "packet.written.watcher", "handoff.sent.compacted")
        [compaction] = [one for one in it.codex.model.requests if one.is_compaction]
        assert any("written by rawr" in text for text in compaction.texts("assistant"))
        assert "written by rawr" in it.codex.model.requests[-1].last_user


async def test_a_packet_cannot_leave_its_block(tmp_path: Path) -> None:
    """A14, D3."""
    async with machine(WORK + answers("Heads-up", HOSTILE) + SUMMARY + TO_THE_END, tmp_path) as it:
        story = await told_of(it)
        assert story.summary["compactions"] == 1, story.warnings
        handoff = it.codex.model.requests[-1].last_user
        assert blocks(handoff)[0] == ("packet", HOSTILE.rstrip("\n"))
        assert dict(blocks(handoff))["directives"] == f"Goal: {JOB}"


async def test_a_summary_that_is_empty_loses_nothing_of_the_record(tmp_path: Path) -> None:
    """D3."""
    empty = '- { when: { compaction: true }, say: " " }\n'
    async with machine(WORK + answers("Heads-up", PACKET) + empty + TO_THE_END, tmp_path) as it:
        story = await told_of(it, prompt=f"{JOB} Never push to main.")
        assert story.summary["compactions"] == 1, story.warnings
        handoff = it.codex.model.requests[-1].last_user
        for told in ("plan, done: “research”", "plan, to do: “ship”", "Never push to main."):
            assert told in handoff


async def test_a_compaction_that_fails_brings_no_handoff(tmp_path: Path) -> None:
    """A13: the run goes on as it was."""
    fails = "- { when: { compaction: true }, fault: { http: 400 } }\n"
    on = TO_THE_END.replace("Handoff", "Go on with the job")
    async with machine(WORK + answers("Heads-up", PACKET) + fails + on, tmp_path) as it:
        story = await told_of(it)
        assert (story.summary["status"], story.summary["compactions"]) == ("done", 0), story.warnings
        assert "handoff" not in spoken(story)
        [audit] = story.evidence("compact.audited.sequence")
        assert audit["outcome"] == "failed"


async def test_what_a_person_says_meanwhile_comes_after_the_handoff(tmp_path: Path) -> None:
    """A15: in order, unchanged."""
    said = ("  and mind the tests ", "then the docs")
    packet = answers("Heads-up", PACKET).replace(" }\n", ", fault: hang }\n")
    heard = '- { when: { user: "." }, say: "Nothing is left to do.", usage: 22000, times: always }\n'
    async with machine(WORK + packet + SUMMARY + heard, tmp_path) as it:
        async with running(it, "run", JOB, *FREE) as story:
            await it.codex.model.wait_for_async(lambda request: "Heads-up" in request.last_user, deadline=30)
            [line, _] = (await it.rawr("status", "--json")).lines
            run = line["run"]
            assert isinstance(run, dict)
            for text in said:
                told = await it.rawr("override", str(run["id"]), text)
                assert told.code == 0, told.err
            it.codex.model.release()
            await story.over()
        assert story.summary["compactions"] == 1, story.warnings
        assert spoken(story) == [*HAPPY, "user", "agent", "user", "agent"]
        assert it.codex.model.requests[-1].user_texts[-2:] == said


async def test_an_emergency_needs_no_boundary(tmp_path: Path) -> None:
    """A6"""
    script = '- { say: "I have read all of it.", usage: 225000 }\n' + answers("Heads-up", PACKET, usage=228_000)
    async with machine(script + SUMMARY + TO_THE_END, tmp_path) as it:
        story = await told_of(it)
        assert spoken(story) == HAPPY, story.warnings
        once(story, "compact.decided.emergency")


async def test_without_room_for_a_packet_rawr_writes_it(tmp_path: Path) -> None:
    """A10, A12: no turn fits any more; heads-up and packet go straight into the history."""
    script = '- { say: "I have read all of it.", usage: 262000 }\n' + SUMMARY + TO_THE_END
    async with machine(script, tmp_path) as it:
        story = await told_of(it)
        assert spoken(story) == ["user", "agent", "compaction", "handoff", "agent"], story.warnings
        [compaction] = [one for one in it.codex.model.requests if one.is_compaction]
        assert any("Heads-up" in text for text in compaction.texts("user"))
        assert any("written by rawr" in text for text in compaction.texts("assistant"))


async def test_a_turn_is_landed_before_codex_compacts_by_itself(tmp_path: Path) -> None:
    """A19, A9: steered to stop, the packet in that very turn, then compaction and handoff."""
    script = """
- { run: "true", usage: 200000 }
- { run: "true", usage: 243000 }
- { run: "true", usage: 250000, fault: hang }
"""
    script += answers("nearly full", PACKET, usage=252_000) + SUMMARY + TO_THE_END
    async with machine(script, tmp_path) as it:
        async with running(it, "run", JOB, *FREE) as story:
            await story.done("SteerTurn")
            await it.codex.model.wait_for_async(lambda request: request.number == 3, deadline=30)
            it.codex.model.release()
            await story.over()
        assert spoken(story) == ["user", "landing", "packet", "compaction", "handoff", "agent"], story.warnings
        [audit] = story.evidence("compact.audited.sequence")
        assert (audit["trigger"], audit["packet_author"]) == ("compact.decided.landing", "agent")


async def test_where_codex_is_faster_the_record_follows(tmp_path: Path) -> None:
    """A19, A23: recognised as Codex's own, audited, and the agent gets the record once."""
    script = '- { run: "true", usage: 60000 }\n- { run: "true", usage: 262000 }\n' + SUMMARY
    script += (
        '- { when: { user: "three phases" }, say: "I go on without it.", usage: 7000, fault: hang }\n' + TO_THE_END
    )
    async with machine(script, tmp_path) as it:
        async with running(it, "run", JOB, *FREE) as story:
            await story.decided("handoff.sent.recovery")
            await it.codex.model.wait_for_async(lambda request: request.number == 4, deadline=30)
            it.codex.model.release()
            await story.over()
        assert story.summary["status"] == "done", story.warnings
        once(story, "handoff.sent.recovery", "compact.audited.outside")
        assert "compact.audited.sequence" not in story.reasons()
        assert sum("not by rawr" in text for text in it.codex.model.requests[-1].user_texts) == 1

"""Joining late, and threads that must not be joined (D1)."""

from pathlib import Path

from tests.e2e.beside import COMMITTED, MORNING, WORK, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, SUMMARY, answers

GOLDEN = answers("Heads-up", COMMITTED) + SUMMARY + CONTINUE


async def test_joined_in_the_turn_before_the_step_is_completed(tmp_path: Path) -> None:
    """Joined before the commit and before the step is completed: everything that makes the boundary is seen live."""
    script = WORK.replace("usage: 80000 }", "usage: 80000, fault: hang }") + GOLDEN
    async with served(script, tmp_path) as (codex, server), person(server, codex.home.workspace) as ada:
        await ada.say("three phases please, and never push")
        await codex.model.wait_for_async(lambda r: r.number == 2, deadline=20)
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.fact("ThreadJoined", thread=ada.thread)
            codex.model.release()
            await ada.until_told(GOES_ON)


async def test_joined_late_it_knows_what_was_said_before(tmp_path: Path) -> None:
    """D3: the messages from before the join are in the record; a greeting is not the goal, and says nothing later."""
    script = MORNING + WORK + GOLDEN
    async with served(script, tmp_path) as (codex, server), person(server, codex.home.workspace) as ada:
        await ada.until_over(await ada.say("good morning"))
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.fact("ThreadJoined", thread=ada.thread)
            await ada.say("three phases please")
            await ada.until_told(GOES_ON)
            handoff = codex.model.requests[-1].last_user
            assert "Goal: three phases please" in handoff
            assert "good morning" not in handoff


async def test_a_thread_of_an_older_codex(tmp_path: Path) -> None:
    """D1, D3: ``thread/items/list`` is refused for it; the golden path and what was said before are the same."""
    script = MORNING + WORK + GOLDEN
    async with (
        served(script, tmp_path) as (codex, server),
        person(server, codex.home.workspace, history="legacy") as ada,
    ):
        await ada.until_over(await ada.say("good morning"))
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            joined = await watching.fact("ThreadJoined", thread=ada.thread)
            assert joined["messages"] == ["good morning"]
            assert joined["session_id"] == ada.thread  # B3: Codex names the session after its first thread
            await ada.say("three phases please")
            await ada.until_told(GOES_ON)


async def test_sub_agents_are_left_alone(tmp_path: Path) -> None:
    """D1: a sub-agent is not announced by thread/started; its first sign of life is thread/status/changed."""
    spawn = '{ tool: spawn_agent, namespace: multi_agent_v1, arguments: { message: "Look into it." } }'
    script = (
        '- { when: { user: "Look into it" }, say: "I looked into it.", usage: 5000, fault: hang }\n'
        + MORNING
        + f"- {{ call: {spawn}, usage: 50000 }}\n"
        + '- { say: "Spawned." }\n'
    )
    async with (
        served(script, tmp_path) as (codex, server),
        person(server, codex.home.workspace) as ada,
        rawr_watch(codex, tmp_path / "rawr", server=server) as watching,
    ):
        await ada.until_over(await ada.say("good morning"))
        await watching.fact("ThreadJoined", thread=ada.thread)
        await ada.until_over(await ada.say("spawn"))
        await codex.model.wait_for_async(lambda r: "Look into it" in r.last_user, deadline=20)
        codex.model.release()
        await ada.until_told("I looked into it.")
        await watching.fact("ThreadOpened", parent=ada.thread)  # looked at, and not joined
        assert {one["thread"] for one in watching.facts("ThreadJoined")} == {ada.thread}

"""A thread keeps its limits on the real Codex, whoever dies and whoever changes them (D11).

The user's config allows everything and offers no plan tool, so whatever rawr does not say again is missing at once. The
truth is what Codex wrote into its own session file for each turn, and the tools that the model was offered.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.codex.unix_socket import UnixDialer
from rawr.codex.wire import methods
from rawr.codex.wire.items import TextInput
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from tests.codex.watch import connected
from tests.e2e.golden import policy
from tests.e2e.in_force import READ_ONLY, WIDE, contexts, lacking, session
from tests.e2e.rig import DEADLINE, Rig, Transport, rig
from tests.e2e.test_full_auto import DONE, GOAL, is_over, result, run_of

SAYS = '- { say: "Yes.", times: always }\n'
LIMITED = Order(goal=GOAL, unsafe="decline")
TELLING: tuple[type[facts.ThreadOpened | facts.ThreadJoined | facts.SettingsUpdated], ...] = (
    facts.ThreadOpened,
    facts.ThreadJoined,
    facts.SettingsUpdated,
)


@asynccontextmanager
async def wide(script: str, folder: Path, *, transport: Transport = "stdio") -> AsyncIterator[Rig]:
    async with rig(script, folder, transport=transport, check=False, extra_config=WIDE) as it:
        yield it


async def read_only(it: Rig) -> str:
    return await it.thread(approvals="on-request", sandbox="read-only")


async def kill_and_join(it: Rig) -> None:
    joined = it.expect(facts.ThreadJoined)
    await it.kill_server()
    await joined


async def test_limits_and_tools_survive_every_restart(tmp_path: Path, transport: Transport) -> None:
    """D11: Codex is killed, rawr is started anew, both, and after a compaction: each turn has the same."""
    async with wide(SAYS, tmp_path, transport=transport) as it:
        async with it.running(policy=policy()):
            thread = await read_only(it)
            await it.turn(thread, "One.")
            await kill_and_join(it)
            await it.turn(thread, "Two.")
            ended = it.expect(facts.TurnCompleted, thread=thread)
            it.rawr.compact(thread, bare=True)
            await ended
            await kill_and_join(it)
        async with it.running(policy=policy()):
            await it.turn(thread, "Three.")
            assert it.state(thread).beyond == ()
        assert set(contexts(it.codex, thread)) == {READ_ONLY}
        assert lacking(it) == []
        # Codex never said that anything else was in force.
        told = [one.in_force for kind in TELLING for one in it.facts(kind) if one.in_force is not None]
        modes = {(one.sandbox.mode, one.approvals) for one in told}
        assert modes == {READ_ONLY}


async def test_a_thread_killed_before_its_first_turn_keeps_them(tmp_path: Path, transport: Transport) -> None:
    """D11: it is on disk, and what it was started with is not. Without being told again Codex takes the config's."""
    async with wide(SAYS, tmp_path, transport=transport) as it, it.running(policy=policy()):
        thread = await read_only(it)
        await it.client.call(methods.THREAD_NAME_SET, methods.ThreadName(thread_id=thread, name="mine"))
        await kill_and_join(it)
        await it.turn(thread, "One.")
        assert contexts(it.codex, thread) == [READ_ONLY]
        assert lacking(it) == []


@pytest.mark.parametrize("ordered", ["before", "after"])
async def test_a_thread_of_which_nothing_is_left_is_replaced(tmp_path: Path, ordered: str) -> None:
    """D5, D11: Codex was killed before it wrote anything. A new thread, the same run, the same limits, said once."""
    script = '- { run: "touch proof.txt" }\n' + DONE
    async with wide(script, tmp_path) as it, it.running(policy=policy()):
        old = await read_only(it)
        over = it.rawr.expect(
            lambda taken: taken.recorded.thread not in ("", old) and is_over(it, taken.recorded.thread)(taken),
            deadline=DEADLINE,
        )
        if ordered == "before":
            lost = it.expect(facts.ServerLost)
            killing = asyncio.create_task(it.kill_server())
            await lost
            await it.rawr.record(old, facts.RunSubmitted(order=LIMITED))
            await killing
        else:
            gone = it.expect(facts.EffectFailed, lambda fact: fact.code == "missing", thread=old)
            await it.kill_server()
            await gone
            await it.rawr.record(old, facts.RunSubmitted(order=LIMITED))
        await over
        [took_over] = it.facts(facts.ThreadTookOver)
        [new] = {one.recorded.thread for one in it.seen if one.recorded.fact == took_over}
        assert (took_over.origin, run_of(it, new).id) == (old, f"r{took_over.run}")
        assert result(run_of(it, new))[:2] == ("done", "run.done.reported")
        assert "thread.replaced.unborn" in it.reasons(old)
        assert any(new in text for _, text in it.notices)
        assert set(contexts(it.codex, new)) == {READ_ONLY}
        assert not (it.workspace / "proof.txt").exists()
        assert it.user_texts().count(GOAL) == 1
        assert {one.conversation for one in it.codex.model.requests} == {new}


async def test_a_message_for_a_thread_of_which_nothing_is_left_arrives_once(tmp_path: Path) -> None:
    """A15, D5: a person's own words go to the new thread as well."""
    async with wide(SAYS, tmp_path) as it, it.running(policy=policy()):
        old = await read_only(it)
        gone = it.expect(facts.EffectFailed, lambda fact: fact.code == "missing", thread=old)
        await it.kill_server()
        await gone
        ended = it.expect(facts.TurnCompleted)
        await it.rawr.submit(old, "precious")
        await ended
        assert it.user_texts().count("precious") == 1


async def test_a_thread_that_lives_and_has_had_no_turn_is_joined_again(tmp_path: Path) -> None:
    """D5, D11: the connection was lost and the server was not. The thread is still there, and is not replaced."""
    async with wide(SAYS, tmp_path, transport="socket") as it, it.running(policy=policy()):
        thread = await read_only(it)
        joined, lost = it.expect(facts.ThreadJoined), it.expect(facts.ServerLost)
        assert it.client.link is not None
        await it.client.link.close()
        await lost
        await joined
        await it.turn(thread, "One.")
        assert contexts(it.codex, thread) == [READ_ONLY]
        assert it.facts(facts.ThreadTookOver) == []


# -- somebody else changes them ---------------------------------------------------------------------------------------


async def widen(it: Rig, thread: str, **settings: object) -> None:
    """Another client on the same server changes the thread's settings."""
    async with connected(UnixDialer(it.server.path)) as (client, _):
        told = it.expect(facts.SettingsUpdated, thread=thread)
        await client.call(methods.THREAD_SETTINGS_UPDATE, methods.ThreadSettings(thread_id=thread, **settings))  # type: ignore[arg-type]
        await told


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"sandbox_policy": {"type": "dangerFullAccess"}}, "danger-full-access"),
        ({"sandbox_policy": {"type": "readOnly", "networkAccess": True}}, "network"),
        ({"approval_policy": "never"}, "approvals never"),
        ({"approvals_reviewer": "auto_review"}, "given by"),
    ],
    ids=["sandbox", "network", "approvals", "reviewer"],
)
async def test_a_run_under_wider_limits_pauses_and_is_put_under_its_own_again(
    tmp_path: Path, settings: dict[str, object], word: str
) -> None:
    """D11: the turn is ended, the reason says what is in force and what was ordered; who resumes gets the old ones."""
    script = '- { say: "hm", fault: hang }\n' + DONE
    async with wide(script, tmp_path, transport="socket") as it, it.running(policy=policy()):
        thread = await read_only(it)
        over = it.rawr.expect(is_over(it, thread), deadline=DEADLINE)
        await it.rawr.record(thread, facts.RunSubmitted(order=LIMITED))
        await it.codex.model.wait_for_async(lambda _: True, deadline=DEADLINE)
        cut = it.expect(facts.TurnCompleted, lambda fact: fact.status == "interrupted", thread=thread)
        await widen(it, thread, **settings)
        await over
        await cut
        run = run_of(it, thread)
        assert run.stop is not None
        assert (run.status, run.stop.reason) == ("paused", "run.paused.limits")
        assert word in run.stop.detail
        assert len(contexts(it.codex, thread)) == 1
        await it.rawr.record(thread, facts.RunResumed())
        await it.rawr.expect(is_over(it, thread), deadline=DEADLINE)
        assert result(run_of(it, thread))[0] == "done"
        assert set(contexts(it.codex, thread)) == {READ_ONLY}


async def test_narrower_limits_are_noted_and_fine(tmp_path: Path) -> None:
    async with wide(SAYS, tmp_path, transport="socket") as it, it.running(policy=policy()):
        thread = await it.thread(approvals="on-request", sandbox="workspace-write")
        await it.turn(thread, "One.")
        await widen(it, thread, sandbox_policy={"type": "readOnly"}, approval_policy="untrusted")
        assert "limits.narrower.codex" in it.reasons(thread)
        assert (await it.turn(thread, "Two.")).status == "completed"


@pytest.mark.parametrize(("said", "kept"), [("", "workspace-write"), ("read-only", "read-only")])
async def test_a_thread_of_somebody_else_keeps_what_it_has(tmp_path: Path, said: facts.Sandbox, kept: str) -> None:
    """D11: taken into hand it is not widened by the config or by defaults; what a person says then is their word. And
    as long as it was only watched nothing was sent there."""
    async with wide(SAYS, tmp_path, transport="socket") as it:
        await it.server.listening()
        async with connected(UnixDialer(it.server.path)) as (client, heard):
            start = methods.ThreadStart(cwd=str(it.workspace), sandbox="workspace-write", approval_policy="on-request")
            thread = (await client.call(methods.THREAD_START, start)).thread.id
            hello = methods.TurnStart(thread_id=thread, input=[TextInput(text="Hello.")])
            await client.call(methods.TURN_START, hello)
            await heard.until(lambda: bool(heard.all(facts.TurnCompleted)))
            async with it.running(policy=policy()):
                await it.rawr.adopt(thread, sandbox=said)
                await it.turn(thread, "Go on.")
        assert contexts(it.codex, thread) == [("workspace-write", "on-request"), (kept, "on-request")]


async def test_the_session_file_is_where_the_tests_look(tmp_path: Path) -> None:
    """The tests above would pass on an empty file."""
    async with wide(SAYS, tmp_path) as it, it.running(policy=policy()):
        thread = await it.thread()
        await it.turn(thread, "One.")
        assert session(it.codex, thread).is_file()
        assert contexts(it.codex, thread) == [("danger-full-access", "never")]

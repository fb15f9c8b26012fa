"""Crashes of either side: nothing is lost and nothing is said twice (D5)."""

from pathlib import Path

from rawr.core.vocabulary import facts
from rawr.journal.reader import JournalReader
from tests.e2e.rig import Transport, rig


async def test_the_server_is_killed_and_the_thread_goes_on(tmp_path: Path, transport: Transport) -> None:
    """D5: kill -9 of Codex in the middle of a turn; the thread is joined again and takes the next message."""
    script = """
    - { say: "Remember the word: tiger." }
    - { run: "sleep 600", usage: 20000 }
    - { say: "The word was tiger." }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        await it.turn(thread, "Say a word.")
        running = it.expect(facts.ItemStarted, lambda fact: "sleep 600" in str(fact.item))
        it.rawr.submit(thread, "Now something long.")
        await running
        joined = it.expect(facts.ThreadJoined)
        await it.kill_server()
        await joined
        [lost] = it.facts(facts.ServerLost, thread="")
        assert not lost.by_us
        if transport == "stdio":
            assert lost.exit_code == -9
        state = it.state(thread)
        assert state.last_turn is not None
        assert (state.last_turn.status, state.last_turn.lost, state.turn) == ("interrupted", True, None)
        assert "turn.interrupted.lost" in it.reasons(thread)
        assert any(level == "warning" and "cut off" in text for level, text in it.notices)
        assert (await it.turn(thread, "What was the word?")).status == "completed"
        texts = it.user_texts()
        assert texts.count("Say a word.") == 1
        assert texts.count("Now something long.") == 1
        assert texts[-1] == "What was the word?"


async def test_a_message_on_its_way_when_the_server_dies_arrives_once(tmp_path: Path, transport: Transport) -> None:
    """A15, D5: whether the dying server had taken the message or not, the agent gets it exactly once."""
    script = """
    - { say: "Hello." }
    - { say: "Got it.", times: always }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        await it.turn(thread, "Hi.")
        submitted = it.expect(facts.UserSubmitted)
        it.rawr.submit(thread, "precious")
        await submitted
        joined = it.expect(facts.ThreadJoined)
        await it.kill_server()
        await joined
        await it.heard(thread, "last")
        assert it.user_texts().count("precious") == 1
        assert it.user_texts()[-1] == "last"
        assert it.state(thread).sent == ()


async def test_rawr_is_restarted_and_goes_on(tmp_path: Path, transport: Transport) -> None:
    """B10, C13: a cold start reads the journal and goes on where the last run stopped; the thread is joined again when
    there is something to say to it."""
    script = """
    - { say: "One.", plan: ["done: a", "doing: b"], usage: 20000 }
    - { say: "One, again.", usage: 21000 }
    - { say: "Two.", usage: 30000 }
    """
    async with rig(script, tmp_path, transport=transport) as it:
        async with it.running():
            thread = await it.thread()
            await it.turn(thread, "First.")
            before = it.state(thread)
        async with it.running():
            after = it.state(thread)
            assert (after.plan, after.usage, after.turns, after.last_turn) == (
                before.plan,
                before.usage,
                before.turns,
                before.last_turn,
            )
            await it.turn(thread, "Second.")
            assert it.user_texts()[-2:] == ["First.", "Second."]
        with JournalReader.open(it.home) as reader:
            numbers = [row.seq for row in reader.facts()]
        assert numbers == list(range(1, len(numbers) + 1))


async def test_what_was_queued_survives_a_restart_of_rawr(tmp_path: Path) -> None:
    """A15, C13: a message that waited when rawr stopped is delivered when it is back, unchanged."""
    script = """
    - { say: "Hello." }
    - { say: "busy", fault: hang }
    - { say: "Got the waiting one.", times: always }
    """
    async with rig(script, tmp_path, transport="stdio", check=False) as it:
        async with it.running():
            thread = await it.thread()
            await it.turn(thread, "Hi.")
            await it.turn_under_way(thread, "Hang.")
            queued = it.expect(facts.UserSubmitted)
            it.rawr.submit(thread, "I waited.")
            await queued
        async with it.running():
            ended = it.expect(facts.TurnCompleted, thread=thread)
            await ended
            assert it.user_texts()[-1] == "I waited."
            assert it.user_texts().count("I waited.") == 1

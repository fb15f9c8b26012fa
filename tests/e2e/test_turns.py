"""Turns on the real Codex: what is seen, what is known afterwards, who may speak when."""

import asyncio
from pathlib import Path

from rawr.core.state.thread import StepDone, Usage
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.facts import PlanStep
from tests.e2e.rig import Transport, rig


async def test_a_turn_is_known_by_its_items_plan_and_usage(tmp_path: Path, transport: Transport) -> None:
    """C2, B3: the state after a turn holds what really happened in it."""
    script = """
    - say: Looking.
      plan: ["doing: research", "todo: draft"]
      run: "printf 'one\\ntwo\\n'; exit 3"
      usage: 20000
    - plan: ["done: research", "doing: draft"]
      usage: 30000
    - say: Half way.
      usage: { input: 40000, cached: 30000, output: 500 }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        ended = await it.turn(thread, "Begin.")
        state = it.state(thread)
        assert ended.status == "completed"
        assert state.plan.steps == (PlanStep("research", "completed"), PlanStep("draft", "in_progress"))
        assert [(done.step, done.turn) for done in state.plan.trail] == [("research", ended.turn)]
        assert isinstance(state.plan.trail[0], StepDone)
        assert state.usage == Usage(in_context=40500, spent=90500, window=258400)
        assert state.last_turn is not None
        assert (state.last_turn.commands, state.last_turn.commands_failed) == (1, 1)
        assert state.last_turn.agent_text == "Half way."
        [command] = [one.item for one in it.facts(facts.ItemCompleted) if isinstance(one.item, items.Command)]
        assert (command.exit_code, command.output_tail.split()) == (3, ["one", "two"])
        assert not state.busy


async def test_messages_wait_their_turn_unchanged(tmp_path: Path, transport: Transport) -> None:
    """A15: what is submitted while a turn runs is delivered after it, in order, exactly as it was typed."""
    script = """
    - { say: "first", fault: hang }
    - { say: "second" }
    - { say: "third" }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        await it.turn_under_way(thread, "one")
        it.rawr.submit(thread, "  two\n\n```not a fence\n ")
        last = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == "third")
        it.rawr.submit(thread, "three")
        it.codex.model.release()
        await last
        assert it.user_texts()[-3:] == ["one", "  two\n\n```not a fence\n ", "three"]
        assert it.reasons(thread).count("turn.queued.busy") == 2


async def test_several_threads_at_once(tmp_path: Path, transport: Transport) -> None:
    """C12: threads run side by side, each with its own conversation and its own state."""
    script = """
    - { when: { first_user: "n=" }, run: "echo working", usage: 15000 }
    - { say: "ready", usage: 16000 }
    """
    count = 6
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        threads = await asyncio.gather(*(it.thread() for _ in range(count)))
        await asyncio.gather(*(it.turn(thread, f"n={number}") for number, thread in enumerate(threads)))
        for number, thread in enumerate(threads):
            state = it.state(thread)
            assert (state.turns, state.usage and state.usage.in_context) == (1, 16000)
            texts = [
                one.item.text
                for one in it.facts(facts.ItemCompleted, thread=thread)
                if isinstance(one.item, items.UserMessage)
            ]
            assert texts == [f"n={number}"]
        started = [one.recorded.seq for one in it.seen if isinstance(one.recorded.fact, facts.TurnStarted)]
        ended = [one.recorded.seq for one in it.seen if isinstance(one.recorded.fact, facts.TurnCompleted)]
        assert min(ended) > sorted(started)[1], "no two turns ran at the same time"


async def test_steering_reaches_the_running_turn(tmp_path: Path, transport: Transport) -> None:
    """A19: a steer becomes part of the running turn, before its next model call."""
    script = """
    - { run: "echo busy", fault: { hang_after: 2 } }
    - { say: "Understood." }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        ended = it.expect(facts.TurnCompleted)
        await it.turn_under_way(thread, "Work.")
        sent = it.expect(facts.EffectSucceeded, lambda fact: fact.effect.endswith(".0"), thread=thread)
        it.rawr.steer(thread, "Stop after this.")
        await sent
        it.codex.model.release()
        await ended
        assert it.user_texts()[-2:] == ["Work.", "Stop after this."]
        assert it.state(thread).turns == 1
        assert it.state(thread).sent == ()


async def test_a_steer_with_nothing_to_steer_starts_a_turn(tmp_path: Path, transport: Transport) -> None:
    async with rig("- say: Yes.", tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        ended = it.expect(facts.TurnCompleted)
        it.rawr.steer(thread, "Anyone there?")
        await ended
        assert it.user_texts()[-1] == "Anyone there?"
        assert "steer.queued.idle" in it.reasons(thread)


async def test_interrupt_ends_the_turn(tmp_path: Path, transport: Transport) -> None:
    """C5: a person's stop ends the running turn, and the thread is free for the next message."""
    script = """
    - { say: "never heard", fault: hang }
    - { say: "Fresh start." }
    """
    async with rig(script, tmp_path, transport=transport) as it, it.running():
        thread = await it.thread()
        ended = it.expect(facts.TurnCompleted)
        await it.turn_under_way(thread, "Hang.")
        it.rawr.interrupt(thread)
        fact = (await ended).recorded.fact
        assert isinstance(fact, facts.TurnCompleted)
        assert fact.status == "interrupted"
        assert (await it.turn(thread, "Again.")).status == "completed"


async def test_interrupting_an_idle_thread_is_ignored(tmp_path: Path) -> None:
    async with rig("- say: Hi.", tmp_path, transport="stdio") as it, it.running():
        thread = await it.thread()
        await it.turn(thread, "Hello.")
        ignored = it.expect(facts.InterruptSubmitted)
        it.rawr.interrupt(thread)
        assert [one.record.reason.value for one in (await ignored).decisions] == ["ignored.no_turn"]

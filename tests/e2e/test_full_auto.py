"""Full Auto on the real Codex: each way in which a run ends, with its own reason (C1–C9)."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.codex.wire import methods
from rawr.core.kernel import Taken
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Budgets, Order
from rawr.testing import VirtualClock
from tests.e2e.golden import PACKET, SUMMARY, answers, policy
from tests.e2e.rig import Rig, rig

GOAL = "Build the thing in three steps. Never push."
DONE = '- say: "Nothing is left to do: all tests pass."\n'


def rules(base: Policy | None = None, **changes: Any) -> Policy:
    """The policy as shipped, with a short wait before a retry, and none after a turn that did nothing."""
    return replace(base or policy(), full_auto=replace(FullAuto(retry_seconds=1), **changes), pace_runs=False)


@asynccontextmanager
async def auto(script: str, folder: Path, *, under: Policy | None = None) -> AsyncIterator[tuple[Rig, str]]:
    async with rig(script, folder, transport="stdio") as it, it.running(policy=under or rules()):
        yield it, await it.thread()


async def ended(it: Rig, thread: str, order: Order, *, deadline: float = 60) -> Run:
    """Order a run and wait until it does not run any more."""
    over = it.rawr.expect(is_over(it, thread), deadline=deadline, what="The run did not end")
    await it.rawr.record(thread, facts.RunSubmitted(order=order))
    await over
    return run_of(it, thread)


def is_over(it: Rig, thread: str) -> Callable[[Taken], bool]:
    def over(taken: Taken) -> bool:
        run = it.rawr.state(thread).run
        return taken.recorded.thread == thread and run is not None and not run.active

    return over


def run_of(it: Rig, thread: str) -> Run:
    run = it.rawr.state(thread).run
    assert run is not None
    return run


def result(run: Run) -> tuple[str, str, str]:
    assert run.stop is not None
    return run.status, run.stop.reason, run.done


# -- done -------------------------------------------------------------------------------------------------------------


async def test_done_by_the_agents_own_word(tmp_path: Path) -> None:
    """C7, C8: without a check the record says that nothing was checked; the goal is there verbatim every time."""
    async with auto('- say: "I begin."\n- say: "I go on."\n' + DONE, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run) == ("done", "run.done.reported", "self_reported")
        assert run.turns == 3
        assert all(GOAL in one.last_user for one in it.codex.model.requests)


async def test_done_by_the_plan(tmp_path: Path) -> None:
    """C7."""
    script = """
- { plan: ["doing: one", "todo: two"] }
- { say: "Half of it." }
- { plan: ["done: one", "done: two"] }
- { say: "That was the second half." }
"""
    async with auto(script, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run) == ("done", "run.done.reported", "self_reported")
        assert run.turns == 2


async def test_done_means_checked(tmp_path: Path) -> None:
    """C7: a check that fails goes back to the agent with its output; only exit code 0 ends the run."""
    script = DONE + '- { when: { user: "no such file" }, run: "touch built.txt" }\n' + DONE
    async with auto(script, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, done="ls built.txt || { echo no such file; exit 3; }"))
        assert result(run) == ("done", "run.done.checked", "checked")
        assert (run.turns, run.checks) == (2, 2)


async def test_a_check_that_never_passes_is_not_asked_for_ever(tmp_path: Path) -> None:
    """C6, C7: the agent only repeats that it is done."""
    async with auto(DONE * 8, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, done="false"))
        assert (run.status, run.done) == ("stopped", "no")
        assert run.turns <= 5


async def test_a_check_that_takes_too_long_has_not_passed(tmp_path: Path) -> None:
    script = DONE + '- { when: { user: "did not end in time" }, say: "I see." }\n' * 6
    async with auto(script, tmp_path, under=rules(done_seconds=1)) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, done="sleep 60", budgets=Budgets(turns=2)))
        assert result(run) == ("stopped", "run.stopped.turns", "no")


# -- budgets and guards -----------------------------------------------------------------------------------------------

STEPS = "".join(
    f'- {{ run: "date > f{n}.txt", usage: 2000 }}\n- {{ say: "Step {n}.", usage: 2000 }}\n' for n in range(9)
)


@pytest.mark.parametrize(
    ("budgets", "reason"),
    [(Budgets(turns=3), "run.stopped.turns"), (Budgets(tokens=9_000), "run.stopped.tokens")],
)
async def test_a_budget_ends_it(tmp_path: Path, budgets: Budgets, reason: str) -> None:
    """C5."""
    async with auto(STEPS, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, budgets=budgets))
        assert result(run) == ("stopped", reason, "no")
        assert run.turns == 3


async def test_a_budget_of_money(tmp_path: Path) -> None:
    """C5: a million input tokens cost one, so five thousandths are two calls and a half."""
    async with auto(STEPS, tmp_path, under=rules(price_input=1_000_000, price_output=1_000_000)) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, budgets=Budgets(cost=5_000)))
        assert result(run) == ("stopped", "run.stopped.cost", "no")
        assert 5_000 <= run.cost <= 8_000  # the call that went over, and the one that was under way when that was seen


async def test_nothing_advances(tmp_path: Path) -> None:
    """C6."""
    async with auto("".join(f'- say: "Hm, {n}."\n' for n in range(9)), tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("stopped", "run.stopped.progress")
        assert run.turns == 4


async def test_reading_is_no_standstill(tmp_path: Path) -> None:
    """C6: research turns."""
    script = "".join(f'- {{ run: "ls -d /etc/{name}*" }}\n- {{ say: "Read {name}." }}\n' for name in "abcdef") + DONE
    async with auto(script, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("done", "run.done.reported")
        assert run.turns == 7


async def test_going_in_circles(tmp_path: Path) -> None:
    """C6: the same actions, and nothing advances."""
    async with auto('- { run: "ls" }\n- { say: "Looking." }\n' * 9, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("stopped", "run.stopped.churn")


async def test_the_same_error_again_and_again(tmp_path: Path) -> None:
    """C6."""
    failing = '- {{ run: "true {n}; echo broken >&2; exit 7" }}\n- {{ say: "Try {n}." }}\n'
    async with auto("".join(failing.format(n=n) for n in range(9)), tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("stopped", "run.stopped.error")


# -- trouble ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["{ http: 500 }", "{ http: 429, retry_after: 1 }", "garbage", "{ cut_after: 2 }"])
async def test_passing_trouble_is_tried_again(tmp_path: Path, fault: str) -> None:
    """C5."""
    words = "say: cut, " if "cut" in fault else ""
    async with auto(f"- {{ {words}fault: {fault} }}\n" + DONE, tmp_path, under=rules()) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("done", "run.done.reported")
        assert "run.retried.passing" in it.reasons(thread)


async def test_trouble_without_end_fails_it(tmp_path: Path) -> None:
    """C5: capped."""
    async with auto("- { fault: { http: 500 } }\n" * 9, tmp_path, under=rules(retries=2)) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("failed", "run.failed.retries")
        assert it.reasons(thread).count("run.retried.passing") == 2


async def test_lasting_trouble_fails_it_at_once(tmp_path: Path) -> None:
    """C5."""
    async with auto("- { fault: { http: 401, body: bad } }\n" * 3, tmp_path, under=rules()) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("failed", "run.failed.turn")
        assert "run.retried.passing" not in it.reasons(thread)


async def test_a_usage_limit_is_waited_for(tmp_path: Path) -> None:
    """C12: the reset time is in the headers of the refusal."""
    at = int(time.time()) + 4
    body = f'{{"error":{{"type":"usage_limit_reached","message":"limit","plan_type":"plus","resets_at":{at}}}}}'
    headers = (
        "{ x-codex-primary-used-percent: '100', x-codex-primary-window-minutes: '300',"
        f" x-codex-primary-reset-at: '{at}' }}"
    )
    script = f"- {{ fault: {{ http: 429, body: '{body}', headers: {headers} }} }}\n" + DONE
    async with auto(script, tmp_path, under=rules()) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("done", "run.done.reported")
        assert "run.waits.limit" in it.reasons(thread)
        assert time.time() >= at


# -- people -----------------------------------------------------------------------------------------------------------

HANGS = '- { say: "Working on it.", fault: hang }\n'


@pytest.mark.parametrize(
    ("fact", "outcome"),
    [
        (facts.RunPauseSubmitted(now=True), ("paused", "run.paused.person", "no")),
        (facts.RunStopSubmitted(), ("stopped", "run.stopped.person", "no")),
        (facts.InterruptSubmitted(), ("paused", "run.paused.interrupted", "no")),
    ],
    ids=["pause", "stop", "interrupt"],
)
async def test_a_person_ends_it_and_resumes_it(
    tmp_path: Path, fact: facts.AnyFact, outcome: tuple[str, str, str]
) -> None:
    """C5, C13."""
    async with auto(HANGS + DONE, tmp_path) as (it, thread):
        over = it.rawr.expect(is_over(it, thread), deadline=30)
        await it.rawr.record(thread, facts.RunSubmitted(order=Order(goal=GOAL)))
        await it.codex.model.wait_for_async(lambda _: True, deadline=20)
        it.rawr.tell(thread, fact)
        await over
        assert result(run_of(it, thread)) == outcome
        again = it.rawr.expect(
            lambda taken: any(one.record.reason.startswith("run.done") for one in taken.decisions), deadline=30
        )
        await it.rawr.record(thread, facts.RunResumed())
        await again
        assert result(run_of(it, thread))[:2] == ("done", "run.done.reported")


async def test_an_active_goal_is_not_raced(tmp_path: Path) -> None:
    """C14."""
    always = DONE.replace("- say", "- times: always\n  say")
    async with auto(always, tmp_path) as (it, thread):
        seen = it.expect(facts.GoalUpdated, thread=thread)
        await it.client.call(methods.GOAL_SET, methods.GoalSet(thread_id=thread, objective="Codex's own"))
        await seen
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run)[:2] == ("stopped", "run.refused.goal")


async def test_an_active_goal_is_taken_over(tmp_path: Path) -> None:
    """C14: with ``--take-goal`` Codex's own goal is cleared first. Until then Codex may begin any number of turns."""
    script = '- { when: { user: "Build the thing" }, say: "Nothing is left to do: all tests pass." }\n'
    script += '- { say: "On with it.", times: always }\n'
    async with auto(script, tmp_path) as (it, thread):
        seen = it.expect(facts.GoalUpdated, thread=thread)
        await it.client.call(methods.GOAL_SET, methods.GoalSet(thread_id=thread, objective="Codex's own"))
        await seen
        cleared = it.expect(facts.GoalCleared, thread=thread)
        run = await ended(it, thread, Order(goal=GOAL, take_goal=True))
        await cleared
        assert run.status == "done"


async def test_a_review_at_the_end_is_fed_back(tmp_path: Path) -> None:
    """C9: what it finds goes to the agent, and then it is decided again."""
    script = (
        '- { when: { user: "Go on with the job" }, say: "Nothing is left to do: I fixed the finding." }\n'
        '- { when: { user: "Build the thing" }, say: "Nothing is left to do: built." }\n'
        '- { say: "The name of the file is wrong.", times: 3 }\n'
    )
    async with auto(script, tmp_path) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, review="at-end"))
        assert result(run)[:2] == ("done", "run.done.reported")
        assert run.reviews == 1
        assert {"run.reviewed.policy", "run.continued.review"} <= set(it.reasons(thread))
        assert any("The name of the file is wrong." in one.last_user for one in it.codex.model.requests)


async def test_a_budget_of_time(tmp_path: Path) -> None:
    """C5: it ends a turn that hangs."""
    clock = VirtualClock(1_000_000_000)
    async with (
        rig(HANGS + DONE, tmp_path, transport="stdio") as it,
        it.running(policy=policy(), clock=clock),
    ):
        thread = await it.thread()
        over = it.rawr.expect(is_over(it, thread), deadline=30)
        await it.rawr.record(thread, facts.RunSubmitted(order=Order(goal=GOAL, budgets=Budgets(minutes=5))))
        await it.codex.model.wait_for_async(lambda _: True, deadline=20)
        await clock.advance(301_000)
        await over
        assert result(run_of(it, thread))[:2] == ("stopped", "run.stopped.time")


# -- with the golden path ---------------------------------------------------------------------------------------------


async def test_twelve_turns_two_compactions_and_a_check(tmp_path: Path) -> None:
    """C1, C7: a whole job. Compactions come at phase boundaries, the work goes on after each, the check decides."""
    turns = []
    for n in range(12):
        phase = n in (4, 8)
        mark = f'- {{ call: {{ tool: phase_complete, arguments: {{ phase: p{n}, summary: "Done." }} }} }}\n'
        turns.append(
            f'- {{ run: "date > part{n}.txt && touch done{n // 11}.txt" }}\n'
            + (mark if phase else "")
            + f'- {{ say: "Part {n} of the work is written to its file.", usage: {100_000 if phase else 20_000} }}\n'
        )
    golden = (answers("Heads-up", PACKET) + answers("does not agree", PACKET) + SUMMARY) * 2
    script = golden + "".join(turns) + DONE
    quick = replace(policy(), compaction=replace(policy().compaction, cooldown_turns=0, cooldown_seconds=0))
    async with auto(script, tmp_path, under=rules(quick)) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL, done="test -e done1.txt"), deadline=90)
        assert result(run) == ("done", "run.done.checked", "checked")
        assert it.state(thread).compaction_count == 2
        assert len([one for one in it.facts(facts.ItemCompleted) if isinstance(one.item, items.Compaction)]) == 2
        assert run.turns >= 12

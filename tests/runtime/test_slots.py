"""Whose turn it is among the runs is looked at after every batch of facts, whatever was in it (C12)."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.core.policy.full_auto import FullAuto
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval
from tests.core.samples import QUIET
from tests.runtime.codex import PatientCodex
from tests.runtime.rig import CONNECTED, Rig, rawr, replayed

ONE_AT_A_TIME = replace(QUIET, full_auto=FullAuto(concurrent_turns=1))
ORDERED = facts.RunSubmitted(order=Order(goal="Build it."))
ASKED = CommandApproval(command="curl x", cwd="/project", network=True)


async def opened(it: Rig) -> None:
    it.tell(CONNECTED, "")
    for thread in ("a", "b"):
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread=thread)


def told(it: Rig) -> list[tuple[str, str]]:
    """What was taken since the first order."""
    taken = [(type(one.recorded.fact).__name__, one.recorded.thread) for one in it.screen.seen]
    return taken[taken.index(("RunSubmitted", "a")) :]


async def test_runs_that_are_ordered_at_once_are_looked_at_together(tmp_path: Path) -> None:
    """C12: the whole batch first, then whose turn it is."""
    async with rawr(tmp_path, PatientCodex(), policy=ONE_AT_A_TIME) as it:
        await opened(it)
        it.tell(ORDERED, "a")
        await it.told(ORDERED, thread="b")
        assert told(it) == [("RunSubmitted", "a"), ("RunSubmitted", "b"), ("SlotGranted", "a")]
    replayed(tmp_path, policy=ONE_AT_A_TIME)


FREES: dict[str, facts.AnyFact] = {
    "its turn fails": facts.TurnCompleted(turn="A", status="failed", problem=facts.Problem("no", code="unauthorized")),
    "a person is asked": facts.RequestReceived(request="1/1", question=ASKED, turn="A"),
    "its thread is closed": facts.ThreadClosed(),
}


@pytest.mark.parametrize("fact", FREES.values(), ids=FREES)
async def test_whatever_frees_a_slot_the_next_run_gets_it(tmp_path: Path, fact: facts.AnyFact) -> None:
    """C10, C12."""
    async with rawr(tmp_path, PatientCodex(), policy=ONE_AT_A_TIME) as it:
        await opened(it)
        it.tell(ORDERED, "a")
        await it.told(ORDERED, thread="b")
        await it.told(facts.TurnStarted(turn="A"), thread="a")
        assert ("SlotGranted", "b") not in told(it)
        await it.told(fact, thread="a")
        assert ("SlotGranted", "b") in told(it)
    replayed(tmp_path, policy=ONE_AT_A_TIME)


async def test_when_the_accounts_limit_resets_a_run_gets_its_slot(tmp_path: Path) -> None:
    """C12: of that no thread is told."""
    async with rawr(tmp_path, PatientCodex(), policy=ONE_AT_A_TIME) as it:
        await opened(it)
        resets = it.clock.now_ms() // 1000 + 60
        limit = facts.RateLimitsUpdated(limit="codex", used_percent=100, resets_at=resets, reached=True)
        await it.told(limit, thread="")
        await it.told(ORDERED, thread="a")
        assert told(it) == [("RunSubmitted", "a")]
        await it.clock.advance(61_000)
        await it.rest()
        assert told(it) == [("RunSubmitted", "a"), ("DeadlinePassed", ""), ("SlotGranted", "a")]
    replayed(tmp_path, policy=ONE_AT_A_TIME)

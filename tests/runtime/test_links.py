"""Several connections in one rawr (D7): each thread is on one of them, and what happens on one concerns no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.journal.reader import JournalReader
from rawr.runtime.replaying import replay_journal
from rawr.runtime.supervisor import Supervisor
from tests.runtime.test_harness import DEADLINE, LoopbackHarness

pytestmark = pytest.mark.mission("D7")
THREADS = ("one", "two")


def of(kind: type[facts.Fact], thread: str) -> Callable[[Taken], bool]:
    return lambda taken: isinstance(taken.recorded.fact, kind) and taken.recorded.thread == thread


async def opened(rawr: Supervisor, link: str, thread: str) -> LoopbackHarness:
    """A connection whose agent has one thread of this name."""
    harness = LoopbackHarness()
    rawr.links.add(link, harness, patient=False)
    await rawr.connected(link)
    harness.opened[0].tell(thread, facts.ThreadOpened(cwd="/project", ours=True))
    await rawr.shown()
    return harness


async def test_a_lost_connection_concerns_its_own_threads(tmp_path: Path) -> None:
    async with Supervisor(None, tmp_path / "home") as rawr:
        first = await opened(rawr, "a", "one")
        await opened(rawr, "b", "two")
        assert [rawr.state(name).link for name in THREADS] == ["a", "b"]
        lost = rawr.expect(of(facts.ServerLost, "one"), deadline=DEADLINE)
        first.opened[0].send_away()
        await lost
        await rawr.shown()
        with JournalReader.open(tmp_path / "home") as reader:
            told = {name: [one.fact for one in reader.facts(name)] for name in THREADS}  # type: ignore[union-attr]
        assert any(isinstance(one, facts.ServerLost) for one in told["one"])
        assert not any(isinstance(one, facts.ServerLost) for one in told["two"])
        assert rawr.state("two").online
    with JournalReader.open(tmp_path / "home") as reader:
        assert replay_journal(reader, policy=Policy()).divergences == ()


async def test_a_thread_at_work_on_one_connection_is_left_to_it(tmp_path: Path) -> None:
    """Both may have it open, as a user's Codex and rawr's own have; only one of them counts."""
    async with Supervisor(None, tmp_path / "home") as rawr:
        await opened(rawr, "a", "one")
        other = LoopbackHarness()
        rawr.links.add("b", other, patient=False)
        await rawr.connected("b")
        other.opened[0].tell("one", facts.TurnStarted(turn="not ours"))
        await rawr.shown()
        assert (rawr.state("one").link, rawr.state("one").turn) == ("a", None)


async def test_it_moves_when_the_other_is_gone(tmp_path: Path) -> None:
    async with Supervisor(None, tmp_path / "home") as rawr:
        await opened(rawr, "a", "one")
        await rawr.links.drop("a")
        await rawr.shown()
        assert not rawr.state("one").online
        rawr.links.add("b", LoopbackHarness(), patient=False)
        await rawr.connected("b")
        rawr.put("one", "b")
        await rawr.shown()
        assert rawr.state("one").link == "b"
        heard = rawr.expect(of(facts.TurnCompleted, "one"), deadline=DEADLINE)
        await rawr.submit("one", "Here?")
        await heard


async def test_effects_without_a_connection_are_not_sent(tmp_path: Path) -> None:
    """They wait for the connection that reaches their thread."""
    async with Supervisor(None, tmp_path / "home") as rawr:
        await opened(rawr, "a", "one")
        await rawr.links.drop("a")
        await rawr.submit("one", "Hello?")
        again = LoopbackHarness()
        heard = rawr.expect(of(facts.TurnCompleted, "one"), deadline=DEADLINE)
        rawr.links.add("a", again, patient=False)
        await heard
        assert again.opened[0].agent.texts == ["Hello?"]


async def test_no_two_connections_have_one_number(tmp_path: Path) -> None:
    async with Supervisor(None, tmp_path / "home") as rawr:
        for name in ("a", "b", "c"):
            rawr.links.add(name, LoopbackHarness(), patient=False)
            await rawr.connected(name)
        await rawr.shown()
        numbers = [one.epoch for one in rawr.host.links]
        assert len(set(numbers)) == 3

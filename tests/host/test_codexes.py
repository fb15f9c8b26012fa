"""One Codex for each environment, and for no longer than somebody needs it (D7)."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.errors import OutsideError
from rawr.host import messages as m
from rawr.host.client import HostClient
from rawr.host.environment import MAX_SIZE, Environment
from tests.host.serving import CODEX, Serving, serving

pytestmark = pytest.mark.mission("D7")
DEADLINE = 20.0
RED = {"PATH": "/a", "COLOUR": "red"}
BLUE = {"PATH": "/a", "COLOUR": "blue"}


async def at(it: Serving, variables: dict[str, str]) -> HostClient:
    """A client in a terminal with these variables."""
    client = await it.client()
    it.stay.append(client)
    await client.bring(variables)
    await client.subscribe()
    await client.reach(CODEX)
    return client


def own(it: Serving) -> list[str]:
    return [name for name in it.rawr.links.names if name.startswith("own-")]


def colours(it: Serving) -> list[str]:
    return [one.variables["COLOUR"] for one in it.dialed if one is not None]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not holds():  # noqa: ASYNC110 - it is on its way
            await asyncio.sleep(0.01)


async def test_equal_terminals_share_one_and_others_do_not(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it:
        for variables in (RED, {**RED, "PWD": "/elsewhere", "TERM": "dumb"}, BLUE):
            await at(it, variables)
        assert colours(it) == ["red", "blue"]
        async with await it.client() as client:
            assert (await client.status()).processes == 2


async def test_a_name_tells_nothing_of_the_environment(tmp_path: Path) -> None:
    """It is in the journal. With the same variables it is another one in every host."""
    names: list[str] = []
    for _ in range(2):
        async with serving(tmp_path / "home") as it:
            await at(it, RED)
            names += own(it)
    assert len(set(names)) == 2


async def test_a_thread_of_an_earlier_host_goes_on(tmp_path: Path) -> None:
    """Its connection has a name that nobody knows any more; also if something waited there."""
    async with serving(tmp_path / "home") as it:
        client = await at(it, RED)
        thread = await client.start_thread(tmp_path / "work")
        await client.record(thread, facts.UserSubmitted(text="One."))
        await until(lambda: it.rawr.state(thread).turns == 1)
        before = it.rawr.state(thread).link
    async with serving(tmp_path / "home") as it:
        client = await at(it, BLUE)
        agent = it.harness.opened[0].agent
        agent.in_force, agent.turns = it.rawr.state(thread).in_force, 1
        await client.record(thread, facts.UserSubmitted(text="Two."))
        await until(lambda: it.rawr.state(thread).turns == 2)
        assert it.rawr.state(thread).link not in ("", before)
        assert colours(it) == ["blue"]


async def test_a_thread_that_rests_goes_where_its_person_is(tmp_path: Path) -> None:
    """And the Codex that had it is ended first: it would let nobody else have it."""
    async with serving(tmp_path / "home") as it:
        red = await at(it, RED)
        thread = await red.start_thread(tmp_path / "work")
        first = it.rawr.state(thread).link
        in_force = it.rawr.state(thread).in_force
        blue = await at(it, BLUE)
        it.harness.opened[1].agent.in_force = in_force
        await blue.take_up(thread)
        await blue.record(thread, facts.UserSubmitted(text="Here."))
        await until(lambda: it.rawr.state(thread).turns == 1)
        assert own(it) == [it.rawr.state(thread).link]
        assert it.rawr.state(thread).link != first
        assert it.harness.opened[1].agent.texts == ["Here."]
        # Looking on is nothing; and whoever is there needs no other one.
        await blue.take_up(thread)
        assert colours(it) == ["red", "blue"]


async def test_one_that_is_at_work_stays(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it:
        red = await at(it, RED)
        thread = await red.start_thread(tmp_path / "work", approvals="never", unattended=True)
        before = it.rawr.state(thread).link
        it.rawr.tell(thread, facts.TurnStarted(turn="of a run"))
        await red.record(thread, facts.RunSubmitted(order=Order(goal="Build it.", approvals="never")))
        blue = await at(it, BLUE)
        await blue.take_up(thread)
        assert it.rawr.state(thread).link == before
        assert len(own(it)) == 2


async def test_a_codex_at_work_for_another_run_is_not_ended(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it:
        red = await at(it, RED)
        thread = await red.start_thread(tmp_path / "work")
        it.harness.opened[0].tell("other", facts.ThreadOpened(cwd="/project", ours=True))
        it.harness.opened[0].tell("other", facts.TurnStarted(turn="long"))
        await it.rawr.shown()
        blue = await at(it, BLUE)
        with pytest.raises(OutsideError, match="is open in a Codex with another environment"):
            await blue.take_up(thread)
        assert len(own(it)) == 2


async def test_a_codex_that_nobody_needs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while. Whoever comes back gets a new one."""
    monkeypatch.setattr("rawr.host.codexes.SPARE", 0.05)
    async with serving(tmp_path / "home") as it:
        red = await at(it, RED)
        await asyncio.sleep(0.2)
        assert len(own(it)) == 1, "its client is there"
        await red.close()
        await until(lambda: own(it) == [])
        await at(it, RED)
        assert colours(it) == ["red", "red"]


async def test_an_environment_without_bounds_is_refused(tmp_path: Path) -> None:
    """By the client, and by the host if the client does not look."""
    async with serving(tmp_path / "home") as it, await it.client() as client:
        with pytest.raises(OutsideError, match="rawr takes at most"):
            await client.bring({"X": "x" * MAX_SIZE})
        with pytest.raises(OutsideError, match="rawr takes at most"):
            await client._call(m.Bring(Environment(b"X=" + b"x" * MAX_SIZE)), m.Nothing)

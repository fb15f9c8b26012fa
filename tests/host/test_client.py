"""A client sees what the process that owns the home sees, misses nothing, and cannot do more than a person may (D7)."""

import asyncio
import gc
import os
from pathlib import Path

import msgspec
import pytest

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import CommandApproval
from rawr.errors import Bug, OutsideError
from rawr.host import messages as m
from rawr.host.client import HostClient, HostGone, NoHost
from rawr.host.frames import MAX_CALL, framed, read_frame
from rawr.journal.errors import JournalLost
from rawr.runtime.sockets import HOST_SOCKET
from rawr.version import __version__
from tests.host.serving import CODEX, serving

pytestmark = pytest.mark.mission("D7")
DEADLINE = 20.0


class Seen:
    """A surface that keeps what it is shown."""

    def __init__(self) -> None:
        self.taken_: list[Taken] = []
        self.notices: list[str] = []

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self.notices.append(text)

    def taken(self, taken: Taken) -> None:
        self.taken_.append(taken)

    @property
    def numbers(self) -> list[int]:
        return [one.recorded.seq for one in self.taken_]


async def turn(client: HostClient, thread: str, text: str) -> None:
    """Submit a message, and wait until this client has seen its turn end."""
    over = asyncio.Event()
    before = client.state(thread).turns

    def look(_taken: Taken) -> None:
        if client.state(thread).turns > before:
            over.set()

    client.follow(look)
    await client.record(thread, facts.UserSubmitted(text=text))
    async with asyncio.timeout(DEADLINE):
        await over.wait()


async def test_its_states_are_the_hosts(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it, await it.client() as client:
        await client.subscribe()
        await client.reach(CODEX)
        thread = await client.start_thread(tmp_path / "work")
        for text in ("One.", "Two."):
            await turn(client, thread, text)
        await client.shown()
        assert client.threads == it.rawr.threads
        assert client.host == it.rawr.host
        assert client.find_thread(thread[-4:]) == thread
        # Somebody who comes later begins with the same.
        async with await it.client() as other:
            await other.subscribe()
            assert other.threads == it.rawr.threads
            await turn(other, thread, "Three.")
            await client.shown()
            assert client.threads == other.threads == it.rawr.threads


@pytest.mark.mission("D12")
async def test_a_question_is_known_whole_by_the_time_it_is_put(tmp_path: Path) -> None:
    """With the fact that puts it, and to one that comes later with the states: a surface asks at once."""
    async with serving(tmp_path / "home") as it, await it.client() as client:
        await client.subscribe()
        await client.reach(CODEX)
        thread = await client.start_thread(tmp_path / "work")
        await client.shown()
        known: list[list[str]] = []

        def look(taken: Taken) -> None:
            if isinstance(taken.recorded.fact, facts.RequestReceived):
                known.append([one.thing.request for one in client.waiting(thread)])

        client.follow(look)
        question = CommandApproval(command="ls", cwd="/")
        await it.rawr.record(thread, facts.RequestReceived(request="1/0", question=question))
        await client.shown()
        assert known == [["1/0"]]
        async with await it.client() as other:
            await other.subscribe()
            assert [one.thing.request for one in other.waiting(thread)] == ["1/0"]


@pytest.mark.mission("D5")
async def test_the_journal_is_taken_away_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host has it open, so it is not missing but lost."""
    monkeypatch.setattr("rawr.host.client.LAST_WORD_DEADLINE", 0.0)
    async with serving(tmp_path / "home") as it, await it.client() as client:
        kept = it.rawr.home / "journal.db"
        kept.rename(tmp_path / "away")
        with pytest.raises(JournalLost, match="was deleted or moved"):
            await client.subscribe()
        (tmp_path / "away").rename(kept)


async def test_from_any_point_nothing_is_missed_and_nothing_comes_twice(tmp_path: Path) -> None:
    """Also while more is happening than fits on a page."""
    async with serving(tmp_path / "home") as it, await it.client() as client:
        await client.subscribe()
        await client.reach(CODEX)
        thread = await client.start_thread(tmp_path / "work")
        for number in range(300):
            it.rawr.tell(thread, facts.HoldSubmitted(until=f"the end of {number}"))
        async with await it.client() as late:
            past, now = Seen(), Seen()
            subscribing = asyncio.ensure_future(late.subscribe(now, after=5, past=past))
            for number in range(300):
                it.rawr.tell(thread, facts.HoldSubmitted(until=f"the end of more, {number}"))
                if number % 50 == 0:
                    await asyncio.sleep(0)
            await subscribing
            await late.shown()
            async with asyncio.timeout(DEADLINE):
                while not now.numbers or now.numbers[-1] < it.rawr.seq:  # noqa: ASYNC110 - it is on its way
                    await asyncio.sleep(0.01)
            seen = past.numbers + now.numbers
            assert sorted(set(seen)) == list(range(6, it.rawr.seq + 1))
            assert now.numbers == sorted(now.numbers)
            assert past.numbers == sorted(past.numbers)
            assert late.threads == it.rawr.threads


async def test_only_a_persons_words_get_in(tmp_path: Path) -> None:
    """What Codex reports cannot be said by a client, by ours or by one that somebody else wrote."""
    async with serving(tmp_path / "home") as it, await it.client() as client:
        await client.subscribe()
        with pytest.raises(Bug, match="TurnCompleted is not a person's to submit"):
            client.record("t", facts.TurnCompleted(turn="u", status="completed"))
        reader, writer = await _greeted(it.rawr.home)
        submit = {"call": "Submit", "thread": "t", "fact": {"fact": "ServerLost", "epoch": 1, "problem": "no"}}
        forged = {"is": "Calling", "number": 1, "call": submit}
        writer.write(framed(msgspec.json.encode(forged)))
        answer = await read_frame(reader, most=MAX_CALL)
        assert answer is not None
        assert b"It was not understood" in answer
        writer.close()
        assert (await client.status()).clients == 1


async def _greeted(home: Path, **other: object) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_unix_connection(home / HOST_SOCKET)
    hello = {"is": "Hello", "protocol": m.PROTOCOL, "version": "", "shape": "", **other}
    writer.write(framed(msgspec.json.encode(hello)))
    assert await read_frame(reader, most=MAX_CALL) is not None
    return reader, writer


@pytest.mark.parametrize(
    "sent",
    [b"GET / HTTP/1.1\r\n\r\n", framed(b"{}"), framed(b"\xff\xfe"), (1 << 31).to_bytes(4, "big"), b"", os.urandom(64),
     framed(b'{"is":"Hello","protocol":2,"version":"","more":' + b"[" * 200_000)],
    ids=["http", "empty", "no text", "too long", "nothing", "noise", "deep"],
)  # fmt: skip
async def test_nonsense_ends_only_the_connection_it_came_on(tmp_path: Path, sent: bytes) -> None:
    async with serving(tmp_path / "home") as it, await it.client() as client:
        reader, writer = await asyncio.open_unix_connection(it.rawr.home / HOST_SOCKET)
        writer.write(sent)
        writer.write_eof()
        async with asyncio.timeout(DEADLINE):
            await reader.read()
        writer.close()
        assert (await client.status()).clients == 1


@pytest.mark.parametrize("levels", [100, 5000, 200_000])
async def test_settings_that_nest_without_end_are_not_understood(tmp_path: Path, levels: int) -> None:
    """The decoder may get through, and whatever reads the settings later would not."""
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: failed.append(context))
    async with serving(tmp_path / "home") as it, await it.client() as client:
        reader, writer = await _greeted(it.rawr.home, shape=m.own_shape(), version=__version__)
        deep = b'{"is":"Calling","number":1,"call":{"call":"UseRules","flags":{"a":%s}}}'
        writer.write(framed(deep % (b"[" * levels + b"]" * levels)))
        answer = await read_frame(reader, most=MAX_CALL)
        assert answer is not None
        assert b"It was not understood: it is nested" in answer
        writer.close()
        assert (await client.status()).clients == 1
        gc.collect()
        await asyncio.sleep(0)
        assert failed == []


@pytest.mark.parametrize("other", [{"version": "0.0.1"}, {"protocol": 1, "version": __version__}])
async def test_another_version_is_told_so(tmp_path: Path, other: dict[str, object]) -> None:
    """And can still look at the host, and stop it."""
    async with serving(tmp_path / "home") as it:
        reader, writer = await _greeted(it.rawr.home, **{"shape": m.own_shape(), **other})

        async def call(number: int, name: str, **rest: object) -> dict[str, object]:
            asked = {"is": "Calling", "number": number, "call": {"call": name, **rest}}
            writer.write(framed(msgspec.json.encode(asked)))
            frame = await read_frame(reader, most=MAX_CALL)
            assert frame is not None
            answer: dict[str, object] = msgspec.json.decode(frame)
            return answer

        refused = await call(1, "Subscribe")
        assert (refused["is"], "is another version" in str(refused["problem"])) == ("Failed", True)
        assert (await call(2, "AskStatus"))["is"] == "Returned"
        assert (await call(3, "Stop"))["is"] == "Returned"
        assert await it.ending.wait(it.server) == "it was told to stop"
        writer.close()


async def test_a_client_that_does_not_read_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it: others see everything."""
    monkeypatch.setattr("rawr.host.audience.MAX_WAITING", 300_000)
    async with serving(tmp_path / "home") as it, await it.client() as client:
        seen = Seen()
        await client.subscribe(seen)
        await client.reach(CODEX)
        thread = await client.start_thread(tmp_path / "work")
        reader, writer = await asyncio.open_unix_connection(it.rawr.home / HOST_SOCKET, limit=1024)
        hello = m.Hello(m.PROTOCOL, client.welcome.version, m.own_shape())
        writer.write(framed(msgspec.json.encode(hello)))
        writer.write(framed(msgspec.json.encode(m.Calling(1, m.Subscribe()))))
        await client.shown()
        for number in range(200):
            await client.record(thread, facts.PinSubmitted(text=f"{number}" + "x" * 3_000))
        await client.shown()
        assert client.threads == it.rawr.threads
        async with asyncio.timeout(DEADLINE):
            while it.server.clients > 1:  # noqa: ASYNC110 - the kernel tells nobody
                await asyncio.sleep(0.01)
        writer.close()
        assert len(await reader.read()) < 2_000_000


async def test_a_host_that_goes_says_why(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it:
        client = await it.client()
        await client.subscribe()
    with pytest.raises(HostGone, match="the test is over"):
        async with asyncio.timeout(DEADLINE):
            await client.ended()
    with pytest.raises(HostGone):
        await client.record("t", facts.UserSubmitted(text="Hello?"))
    await client.close()
    with pytest.raises(NoHost, match="No host is running"):
        await HostClient.open(tmp_path / "home")


async def test_one_set_of_rules_at_a_time(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it, await it.client() as client, await it.client() as other:
        await client.use_rules({})
        with pytest.raises(OutsideError, match="has work under way"):
            await client.use_rules({"rawr_auto_compaction.mode": "tag"})
        await other.close()
        async with asyncio.timeout(DEADLINE):
            while it.server.clients > 1:  # noqa: ASYNC110 - the kernel tells nobody
                await asyncio.sleep(0.01)
        await client.use_rules({"rawr_auto_compaction.mode": "tag"})

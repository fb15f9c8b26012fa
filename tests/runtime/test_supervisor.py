"""rawr assembled, on an app-server that is a small real program. The real Codex is in ``tests/e2e``."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rawr.codex.stdio import StdioDialer
from rawr.core.kernel import Taken
from rawr.core.state.host import Link
from rawr.core.vocabulary import facts
from rawr.errors import CodexError
from rawr.journal.errors import JournalLost
from rawr.journal.reader import JournalReader
from rawr.runtime.supervisor import Supervisor, WaitedTooLong
from tests.codex.servers import stand_in
from tests.runtime.rig import Screen

DEADLINE = 15.0


def server() -> StdioDialer:
    """Starts threads, refuses those with the model "none", and says nothing to other calls."""
    return stand_in("""
        greet()
        count = 0
        while True:
            message = read()
            if message.get("method") != "thread/start":
                if "id" in message:
                    send({"id": message["id"], "error": {"code": -32601, "message": "unknown"}})
                continue
            params = message["params"]
            if params.get("model") == "none":
                send({"id": message["id"], "error": {"code": -32600, "message": "no such model"}})
                continue
            count += 1
            thread = {"id": f"t{count}", "cwd": params["cwd"], "status": {"type": "idle"}, "ephemeral": False}
            answer(message, thread=thread, cwd=params["cwd"], model="scripted")
    """)


def is_a(kind: type[facts.AnyFact]) -> Callable[[Taken], bool]:
    return lambda taken: isinstance(taken.recorded.fact, kind)


async def test_a_thread_is_started_and_known(tmp_path: Path) -> None:
    async with Supervisor(server(), tmp_path / "home") as rawr:
        thread = await rawr.start_thread(tmp_path / "work", deadline=DEADLINE)
        state = rawr.state(thread)
        assert (thread, state.ours, state.online, state.cwd) == ("t1", True, True, str(tmp_path / "work"))
        assert (rawr.host.links, rawr.host.wanted) == ((Link(epoch=1),), ())


async def test_a_refused_thread_is_an_error_for_the_one_who_asked(tmp_path: Path) -> None:
    async with Supervisor(server(), tmp_path / "home") as rawr:
        with pytest.raises(CodexError, match="could not start a thread: no such model"):
            await rawr.start_thread(tmp_path / "work", model="none", deadline=DEADLINE)
        assert await rawr.start_thread(tmp_path / "work", deadline=DEADLINE) == "t1"


async def test_the_last_words_are_written(tmp_path: Path) -> None:
    """Codex is told to end, and what it says at its end still stands in the journal."""
    async with Supervisor(server(), tmp_path / "home") as rawr:
        thread = await rawr.start_thread(tmp_path / "work", deadline=DEADLINE)
    with JournalReader.open(tmp_path / "home") as reader:
        rows = [row for row in reader.facts() if isinstance(row, facts.Recorded)]
    ends = [(row.thread, type(row.fact).__name__) for row in rows[-3:]]
    assert ends == [("", "ServerLost"), (thread, "ServerLost"), ("", "RuntimeStopped")]
    [lost] = [row.fact for row in rows if isinstance(row.fact, facts.ServerLost) and not row.thread]
    assert lost.by_us


async def test_a_wait_has_a_deadline(tmp_path: Path) -> None:
    async with Supervisor(server(), tmp_path / "home") as rawr:
        with pytest.raises(WaitedTooLong, match=r"The moon did not rise within 0\.05 seconds"):
            await rawr.expect(lambda _: False, deadline=0.05, what="The moon did not rise")
        assert rawr._waiters == []


async def test_a_wait_begins_with_the_call(tmp_path: Path) -> None:
    async with Supervisor(server(), tmp_path / "home") as rawr:
        thread = await rawr.start_thread(tmp_path / "work", deadline=DEADLINE)
        waiting = rawr.expect(
            lambda taken: isinstance(taken.recorded.fact, facts.InterruptSubmitted), deadline=DEADLINE
        )
        rawr.interrupt(thread)
        assert [one.record.reason.value for one in (await waiting).decisions] == ["ignored.no_turn"]


async def test_a_predicate_that_raises_fails_its_own_wait_only(tmp_path: Path) -> None:
    def wrong(taken: Taken) -> bool:
        raise LookupError(type(taken.recorded.fact).__name__)

    async with Supervisor(server(), tmp_path / "home") as rawr:
        failing = rawr.expect(wrong, deadline=DEADLINE)
        assert await rawr.start_thread(tmp_path / "work", deadline=DEADLINE) == "t1"
        with pytest.raises(LookupError):
            await failing
        assert await rawr.start_thread(tmp_path / "work", deadline=DEADLINE) == "t2"


async def test_a_surface_that_raises_is_recorded_once_and_rawr_goes_on(tmp_path: Path) -> None:
    class Broken(Screen):
        def taken(self, taken: Taken) -> None:
            raise OSError("the terminal is gone")

        def notify(self, thread: str, level: facts.Level, text: str) -> None:
            raise OSError("the terminal is gone")

    async with Supervisor(server(), tmp_path / "home", surface=Broken()) as rawr:
        thread = await rawr.start_thread(tmp_path / "work", deadline=DEADLINE)
        submitted = rawr.expect(is_a(facts.UserSubmitted), deadline=DEADLINE)
        rawr.submit(thread, "go")
        rawr.compact(thread)
        await submitted
    with JournalReader.open(tmp_path / "home") as reader:
        told = [row.fact for row in reader.facts() if isinstance(row, facts.Recorded)]
    faults = [fact for fact in told if isinstance(fact, facts.FaultRecorded)]
    assert faults == [facts.FaultRecorded(where="surface", problem="OSError: the terminal is gone")]


async def test_when_the_journal_fails_whoever_waits_is_told_why(tmp_path: Path) -> None:
    """D5: without a record nothing is done, and nobody waits for what will not come."""
    home = tmp_path / "home"
    rawr = await Supervisor(server(), home).__aenter__()
    thread = await rawr.start_thread(tmp_path / "work", deadline=DEADLINE)
    waiting = rawr.expect(lambda _: False, deadline=DEADLINE)
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as vandal:
        vandal.execute("DROP TABLE facts")
    rawr.submit(thread, "go")
    with pytest.raises(JournalLost):
        await waiting
    with pytest.raises(JournalLost):
        await rawr.expect(lambda _: False, deadline=DEADLINE)
    with pytest.raises(JournalLost):
        await rawr.__aexit__(None, None, None)


async def test_last_words_that_could_not_be_written_are_no_good_end(tmp_path: Path) -> None:
    """D5: whoever closes it in order is told that the end is not on record."""
    rawr = await Supervisor(server(), tmp_path / "home").__aenter__()
    await rawr.shown()
    rawr.journal.unlink()
    with pytest.raises(JournalLost, match="was deleted or moved"):
        await rawr.__aexit__(None, None, None)


async def test_a_codex_that_ends_at_once_is_a_clear_error(tmp_path: Path) -> None:
    async with asyncio.timeout(DEADLINE):
        with pytest.raises(CodexError, match="exited before the conversation began"):
            async with Supervisor(stand_in("sys.exit(3)"), tmp_path / "home", reconnect=False):
                pass

"""The one loop: written down first, acted upon after."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify, StartTurn
from rawr.core.vocabulary.requests import CommandApproval, Replies, UserInput, UserQuestion
from rawr.journal.errors import JournalUnwritable
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect
from rawr.runtime import loop as loop_module
from tests.runtime.codex import Call, PatientCodex, RememberingCodex
from tests.runtime.rig import CONNECTED, LOST, VERSION, Rig, Screen, on_disk, rawr, replayed

SECRET = "sk-proj-" + "Zx9" * 14


# -- append before acting ---------------------------------------------------------------------------------------------


async def test_nothing_is_done_before_it_is_written(tmp_path: Path) -> None:
    """D5: when a call goes out, the effect and the fact behind it can be read by anybody."""
    read: list[tuple[str, str, str]] = []

    def look(call: Call) -> None:
        with JournalReader.open(tmp_path) as reader:
            [row] = [one for one in reader.unfinished_effects() if isinstance(one, StoredEffect)]
            [fact] = reader.facts(after=row.seq - 1, until=row.seq)
        assert isinstance(fact, facts.Recorded)
        read.append((row.id, type(fact.fact).__name__, row.state))
        assert row.id == call.name

    async with rawr(tmp_path, PatientCodex(look)) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text="go"))
        assert read == [("t:4.0", "UserSubmitted", "intended")]


async def test_nothing_is_shown_before_it_is_written(tmp_path: Path) -> None:
    shown: list[bool] = []

    class Reader(Screen):
        def taken(self, taken: Taken) -> None:
            with JournalReader.open(tmp_path) as reader:
                shown.append(reader.last_seq() >= taken.recorded.seq)

    async with rawr(tmp_path, PatientCodex(), surface=Reader()) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text="go"))
    assert shown
    assert all(shown)


async def test_what_came_of_an_effect_is_written_beside_it(tmp_path: Path) -> None:
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text="one"))
        codex.last(StartTurn).done("T1")
        await it.rest()
        await it.told(facts.TurnCompleted(turn="T1", status="completed"), facts.UserSubmitted(text="two"))
        codex.last(StartTurn).undone("refused")
        await it.rest()
    with JournalReader.open(tmp_path) as reader:
        rows = [row for row in reader.effects() if isinstance(row, StoredEffect)]
        assert [(type(row.effect).__name__, row.state, row.detail) for row in rows] == [
            ("StartTurn", "done", "T1"),
            ("StartTurn", "failed", "refused"),
            ("Notify", "done", ""),
        ]
        assert reader.unfinished_effects() == []
    replayed(tmp_path)


async def test_without_a_record_nothing_is_done(tmp_path: Path) -> None:
    """D5: the disk is full. What could not be written is not acted upon, and whoever waits is told why."""
    codex = PatientCodex()
    async with rawr(tmp_path, codex, max_bytes=256 * 1024) as it:
        await it.opened()
        with pytest.raises(JournalUnwritable, match="no space left"):
            await _talk_until_it_fails(it, codex)
        with pytest.raises(JournalUnwritable):
            await it.looping
        calls = len(codex.calls)
        it.tell(facts.UserSubmitted(text="still there?"))
        with pytest.raises(JournalUnwritable):
            await it.rest()
        await it.clock.settle()
        assert len(codex.calls) == calls
    with JournalReader.open(tmp_path) as reader:
        written = {row.id for row in reader.effects() if isinstance(row, StoredEffect)}
    assert {call.name for call in codex.calls} <= written


async def _talk_until_it_fails(it: Rig, codex: PatientCodex) -> None:
    for number in range(100):
        noise = random.Random(number).randbytes(4_000).hex()  # noqa: S311 - it only has to be hard to pack
        await it.told(facts.UserSubmitted(text=f"{number} {noise}"))
        codex.last(StartTurn).done(f"T{number}")
        await it.told(facts.TurnCompleted(turn=f"T{number}", status="completed"))


# -- order ------------------------------------------------------------------------------------------------------------


async def test_what_comes_during_a_commit_is_taken_in_its_order(tmp_path: Path) -> None:
    """Nobody waits for the disk, and nothing overtakes anything."""
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened()
        with closing(sqlite3.connect(tmp_path / "journal.db", isolation_level=None)) as blocker:
            blocker.execute("BEGIN IMMEDIATE")
            it.tell(facts.WarningReported(message="0"))
            await it.clock.settle()
            for number in range(1, 50):
                it.tell(facts.WarningReported(message=str(number)), "t" if number % 2 else "u")
                await it.clock.settle()
            assert it.facts(facts.WarningReported) == []
            blocker.execute("ROLLBACK")
        await it.rest()
        assert [fact.message for fact in it.facts(facts.WarningReported)] == [str(number) for number in range(50)]
    with JournalReader.open(tmp_path) as reader:
        rows = [row for row in reader.facts() if isinstance(row, facts.Recorded)]
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert [row.fact.message for row in rows if isinstance(row.fact, facts.WarningReported)] == [
        str(number) for number in range(50)
    ]


async def test_a_flood_does_not_put_off_what_came_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A burst is taken in portions: the first effect goes out before the last fact is taken."""
    monkeypatch.setattr(loop_module, "BURST", 10)
    taken: list[int] = []
    codex = PatientCodex(lambda _: taken.append(len(it.screen.seen)))
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        it.tell(facts.UserSubmitted(text="go"))
        await it.told(*(facts.WarningReported(message=str(number)) for number in range(100)))
        assert len(it.facts(facts.WarningReported)) == 100
    assert taken[0] < 50


async def test_everyone_is_told_of_the_connection_in_a_fact_of_their_own(tmp_path: Path) -> None:
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened("a")
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread="b")
        await it.told(LOST, thread="")
        lost = [one.recorded.thread for one in it.screen.seen if isinstance(one.recorded.fact, facts.ServerLost)]
        assert lost == ["", "a", "b"]
        assert not it.state("a").online
    replayed(tmp_path)


# -- raw frames -------------------------------------------------------------------------------------------------------


async def test_a_frame_does_not_hold_up_what_is_about_to_be_done(tmp_path: Path) -> None:
    """C4: it is in the commit after it, and in its place."""
    kept: list[list[str]] = []

    def methods() -> list[str]:
        with JournalReader.open(tmp_path) as reader:
            return [one.method for one in reader.frames()]

    async with rawr(tmp_path, PatientCodex(lambda _: kept.append(methods()))) as it:
        await it.opened()
        for method in ("turn/completed", "thread/status/changed"):
            it.loop.keep_frame("in", method, b"{}")
        await it.told(facts.UserSubmitted(text="go"))
        await it.rest()
        assert kept == [[]]
        assert methods() == ["turn/completed", "thread/status/changed"]


async def test_frames_do_not_pile_up_where_something_is_always_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_module, "FRAMES_WAITING", 3)
    left: list[int] = []
    async with rawr(tmp_path, PatientCodex(lambda _: left.append(len(it.loop._frames)))) as it:
        await it.opened()
        for number in range(10):
            it.loop.keep_frame("in", str(number), b"{}")
        await it.told(facts.UserSubmitted(text="go"))
        await it.rest()
    assert left == [3]
    with JournalReader.open(tmp_path) as reader:
        assert [one.method for one in reader.frames()] == [str(n) for n in range(10)]


# -- secrets ----------------------------------------------------------------------------------------------------------


async def test_a_secret_reaches_codex_and_not_the_disk(tmp_path: Path) -> None:
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text=f"Deploy with {SECRET}."))
        assert codex.asked() == [StartTurn(text=f"Deploy with {SECRET}.")]
        assert SECRET not in repr(it.screen.seen)
        it.loop.keep_frame("out", "turn/start", b'{"text":"' + SECRET.encode() + b'"}')
        await it.rest()
    assert not on_disk(tmp_path, SECRET)
    replayed(tmp_path)


async def test_an_answer_reaches_codex_as_it_was_given(tmp_path: Path) -> None:
    codex = PatientCodex()
    question = UserInput(questions=(UserQuestion("q", "Key", "Which key?"),))
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        await it.told(facts.RequestReceived(request="1/1", question=question))
        answer = Replies(replies={"q": (SECRET,)})
        await it.told(facts.AnswerSubmitted(request="1/1", answer=answer))
        [call] = codex.calls
        assert getattr(call.effect, "answer", None) == answer
    assert not on_disk(tmp_path, SECRET)


# -- surfaces ---------------------------------------------------------------------------------------------------------


async def test_a_surface_that_raises_stops_nothing(tmp_path: Path) -> None:
    """It is recorded once, and the surface goes on being told."""
    told: list[str] = []

    class Broken(Screen):
        def taken(self, taken: Taken) -> None:
            told.append(type(taken.recorded.fact).__name__)
            raise ZeroDivisionError("no room")

        def notify(self, thread: str, level: facts.Level, text: str) -> None:
            raise ValueError(text)

    codex = PatientCodex()
    async with rawr(tmp_path, codex, surface=Broken()) as it:
        await it.opened()
        await it.told(facts.RequestReceived(request="1/1", question=CommandApproval(command="x", cwd="/")))
        await it.told(facts.UserSubmitted(text="go"))
        assert codex.asked() == [StartTurn(text="go")]
        assert not it.looping.done()
    with JournalReader.open(tmp_path) as reader:
        faults = [row.fact for row in reader.facts() if isinstance(row, facts.Recorded)]
    assert [fact for fact in faults if isinstance(fact, facts.FaultRecorded)] == [
        facts.FaultRecorded(where="surface", problem="ZeroDivisionError: no room")
    ]
    assert told[-1] == "UserSubmitted"


# -- threads that are not in memory -----------------------------------------------------------------------------------


async def test_a_thread_that_closed_is_let_go_and_recalled(tmp_path: Path) -> None:
    """B10: its memory is the journal."""
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened()
        usage = facts.UsageUpdated(turn="T1", in_context=5, spent=5, window=9)
        await it.told(usage, facts.TurnCompleted(turn="T1", status="completed"))
        before = it.state()
        await it.told(facts.ThreadClosed())
        assert it.kernel.threads == {}
        await it.told(facts.UserSubmitted(text="anyone?"))
        assert it.kernel.threads == {}
        assert it.screen.notices == [("t", "error", "The thread is closed; the message was not sent.")]
        await it.told(facts.ThreadJoined(cwd="/project"))
        after = it.state()
        assert (after.usage, after.last_turn, after.turns, after.ours) == (before.usage, before.last_turn, 1, True)
    replayed(tmp_path)


async def test_an_old_thread_is_recalled_and_joined_when_something_happens_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B10, C13: only the newest threads are in memory from the start."""
    monkeypatch.setattr("rawr.runtime.recovery.LIVE_THREADS", 1)
    codex = RememberingCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened("old")
        await it.told(facts.UserSubmitted(text="first"), thread="old")
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread="new")
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        assert list(it.kernel.threads) == ["new"]
        await it.told(facts.UserSubmitted(text="again"), thread="old")
        assert codex.texts == ["first", "again"]
        assert it.state("old").turns == 2
        returned = [one.recorded.fact for one in it.screen.seen if one.recorded.thread == "old"]
        assert isinstance(returned[0], facts.RuntimeStarted)
    replayed(tmp_path)


async def test_a_thread_that_nobody_knows_begins_now(tmp_path: Path) -> None:
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.told(facts.WarningReported(message="hm"), thread="stranger")
        assert it.facts(facts.RuntimeStarted) == [facts.RuntimeStarted(version=VERSION, policy=it.kernel.policy_hash)]
        assert it.state("stranger").id == "stranger"


async def test_a_person_is_told_on_the_screen(tmp_path: Path) -> None:
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text="go"), facts.CompactionSubmitted(bare=True))
        assert it.screen.notices == [("t", "warning", "A turn is running; nothing was compacted.")]
        [intended] = [one for taken in it.screen.seen for one in taken.effects if isinstance(one.effect, Notify)]
        assert intended.id == "t:5.0"


async def test_a_message_is_safe_once_its_future_is_done(tmp_path: Path) -> None:
    """D5: whoever waits for it may be killed afterwards; a journal that fails says so instead."""
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened()
        taken = await it.loop.record("t", facts.UserSubmitted(text="precious"))
        with JournalReader.open(tmp_path) as reader:
            [row] = reader.facts("t", after=taken.recorded.seq - 1, until=taken.recorded.seq)
        assert row == taken.recorded

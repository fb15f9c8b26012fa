"""A thread whose record is damaged is left alone until a person says otherwise; the others go on (D5, B10)."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from rawr.runtime import loop as loop_module
from rawr.runtime.recovery import Recollection, ThreadDistrusted, untrusted
from tests.core.samples import QUIET
from tests.runtime.codex import RememberingCodex
from tests.runtime.rig import CONNECTED, VERSION, rawr

FLIP = "UPDATE facts SET body = replace(body, 'one', 'onf') WHERE thread = '{thread}' AND kind = 'UserSubmitted'"


async def story(home: Path) -> RememberingCodex:
    """Two threads, with a message in each."""
    codex = RememberingCodex()
    async with rawr(home, codex) as it:
        await it.opened("hurt")
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread="well")
        await it.told(facts.UserSubmitted(text="one"), thread="hurt")
        await it.told(facts.UserSubmitted(text="one"), thread="well")
    return codex


def damage(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        assert db.execute(statement).rowcount > 0, statement


def mend(home: Path, thread: str) -> None:
    with Journal.open(home) as journal:
        batch = Batch()
        batch.add_mend(thread, seq=journal.last_seq(), at=int(time.time() * 1000))
        journal.append(batch).result()


DAMAGE = {
    "a fact": FLIP.format(thread="hurt"),
    "its kind": "UPDATE facts SET kind = 'UserSubmittee' WHERE thread = 'hurt' AND kind = 'UserSubmitted'",
    "its time": "UPDATE facts SET at = at + 1 WHERE thread = 'hurt' AND kind = 'UserSubmitted'",
    "its checksum": "UPDATE facts SET crc = crc + 1 WHERE thread = 'hurt' AND kind = 'UserSubmitted'",
    "a fact that is gone": "DELETE FROM facts WHERE thread = 'hurt' AND kind = 'UserSubmitted'",
    "no text at all": "UPDATE facts SET body = CAST(x'22ff' AS TEXT) WHERE thread = 'hurt' AND kind = 'UserSubmitted'",
    "an effect under way": "UPDATE effects SET state = 'intended' WHERE thread = 'hurt' AND kind = 'StartTurn'",
}


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
async def test_a_damaged_thread_is_left_alone_and_the_others_go_on(tmp_path: Path, statement: str) -> None:
    codex = await story(tmp_path)
    damage(tmp_path, statement)
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        assert set(it.kernel.threads) == {"well"}
        with pytest.raises(ThreadDistrusted, match=r"rawr leaves the thread alone\. `rawr mend hurt` continues"):
            await it.loop.record("hurt", facts.UserSubmitted(text="two"))
        it.tell(facts.TurnStarted(turn="T9"), "hurt")
        await it.told(facts.UserSubmitted(text="two"), thread="well")
        assert codex.texts == ["one", "one", "two"]
        assert "hurt" not in {one.recorded.thread for one in it.screen.seen}


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
async def test_mended_it_goes_on_from_its_last_sound_state(tmp_path: Path, statement: str) -> None:
    codex = await story(tmp_path)
    damage(tmp_path, statement)
    mend(tmp_path, "hurt")
    for text in ("two", "three"):
        async with rawr(tmp_path, codex) as it:
            await it.told(CONNECTED, thread="")
            await it.told(facts.UserSubmitted(text=text), thread="hurt")
            assert codex.texts[-1] == text
            assert it.state("hurt").cwd == "/project"
    assert codex.texts.count("two") == codex.texts.count("three") == 1


async def test_damage_that_comes_after_it_was_mended_counts_again(tmp_path: Path) -> None:
    codex = await story(tmp_path)
    damage(tmp_path, FLIP.format(thread="hurt"))
    mend(tmp_path, "hurt")
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        await it.told(facts.UserSubmitted(text="again one"), thread="hurt")
    damage(tmp_path, FLIP.replace("'one', 'onf'", "'again', 'agaio'").format(thread="hurt"))
    with JournalReader.open(tmp_path) as reader:
        found = untrusted(reader, Recollection(reader, policy=QUIET, version=VERSION))
    assert set(found) == {"hurt"}


async def test_a_thread_that_is_recalled_later_is_left_alone_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B10: it is not among the newest, and is read only when something happens there."""
    codex = await story(tmp_path)
    damage(tmp_path, FLIP.format(thread="hurt"))
    monkeypatch.setattr("rawr.runtime.recovery.LIVE_THREADS", 1)
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        assert it.screen.notices == []
        await it.told(facts.TurnStarted(turn="T9"), facts.UserSubmitted(text="two"), thread="hurt")
        [(thread, level, text)] = it.screen.notices
        assert (thread, level) == ("hurt", "warning")
        assert text.startswith("The record of thread hurt is not intact: fact 5 (UserSubmitted) is damaged")
        assert codex.texts == ["one", "one"]


async def test_a_sound_snapshot_behind_the_damage_makes_up_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is the thread's own; and where the newest snapshot is damaged, an older one and the facts will do."""
    monkeypatch.setattr(loop_module, "SNAPSHOT_EVERY", 2)
    codex = await story(tmp_path)
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        await it.told(facts.UserSubmitted(text="two"), thread="hurt")
        state = it.state("hurt")
    damage(tmp_path, "UPDATE facts SET at = 1 WHERE thread = 'hurt' AND kind = 'ThreadOpened'")
    newest = "seq = (SELECT max(seq) FROM snapshots WHERE thread = 'hurt')"
    for statement in ("", f"UPDATE snapshots SET body = replace(body, '0', '1') WHERE {newest}"):  # noqa: S608
        if statement:
            damage(tmp_path, statement)
        with JournalReader.open(tmp_path) as reader:
            recollection = Recollection(reader, policy=QUIET, version=VERSION)
            assert recollection.thread("hurt") == state
            assert recollection.distrusted == {}


async def test_what_is_damaged_about_rawr_itself_stops_nothing(tmp_path: Path) -> None:
    codex = await story(tmp_path)
    damage(tmp_path, "UPDATE facts SET at = at + 1 WHERE kind = 'ServerConnected' AND thread = ''")
    async with rawr(tmp_path, codex) as it:
        assert it.kernel.host.epoch > 0
        await it.told(CONNECTED, thread="")
        await it.told(facts.UserSubmitted(text="two"), thread="hurt")
        assert codex.texts == ["one", "one", "two"]


async def test_rules_that_cannot_be_read_make_no_state(tmp_path: Path) -> None:
    """Under other rules the same facts lead elsewhere."""
    codex = RememberingCodex()
    async with rawr(tmp_path, codex) as it:
        await it.told(facts.PolicyAdopted(policy=QUIET), thread="")
        await it.opened("hurt")
    damage(tmp_path, "UPDATE facts SET at = at + 1 WHERE kind = 'PolicyAdopted'")
    with JournalReader.open(tmp_path) as reader:
        found = untrusted(reader, Recollection(reader, policy=QUIET, version=VERSION))
    assert found["hurt"].problem == "the rules in force then cannot be read"


async def test_an_effect_that_is_damaged_is_not_carried_out_again(tmp_path: Path) -> None:
    """D5: what was to be sent cannot be known any more, so nothing is."""
    codex = await story(tmp_path)
    damage(tmp_path, DAMAGE["an effect under way"])
    damage(tmp_path, "UPDATE effects SET body = replace(body, 'one', 'rm -rf') WHERE thread = 'hurt'")
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        assert not it.facts(facts.EffectFailed)
    assert codex.texts == ["one", "one"]

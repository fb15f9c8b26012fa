"""A journal told again: what was decided then follows now, and what was changed since is found (C17)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs

from rawr.core.policy.policy import Limits, Policy
from rawr.core.replay import Replay
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.reasons import LOGIC
from rawr.journal.reader import JournalReader
from rawr.runtime import loop
from rawr.runtime.replaying import Difference, Replaying, Tally, replay_journal
from tests.core.golden.journaled import altered, journaled
from tests.core.golden.lines import HERE, TOLD, read
from tests.core.samples import QUIET
from tests.runtime.codex import RememberingCodex
from tests.runtime.rig import CONNECTED, LOST, rawr
from tests.runtime.test_distrust import DAMAGE, FLIP, damage, mend, story


async def recorded(home: Path) -> None:
    codex = RememberingCodex()
    for _ in range(2):
        async with rawr(home, codex) as it:
            await it.opened()
            await it.told(facts.UserSubmitted(text="one"), facts.UserSubmitted(text="two"))
            await it.told(LOST, CONNECTED, thread="")
            await it.told(facts.InterruptSubmitted(), facts.CompactionSubmitted(bare=True))


def told_again(home: Path, policy: Policy | None = None) -> Replay:
    with JournalReader.open(home) as reader:
        return replay_journal(reader, policy=policy or QUIET)


def tamper(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        assert db.execute(statement).rowcount >= 1


async def test_an_untouched_journal_leads_to_the_same(tmp_path: Path) -> None:
    await recorded(tmp_path)
    result = told_again(tmp_path)
    assert result.divergences == ()
    assert result.facts > 20


TAMPERED = {
    "another text was sent": (
        "UPDATE effects SET body = replace(body, 'one', 'two') WHERE kind = 'StartTurn' AND body LIKE '%one%'",
        "effects",
    ),
    "an effect is gone": (
        "DELETE FROM effects WHERE rowid = (SELECT min(rowid) FROM effects WHERE kind = 'StartTurn')",
        "effects",
    ),
    "a decision is gone": ("DELETE FROM decisions WHERE rowid = (SELECT min(rowid) FROM decisions)", "decisions"),
    "a reason was changed": (
        "UPDATE decisions SET reason = 'turn.queued.busy' WHERE reason = 'turn.started.input'",
        "decisions",
    ),
    "evidence was changed": (
        "UPDATE decisions SET evidence = '{\"message\":1,\"waiting\":7}' WHERE reason = 'turn.started.input'",
        "decisions",
    ),
    "a fact was changed": (
        'UPDATE facts SET body = \'{"fact":"UserSubmitted","text":" "}\' WHERE kind = \'UserSubmitted\'',
        "unreadable facts",
    ),
    "a time was changed": ("UPDATE facts SET at = at + 60000 WHERE kind = 'UserSubmitted'", "unreadable facts"),
    "a fact cannot be read": ("UPDATE facts SET body = '{}' WHERE kind = 'UserSubmitted'", "unreadable facts"),
    "an effect cannot be read": ("UPDATE effects SET body = '?' WHERE kind = 'StartTurn'", "unreadable effects"),
    "a reason nobody knows": (
        "UPDATE decisions SET reason = 'no.such.reason' WHERE reason = 'turn.started.input'",
        "unreadable decisions",
    ),
}


@pytest.mark.parametrize(("statement", "what"), TAMPERED.values(), ids=TAMPERED)
async def test_a_tampered_journal_is_found_out(tmp_path: Path, statement: str, what: str) -> None:
    """C17: a row that cannot be read is a difference too, and no reason to stop."""
    await recorded(tmp_path)
    tamper(tmp_path, statement)
    result = told_again(tmp_path)
    assert not result.same
    assert what in {one.what for one in result.divergences}


async def test_under_another_policy_the_decisions_say_so(tmp_path: Path) -> None:
    await recorded(tmp_path)
    result = told_again(tmp_path, structs.replace(QUIET, limits=Limits(compaction=5)))
    assert "decisions" in {one.what for one in result.divergences}


# -- nothing shows in the checksums ---------------------------------------------------------------------------------


def replaying(home: Path, *, thread: str | None = None) -> tuple[list[Difference], Tally]:
    with JournalReader.open(home) as reader:
        it = Replaying(reader, policy=QUIET, thread=thread, everything=True)
        return list(it.differences()), it.tally


FIRST_WORDS = "(SELECT min(seq) FROM facts WHERE kind = 'UserSubmitted')"
OTHER_WORDS = f"UPDATE facts SET body = replace(body, '\"one\"', '\"0ne\"') WHERE seq = {FIRST_WORDS}"  # noqa: S608
ALTERED = {
    "a fact": (OTHER_WORDS, "effects"),
    "a boundary event": ("UPDATE boundaries SET kind = 'commit' WHERE kind = 'user_directive'", "boundaries"),
    "a boundary event that is gone": ("DELETE FROM boundaries WHERE kind = 'user_directive'", "boundaries"),
    "a decision of no fact": ("UPDATE decisions SET seq = 1000000 WHERE rowid = 1", "decisions"),
    "a kept state": ("UPDATE snapshots SET seq = seq - 3 WHERE seq = (SELECT max(seq) FROM snapshots)", "state"),
}


@pytest.mark.parametrize(("statement", "what"), ALTERED.values(), ids=ALTERED)
async def test_what_was_altered_without_a_trace_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, what: str
) -> None:
    """C17: whoever rewrites a row rewrites its checksum too."""
    monkeypatch.setattr(loop, "SNAPSHOT_EVERY", 7)
    await recorded(tmp_path)
    before, tally = replaying(tmp_path)
    assert (before, tally.boundaries > 0, tally.states) == ([], True, 1)
    altered(tmp_path / "journal.db", statement)
    assert what in {one.divergence.what for one in replaying(tmp_path)[0]}


async def test_a_difference_has_the_fact_and_the_state_before(tmp_path: Path) -> None:
    """C17: in the right place, with what went in."""
    await recorded(tmp_path)
    altered(tmp_path / "journal.db", OTHER_WORDS)
    first = replaying(tmp_path)[0][0]
    assert first.fact is not None
    assert first.fact.fact == facts.UserSubmitted(text="0ne")
    assert first.divergence.seq == first.fact.seq
    assert isinstance(first.before, ThreadState)
    assert (first.before.id, first.before.queue) == (first.thread, ())


async def test_a_thread_by_itself_leads_to_the_same(tmp_path: Path) -> None:
    """C17: under the rules of its day, without a look at the others."""
    await recorded(tmp_path)
    with JournalReader.open(tmp_path) as reader:
        names = [one.thread for one in reader.threads()]
    found = [replaying(tmp_path, thread=name) for name in names]
    assert [differences for differences, _ in found] == [[]] * len(names)
    assert sum(tally.facts for _, tally in found) == replaying(tmp_path)[1].facts


def test_what_followed_from_no_fact_is_found(tmp_path: Path) -> None:
    """C17: the newest facts of a thread are gone, and what came of them is still there."""
    journaled(read(TOLD), tmp_path)
    altered(tmp_path / "journal.db", "DELETE FROM facts WHERE thread = '0199-second' AND seq >= 68")
    found = [one for one in replaying(tmp_path)[0] if one.divergence.problem == "its fact is not on record"]
    assert [(one.thread, one.divergence.seq, one.divergence.what) for one in found] == [
        ("0199-second", 68, "decisions"),
        ("0199-second", 68, "effects"),
    ]


def test_a_thread_that_is_over_takes_no_room(tmp_path: Path) -> None:
    """C17: a journal of a thousand threads needs no more memory than one of ten."""
    journaled(read(TOLD), tmp_path)
    with JournalReader.open(tmp_path) as reader:
        it = Replaying(reader, policy=QUIET)
        assert list(it.differences()) == []
        assert [it.state(one.thread) for one in reader.threads() if one.thread] == [None, None]


# -- other rules ----------------------------------------------------------------------------------------------------


async def test_what_other_rules_decided_is_not_a_difference(tmp_path: Path) -> None:
    """C17: a journal says which rules it was made under."""
    await recorded(tmp_path)
    altered(
        tmp_path / "journal.db",
        f"UPDATE decisions SET logic = {LOGIC - 1}",  # noqa: S608
        "UPDATE decisions SET reason = 'turn.queued.busy' WHERE reason = 'turn.started.input'",
        "DELETE FROM effects WHERE kind = 'StartTurn'",
    )
    result = told_again(tmp_path)
    assert result.same
    assert {one.what for one in result.outdated} == {"decisions", "effects"}
    assert {one.logic for one in result.outdated} == {LOGIC - 1}
    assert set(replaying(tmp_path)[1].rules) == {LOGIC - 1}


async def test_after_an_update_todays_rules_count(tmp_path: Path) -> None:
    """C17: a state is folded anew under them, so what they decided must follow."""
    await recorded(tmp_path)
    again = "(SELECT max(seq) FROM facts WHERE kind = 'RuntimeStarted' AND thread = '')"
    older = f"UPDATE decisions SET logic = {LOGIC - 1} WHERE seq < {again}"  # noqa: S608
    altered(tmp_path / "journal.db", older)
    assert told_again(tmp_path).same
    other = "UPDATE decisions SET reason = 'turn.queued.offline' WHERE reason LIKE 'turn.queued%' AND seq >"
    altered(tmp_path / "journal.db", f"{other} {again}")
    assert {one.logic for one in told_again(tmp_path).divergences} == {LOGIC}


# -- damage ---------------------------------------------------------------------------------------------------------


async def test_behind_a_damaged_fact_nothing_is_compared(tmp_path: Path) -> None:
    """C17, D5: a state that the thread never had would differ in everything; the other thread is compared as ever."""
    await story(tmp_path)
    damage(tmp_path, FLIP.format(thread="hurt"))
    found, tally = replaying(tmp_path)
    assert [(one.thread, one.divergence.what) for one in found] == [("hurt", "unreadable facts")]
    assert tally.skipped > 0


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
async def test_a_mended_thread_is_told_from_its_last_sound_state(tmp_path: Path, statement: str) -> None:
    """C17, D5: as rawr went on with it, after a person had said so."""
    codex = await story(tmp_path)
    damage(tmp_path, statement)
    mend(tmp_path, "hurt")
    async with rawr(tmp_path, codex) as it:
        await it.told(CONNECTED, thread="")
        await it.told(facts.UserSubmitted(text="two"), thread="hurt")
    found, _ = replaying(tmp_path)
    kinds = {one.divergence.what for one in found}
    assert kinds <= {"unreadable effects", "effects"} if "effects" in statement else not kinds


async def test_rules_that_cannot_be_read_stop_the_threads_under_them(tmp_path: Path) -> None:
    """C17: nobody can tell what should have followed."""
    journaled(read(HERE / "recorded" / "a_run_as_a_program.ndjson"), tmp_path)
    tamper(tmp_path, "UPDATE facts SET body = '{}' WHERE kind = 'PolicyAdopted'")
    found, tally = replaying(tmp_path)
    assert {one.divergence.what for one in found} == {"unreadable facts"}
    assert tally.skipped > 20

"""A journal told again: what was decided then follows now, and what was changed since is found (C17)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs

from rawr.core.policy.policy import Limits, Policy
from rawr.core.replay import Replay
from rawr.core.vocabulary import facts
from rawr.journal.reader import JournalReader
from rawr.runtime.replaying import replay_journal
from tests.core.samples import QUIET
from tests.runtime.codex import RememberingCodex
from tests.runtime.rig import CONNECTED, LOST, rawr


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

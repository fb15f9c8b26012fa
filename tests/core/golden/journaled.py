"""Golden lines as a journal on disk, written as the loop writes one; and journals altered without a trace."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import msgspec

from rawr.core.policy.policy import Policy
from rawr.core.real import Redacted
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.facts import PolicyAdopted, Recorded
from rawr.core.vocabulary.reasons import LOGIC
from rawr.core.vocabulary.records import Decision
from rawr.journal.checksums import sum_all
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.core.golden.lines import Line
from tests.core.samples import QUIET

encode = msgspec.json.encode


def journaled(lines: Iterable[Line], home: Path, *, policy: Policy = QUIET, logic: int = LOGIC) -> Path:
    """``policy`` is in force until one is adopted. Gives the home."""
    batch = Batch()
    for line in lines:
        if isinstance(line.fact, PolicyAdopted):
            policy = line.fact.policy
        batch.add_fact(Recorded(line.seq, line.at, line.thread, line.fact), Redacted(encode(line.fact)))
        for n, record in enumerate(line.because):
            name = f"{line.thread}:{line.seq}/{n}"
            decision = Decision(name, line.seq, line.at, line.thread, record, policy.hash, logic)
            batch.add_decision(decision, Redacted(encode(record.evidence)))
        for one in line.do:
            intended = Intended(one.id, line.thread, one.effect)
            batch.add_effect(intended, Redacted(encode(one.effect)), seq=line.seq)
    with Journal.open(home) as journal:
        journal.append(batch).result()
    return home


def altered(path: Path, *statements: str) -> Path:
    """Change rows, and their checksums with them, as somebody would who does not want it to show."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            assert db.execute(statement).rowcount >= 1, statement
        sum_all(db)
    return path

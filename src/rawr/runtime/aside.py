"""Records a fact while no rawr runs: a person's word about a past decision.

Use it only for facts without consequences: nothing is running that could decide about them.
"""

import time
from pathlib import Path

import msgspec

from rawr.core.vocabulary.facts import DecisionLabelled, Recorded
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.ports.memory import Batch


def write_down(home: Path, fact: DecisionLabelled) -> None:
    """Append the fact to this home's journal. Raises if another rawr is using the journal."""
    with Journal.open(home) as journal:
        batch = Batch(durable=True)
        recorded = Recorded(journal.last_seq() + 1, int(time.time() * 1000), "", fact)
        batch.add_fact(recorded, Redactor().json(msgspec.json.encode(fact)))
        journal.append(batch).result()

"""The journal: rawr's memory on disk, an append-only record in SQLite.

One ``Journal`` writes, any number of ``JournalReader`` read, a ``Redactor`` keeps secrets out. The package knows the
core's types and nothing of Codex, of the runtime or of the surfaces.
"""

from rawr.journal.batch import Batch, Direction, EffectState, OutcomeState
from rawr.journal.errors import (
    HomeOpen,
    JournalBusy,
    JournalClosed,
    JournalConflict,
    JournalCorrupt,
    JournalLost,
    JournalMissing,
    JournalTooNew,
    JournalUnwritable,
    NotAJournal,
)
from rawr.journal.home import prepare_home, resolve_home
from rawr.journal.integrity import Finding, IntegrityReport, check
from rawr.journal.migrations import SCHEMA_VERSION
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.rows import Counts, Frame, Snapshot, StoredEffect, ThreadSpan, Unreadable
from rawr.journal.shape import shape_of
from rawr.journal.store import Journal

__all__ = [
    "SCHEMA_VERSION",
    "Batch",
    "Counts",
    "Direction",
    "EffectState",
    "Finding",
    "Frame",
    "HomeOpen",
    "IntegrityReport",
    "Journal",
    "JournalBusy",
    "JournalClosed",
    "JournalConflict",
    "JournalCorrupt",
    "JournalLost",
    "JournalMissing",
    "JournalReader",
    "JournalTooNew",
    "JournalUnwritable",
    "NotAJournal",
    "OutcomeState",
    "Redactor",
    "Snapshot",
    "StoredEffect",
    "ThreadSpan",
    "Unreadable",
    "check",
    "prepare_home",
    "resolve_home",
    "shape_of",
]

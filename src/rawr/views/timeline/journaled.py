"""A timeline from a journal: its facts with everything that followed from them, read side by side in one pass."""

from collections.abc import Iterator

from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.facts import Recorded
from rawr.core.vocabulary.records import Decision
from rawr.journal.migrations import BOUNDARIES
from rawr.journal.reader import JournalReader
from rawr.journal.rows import Unreadable
from rawr.runtime.beside import Beside
from rawr.runtime.rules import PastRules
from rawr.views.timeline.folding import TimelineFold
from rawr.views.timeline.shapes import Timeline


def timeline_of(
    reader: JournalReader, thread: str, *, policy: Policy, first: int = 1, until: int | None = None
) -> Timeline:
    """From the fact ``first``, such as the one with which a run was ordered, to the newest, or to ``until``.

    ``policy`` is in force as long as none was adopted. Rows that cannot be read are left out; the reader notes them.
    """
    last = reader.last_seq() if until is None else until
    fold = TimelineFold(thread, PastRules(reader, otherwise=policy).at(last) or policy)
    for taken in taken_from(reader, thread, first=first, until=last):
        fold.take(taken)
    whole = first <= 1 or any(True for _ in reader.facts(after=first - 1, until=first))
    return replace(fold.so_far, whole=whole)


def taken_from(reader: JournalReader, thread: str, *, first: int, until: int) -> Iterator[Taken]:
    after = first - 1
    decisions = Beside("decisions", _decisions(reader, thread, after, until))
    effects = Beside("effects", _effects(reader, thread, after, until))
    # An older journal has no table of them.
    rows = _boundaries(reader, thread, after, until) if reader.schema_version >= BOUNDARIES else ()
    boundaries: Beside[BoundaryEvent] = Beside("boundaries", rows)
    for one in reader.facts(thread, after=after, until=until):
        if isinstance(one, Recorded):
            yield Taken(one, decisions.of(one.seq), effects.of(one.seq), boundaries.of(one.seq))
        for stream in (decisions, effects, boundaries):
            stream.left.clear()


def _decisions(
    reader: JournalReader, thread: str, after: int, until: int
) -> Iterator[tuple[int, str, Decision] | Unreadable]:
    for row in reader.decisions(thread, after=after, until=until):
        yield row if isinstance(row, Unreadable) else (row.seq, row.thread, row)


def _effects(
    reader: JournalReader, thread: str, after: int, until: int
) -> Iterator[tuple[int, str, Intended] | Unreadable]:
    for row in reader.effects(thread, after=after, until=until):
        yield row if isinstance(row, Unreadable) else (row.seq, row.thread, Intended(row.id, row.thread, row.effect))


def _boundaries(
    reader: JournalReader, thread: str, after: int, until: int
) -> Iterator[tuple[int, str, BoundaryEvent] | Unreadable]:
    for row in reader.boundary_rows(thread, after=after, until=until):
        yield row if isinstance(row, Unreadable) else (row[0], row[1].thread, row[1])

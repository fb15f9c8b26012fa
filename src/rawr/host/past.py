"""What was recorded after a fact, for a client that was not there: from the journal, a page at a time."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rawr.core.kernel import Taken
from rawr.core.vocabulary.facts import Recorded
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader

PAGE = 200


def pages(journal: Path, *, after: int, until: int) -> Iterator[list[Taken]]:
    """Facts with ``after < seq <= until`` and the decisions about them, oldest first. Unreadable rows are left out."""
    with JournalReader.open(journal) as reader:
        facts = (one for one in reader.facts(after=after, until=until) if isinstance(one, Recorded))
        decisions = (one for one in reader.decisions(after=after, until=until) if isinstance(one, Decision))
        waiting = next(decisions, None)

        def about(fact: Recorded) -> Taken:
            nonlocal waiting
            found: list[Decision] = []
            while waiting is not None and waiting.seq <= fact.seq:
                if waiting.seq == fact.seq:
                    found.append(waiting)
                waiting = next(decisions, None)
            return Taken(fact, tuple(found))

        while page := [about(fact) for fact in islice(facts, PAGE)]:
            yield page

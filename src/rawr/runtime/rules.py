"""Which rules were in force at which fact, read from the journal as they are needed.

A thread is folded under the rules of its day. There is a policy for every start of rawr, so a journal has many; only
those that a fold passes are read.
"""

from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.facts import PolicyAdopted, Recorded
from rawr.journal.reader import JournalReader

MOST = 64
"""Policies that are kept: one can be large, and there is one for every start."""


class PastRules:
    def __init__(self, reader: JournalReader, *, otherwise: Policy) -> None:
        """``otherwise`` is in force as long as none was adopted."""
        self._reader = reader
        self._read: dict[int, Policy | None] = {0: otherwise}
        self._from, self._until = 0, 0
        self._now: Policy | None = otherwise

    def at(self, seq: int) -> Policy | None:
        """The rules in force at a fact; None if they cannot be read."""
        if not self._from < seq <= self._until:
            self._from, self._until = self._reader.around("PolicyAdopted", seq)
            self._now = self._adopted(self._from)
        return self._now

    def _adopted(self, seq: int) -> Policy | None:
        if seq not in self._read:
            if len(self._read) > MOST:
                del self._read[next(number for number in self._read if number)]
            row = self._reader.fact(seq)
            fact = row.fact if isinstance(row, Recorded) else None
            self._read[seq] = fact.policy if isinstance(fact, PolicyAdopted) else None
        return self._read[seq]

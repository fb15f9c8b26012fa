"""Compactions of the record: whose they were, and if one could see them coming. Some of it only shows later on."""

from msgspec.structs import replace

from rawr.backtest.context import Context
from rawr.backtest.result import NativeCompaction
from rawr.core.policy.tiers import percent_remaining
from rawr.history import entries
from rawr.history.telling import CALLS

FORESEEABLE = 65
"""Percent left at a turn's end below which a compaction is in sight, whatever the policy that is tried thinks of it."""
MADE = frozenset({*CALLS, entries.Searched})
"""What comes from the model, beside its words."""
AT_ONCE = 1_000
"""A message that comes so soon after a compaction was there before it, in ms: nobody types that fast."""
NEARLY_FULL = 80
"""Percent of Codex's own limit above which it may have compacted before such a message. Its reports are not all that it
counts."""


def asks_for_summary(made: entries.AnyEntry | None, compacted: entries.Compacted) -> bool:
    """Return True if a report of usage, right before a compaction, is that of the request for its summary: all that was
    ``made`` is in there. Most versions report it like any other. What was held before, the report before that says."""
    summary = compacted.summary
    return bool(summary) and (made is None or (isinstance(made, entries.Said) and made.text in summary))


class NativeCompactions:
    def __init__(self) -> None:
        self.all: list[NativeCompaction] = []
        self._foreseen = False
        self._undecided = False
        """The last one came between two turns of a version that does not name them."""
        self.left_unknown = False
        """What the last one left has not been counted yet, or only guessed."""

    def turn_ended(self, context: Context) -> None:
        left = percent_remaining(in_context=context.recorded, window=context.window)
        self._foreseen = self._foreseen or (left is not None and left < FORESEEABLE)

    def add(self, one: NativeCompaction, *, undecided: bool) -> None:
        self.all.append(replace(one, foreseeable=self._foreseen))
        self._undecided = undecided
        self._foreseen, self.left_unknown = False, True

    def counted(self, in_context: int, *, guessed: bool) -> None:
        """The first report of usage after a compaction says what it left."""
        self.all[-1] = replace(self.all[-1], tokens_after=in_context)
        self.left_unknown = guessed

    def codexs_own(self, *, inside_turn: bool) -> None:
        """The last one was."""
        self.all[-1] = replace(self.all[-1], by="codex", inside_turn=inside_turn)

    def was_rawrs(self, *, turn: int) -> bool:
        """A handoff comes first in a turn: if the last one seemed to be the user's, rawr had compacted without a word
        before. Return True then."""
        if not self.all or self.all[-1].turn != turn or self.all[-1].by != "user":
            return False
        self.all[-1] = replace(self.all[-1], by="rawr")
        return True

    def turn_begins(self, at: int, *, spoken: bool, limit: int | None) -> None:
        """After one that no line says anything about. Codex compacts where it goes on by itself, or before it takes up
        a message that is there; else a person asked for it."""
        if not self._undecided:
            return
        self._undecided, last = False, self.all[-1]
        if not spoken:
            self.codexs_own(inside_turn=True)
        elif at - last.at <= AT_ONCE and limit is not None and 100 * last.tokens >= NEARLY_FULL * limit:
            self.codexs_own(inside_turn=False)

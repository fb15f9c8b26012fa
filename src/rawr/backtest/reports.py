"""Which request the newest report of usage was for: the agent's, or the one that asks for a summary.

A local summary is asked for like anything else, and most versions report it like anything else. What the context held
before the compaction is what the report before that one said.
"""

from rawr.history import entries
from rawr.history.telling import CALLS

_MADE = frozenset({*CALLS, entries.Searched})


class Reports:
    def __init__(self) -> None:
        self._calls = False
        self._words = ""
        """What the model made since the newest report; and for that report itself."""
        self._newest_calls = False
        self._newest_words = ""

    def made(self, entry: entries.AnyEntry) -> None:
        if type(entry) in _MADE:
            self._calls = True
        elif isinstance(entry, entries.Said) and entry.role == "assistant":
            self._words = entry.text

    def reported(self) -> None:
        self._newest_calls, self._newest_words = self._calls, self._words
        self._calls, self._words = False, ""

    def is_for(self, compacted: entries.Compacted) -> bool:
        """Return True if the newest report is that of the request for this summary: all that came of it is in there."""
        summary = compacted.summary
        return bool(summary) and not self._newest_calls and (not self._newest_words or self._newest_words in summary)

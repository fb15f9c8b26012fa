"""What all requests together carry to the model: as recorded, and as it would have been with rawr.

From a compaction on, every request is smaller by the same number of tokens. The price of one: rawr's takes a request
for the packet, one for the summary and one for the handoff; Codex's own takes the summary alone, which most versions
leave out of their counts. After either, nothing is cached but the prompts in front.
"""

from rawr.backtest.result import Carried
from rawr.history.entries import UsageSeen

SUMMARY_WORDS = 1_500
"""What the model writes for a summary, in tokens."""
PACKET_WORDS = 1_500
"""What the agent writes for a packet."""
REPLY_WORDS = 150
"""What the agent says to a handoff."""
CACHED_PROMPTS = 10_000
"""What is cached still after a compaction: the middle of the first calls after 37 recorded ones. The calls after those
had nearly everything cached."""


class _Sum:
    """Requests, and their tokens."""

    def __init__(self) -> None:
        self.requests = self.input = self.cached = self.output = 0

    def add(self, asked: int, cached: int, output: int, *, requests: int = 1) -> None:
        self.requests += requests
        self.input += asked
        self.cached += cached
        self.output += output

    @property
    def so_far(self) -> Carried:
        return Carried(self.requests, self.input, self.cached, self.output)


class Ledger:
    def __init__(self) -> None:
        self._recorded = _Sum()
        self._with_rawr = _Sum()
        self._caches = False
        """Some request found something cached: not every provider says so, or does it."""
        self._spent = -1
        self._last: UsageSeen | None = None
        self._newest = (0, 0, 0)
        """What the newest request asked, had cached and was answered, with rawr."""
        self._cold = self._cold_in_record = False
        """The next request comes after a compaction, so that only the prompts are cached: with rawr; in the record."""
        self._parting: tuple[Carried, Carried] = (Carried(), Carried())
        """What both had come to when rawr last compacted."""

    def called(self, usage: UsageSeen) -> None:
        """A model call, as Codex reported it. The same report may come again; one without input is a guess of Codex's
        after a compaction."""
        if usage.spent == self._spent or usage.input <= 0:
            self._last = None
            return
        self._spent = usage.spent
        self._last = usage

    def parted(self, offset: int) -> None:
        """The last call, with rawr: smaller by so much."""
        usage, self._last = self._last, None
        if usage is None:
            return
        asked, cached, output = usage.input, usage.cached, usage.output
        if not 0 <= cached <= asked:
            cached = 0 if cached < 0 else asked
        self._caches = self._caches or cached > 0
        # In full, since there are many of them.
        recorded, ours = self._recorded, self._with_rawr
        recorded.requests += 1
        recorded.input += asked
        recorded.cached += cached
        recorded.output += output
        if offset or self._cold or self._cold_in_record:
            asked, cached = self._with_rawr_asked(asked, cached, offset)
        ours.requests += 1
        ours.input += asked
        ours.cached += cached
        ours.output += output
        self._newest = (asked, cached, output)

    def _with_rawr_asked(self, asked: int, cached: int, offset: int) -> tuple[int, int]:
        """What a request asks with rawr, and what of that is cached."""
        if self._cold:
            cached = min(CACHED_PROMPTS, cached)
        elif self._cold_in_record:
            # With rawr there was no such compaction, and what was asked before is cached.
            cached = self._cached(self._newest[0])
        elif 2 * cached >= asked:
            cached = max(cached - offset, min(cached, CACHED_PROMPTS))
        self._cold = self._cold_in_record = False
        ours = max(asked - offset, 0)
        return ours, min(cached, ours)

    def golden_path(self, before: int, after: int, *, cold: bool = False) -> None:
        """rawr compacts. ``cold``: nobody had asked for so long that nothing is cached any more."""
        self._parting = (self.recorded, self.with_rawr)
        ours = self._with_rawr
        ours.add(before, self._cached(min(CACHED_PROMPTS, before) if cold else before), PACKET_WORDS)
        ours.add(before + PACKET_WORDS, self._cached(before), SUMMARY_WORDS)
        ours.add(after, self._cached(min(CACHED_PROMPTS, after)), REPLY_WORDS)
        self._cold = False

    def codex_compacts(self, before: int) -> None:
        """Codex compacts by itself where the record does not: with rawr, or with a threshold of its own."""
        self._with_rawr.add(before, self._cached(before), SUMMARY_WORDS)
        self._cold = True

    def compacted_in_record(self, before: int, *, parted: bool, reported: bool) -> None:
        """The record has a compaction. With rawr there is none, if the two have ``parted``. ``reported``: its request
        is the newest of the record."""
        if not reported:
            self._recorded.add(before, self._cached(before), SUMMARY_WORDS)
            if not parted:
                self._with_rawr.add(before, self._cached(before), SUMMARY_WORDS)
        elif parted:
            asked, cached, output = self._newest
            self._with_rawr.add(-asked, -cached, -output, requests=-1)
        self._cold_in_record = parted

    def _cached(self, tokens: int) -> int:
        return tokens if self._caches else 0

    def rejoin(self) -> None:
        """The record has the last compaction too, and the requests for it: what it carried since is all there is."""
        recorded, ours = self._parting
        now, self._with_rawr = self._recorded, _Sum()
        self._with_rawr.add(
            ours.input + now.input - recorded.input,
            ours.cached + now.cached - recorded.cached,
            ours.output + now.output - recorded.output,
            requests=ours.requests + now.requests - recorded.requests,
        )
        self._cold = self._cold_in_record = False

    @property
    def recorded(self) -> Carried:
        return self._recorded.so_far

    @property
    def with_rawr(self) -> Carried:
        return self._with_rawr.so_far

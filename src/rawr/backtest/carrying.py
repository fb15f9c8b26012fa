"""What all requests together carry to the model: as recorded, and as it would have been with rawr.

With rawr every request after a compaction is smaller by the same number of tokens, and three requests are added: the
heads-up, the summary and the handoff. The cache is cold after a compaction.
"""

from rawr.backtest.result import Carried
from rawr.history.entries import UsageSeen

PACKET_WORDS = 1_500
"""What the agent and the summary write, in tokens."""


class Ledger:
    def __init__(self) -> None:
        self._requests = self._input = self._cached = self._output = 0
        """As recorded."""
        self._more = [0, 0, 0, 0]
        """The same with rawr, less what was recorded."""
        self._spent = -1
        self._last: UsageSeen | None = None
        self._cold = False
        self._parting: tuple[int, ...] = (0, 0, 0, 0)
        """What rawr had added when it last compacted."""

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
        asked, cached = usage.input, usage.cached
        if cached > asked:
            cached = asked
        self._requests += 1
        self._input += asked
        self._cached += cached
        self._output += usage.output
        if offset or self._cold or cached < 0:
            self._more[1] += max(asked - offset, 0) - asked
            self._more[2] += (0 if self._cold else max(cached - offset, 0)) - cached
            self._cold = False

    def compacted(self, before: int, after: int, *, cold: bool = False) -> None:
        """``cold``: nobody had asked for so long that nothing is cached any more."""
        self._parting = tuple(self._more)
        _add(self._more, before, 0 if cold else before, PACKET_WORDS)
        _add(self._more, before, before, PACKET_WORDS)
        _add(self._more, after, 0, PACKET_WORDS // 10)
        self._cold = True

    def rejoin(self) -> None:
        """The record has the last compaction too, and the requests for it: what it carried since is all there is."""
        self._more = list(self._parting)
        self._cold = False

    @property
    def recorded(self) -> Carried:
        return Carried(self._requests, self._input, self._cached, self._output)

    @property
    def with_rawr(self) -> Carried:
        requests, asked, cached, output = self._more
        return Carried(self._requests + requests, self._input + asked, self._cached + cached, self._output + output)


def _add(total: list[int], asked: int, cached: int, output: int) -> None:
    total[0] += 1
    total[1] += asked
    total[2] += cached
    total[3] += output

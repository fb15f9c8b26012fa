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
        self._recorded = [0, 0, 0, 0]
        self._with_rawr = [0, 0, 0, 0]
        self._spent = -1
        self._last: UsageSeen | None = None
        self._cold = False
        self._parting: tuple[tuple[int, ...], tuple[int, ...]] = ((0,) * 4, (0,) * 4)
        """Both, when rawr last compacted."""

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
        asked = usage.input
        _add(self._recorded, asked, min(usage.cached, asked), usage.output)
        smaller = max(asked - offset, 0)
        cached = 0 if self._cold else max(min(usage.cached, asked) - offset, 0)
        self._cold = False
        _add(self._with_rawr, smaller, cached, usage.output)

    def compacted(self, before: int, after: int, *, cold: bool = False) -> None:
        """``cold``: nobody had asked for so long that nothing is cached any more."""
        self._parting = tuple(self._recorded), tuple(self._with_rawr)
        _add(self._with_rawr, before, 0 if cold else before, PACKET_WORDS)
        _add(self._with_rawr, before, before, PACKET_WORDS)
        _add(self._with_rawr, after, 0, PACKET_WORDS // 10)
        self._cold = True

    def rejoin(self) -> None:
        """The record has the last compaction too, and the requests for it: what it carried since is all there is."""
        recorded, with_rawr = self._parting
        for n, now in enumerate(self._recorded):
            self._with_rawr[n] = with_rawr[n] + now - recorded[n]
        self._cold = False

    @property
    def recorded(self) -> Carried:
        return Carried(*self._recorded)

    @property
    def with_rawr(self) -> Carried:
        return Carried(*self._with_rawr)


def _add(total: list[int], asked: int, cached: int, output: int) -> None:
    total[0] += 1
    total[1] += asked
    total[2] += cached
    total[3] += output

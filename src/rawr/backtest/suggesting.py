"""Settings for one user's history: searched on one half of the sessions, measured on the other.

A session is in one half or the other by its name, so that the answer is the same each time. The search changes one
thing after another and keeps what scores best (``scoring``), until nothing helps or the time is up. What it found is
suggested only if it also scores better on the sessions that it has not seen.
"""

import time
from collections.abc import Callable, Sequence
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from rawr.backtest.candidates import anything, axes, usable
from rawr.backtest.pool import Pool, Tested
from rawr.backtest.repeats import leaving_out
from rawr.backtest.result import SessionResult
from rawr.backtest.scoring import dearer, score
from rawr.backtest.summary import Summary, Tally
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.policy import Policy
from rawr.history.files import SessionFile

FEWEST = 20
"""Sessions with token counts. A search on fewer finds what happened to them, and nothing else."""
LEAST = 0.5
"""Points by which the other half must be better: less is chance."""
_ROUNDS = 3

Progress = Callable[[int, int], object]
"""Called with what is done of all there is to do."""


class Found(Struct, frozen=True, kw_only=True):
    """``suggested`` is None if nothing better was found, or if there is too little to go by (``sessions``)."""

    current: Summary
    suggested: Summary | None = None
    policy: Policy | None = None
    score_current: float = 0.0
    score_suggested: float | None = None
    sessions: int = 0
    """With token counts."""
    searched: int = 0
    held_out: int = 0
    tried: int = 0
    """Policies."""
    finished: bool = True
    """The search ended by itself, and not because its time was up."""


class Seen(Struct, frozen=True):
    """A session as the current policy has it."""

    path: str
    result: SessionResult
    open: bool
    """Some policy may decide differently on it."""


class Look:
    """The first look at all sessions: under the current policy, and under one that marks every moment."""

    def __init__(self, policy: Policy) -> None:
        self.policies = (policy, replace(policy, compaction=anything(policy.compaction)))
        self.seen: list[Seen] = []

    def add(self, file: SessionFile, results: Sequence[SessionResult]) -> None:
        now, marked = results
        kept = replace(now, boundaries=(), skipped={})
        self.seen.append(Seen(file.path, kept, bool(marked.would_compact or now.would_compact)))


def is_held_out(session: str) -> bool:
    return blake2b(session.encode("utf-8", "replace"), digest_size=1).digest()[0] % 2 == 1


class Search:
    def __init__(self, policy: Policy, seen: Sequence[Seen], pool: Pool, *, seconds: float = 0.0) -> None:
        """``seconds``: how long it may take; 0 for as long as it does."""
        self._policy = policy
        self._pool = pool
        self._counted = [one for one in seen if one.result.recorded.requests]
        self._halves = [
            [one for one in self._counted if is_held_out(one.result.session or one.path) == half]
            for half in (False, True)
        ]
        self._until = time.monotonic() + seconds if seconds else None
        self._tried: dict[AutoCompaction, float] = {}

    def run(self, progress: Progress) -> Found:
        searched, held_out = self._halves
        current = self._current(held_out)
        found = Found(
            current=current,
            score_current=score(current),
            sessions=len(self._counted),
            searched=len(searched),
            held_out=len(held_out),
        )
        if len(self._counted) < FEWEST or not searched or not held_out:
            return found
        best = self._best(searched, progress)
        found = replace(found, tried=len(self._tried), finished=not self._is_late())
        if best == self._policy.compaction:
            return found
        policy = replace(self._policy, compaction=best)
        (total,) = self._measure(held_out, [policy])
        scored = score(total)
        # Whatever the points say: rawr is there to come before Codex, and what it costs decides.
        worse = total.preceded < current.preceded or dearer(total) > dearer(current)
        if worse or scored < found.score_current + LEAST:
            return replace(found, score_suggested=scored)
        return replace(found, suggested=total, policy=policy, score_suggested=scored)

    def _best(self, searched: Sequence[Seen], progress: Progress) -> AutoCompaction:
        best = self._policy.compaction
        self._tried[best] = score(self._current(searched))
        ways = axes()
        for n in range(_ROUNDS):
            before = best
            for m, vary in enumerate(ways):
                progress(n * len(ways) + m, _ROUNDS * len(ways))
                self._try([one for one in dict.fromkeys(vary(best)) if usable(one)], searched)
                best = max(self._tried, key=lambda one: self._tried[one])
                if self._is_late():
                    return best
            if best == before:
                break
        return best

    def _try(self, wanted: Sequence[AutoCompaction], searched: Sequence[Seen]) -> None:
        new = [one for one in wanted if one not in self._tried]
        if new:
            policies = [replace(self._policy, compaction=one) for one in new]
            totals = self._measure(searched, policies, ends=self._is_late)
            self._tried.update(zip(new, map(score, totals), strict=False))

    def _measure(
        self, among: Sequence[Seen], policies: Sequence[Policy], *, ends: Callable[[], bool] = lambda: False
    ) -> list[Summary]:
        """Each policy over these sessions; nothing if the time was up before. Sessions that are the same under all of
        them are not read again."""
        tallies = [Tally(policy.full_auto) for policy in policies]
        for one in among:
            if not one.open:
                for tally in tallies:
                    tally.add(one.result)
        again = [one for one in among if one.open]
        for seen, results in zip(again, self._pool.each([one.path for one in again], policies), strict=True):
            for tally, tested in zip(tallies, results, strict=True):
                tally.add(_counted_once(tested, seen))
            if ends():
                return []
        return [tally.total() for tally in tallies]

    def _current(self, among: Sequence[Seen]) -> Summary:
        tally = Tally(self._policy.full_auto, policy="yours")
        for one in among:
            tally.add(one.result)
        return tally.total()

    def _is_late(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until


def _counted_once(tested: Tested, seen: Seen) -> SessionResult:
    """Turns that an earlier file has too are left out, whichever half that one is in."""
    result, marks = tested
    return leaving_out(result, marks, seen.result.repeats)

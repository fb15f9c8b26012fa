"""All sessions together: what a policy would have done over a history (D4)."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from rawr.backtest.result import Carried, SessionResult, WouldCompact
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.tiers import TIERS

THRASH_TURNS = 3
"""Two compactions within as many turns are one too many."""
CACHED_SHARE = 10
"""What a cached token costs of a fresh one, in percent, if no prices are set."""


class Cost(Struct, frozen=True):
    """What the input of all requests costs, with rawr and without: in your currency, or in fresh input tokens."""

    recorded: float
    with_rawr: float


class Summary(Struct, frozen=True, kw_only=True, tag_field="type", tag="summary"):
    policy: str = ""
    """The name of the policy, or of its file."""
    sessions: int = 0
    turns: int = 0
    native: int = 0
    """Compactions in the record, rawr's own not among them."""
    native_inside_turn: int = 0
    preceded: int = 0
    """Of those: rawr would have come before."""
    foreseeable: int = 0
    """Of those: a turn's end or an idle pause lay before it, at which rawr could have compacted."""
    preceded_foreseeable: int = 0
    """Of these: rawr would have come before."""
    still_native: int = 0
    """How often Codex would have compacted by itself even so."""
    would_compact: int = 0
    at_boundary: int = 0
    """Of those: at a boundary, and not because the context was full."""
    landed: int = 0
    """Of those: in the middle of a turn that would have run into Codex's own, wherever that was."""
    checkpoints: int = 0
    """Of those: in the middle of such a turn, where it had got something done. It counts as a boundary."""
    bare_ends: int = 0
    """Of those: at a turn's end of which nothing else was known, since hardly another turn fitted."""
    needless: int = 0
    """Of those: in sessions that never came to where Codex compacts by itself."""
    sessions_needing: int = 0
    """Sessions that came there."""
    thrash: int = 0
    """Compactions that came within three turns of the one before."""
    mean_percent: float | None = None
    """Left of the context when rawr would have compacted, on average."""
    tokens_carried: int = 0
    """By all requests, with rawr; and as recorded."""
    tokens_carried_recorded: int = 0
    cost_cached: Cost | None = None
    cost_uncached: Cost | None = None
    cost_unit: str = "tokens"
    by_tier: dict[str, int] = {}
    by_kind: dict[str, int] = {}
    boundaries: dict[str, int] = {}
    skipped: dict[str, int] = {}
    not_understood: int = 0
    """Lines, of ``lines``."""
    lines: int = 0
    bytes: int = 0
    seconds: float = 0.0
    workers: int = 1
    failed: int = 0
    """Files that could not be read to their end."""
    repeated: int = 0
    """Turns that another file has too: they count once."""


class Tally:
    """Adds up sessions as they come."""

    def __init__(self, prices: FullAuto, *, policy: str = "") -> None:
        self._prices = prices
        self._total = Summary(policy=policy)
        self._percents = 0
        self._recorded = Carried()
        self._with_rawr = Carried()
        self._by: dict[str, Counter[str]] = {one: Counter() for one in ("tier", "kind", "boundary", "skipped")}

    def add(self, one: SessionResult) -> None:
        total = self._total
        would = [each for each in one.would_compact if each.turn > one.repeats]
        native = [each for each in one.native_compactions if each.turn > one.repeats and each.by != "rawr"]
        self._percents += sum(each.percent for each in would)
        for each in would:
            self._by["tier"][each.tier] += 1
            self._by["kind"].update(each.kinds)
        self._by["boundary"].update(each.kind for each in one.boundaries if each.turn > one.repeats)
        self._by["skipped"].update(one.skipped)
        self._recorded = _plus(self._recorded, one.recorded)
        self._with_rawr = _plus(self._with_rawr, one.with_rawr)
        self._total = replace(
            total,
            sessions=total.sessions + 1,
            turns=total.turns + max(one.turns - one.repeats, 0),
            native=total.native + len(native),
            native_inside_turn=total.native_inside_turn + sum(each.inside_turn for each in native),
            preceded=total.preceded + sum(each.preceded for each in native),
            foreseeable=total.foreseeable + sum(each.foreseeable for each in native),
            preceded_foreseeable=total.preceded_foreseeable
            + sum(each.foreseeable and each.preceded for each in native),
            still_native=total.still_native + one.still_native,
            would_compact=total.would_compact + len(would),
            at_boundary=total.at_boundary + sum(bool(each.kinds) for each in would),
            landed=total.landed + sum(each.reason.endswith(".landing") for each in would),
            checkpoints=total.checkpoints + sum(each.reason.endswith(".checkpoint") for each in would),
            bare_ends=total.bare_ends + sum(each.kinds == ("turn_complete",) for each in would),
            needless=total.needless + (0 if one.needed else len(would)),
            sessions_needing=total.sessions_needing + one.needed,
            thrash=total.thrash + _thrash(would),
            lines=total.lines + one.lines,
            bytes=total.bytes + one.bytes,
            failed=total.failed + bool(one.problem),
            repeated=total.repeated + one.repeats,
        )

    def total(self, *, seconds: float = 0.0, workers: int = 1) -> Summary:
        total, by = self._total, self._by
        skipped = dict(sorted(by["skipped"].items()))
        cached, uncached, unit = self._costs()
        return replace(
            total,
            mean_percent=round(self._percents / total.would_compact, 1) if total.would_compact else None,
            tokens_carried=self._with_rawr.input,
            tokens_carried_recorded=self._recorded.input,
            cost_cached=cached,
            cost_uncached=uncached,
            cost_unit=unit,
            by_tier={tier: by["tier"][tier] for tier in TIERS if by["tier"][tier]},
            by_kind=dict(by["kind"].most_common()),
            boundaries=dict(by["boundary"].most_common()),
            skipped=skipped,
            not_understood=sum(skipped.values()),
            seconds=round(seconds, 3),
            workers=workers,
        )

    def _costs(self) -> tuple[Cost, Cost, str]:
        prices, recorded, ours = self._prices, self._recorded, self._with_rawr
        if prices.price_input:
            million = 1_000_000

            def priced(one: Carried, *, cached: int) -> float:
                return prices.cost(fresh=one.input - cached, cached=cached, output=one.output) / million

            with_cache = Cost(priced(recorded, cached=recorded.cached), priced(ours, cached=ours.cached))
            return with_cache, Cost(priced(recorded, cached=0), priced(ours, cached=0)), "currency"
        return Cost(_fresh(recorded), _fresh(ours)), Cost(recorded.input, ours.input), "tokens"


def _fresh(one: Carried) -> float:
    return round(one.input - one.cached * (100 - CACHED_SHARE) / 100)


def _plus(one: Carried, other: Carried) -> Carried:
    return Carried(
        one.requests + other.requests,
        one.input + other.input,
        one.cached + other.cached,
        one.output + other.output,
    )


def _thrash(would: Iterable[WouldCompact]) -> int:
    turns = [one.turn for one in would]
    return sum(later - earlier < THRASH_TURNS for earlier, later in pairwise(turns))

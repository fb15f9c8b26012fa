"""All sessions together: what a policy would have done over a history (D4)."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from rawr.backtest.prices import prices_of
from rawr.backtest.result import Carried, SessionResult, WouldCompact
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.tiers import TIERS

THRASH_TURNS = 3
"""Two compactions within as many turns are one too many."""
_HOUR = 3_600_000


class Cost(Struct, frozen=True):
    """What all requests cost, with rawr and without, compactions and all: in your currency, or in fresh input
    tokens."""

    recorded: float
    with_rawr: float


class Summary(Struct, frozen=True, kw_only=True, tag_field="type", tag="summary"):
    policy: str = ""
    """The name of the policy, or of its file."""
    sessions: int = 0
    """Without those of sub-agents, which rawr leaves alone."""
    sub_agents: int = 0
    turns: int = 0
    hours: float = 0.0
    """For how long turns were under way."""
    native: int = 0
    """Compactions in the record, rawr's own not among them."""
    native_inside_turn: int = 0
    preceded: int = 0
    """Of those: rawr would have come before."""
    foreseeable: int = 0
    """Of those: since the thread's start or the one before, a turn had ended with less than 65 % left."""
    preceded_foreseeable: int = 0
    """Of these: rawr would have come before."""
    still_native: int = 0
    """How often Codex would have compacted by itself even so."""
    would_compact: int = 0
    at_boundary: int = 0
    """Of those: at a place of choice, begun at a turn's end or while the user was away because a boundary of the tier's
    list was there."""
    bare_ends: int = 0
    """Of those: at a turn's end of which nothing else was known."""
    landed: int = 0
    """Of those: in the middle of a turn that would have run into Codex's own."""
    emergencies: int = 0
    """Of those: at a turn's end, because hardly anything fitted any more."""
    needless: int = 0
    """Of those: in sessions that never came to where Codex compacts by itself."""
    sessions_needing: int = 0
    """Sessions that came there."""
    thrash: int = 0
    """Compactions that came within three turns of the one before."""
    per_hour: float | None = None
    """Compactions in an hour of work."""
    native_per_hour: float | None = None
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
        self._percents = self._worked = 0
        self._recorded = Carried()
        self._with_rawr = Carried()
        self._by: dict[str, Counter[str]] = {one: Counter() for one in ("tier", "kind", "boundary", "skipped")}

    def add(self, one: SessionResult) -> None:
        self._read(one)
        if one.subagent:
            self._total = replace(self._total, sub_agents=self._total.sub_agents + 1)
            return
        total = self._total
        would = [each for each in one.would_compact if each.turn > one.repeats]
        native = [each for each in one.native_compactions if each.turn > one.repeats and each.by != "rawr"]
        self._percents += sum(each.percent for each in would)
        for each in would:
            self._by["tier"][each.tier] += 1
            if each.place == "choice":
                self._by["kind"].update(each.kinds)
        self._by["boundary"].update(each.kind for each in one.boundaries if each.turn > one.repeats)
        self._worked += one.worked
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
            at_boundary=total.at_boundary + sum(each.place == "choice" for each in would),
            bare_ends=total.bare_ends + sum(each.place == "turn_end" for each in would),
            landed=total.landed + sum(each.place == "landing" for each in would),
            emergencies=total.emergencies + sum(each.place == "emergency" for each in would),
            needless=total.needless + (0 if one.needed else len(would)),
            sessions_needing=total.sessions_needing + one.needed,
            thrash=total.thrash + _thrash(would),
            repeated=total.repeated + one.repeats,
        )

    def _read(self, one: SessionResult) -> None:
        """Whoever's it is, it was read."""
        self._by["skipped"].update(one.skipped)
        self._total = replace(
            self._total,
            lines=self._total.lines + one.lines,
            bytes=self._total.bytes + one.bytes,
            failed=self._total.failed + bool(one.problem),
        )

    def total(self, *, seconds: float = 0.0, workers: int = 1) -> Summary:
        total, by = self._total, self._by
        skipped = dict(sorted(by["skipped"].items()))
        cached, uncached, unit = self._costs()
        return replace(
            total,
            hours=round(self._worked / _HOUR, 1),
            per_hour=_per_hour(total.would_compact, self._worked),
            native_per_hour=_per_hour(total.native, self._worked),
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
        prices, unit = prices_of(self._prices)
        digits = 0 if unit == "tokens" else 6

        def cost(*, caching: bool) -> Cost:
            recorded, ours = (prices.of(one, caching=caching) for one in (self._recorded, self._with_rawr))
            return Cost(round(recorded, digits), round(ours, digits))

        return cost(caching=True), cost(caching=False), unit


def _per_hour(compactions: int, worked: int) -> float | None:
    return round(compactions * _HOUR / worked, 2) if worked else None


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

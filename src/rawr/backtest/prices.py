"""What a token costs, where nobody says what it costs them: everything in fresh input tokens.

The ratios are those that the providers of Codex's models have had for years; the user's own prices win over them.
"""

from msgspec import Struct

from rawr.backtest.result import Carried
from rawr.core.policy.full_auto import FullAuto


class Prices(Struct, frozen=True):
    """Of one token."""

    fresh: float
    cached: float
    output: float

    def of(self, one: Carried, *, caching: bool = True) -> float:
        cached = one.cached if caching else 0
        return (one.input - cached) * self.fresh + cached * self.cached + one.output * self.output


IN_TOKENS = Prices(fresh=1.0, cached=0.1, output=8.0)
_SCALE = 10**12
"""Prices are set in millionths, for a million tokens."""


def prices_of(settings: FullAuto) -> tuple[Prices, str]:
    """The user's prices and ``currency``, or the ratios and ``tokens``."""
    if not settings.price_input:
        return IN_TOKENS, "tokens"
    fresh, cached, output = settings.price_input, settings.price_cached, settings.price_output
    return Prices(fresh / _SCALE, cached / _SCALE, output / _SCALE), "currency"

"""Codex's own threshold, to compare with: at a turn's end above so many percent of the window, it compacts.

That is one line in Codex's config (``model_post_turn_compact_threshold_percent``): no boundary is asked for, no packet
is written, nothing is handed over. What rawr does beyond it has to be worth its price.
"""

from msgspec import Struct

from rawr.backtest.arbiter import Thread
from rawr.backtest.context import Context
from rawr.backtest.result import WouldCompact
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import percent_remaining, tier_of
from rawr.core.vocabulary import facts
from rawr.history.entries import CommandCalled, ScriptCalled

NAME = "native"
USUAL = (50, 60, 70, 80)
"""What ``native`` alone stands for."""
REASON = "codex.threshold"


class NativeThreshold(Struct, frozen=True):
    percent: int
    """Of the window Codex calls usable."""

    @property
    def name(self) -> str:
        return f"{NAME}:{self.percent}"

    def reached(self, context: Context) -> bool:
        return context.window is not None and 100 * context.with_rawr >= self.percent * context.window


Candidate = Policy | NativeThreshold
"""What is tried on a history."""


def thresholds_named(text: str) -> tuple[NativeThreshold, ...]:
    """``native:70``; ``native`` for the usual ones. Empty if it is neither. Raises ``ValueError`` for no percent."""
    name, colon, percent = text.partition(":")
    if name != NAME:
        return ()
    if not colon:
        return tuple(map(NativeThreshold, USUAL))
    if not (percent.isascii() and percent.isdigit() and 1 <= int(percent) <= 100):
        raise ValueError(f"{text!r} names no percent of the window from 1 to 100")
    return (NativeThreshold(int(percent)),)


def codex_would_compact(context: Context, *, line: int, turn: int, at: int) -> WouldCompact:
    """With what the context holds then."""
    left = percent_remaining(in_context=context.with_rawr, window=context.window) or 0
    return WouldCompact(
        line=line,
        turn=turn,
        tier=tier_of(left, Policy().compaction.thresholds),
        percent=left,
        kinds=("turn_complete",),
        reason=REASON,
        tokens=context.with_rawr,
        tokens_after=min(context.left_over(handoff=False), context.with_rawr),
        at=at,
        place="turn_end",
    )


class Nobody:
    """In the arbiter's place where no rawr is: it hears everything and decides nothing."""

    open = ""

    def begin(self, thread: Thread, *, at: int) -> None:
        pass

    def tell(self, fact: facts.AnyFact, *, at: int) -> None:
        pass

    def wait(self, at: int) -> None:
        pass

    def close(self) -> None:
        pass

    def goes_on_in_handoff(self, turn: str) -> None:
        pass

    def lands_in_record(self, turn: str) -> bool:
        return False

    def passes_over(self, turn: str, call: CommandCalled, *, at: int) -> bool:
        return True

    def passes_script(self, turn: str, call: ScriptCalled, *, at: int) -> bool:
        return True

    def has_files(self, turn: str, *, at: int) -> bool:
        return True

    def far(self, in_context: int, spent: int, window: int | None, *, at: int) -> bool:
        return True

"""How full a thread's context is: now, and over time with the compactions that made room."""

from collections.abc import Mapping

from msgspec import Struct

from rawr.core.policy.tiers import Tier, percent_remaining, tier_of
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.facts import Recorded
from rawr.journal.reader import JournalReader
from rawr.views import events as e
from rawr.views.happened import happened


class Context(Struct, frozen=True):
    """None: Codex has not reported it yet."""

    tokens: int | None = None
    window: int | None = None
    percent_left: int | None = None
    tier: Tier | None = None
    """How urgent a compaction is by the rules in force; None also if no rules were given."""


class ContextPoint(Struct, frozen=True):
    at: int
    tokens: int
    percent_left: int | None


class CompactionPoint(Struct, frozen=True):
    """``tokens_after`` is None until Codex counts again."""

    at: int
    tokens_before: int | None
    tokens_after: int | None = None


class ContextOverTime(Struct, frozen=True):
    points: tuple[ContextPoint, ...] = ()
    compactions: tuple[CompactionPoint, ...] = ()


class ContextTrail:
    """Takes the events of one thread, in order, and keeps what they say about its context."""

    def __init__(self) -> None:
        self._points: list[ContextPoint] = []
        self._compactions: list[CompactionPoint] = []

    def take(self, event: e.AnyEvent, *, at: int | None = None) -> None:
        at = event.at if at is None else at
        last = self._points[-1].tokens if self._points else None
        match event:
            case e.ContextUsed(tokens=tokens, percent_left=percent):
                self._points.append(ContextPoint(at, tokens, percent))
                if self._compactions and self._compactions[-1].tokens_after is None:
                    made = self._compactions[-1]
                    self._compactions[-1] = CompactionPoint(made.at, made.tokens_before, tokens)
            case e.ContextCompacted():
                self._compactions.append(CompactionPoint(at, last))
            case _:
                pass

    @property
    def so_far(self) -> ContextOverTime:
        return ContextOverTime(tuple(self._points), tuple(self._compactions))


def context_of(state: ThreadState, thresholds: Mapping[Tier, int] | None = None) -> Context:
    usage = state.usage
    if usage is None:
        return Context()
    percent = percent_remaining(in_context=usage.in_context, window=usage.window)
    tier = tier_of(percent, thresholds) if percent is not None and thresholds is not None else None
    return Context(usage.in_context, usage.window, percent, tier)


def context_over_time(reader: JournalReader, thread: str) -> ContextOverTime:
    """For a recorded thread, from its first fact on."""
    trail = ContextTrail()
    for one in reader.facts(thread):
        if isinstance(one, Recorded):
            for event in happened(one):
                trail.take(event, at=one.at)
    return trail.so_far

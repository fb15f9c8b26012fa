"""The arbiter, told only what it may decide on. The decisions are the same; most facts of a session never reach it.

Of a running turn it needs to know how much was asked, whether the agent did something, what it said last, and how full
the context is. So of the calls that mean nothing to a repository only the first few are told; a message of the agent
waits until something may be decided, and is not told if there is another one by then; and reports of usage far from the
limit wait too, of which only the newest count (``core.compaction.room``). Wherever more than that may matter,
everything is told at once: while a compaction is under way, while a deadline runs, near the limit.
"""

from collections.abc import Callable

from msgspec.structs import replace

from rawr.backtest.arbiter import Arbiter, Compacted
from rawr.core.compaction.endings import LARGE_ORDER, LARGE_WORK
from rawr.core.compaction.room import CALLS, GREATEST_SHARE, NATIVE_SHARE
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import MAX_GROWTH
from rawr.core.state.turn import ActiveTurn
from rawr.core.vocabulary import facts, items
from rawr.observe.derived import may_matter


class Thinned(Arbiter):
    def __init__(self, policy: Policy, *, heard: Callable[[Taken], None], compacted: Compacted) -> None:
        super().__init__(policy, heard=heard, compacted=compacted)
        self._room = policy.compaction.packet_room_tokens
        self._message: tuple[int, facts.ItemCompleted] | None = None
        self._usage: list[tuple[int, facts.UsageUpdated]] = []
        self._calm = False
        """Nothing is under way but a turn."""

    def tell(self, fact: facts.AnyFact, *, at: int) -> None:
        if self._calm and self._waits(fact, at):
            return
        if isinstance(fact, facts.ItemCompleted):
            if self._calm and type(fact.item) in _QUIET:
                # Nothing is decided on it before the turn ends, or the context gets full.
                super().tell(self._shortened(fact), at=at)
                return
            fact = self._shortened(fact)
        self._catch_up()
        super().tell(fact, at=at)
        self._look()

    def close(self) -> None:
        self._catch_up()
        super().close()
        self._look()

    def goes_on_in_handoff(self, turn: str) -> None:
        self._catch_up()
        super().goes_on_in_handoff(turn)

    def wait(self, at: int) -> None:
        self._catch_up()
        super().wait(at)
        self._look()

    def lands_in_record(self, turn: str) -> bool:
        self._catch_up()
        return super().lands_in_record(turn)

    def _waits(self, fact: facts.AnyFact, at: int) -> bool:
        """Return True if it is told later, or never."""
        if isinstance(fact, facts.UsageUpdated):
            if not self._far(fact):
                return False
            self._usage.append((at, fact))
            if len(self._usage) > _MOST_HELD:
                self._usage = _newest(self._usage)
            return True
        if not isinstance(fact, facts.ItemCompleted):
            return False
        if isinstance(fact.item, items.AgentMessage):
            self._message = (at, fact)
            return True
        turn = self.state.turn
        return turn is not None and self._alias.get(fact.turn, fact.turn) == turn.id and self._is_idle(fact.item, turn)

    def _shortened(self, fact: facts.ItemCompleted) -> facts.ItemCompleted:
        item = fact.item
        match item:
            case items.Command(command=command):
                # Nobody needs to look at the repository after most of them.
                return fact if may_matter(command) else replace(fact, item=replace(item, reads_only=True))
            case items.UserMessage(text=text) if len(text) > _WORDS:
                # The rest is on record for the agent; what counts is how long it is, and that it is not rawr's own.
                return replace(fact, item=replace(item, text=text[:_WORDS].ljust(min(len(text), LARGE_ORDER))))
            case _:
                pass
        return fact

    def _catch_up(self) -> None:
        """Tell what was held back, before anything that may be decided on."""
        if self._message is not None:
            (at, message), self._message = self._message, None
            super().tell(message, at=at)
        if self._usage:
            held, self._usage = self._usage, []
            for at, usage in _newest(held):
                super().tell(usage, at=at)

    def _look(self) -> None:
        state = self.state
        self._calm = (
            state.turn is not None
            and bool(state.turn.id)
            and state.certain
            and state.sequence is None
            and state.compacting is None
            and state.run is None
            and not state.barren
            and not self._deadlines
        )

    def _far(self, usage: facts.UsageUpdated) -> bool:
        """However much the next calls add, a turn is not landed here."""
        window = usage.window
        if window is None:
            return True
        coming = CALLS * (window * GREATEST_SHARE // 100)
        return usage.in_context + coming + self._room < window * NATIVE_SHARE // 100

    def _is_idle(self, item: items.AnyItem, turn: ActiveTurn) -> bool:
        """Return True if nothing that is decided depends on one more of these."""
        match item:
            case items.Command(command=command):
                return turn.commands >= LARGE_WORK and not may_matter(command)
            case items.ToolCall() | items.WebSearch():
                return turn.tools > 0
            case items.FileChange(status="completed"):
                # Which files it were is on record for the agent; that there were any is all that counts.
                return bool(turn.files and self.state.ledger.files)
            case items.FileChange():
                return turn.items > 0
            case _:
                return False


_QUIET = frozenset({items.Command, items.FileChange, items.ToolCall, items.WebSearch, items.UserMessage})
_MOST_HELD = 256
_WORDS = 200
"""Characters of a user's message."""


def _newest(held: list[tuple[int, facts.UsageUpdated]]) -> list[tuple[int, facts.UsageUpdated]]:
    """As many of the newest as are needed for what the newest calls added."""
    grown, first = 0, len(held) - 1
    while first > 0 and grown < MAX_GROWTH:
        grown += held[first][1].in_context > held[first - 1][1].in_context
        first -= 1
    return held[first:]

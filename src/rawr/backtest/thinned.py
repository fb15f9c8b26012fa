"""The arbiter, told only what it may decide on. The decisions are the same; most facts of a session never reach it.

Of a running turn it needs to know how much was asked, whether the agent did something, what it said last, and how full
the context is. So commands that mean nothing to a repository wait until something may be decided, and then as many are
told as can make a difference; a message of the agent waits too, and is not told if there is another one by then; and of
the reports of usage far from the limit only what the newest calls added counts (``core.compaction.room``). Wherever
more than that may matter, everything is told at once and in order: while a compaction is under way, while a deadline
runs, with the limit in sight.
"""

from collections.abc import Callable

from msgspec.structs import replace

from rawr.backtest.arbiter import Arbiter, Compacted
from rawr.core.compaction.checks import may_be_in, named
from rawr.core.compaction.endings import LARGE_ORDER, LARGE_WORK
from rawr.core.compaction.room import AHEAD, CALLS, GREATEST_SHARE, NATIVE_SHARE, USUAL_SHARE, grown_by
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import MAX_GROWTH
from rawr.core.state.turn import ActiveTurn
from rawr.core.vocabulary import facts, items
from rawr.observe.derived import may_matter, may_matter_in


class Thinned(Arbiter):
    def __init__(self, policy: Policy, *, heard: Callable[[Taken], None], compacted: Compacted) -> None:
        super().__init__(policy, heard=heard, compacted=compacted)
        self._room = policy.compaction.packet_room_tokens
        self._message: tuple[int, facts.ItemCompleted] | None = None
        self._usage: list[tuple[int, facts.UsageUpdated]] = []
        self._reads = policy.compaction.rules == "measured"
        """What users say counts too, not only how much that is."""
        self._commands: list[tuple[int, str]] = []
        self._commands_of = ""
        """The first few commands of a turn that mean nothing, and are not told yet."""
        self._passed: tuple[int, facts.ItemCompleted] | None = None
        """The newest of the calls that were left out, if the agent said nothing since: it went on after its words."""
        self._running = ""
        """The running turn, while nothing else is under way: see ``_look``. Empty otherwise."""
        self._window: int | None = None
        self._near = 0
        """From here on a turn may be landed, in a window of that size."""
        self._in_sight = False
        """The context is that full."""

    def tell(self, fact: facts.AnyFact, *, at: int) -> None:
        if self._running and self._waits(fact, at):
            return
        if isinstance(fact, facts.ItemCompleted):
            if self._running and not self._in_sight and type(fact.item) in _QUIET:
                # Nothing is decided on it before the turn ends, or the context gets full.
                self._say()
                super().tell(self._shortened(fact), at=at)
                return
            fact = self._shortened(fact)
        self._catch_up()
        super().tell(fact, at=at)
        self._look()

    def quiet(self, turn: str, call: str, *, at: int) -> bool:
        """A command ended that means nothing to a repository. Return False if it has to be told."""
        if not self._may_wait(turn):
            return False
        if self._commands_of != self._running:
            self._commands_of, self._commands = self._running, []
        if len(self._commands) < LARGE_WORK:
            self._commands.append((at, call))
        if self._message is not None:
            self._passed = (at, facts.ItemCompleted(turn=self._running, item=_idle_command(call)))
        return True

    def has_files(self, turn: str) -> bool:
        """Return True if nothing depends on whether one more patch was applied."""
        # Without words before it, nothing depends on when it was either.
        return self._may_wait(turn) and self._message is None and self._wrote()

    def _may_wait(self, turn: str) -> bool:
        """Return True if what happens in this turn may be told later."""
        if not self._running or self._in_sight:
            return False
        running = self.state.turn
        same = self._running == (self._alias.get(turn, turn) if self._alias else turn)
        return same and running is not None and running.paused is None

    def far(self, usage: facts.UsageUpdated, *, at: int) -> bool:
        """The context grew. Return False if that has to be told."""
        if not self._running:
            return False
        if usage.window != self._window:
            self._window, self._near = usage.window, self._nearly_full(usage.window)
        self._in_sight = usage.in_context >= self._near and self._window is not None
        if self._in_sight:
            return False
        self._usage.append((at, usage))
        if len(self._usage) > _MOST_HELD:
            self._usage = _newest(self._usage)
        return True

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
            return self.far(fact, at=at)
        if self._in_sight or not isinstance(fact, facts.ItemCompleted):
            return False
        item = fact.item
        if isinstance(item, items.AgentMessage):
            self._message, self._passed = (at, fact), None
            return True
        if isinstance(item, items.Command):
            return not counts(item.command) and self.quiet(fact.turn, item.id, at=at)
        turn = self.state.turn
        if turn is None or not self._may_wait(fact.turn) or not self._is_idle(item, turn):
            return False
        if self._message is not None:
            self._passed = (at, fact)
        return True

    def _shortened(self, fact: facts.ItemCompleted) -> facts.ItemCompleted:
        item = fact.item
        match item:
            case items.Command(command=command):
                # Nobody needs to look at the repository after most of them.
                return fact if may_matter(command) else replace(fact, item=replace(item, reads_only=True))
            case items.UserMessage(text=text) if len(text) > _WORDS and not self._reads:
                # The rest is on record for the agent; what counts is how long it is, and that it is not rawr's own.
                return replace(fact, item=replace(item, text=text[:_WORDS].ljust(min(len(text), LARGE_ORDER), "x")))
            case _:
                pass
        return fact

    def _catch_up(self) -> None:
        """Tell what was held back, before anything that may be decided on."""
        self._say()
        if self._usage:
            held, self._usage = self._usage, []
            if len(held) > 1:
                counted = [usage.in_context for _, usage in _newest(held)[:-1]]
                self._kernel.threads[self._thread] = grown_by(self.state, counted, held[-2][1])
            super().tell(held[-1][1], at=held[-1][0])

    def _say(self) -> None:
        """Tell commands, the agent's newest words, and that it went on after them, if it did."""
        if not self._commands and self._message is None:
            return
        message, self._message = self._message, None
        passed, self._passed = self._passed, None
        due = self._due()
        if message is not None and passed is not None and due and isinstance(passed[1].item, items.Command):
            passed = due.pop()
        for at, command in due:
            super().tell(command, at=at)
        if message is not None:
            super().tell(message[1], at=message[0])
            if passed is not None:
                super().tell(self._shortened(passed[1]), at=passed[0])

    def _due(self) -> list[tuple[int, facts.ItemCompleted]]:
        """One command says that the agent did something; of a long order, how many there were counts too."""
        turn = self.state.turn
        if turn is None or turn.id != self._commands_of:
            self._commands = []
            return []
        missing = max((LARGE_WORK if turn.asked >= LARGE_ORDER else 1) - turn.commands, 0)
        due, self._commands = self._commands[:missing], self._commands[missing:]
        return [(at, facts.ItemCompleted(turn=turn.id, item=_idle_command(call))) for at, call in due]

    def _look(self) -> None:
        state = self.state
        turn = state.turn
        calm = (
            turn is not None
            and state.certain
            and state.sequence is None
            and state.compacting is None
            and state.run is None
            and not state.barren
            and not self._deadlines
        )
        self._running = turn.id if turn is not None and calm else ""

    def _wrote(self) -> bool:
        """Which files it were is on record for the agent. That there were any, and no check since, is what counts."""
        turn = self.state.turn
        return turn is not None and bool(turn.files and turn.unchecked and self.state.ledger.files)

    def _nearly_full(self, window: int | None) -> int:
        """However much the next calls add, a turn is not landed below this."""
        if window is None:
            return 0
        coming = max(CALLS * (window * GREATEST_SHARE // 100), AHEAD * (window * USUAL_SHARE // 100))
        return window * NATIVE_SHARE // 100 - coming - self._room

    def _is_idle(self, item: items.AnyItem, turn: ActiveTurn) -> bool:
        """Return True if nothing that is decided depends on one more of these."""
        match item:
            case items.ToolCall() | items.WebSearch():
                return turn.tools > 0
            case items.FileChange(status="completed"):
                return self._wrote()
            case items.FileChange():
                return turn.items > 0
            case _:
                return False


def counts(command: str) -> bool:
    """Return True if it counts how a command ended: it may mean something to a repository, or is a check."""
    return may_matter(command) or bool(named(command))


def counts_in(call: bytes) -> bool:
    """The same for a call as it is in a session file, arguments and all: too often."""
    return may_matter_in(call) or may_be_in(call)


def _idle_command(call: str) -> items.Command:
    return items.Command(id=call, command="", cwd="", status="completed", reads_only=True)


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

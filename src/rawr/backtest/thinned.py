"""The arbiter, told only what it may decide on. The decisions are the same; most facts of a session never reach it.

Of a running turn it needs to know how much was asked, whether the agent did something, what it said last, and how full
the context is. Far from the limit nothing is decided before the turn ends, so all of that is counted here and put into
the state at once, when the next fact is told that may decide: commands that mean nothing to a repository, patches, the
agent's newest words, and what the newest model calls added (``core.compaction.room``). Wherever more than that may
matter, everything is told at once and in order: while a compaction is under way, while a deadline runs, with the limit
in sight.
"""

from collections.abc import Callable

from msgspec.structs import replace

from rawr.backtest.arbiter import Arbiter, Compacted
from rawr.core.compaction.checks import may_be_in, named
from rawr.core.compaction.endings import LARGE_ORDER
from rawr.core.compaction.room import AHEAD, CALLS, GREATEST_SHARE, NATIVE_SHARE, USUAL_SHARE, grown_by
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.ledger import add_file
from rawr.core.state.turn import ActiveTurn
from rawr.core.thread.turns import with_item
from rawr.core.vocabulary import effects, facts, items
from rawr.observe.derived import derived, may_matter, may_matter_in


class Thinned(Arbiter):
    def __init__(self, policy: Policy, *, heard: Callable[[Taken], None], compacted: Compacted) -> None:
        super().__init__(policy, heard=heard, compacted=compacted)
        self._room = policy.compaction.packet_room_tokens
        self._reads = policy.compaction.rules == "measured"
        """What users say counts too, not only how much that is."""
        self._message: items.AgentMessage | None = None
        self._commands = 0
        """Those that mean nothing, since the state was brought up to date."""
        self._went_on = False
        """The agent did something since, and after its newest words."""
        self._counted: list[int] = []
        self._usage: facts.UsageUpdated | None = None
        """What the context held after each model call since, and the newest report."""
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

    def quiet(self, turn: str, *, at: int) -> bool:
        """A command ended that means nothing to a repository. Return False if it has to be told."""
        if not self._may_wait(turn):
            return False
        self._pass(at)
        self._commands += 1
        return True

    def has_files(self, turn: str) -> bool:
        """Return True if nothing depends on whether one more patch was applied."""
        # Without words before it, nothing depends on when it was either.
        return self._may_wait(turn) and self._message is None and self._wrote()

    def far(self, usage: facts.UsageUpdated, *, at: int) -> bool:
        """The context grew. Return False if that has to be told."""
        if not self._running:
            return False
        if usage.window != self._window:
            self._window, self._near = usage.window, self._nearly_full(usage.window)
        self._in_sight = usage.in_context >= self._near and self._window is not None
        if self._in_sight:
            return False
        self._at = max(self._at, at)
        self._counted.append(usage.in_context)
        self._usage = usage
        if len(self._counted) >= _MOST_HELD:
            self._grow()
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

    # -- what can wait -------------------------------------------------------------------------------------------------

    def _waits(self, fact: facts.AnyFact, at: int) -> bool:
        """Return True if it is put into the state, now or later, and nothing is decided on it."""
        if isinstance(fact, facts.UsageUpdated):
            return self.far(fact, at=at)
        if not isinstance(fact, facts.ItemCompleted) or not self._may_wait(fact.turn):
            return False
        turn = self.state.turn
        assert turn is not None  # noqa: S101 - it runs
        match fact.item:
            case items.AgentMessage() as message:
                self._pass(at)
                self._message, self._went_on = message, False
            case items.Command() as command if not self._decides(fact.turn, command, turn):
                self._pass(at)
                self._commands += 1
            case items.FileChange() as change:
                self._pass(at)
                self._change(change, turn)
            case items.ToolCall() | items.WebSearch() if turn.tools > 0:
                self._pass(at)
            case _:
                return False
        return True

    def _may_wait(self, turn: str) -> bool:
        """Return True if what happens in this turn may be told later."""
        if not self._running or self._in_sight:
            return False
        running = self.state.turn
        same = self._running == (self._alias.get(turn, turn) if self._alias else turn)
        return same and running is not None and running.paused is None

    def _pass(self, at: int) -> None:
        self._at = max(self._at, at)
        self._went_on = True

    def _decides(self, turn: str, command: items.Command, running: ActiveTurn) -> bool:
        """Return True if it did something to the repository, or is a check that passed after a change."""
        if running.unchecked and command.exit_code == 0 and named(command.command):
            return True
        if not may_matter(command.command):
            return False
        found = derived(
            effects.ObserveCommand(
                turn=turn,
                item=command.id,
                command=command.command,
                cwd=command.cwd,
                exit_code=command.exit_code,
                output=command.output_tail,
            )
        )
        return bool(found.commits or found.switched_to or found.created or found.pull_request)

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

    # -- what has waited -----------------------------------------------------------------------------------------------

    def _catch_up(self) -> None:
        """Bring the state up to date, before anything that may be decided on."""
        self._say()
        self._grow()

    def _say(self) -> None:
        """Put in commands and the agent's newest words, and that it went on after them, if it did."""
        message, went_on = self._message, self._went_on
        if message is None and not went_on:
            return
        commands, self._commands, self._message, self._went_on = self._commands, 0, None, False
        state = self.state
        turn = state.turn
        assert turn is not None  # noqa: S101 - whatever waits is of a running turn
        turn = replace(turn, items=turn.items + commands, commands=turn.commands + commands, spoke=False)
        if message is not None:
            turn = replace(with_item(turn, message), spoke=not went_on)
        self._kernel.threads[self._thread] = replace(state, turn=turn)

    def _change(self, item: items.FileChange, turn: ActiveTurn) -> None:
        """Which files it were is on record for the agent. That there were any, and no check since, is what counts."""
        if item.status != "completed" or self._wrote():
            return
        self._say()
        state, kept = self.state, self.state.ledger
        for change in item.changes:
            kept = add_file(kept, change.moved_to or change.path, change.kind)
        running = state.turn or turn
        self._kernel.threads[self._thread] = replace(state, turn=with_item(running, item), ledger=kept)

    def _grow(self) -> None:
        """Put in what the newest model calls added to the context."""
        if self._usage is not None:
            self._kernel.threads[self._thread] = grown_by(self.state, self._counted, self._usage)
            self._counted, self._usage = [], None

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
        turn = self.state.turn
        return turn is not None and bool(turn.files and turn.unchecked and self.state.ledger.files)

    def _nearly_full(self, window: int | None) -> int:
        """However much the next calls add, a turn is not landed below this."""
        if window is None:
            return 0
        coming = max(CALLS * (window * GREATEST_SHARE // 100), AHEAD * (window * USUAL_SHARE // 100))
        return window * NATIVE_SHARE // 100 - coming - self._room


def counts(command: str) -> bool:
    """Return True if it counts how a command ended: it may mean something to a repository, or is a check."""
    return may_matter(command) or bool(named(command))


def counts_in(call: bytes) -> bool:
    """The same for a call as it is in a session file, arguments and all: too often."""
    return may_matter_in(call) or may_be_in(call)


_QUIET = frozenset({items.Command, items.FileChange, items.ToolCall, items.WebSearch, items.UserMessage})
_MOST_HELD = 256
_WORDS = 200
"""Characters of a user's message."""

"""The arbiter, told only what it may decide on. The decisions are the same; most facts of a session never reach it.

Of a running turn it needs to know how much was asked, whether the agent did something, what it said last, and how full
the context is. Most of that decides nothing by itself, so it is counted here and put into the state at once, when the
next fact is told that may decide: commands that make no commit and are no check, patches, the agent's newest words, and
far from the limit what the newest model calls added (``core.compaction.room``). Wherever more than that may matter,
everything is told at once and in order: while a compaction is under way, while a deadline runs, near the limit.
"""

from collections.abc import Callable

from msgspec.structs import replace

from rawr.backtest.arbiter import Arbiter, Compacted
from rawr.core.compaction.checks import may_be_in, named
from rawr.core.compaction.room import STEADY_SHARE, grown_by, native_limit
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.ledger import add_file
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import ActiveTurn
from rawr.core.thread.turns import with_item
from rawr.core.vocabulary import facts, items
from rawr.history.calls import command_read
from rawr.history.entries import CommandCalled, ScriptCalled
from rawr.observe.derived import may_make


class Thinned(Arbiter):
    def __init__(self, policy: Policy, *, heard: Callable[[Taken], None], compacted: Compacted) -> None:
        super().__init__(policy, heard=heard, compacted=compacted)
        self._room = policy.compaction.packet_room_tokens
        self._message: items.AgentMessage | None = None
        self._commands = 0
        """Those that mean nothing, since the state was brought up to date."""
        self._went_on = False
        """The agent did something since, and after its newest words."""
        self._counted: list[int] = []
        self._spent = 0
        """What the context held after each model call since, and what all of them had used."""
        self._running: ActiveTurn | None = None
        """The running turn, while nothing else is under way: see ``_look``."""
        self._window: int | None = None
        self._near = 0
        """From here on a turn may be landed, in a window of that size."""

    def tell(self, fact: facts.AnyFact, *, at: int) -> None:
        if isinstance(fact, facts.ItemCompleted):
            if self._waits(fact, at):
                return
            fact = self._shortened(fact)
        self._catch_up()
        super().tell(fact, at=at)
        self._look()

    def passes_over(self, turn: str, call: CommandCalled, *, at: int) -> bool:
        running = self._waiting(turn)
        if running is None or _is_check(call):
            return False
        self._pass(at)
        self._commands += 1
        return True

    def passes_script(self, turn: str, call: ScriptCalled, *, at: int) -> bool:
        running = self._waiting(turn)
        if running is None or call.changes or call.plans or any(map(may_make, call.commands)):
            return False
        if any(map(named, call.commands)):
            return False
        if call.commands:
            self._pass(at)
            self._commands += len(call.commands)
        return True

    def has_files(self, turn: str, *, at: int) -> bool:
        running = self._waiting(turn)
        if running is None or not self._wrote(running):
            return False
        self._pass(at)
        return True

    def far(self, in_context: int, spent: int, window: int | None, *, at: int) -> bool:
        if self._running is None:
            return False
        if window != self._window:
            self._window, self._near = window, self._nearly_full(window)
        if window is not None and in_context + self.state.reasoning >= self._near:
            return False
        if at > self._at:
            self._at = at
        self._counted.append(in_context)
        self._spent = spent
        if len(self._counted) >= _MOST_HELD:
            self._grow()
        return True

    def close(self) -> None:
        if self.open:
            self._catch_up()
            super().close()
            self._look()

    def goes_on_in_handoff(self, turn: str) -> None:
        self._catch_up()
        super().goes_on_in_handoff(turn)

    def wait(self, at: int) -> None:
        if self._deadlines:
            self._catch_up()
            super().wait(at)
            self._look()
        elif at > self._at:
            self._at = at

    def lands_in_record(self, turn: str) -> bool:
        self._catch_up()
        return super().lands_in_record(turn)

    # -- what can wait -------------------------------------------------------------------------------------------------

    def _waits(self, fact: facts.ItemCompleted, at: int) -> bool:
        """Return True if it is put into the state, now or later, because nothing is decided on it."""
        turn = self._waiting(fact.turn)
        if turn is None:
            return False
        match fact.item:
            case items.AgentMessage() as message:
                self._pass(at)
                self._message, self._went_on = message, False
            case items.Command() as command if not self._decides(command, turn):
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

    def _waiting(self, turn: str) -> ActiveTurn | None:
        """The running turn, if it is that one and what happens in it may be told later."""
        running = self._running
        if running is None:
            return None
        return running if running.id == turn or running.id == self._alias.get(turn) else None

    def _pass(self, at: int) -> None:
        if at > self._at:
            self._at = at
        self._went_on = True

    def _decides(self, command: items.Command, running: ActiveTurn) -> bool:
        """Return True if it may have made a commit or a pull request, or is a check that failed, or passed after a
        change or a failure."""
        if may_make(command.command):
            return True
        matters = running.unchecked or running.failing if command.exit_code == 0 else command.exit_code is not None
        return bool(matters) and bool(named(command.command))

    def _shortened(self, fact: facts.ItemCompleted) -> facts.ItemCompleted:
        item = fact.item
        match item:
            case items.Command(command=command):
                # Nobody needs to look at the repository after most of them.
                return fact if may_make(command) else replace(fact, item=replace(item, reads_only=True))
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
        turn = self._running
        assert turn is not None  # noqa: S101 - whatever waits is of a running turn
        if message is not None:
            turn = with_item(turn, message)
        if commands or went_on:
            turn = replace(turn, items=turn.items + commands, commands=turn.commands + commands, spoke=not went_on)
        self._runs(turn, replace(self.state, turn=turn))

    def _change(self, item: items.FileChange, turn: ActiveTurn) -> None:
        """Which files it were is on record for the agent. That there were any, and no check since, is what counts."""
        if item.status != "completed" or self._wrote(turn):
            return
        self._say()
        kept = self.state.ledger
        for change in item.changes:
            kept = add_file(kept, change.moved_to or change.path, change.kind)
        turn = with_item(self._running or turn, item)
        self._runs(turn, replace(self.state, turn=turn, ledger=kept))

    def _grow(self) -> None:
        """Put in what the newest model calls added to the context."""
        if self._counted:
            held, self._counted = self._counted, []
            newest = facts.UsageUpdated(turn="", in_context=held[-1], spent=self._spent, window=self._window)
            self._kernel.threads[self._thread] = grown_by(self.state, held, newest)

    def _runs(self, turn: ActiveTurn, state: ThreadState) -> None:
        self._running = turn
        self._kernel.threads[self._thread] = state

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
        self._running = turn if calm else None

    def _wrote(self, turn: ActiveTurn) -> bool:
        return bool(turn.files and turn.unchecked and self.state.ledger.files)

    def _nearly_full(self, window: int | None) -> int:
        """However much the next calls add, a turn is not landed below this."""
        if window is None:
            return 0
        return native_limit(window) - window * STEADY_SHARE // 100 - self._room


def _is_check(call: CommandCalled) -> bool:
    if call.unread is not None and not may_be_in(bytes(call.unread.arguments)):
        return False
    read = command_read(call)
    return not isinstance(read, CommandCalled) or bool(named(read.command))


_MOST_HELD = 256

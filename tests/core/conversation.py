"""The kernel against a model of the app-server, on schedules that Hypothesis looks for (A13, A15, B1, C17, D5).

A person submits, steers, interrupts, compacts and answers; another client speaks in between; the server works on calls
in any order, refuses, is slow, loses the connection or dies; rawr itself is started again. Whatever happens, the
invariants hold after each step, and once everything has come to rest every message was delivered once or told of.
"""

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rawr.core.kernel import Kernel, Taken
from rawr.core.replay import replay
from rawr.core.state.thread import ThreadState
from rawr.core.thread.spoken import held_back
from rawr.core.vocabulary import effects, facts, items
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import Verdict
from tests.core.app_server import NATIVE, THREAD, AppServer
from tests.core.samples import QUIET

MOST_ROUNDS = 2_000
REPORTED = {
    Reason.TURN_FAILED_REFUSED,
    Reason.TURN_FAILED_UNCONFIRMED,
    Reason.TURN_FAILED_CLOSED,
    Reason.IGNORED_CLOSED_THREAD,
}
COMPACTION_OVER = {
    Reason.COMPACT_DONE_BOTH,
    Reason.COMPACT_FAILED_TURN,
    Reason.COMPACT_FAILED_REFUSED,
    Reason.COMPACT_SEEN_UPSTREAM,
}
CALLS = (
    effects.StartTurn
    | effects.SteerTurn
    | effects.InterruptTurn
    | effects.StartCompaction
    | effects.FindMessage
    | effects.ResumeThread
    | effects.AnswerRequest
)

some = st.integers(0, 1_000)


class Conversation(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.server = AppServer()
        self.kernel = Kernel(QUIET)
        self.at = 1_000_000
        self.epoch = 0
        self.up = False
        """The connection stands."""
        self.believed = False
        """It stands as far as rawr was told."""
        self.sound = False
        """The newest fact broke no rule."""
        self.heard: list[facts.AnyFact] = []
        self.taken: list[Taken] = []
        self.ids: set[str] = set()
        self.outstanding: dict[str, Intended] = {}
        self.begun_offline: set[str] = set()
        self.timers: dict[str, int] = {}
        self.running = ""
        """The turn that runs, by what was told; "?" where its name was not."""
        self.compacting = False
        self.plain: dict[int, str] = {}
        self.steered: dict[int, str] = {}
        self.reported: set[int] = set()
        self.held: set[int] = set()
        """Messages that waited for a run to be resumed: what was said after that does not wait for them."""
        self.carriers: dict[str, int] = {}
        """Which message an effect carried."""
        self.shown: set[str] = set()
        """Client ids of the messages that Codex has shown."""
        self.told: set[tuple[str, str]] = set()
        """Turns and compaction items that were told to be completed."""

    # -- the kernel and what is known of it from outside -----------------------------------------------------------

    def tell(self, fact: facts.AnyFact, *, thread: str = THREAD) -> None:
        """A batch as the loop sees one: a fact, and the same for every thread that it concerns."""
        self.take(thread, fact)
        if not thread:
            for one in self.kernel.concerns(fact):
                self.take(one, fact)

    def take(self, thread: str, fact: facts.AnyFact) -> None:
        self.sound = False
        self._watch(fact)
        taken = self.kernel.take(thread, fact, at=self.at)
        self.taken.append(taken)
        self.held |= {one.seq for state in self.kernel.threads.values() for one in held_back(state)}
        for decision in taken.decisions:
            reason, evidence = decision.record.reason, decision.record.evidence
            if reason in REPORTED:
                self.reported.add(int(str(evidence.get("message") or 0)))
            if reason in COMPACTION_OVER:
                self.compacting = False
        for intended in taken.effects:
            assert intended.id not in self.ids
            self.ids.add(intended.id)
            self._take_effect(intended)
        self.sound = True

    def _watch(self, fact: facts.AnyFact) -> None:
        match fact:
            case facts.TurnStarted(turn=turn) if (turn, "over") not in self.told:
                self.running = turn
            case facts.TurnCompleted(turn=turn, status=status):
                # One turn at a time, numbered as they came: when one is over, so are those before it.
                before = self.running in ("", "?") or int(self.running[1:]) <= int(turn[1:])
                self.running = "" if before else self.running
                self.told |= {(turn, "over"), (turn, status)}
            case facts.ItemCompleted(turn=turn, item=items.Compaction()):
                self.told.add((turn, "item"))
            case facts.ItemCompleted(item=items.UserMessage(client_id=client)):
                self.shown.add(client)
            case facts.EffectSucceeded(effect=effect) | facts.EffectFailed(effect=effect):
                self.outstanding.pop(effect, None)
            case facts.RuntimeStarted():
                self.timers.clear()
            case _:
                pass

    def _take_effect(self, intended: Intended) -> None:
        match intended.effect:
            case effects.SetDeadline() if not intended.thread:
                pass  # rawr's own: when it passes, only the order among runs is looked at again
            case effects.SetDeadline(name=name, at=at):
                self.timers[name] = at
            case effects.CancelDeadline(name=name):
                self.timers.pop(name, None)
            case effects.StartTurn() | effects.StartCompaction():
                self._check_start(intended)
            case _:
                pass
        match intended.effect:
            case effects.StartTurn() | effects.SteerTurn():
                carried = [one for one in self.state.sent if one.effect == intended.id]
                self.carriers[intended.id] = carried[0].message.seq
            case effects.StartCompaction():
                self.compacting = True
            case _:
                pass
        if isinstance(intended.effect, CALLS):
            self.outstanding[intended.id] = intended
            if self.up:
                self.server.calls[intended.id] = intended
            else:
                self.begun_offline.add(intended.id)

    def _check_start(self, intended: Intended) -> None:
        """One at a time, and nothing while a turn runs or a compaction is under way (A7, C12).

        A call whose message Codex has shown is over, also when its answer is still on its way.
        """
        starts = [one for one in self.outstanding.values() if isinstance(one.effect, effects.StartTurn)]
        assert {one.id for one in starts} <= self.shown, (intended, starts)
        assert self.running == "", (intended, self.running)
        assert not self.compacting, intended

    @property
    def state(self) -> ThreadState:
        return self.kernel.threads.get(THREAD) or ThreadState(THREAD)

    @initialize()
    def begin(self) -> None:
        self.tell(facts.RuntimeStarted(version="0", policy=self.kernel.policy_hash), thread="")
        self._connect()
        self.server.subscribed = True
        self.tell(facts.ThreadOpened(cwd="/project", ours=True))

    # -- a person -----------------------------------------------------------------------------------------------------

    @rule(text=st.sampled_from(["one", "two", "  three\n", "", " \n"]))
    def submit(self, text: str) -> None:
        if text.strip():
            self.plain[self.kernel.seq + 1] = text
        self.tell(facts.UserSubmitted(text=text))

    @rule()
    def steer(self) -> None:
        self.steered[self.kernel.seq + 1] = "left"
        self.tell(facts.SteerSubmitted(text="left"))

    @rule()
    def interrupt(self) -> None:
        self.tell(facts.InterruptSubmitted())

    @rule()
    def compact(self) -> None:
        self.tell(facts.CompactionSubmitted(bare=True))

    @precondition(lambda self: self.state.requests)
    @rule(which=some)
    def answer(self, which: int) -> None:
        asked = self.state.requests[which % len(self.state.requests)]
        self.tell(facts.AnswerSubmitted(request=asked.request, answer=Verdict(verdict="accept")))

    # -- the server works ---------------------------------------------------------------------------------------------

    @precondition(lambda self: self.server.calls)
    @rule(which=some, mood=st.integers(0, 19))
    def work(self, which: int, mood: int) -> None:
        """Refusals are common, a thread that cannot be joined again is rare: little happens after it."""
        name = list(self.server.calls)[which % len(self.server.calls)]
        rare = isinstance(self.server.calls[name].effect, effects.ResumeThread)
        self.server.work_on(name, refuse=mood == 19 if rare else mood > 14)

    @precondition(lambda self: self.server.answers)
    @rule(which=some, listed=st.booleans())
    def hear_answer(self, which: int, listed: bool = True) -> None:
        answer = self.server.answers.pop(list(self.server.answers)[which % len(self.server.answers)])
        if answer.effect not in self.outstanding:
            return  # it came too late
        if answer.joined_idle is not None:
            self._join(self.server.joined(idle=answer.joined_idle, listed=listed))
        if answer.running:
            self.tell(facts.TurnStarted(turn=answer.running))
        self.tell(answer.outcome)

    @precondition(lambda self: self.server.wire)
    @rule(doubled=st.sampled_from([False, False, False, True]))
    def hear_event(self, doubled: bool = False) -> None:
        event = self.server.wire.popleft()
        self.heard.append(event)
        for _ in range(2 if doubled and not _native(event) else 1):
            self.tell(event)

    @precondition(lambda self: self.up and self.heard)
    @rule(which=some)
    def hear_again(self, which: int) -> None:
        """An old event comes once more, long after."""
        event = self.heard[which % len(self.heard)]
        if not _native(event) and not isinstance(event, facts.RequestReceived):
            self.tell(event)

    @precondition(lambda self: self.up)
    @rule()
    def flow(self) -> None:
        """For a while all goes well: calls are worked on, and what they bring is heard."""
        server = self.server
        while self.up and (server.wire or server.answers or server.calls):
            if server.wire:
                self.hear_event()
            elif server.answers:
                self.hear_answer(0)
            else:
                server.work_on(next(iter(server.calls)))

    @precondition(lambda self: self.server.turn is None)
    @rule()
    def other_client_speaks(self) -> None:
        self.server.other_client_speaks()

    @precondition(lambda self: self.server.turn is not None and not self.server.turn.compaction)
    @rule(what=st.sampled_from(["say", "compact", "ask", "steer"]))
    def go_on(self, what: str) -> None:
        assert self.server.turn is not None
        if what == "compact":
            self.server.compact_in_the_middle()
        elif what == "ask" and self.up:
            self.server.ask(self.epoch)
        elif what == "steer" and self.server.turn.pending:
            self.server.take_up_steer()
        else:
            self.server.say()

    @precondition(lambda self: self._item_due())
    @rule()
    def send_compaction_item(self) -> None:
        self.server.send_compaction_item()

    @precondition(lambda self: self.server.turn is not None)
    @rule(status=st.sampled_from(["completed", "completed", "interrupted", "failed"]))
    def end_turn(self, status: facts.TurnStatus) -> None:
        self.server.end_turn(status)

    # -- things go wrong ----------------------------------------------------------------------------------------------

    @precondition(lambda self: self.up and self.outstanding)
    @rule(which=some)
    def time_out(self, which: int) -> None:
        """The answer does not come in time. The server may still work on the call."""
        self._fail(list(self.outstanding)[which % len(self.outstanding)], "timed_out")

    @precondition(lambda self: self.up and self._garbled())
    @rule(which=some)
    def garble(self, which: int) -> None:
        """The server has done it, and its answer cannot be read."""
        names = self._garbled()
        name = names[which % len(names)]
        del self.server.answers[name]
        self._fail(name, "lost")

    @precondition(lambda self: self.up)
    @rule(crash=st.booleans(), forget=st.booleans())
    def cut(self, crash: bool = False, forget: bool = False) -> None:
        self.up = False
        self.heard.clear()
        self.server.cut(crash=crash, forget=forget)

    @precondition(lambda self: not self.up and self.outstanding)
    @rule(which=some, sent=st.booleans())
    def hear_failure(self, which: int, sent: bool = True) -> None:
        """A call that was under way is lost, unless its answer had come in time. One begun since is not even sent; as
        long as the loss is not told it may be lost in a broken pipe."""
        name = list(self.outstanding)[which % len(self.outstanding)]
        if name in self.server.answers:
            self.hear_answer(list(self.server.answers).index(name))
        elif name not in self.begun_offline or (sent and self.believed):
            self._fail(name, "lost")
        else:
            self._fail(name, "unsent")

    @precondition(lambda self: not self.up and self.believed)
    @rule()
    def hear_of_loss(self) -> None:
        self.believed = False
        self.tell(facts.ServerLost(epoch=self.epoch, problem="it ended"), thread="")

    @precondition(lambda self: not self.up and not self.believed and not self.outstanding)
    @rule()
    def reconnect(self) -> None:
        self.server.answers.clear()
        self._connect()

    @precondition(lambda self: self.up)
    @rule(crash=st.booleans(), forget=st.booleans())
    def blink(self, crash: bool, forget: bool = False) -> None:
        """The connection is lost, and back at once."""
        self.cut(crash, forget)
        self.hear_of_loss()
        while self.outstanding:
            self.hear_failure(0)
        self.reconnect()

    @rule(crash=st.booleans(), forget=st.booleans())
    def restart(self, crash: bool, forget: bool = False) -> None:
        """rawr ends without a word and is started again: what was under way is lost, and nobody hears its answers."""
        if self.up:
            self.cut(crash, forget)
        self.believed = False
        self.server.answers.clear()
        lost = list(self.outstanding)
        self.tell(facts.RuntimeStarted(version="0", policy=self.kernel.policy_hash), thread="")
        for name in lost:
            self._fail(name, "lost")

    # -- time ---------------------------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1, 31, 700]))
    def wait(self, seconds: int) -> None:
        """Time passes; no call waits for its answer longer than half a minute."""
        for name in list(self.outstanding) if seconds > 30 else ():
            self.time_out(self._place(name)) if self.up else self.hear_failure(self._place(name))
        until = self.at + seconds * 1000
        while self.timers and min(self.timers.values()) <= until:
            self._next_deadline()
        self.at = until

    def _next_deadline(self) -> None:
        name = min(self.timers, key=self.timers.__getitem__)
        self.at = max(self.at, self.timers.pop(name))
        self.tell(facts.DeadlinePassed(name=name))

    # -- what must always hold ----------------------------------------------------------------------------------------

    @invariant()
    def deadlines_are_what_was_asked_for(self) -> None:
        wanted = {one.name: one.at for one in self.state.deadlines}
        # A thread that is left alone has its deadlines set again when it is joined again.
        alone = not self.state.in_touch and self.timers.items() <= wanted.items()
        assert self.timers == wanted or alone

    @invariant()
    def no_message_arrives_twice(self) -> None:
        delivered = self._delivered()
        assert len(delivered) == len(set(delivered)), delivered

    @invariant()
    def a_compaction_counts_when_both_signals_came(self) -> None:
        """A13."""
        for past in self.state.compactions:
            if past.ok:
                # Both signals, or Codex's own history. The item says what happened, the turn only that it is over.
                told = {(past.turn, "item"), (past.turn, "over")} <= self.told
                assert told or past.by == "upstream" or past.turn in self.server.compacted

    # -- at rest ------------------------------------------------------------------------------------------------------

    def teardown(self) -> None:
        if not self.sound:
            return
        self._come_to_rest()
        state = self.state
        assert (state.queue, state.sent, state.turn, state.compacting, state.requests) == ((), (), None, None, ())
        assert self.timers == {}
        delivered = self._delivered()
        missing = (self.plain.keys() | self.steered.keys()) - set(delivered) - self.reported
        assert not missing, missing
        in_order = [seq for seq in delivered if seq in self.plain and seq not in self.reported | self.held]
        assert in_order == sorted(in_order)
        self._replay()

    def _come_to_rest(self) -> None:
        """The connection comes back, calls are answered, turns end, deadlines pass."""
        for _ in range(MOST_ROUNDS):
            step = self._next_step()
            if step is None:
                return
            step()
        raise AssertionError(f"no rest after {MOST_ROUNDS} rounds: {self.state}")

    def _next_step(self) -> Callable[[], object] | None:
        server = self.server
        choices: list[tuple[object, Callable[[], object]]] = [
            (not self.up and self.outstanding, lambda: self.hear_failure(0, sent=not self.believed)),
            (not self.up and self.believed, self.hear_of_loss),
            (not self.up, self.reconnect),
            (server.wire, self.hear_event),
            (server.answers, lambda: self.hear_answer(0)),
            (server.calls, lambda: server.work_on(next(iter(server.calls)))),
            (self._item_due(), self.send_compaction_item),
            (server.turn, lambda: self.end_turn("completed")),
            (self.timers, self._next_deadline),
        ]
        return next((act for due, act in choices if due), None)

    def _replay(self) -> None:
        """C17: the recorded facts lead to the same decisions and effects again."""
        result = replay(
            [one.recorded for one in self.taken],
            decisions={one.recorded.seq: one.decisions for one in self.taken},
            effects={one.recorded.seq: one.effects for one in self.taken},
            policy=QUIET,
        )
        assert (result.facts, result.divergences) == (len(self.taken), ())

    # -- pieces -------------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self.up = self.believed = True
        self.epoch += 1
        connected = facts.ServerConnected(epoch=self.epoch, user_agent="codex", codex_home="/c", transport="model")
        self.tell(connected, thread="")

    def _join(self, joined: facts.ThreadJoined) -> None:
        if not self.state.certain:
            over = joined.last_status in ("completed", "interrupted", "failed")
            self.running = "" if joined.idle else ("?" if over or not joined.last_turn else joined.last_turn)
        self.tell(joined)

    def _fail(self, name: str, code: facts.FailureCode) -> None:
        self.tell(facts.EffectFailed(effect=name, problem=code, code=code))

    def _place(self, name: str) -> int:
        return list(self.outstanding).index(name)

    def _garbled(self) -> list[str]:
        """Calls whose answer is ready and may be spoilt. One to join the thread that is spoilt would be made anew only
        with the next connection."""
        spoilt = [name for name in self.server.answers if name in self.outstanding]
        return [name for name in spoilt if not isinstance(self.outstanding[name].effect, effects.ResumeThread)]

    def _item_due(self) -> bool:
        turn = self.server.turn
        return bool(self.server.unfinished_item) or (turn is not None and turn.compaction and not turn.item_sent)

    def _delivered(self) -> list[int]:
        return [self.carriers[client] for client, _ in self.server.history if client]


def _native(event: facts.AnyFact) -> bool:
    """Codex's own compactions can follow one another, so one that is told twice is two."""
    match event:
        case facts.ItemStarted(item=item) | facts.ItemCompleted(item=item):
            return item.id == NATIVE
        case _:
            return False

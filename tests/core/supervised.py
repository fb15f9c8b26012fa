"""A run on the model of the app-server, on schedules that Hypothesis looks for (C1, C5, C7, C13, C17, D5).

To everything that can happen to a conversation come a person who orders, pauses, stops, resumes and overrides, checks
that pass, fail or are lost, reviews, approvals, limits and compactions. Whatever happens, once everything goes well
again the run comes to an end: nothing waits for what will never come.
"""

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from msgspec.structs import replace

from rawr.core.kernel import Kernel
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.policy import Policy
from rawr.core.replay import replay
from rawr.core.state.host import limited_until
from rawr.core.vocabulary import effects, facts, items
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.order import Budgets, Order
from tests.core.app_server import THREAD, AppServer
from tests.core.conversation import CALLS, Conversation
from tests.core.samples import PACKET, WINDOW
from tests.core.slots import grant

RULES = Policy(
    compaction=AutoCompaction(enabled=False),
    full_auto=FullAuto(retry_seconds=2, retries=3, limit_wait_seconds=3600),
    watch_repositories=False,
)
GOLDEN_RULES = replace(RULES, compaction=AutoCompaction(cooldown_turns=1, cooldown_seconds=1))
ORDERS = (
    Order(goal="Build it."),
    Order(goal="Build it.", done="make check"),
    Order(goal="Build it.", done="make check", review="at-end", budgets=Budgets(turns=4)),
    Order(goal="Build it.", review="on-error", unsafe="decline", budgets=Budgets(minutes=2)),
)
PROBLEMS = (
    facts.Problem("overloaded", code="serverOverloaded"),
    facts.Problem("too many", code="usageLimitExceeded"),
    facts.Problem("full", code="contextWindowExceeded"),
    facts.Problem("no", code="unauthorized"),
)
MORE_CALLS = effects.StartReview | effects.InjectPacket | effects.ClearGoal


class Server(AppServer):
    """With what a run needs beside: reviews, and words that mean something."""

    def __init__(self) -> None:
        super().__init__()
        self.reviewing = ""
        self.problem = PROBLEMS[0]

    def _do(self, call: Intended) -> str | None:
        match call.effect:
            case effects.StartReview():
                return None if self.turn is not None else self._review()
            case effects.InjectPacket() | effects.ClearGoal():
                return ""
            case _:
                return super()._do(call)

    def _review(self) -> str:
        """A turn without a message."""
        self.reviewing = self._begin("", compaction=True)
        assert self.turn is not None
        self.turn.compaction = False
        self._item(items.ReviewEntered(id="r", review="changes"))
        return self.reviewing

    def speak(self, text: str) -> None:
        self._item(items.AgentMessage(id="a", text=text))

    def use(self, tokens: int) -> None:
        assert self.turn is not None
        self._send(facts.UsageUpdated(turn=self.turn.id, in_context=tokens, spent=tokens, window=WINDOW))

    def end_turn(self, status: facts.TurnStatus) -> None:
        assert self.turn is not None
        if self.turn.id == self.reviewing:
            self._item(items.ReviewExited(id="r", review="Nothing to complain about."))
        super().end_turn(status)
        last = self.wire[-1] if self.wire else None
        if isinstance(last, facts.TurnCompleted) and last.status == "failed":
            self.wire[-1] = facts.TurnCompleted(turn=last.turn, status="failed", problem=self.problem)


class Supervised(Conversation):
    settings_in_force = RULES

    def __init__(self) -> None:
        super().__init__()
        self.auto = Server()
        self.server = self.auto
        self.kernel = Kernel(self.settings_in_force)
        self.checks: list[str] = []
        self.judging: dict[str, str] = {}
        self.own: dict[tuple[int, str], int] = {}

    def tell(self, fact: facts.AnyFact, *, thread: str = THREAD) -> None:
        super().tell(fact, thread=thread)
        grant(self.kernel, self.take, now=self.at)

    def _take_effect(self, intended: Intended) -> None:
        super()._take_effect(intended)
        match intended.effect:
            case effects.RunCheck():
                self.checks.append(intended.id)
            case effects.JudgeApproval(request=request):
                self.judging[intended.id] = request
            case effects.StartTurn() | effects.SteerTurn():
                [sent] = [one for one in self.state.sent if one.effect == intended.id]
                if sent.message.purpose != "user":
                    # One fact can lead to more than one message of rawr's own.
                    key = (sent.message.seq, sent.message.purpose)
                    self.carriers[intended.id] = self.own.setdefault(key, -len(self.own) - 1)
            case _:
                pass
        if isinstance(intended.effect, MORE_CALLS) and not isinstance(intended.effect, CALLS):
            self.outstanding[intended.id] = intended
            if self.up:
                self.server.calls[intended.id] = intended
            else:
                self.begun_offline.add(intended.id)

    @property
    def active(self) -> bool:
        return self.state.run is not None and self.state.run.active

    @property
    def limited(self) -> bool:
        return limited_until(self.kernel.host) > self.at

    # -- a person -----------------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.active and not self.limited)
    @rule(order=st.sampled_from(ORDERS))
    def order(self, order: Order) -> None:
        self.tell(facts.RunSubmitted(order=order))

    @precondition(lambda self: self.active)
    @rule(now=st.booleans())
    def pause(self, now: bool) -> None:
        self.tell(facts.RunPauseSubmitted(now=now))

    @precondition(lambda self: self.active)
    @rule()
    def stop(self) -> None:
        self.tell(facts.RunStopSubmitted())

    @precondition(lambda self: self.state.run is not None and not self.limited)
    @rule(more=st.booleans())
    def resume(self, more: bool) -> None:
        self.tell(facts.RunResumed(budgets=Budgets(turns=50) if more else None))

    @precondition(lambda self: self.state.run is not None and not self.state.closed and not self.limited)
    @rule()
    def override(self) -> None:
        self.plain[self.kernel.seq + 1] = "Do that instead."
        self.tell(facts.RunOverridden(text="Do that instead."))

    # -- what rawr does by itself -------------------------------------------------------------------------------------

    @precondition(lambda self: self.checks)
    @rule(code=st.sampled_from([0, 1, None]))
    def check(self, code: int | None) -> None:
        effect = self.checks.pop(0)
        self.tell(facts.DoneChecked(effect=effect, exit_code=code, output="x", timed_out=code is None))
        self.tell(facts.EffectSucceeded(effect=effect))

    @precondition(lambda self: self.judging)
    @rule(safe=st.booleans())
    def judge(self, safe: bool) -> None:
        effect, request = self.judging.popitem()
        self.tell(facts.ApprovalJudged(request=request, safe=safe, reasons=("so it is",), digest="d"))
        self.tell(facts.EffectSucceeded(effect=effect))

    # -- the server ---------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.server.turn is not None and not self.server.turn.compaction)
    @rule(text=st.sampled_from(["Nothing is left to do: it works.", PACKET, "On I go."]))
    def agent_says(self, text: str) -> None:
        self.auto.speak(text)

    @precondition(lambda self: self.server.turn is not None and not self.server.turn.compaction)
    @rule(tokens=st.sampled_from([20_000, 150_000, WINDOW - 5_000]))
    def usage(self, tokens: int) -> None:
        self.auto.use(tokens)

    @precondition(lambda self: self.server.turn is not None)
    @rule(problem=st.sampled_from(PROBLEMS))
    def fail_turn(self, problem: facts.Problem) -> None:
        self.auto.problem = problem
        self.end_turn("failed")

    @precondition(lambda self: self.up and self.active)
    @rule(seconds=st.sampled_from([30, 1800, 7200]))
    def limit(self, seconds: int) -> None:
        reset = self.at // 1000 + seconds
        told = facts.RateLimitsUpdated(limit="codex", used_percent=100, resets_at=reset, reached=True)
        self.tell(told, thread="")

    @rule(crash=st.booleans(), forget=st.booleans())
    def restart(self, crash: bool, forget: bool = False) -> None:
        lost = [*self.checks, *self.judging]
        self.checks.clear()
        self.judging.clear()
        super().restart(crash, forget)
        for name in lost:
            self._fail(name, "lost")

    # -- at rest ------------------------------------------------------------------------------------------------------

    def _next_step(self) -> Callable[[], object] | None:
        timers = dict(self.timers)
        self.timers.clear()  # time passes last
        step = super()._next_step()
        self.timers.update(timers)
        if step is not None:
            return step
        if self.checks:
            return lambda: self.check(1)
        if self.judging:
            return lambda: self.judge(safe=True)
        return self._next_deadline if self.timers else None

    def teardown(self) -> None:
        """C13: a run that came to rest is resumed, and comes to rest again. Only then nothing may be left over."""
        if not self.sound:
            return
        self._come_to_rest()
        assert not self.active, self.state
        if self.state.run is not None:
            self.at = max(self.at, limited_until(self.kernel.host))
            self.tell(facts.RunResumed(budgets=Budgets(turns=1_000)))
            self._come_to_rest()
            assert not self.active, self.state
            assert self.state.sequence is None, self.state
        super().teardown()

    def _replay(self) -> None:
        """C17: the recorded facts lead to the same decisions and effects again."""
        result = replay(
            [one.recorded for one in self.taken],
            decisions={one.recorded.seq: one.decisions for one in self.taken},
            effects={one.recorded.seq: one.effects for one in self.taken},
            policy=self.settings_in_force,
        )
        assert (result.facts, result.divergences) == (len(self.taken), ())


class OnTheGoldenPath(Supervised):
    """With compactions in between. How they keep out of each other's way has tests of its own; here it matters that the
    run comes through them."""

    settings_in_force = GOLDEN_RULES

    @rule()
    def compact_on_the_golden_path(self) -> None:
        self.tell(facts.CompactionSubmitted())

    def _check_start(self, intended: Intended) -> None:
        if isinstance(intended.effect, effects.StartTurn):
            starts = [one.id for one in self.outstanding.values() if isinstance(one.effect, effects.StartTurn)]
            assert set(starts) <= self.shown, (intended, starts)

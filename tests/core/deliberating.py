"""The golden path with a model that has a say in it, on schedules that Hypothesis looks for (A18).

To everything that can happen to a run come a model that approves, vetoes, fails, answers late, to another question or
never, phases that end, holds, and rules that change while it is asked. It is never asked in an emergency, nothing
begins that it was asked about and did not approve, and what it said no to is not compacted on.
"""

from collections.abc import Callable
from typing import Any, Literal

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from msgspec.structs import replace

from rawr.core.compaction import veto as judging
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import percent_remaining, tier_of
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import effects, facts
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Record
from tests.core.app_server import THREAD
from tests.core.conversation import some
from tests.core.judged import TOKENS, approval, asking, nothing, veto
from tests.core.samples import WORDS
from tests.core.supervised import GOLDEN_RULES, ORDERS, OnTheGoldenPath

Verdict = Literal["approve", "veto", "none"]
VERDICTS: dict[Verdict, Callable[[str], facts.ModelAnswered]] = {"approve": approval, "veto": veto, "none": nothing}

JUDGED_RULES = replace(
    GOLDEN_RULES,
    compaction=asking(replace(GOLDEN_RULES.compaction, min_gain_percent=0)).compaction,
)


def changed(**changes: Any) -> Policy:
    return replace(JUDGED_RULES, compaction=replace(JUDGED_RULES.compaction, **changes))


CALM = ("early", "ready", "asap")
PREFLIGHT = changed(asap=replace(JUDGED_RULES.compaction.asap, requires_any_boundary=("turn_complete",)))
OTHER_RULES = (
    changed(enabled=False),
    changed(mode="tag"),
    changed(mode="suggest"),
    PREFLIGHT,
    replace(JUDGED_RULES, models=replace(JUDGED_RULES.models, judgment_on_error="compact")),
)


class Deliberating(OnTheGoldenPath):
    settings_in_force = JUDGED_RULES

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []
        """Asked, and not answered yet; also those that nobody waits for any more."""
        self.newest = ""
        self.verdicts: dict[str, Verdict] = {}
        self.vetoed: set[str] = set()
        self.seen: set[str] = set()
        """What has happened in this schedule, to see that schedules go everywhere."""

    def take(self, thread: str, fact: facts.AnyFact) -> None:
        before, count, asked = self.state, len(self.taken), self.newest
        match fact:
            case facts.DeadlinePassed(name="model:compaction_judgment"):
                self._close(self.newest, "none")
            case facts.EffectFailed(effect=effect) if effect in self.questions:
                self._close(effect, "none")
            case _:
                pass
        super().take(thread, fact)
        if thread == THREAD:
            self._look(before, self.taken[count], self.verdicts.get(asked))

    def _close(self, question: str, verdict: Verdict) -> None:
        """The first end of a question is the one that counts."""
        self.verdicts.setdefault(question, verdict)

    def _take_effect(self, intended: Intended) -> None:
        super()._take_effect(intended)
        if isinstance(intended.effect, effects.AskModel):
            usage = self.state.usage
            assert usage is not None
            percent = percent_remaining(in_context=usage.in_context, window=usage.window)
            assert percent is not None
            assert tier_of(percent, self.kernel.policy.thresholds) != "emergency"
            assert not self.state.guards
            self.questions.append(intended.id)
            self.newest = intended.id

    def _look(self, before: ThreadState, taken: Taken, verdict: Verdict | None) -> None:
        """What was decided, against what was asked and answered."""
        for record in (decision.record for decision in taken.decisions):
            self.seen.add(record.reason.value)
            if record.reason is Reason.JUDGMENT_VETOED_MODEL:
                assert before.sequence is not None
                assert verdict == "veto"
                self.vetoed |= {one.id for one in before.sequence.boundaries}
            elif record.reason is Reason.COMPACT_DECIDED_BOUNDARY:
                self._begun(before, record, verdict)

    def _begun(self, before: ThreadState, record: Record, verdict: Verdict | None) -> None:
        """Asked for, approved, and not on a boundary that was vetoed."""
        without = self.kernel.policy.models.judgment_on_error == "compact" or record.evidence["tier"] == "asap"
        assert verdict == "approve" or (verdict == "none" and without), (verdict, record)
        satisfied = record.evidence["satisfied"]
        assert isinstance(satisfied, list)
        assert {one.id for one in before.signals if one.kind in satisfied} - self.vetoed, record

    # -- a model ------------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.questions)
    @rule(which=some, verdict=st.sampled_from(list(VERDICTS)))
    def judgment(self, which: int, verdict: Verdict) -> None:
        """In any order: the newest may be answered before one that was given up."""
        question = self.questions.pop(which % len(self.questions))
        self._close(question, verdict)
        self.tell(VERDICTS[verdict](question))
        self.tell(facts.EffectSucceeded(effect=question))

    @precondition(lambda self: self.newest in self.questions)
    @rule(verdict=st.sampled_from(list(VERDICTS)))
    def newest_judgment(self, verdict: Verdict) -> None:
        self.judgment(self.questions.index(self.newest), verdict)

    @rule(verdict=st.sampled_from(list(VERDICTS)))
    def judgment_of_something_else(self, verdict: Verdict) -> None:
        before = self.state.sequence
        self.tell(VERDICTS[verdict]("t:0.9"))
        assert self.state.sequence == before

    # -- a person -----------------------------------------------------------------------------------------------------

    @rule()
    def phase(self) -> None:
        self.tell(facts.PhaseSubmitted(phase="research"))

    @rule(turns=st.sampled_from([None, 1]))
    def hold(self, turns: int | None) -> None:
        self.tell(facts.HoldSubmitted(until="later", turns=turns))

    @rule()
    def release(self) -> None:
        self.tell(facts.HoldReleased())

    @rule(policy=st.sampled_from([JUDGED_RULES, JUDGED_RULES, *OTHER_RULES]))
    def adopt(self, policy: Policy) -> None:
        self.tell(facts.PolicyAdopted(policy=policy), thread="")

    # -- the server ---------------------------------------------------------------------------------------------------

    @initialize(tier=st.sampled_from([*CALM, ""]), run=st.booleans(), policy=st.sampled_from([JUDGED_RULES, PREFLIGHT]))
    def begin(self, tier: str = "", run: bool = False, policy: Policy = JUDGED_RULES) -> None:
        """Most schedules begin where a model is asked: chance alone rarely comes there."""
        super().begin()
        self.adopt(policy)
        if run:
            self.order(ORDERS[0])
        if tier:
            self.work_to_a_boundary(tier)

    @precondition(lambda self: self.up)
    @rule(tier=st.sampled_from(CALM))
    def work_to_a_boundary(self, tier: str) -> None:
        """The turn that runs, or else another client's, goes on to the end of a phase."""
        self.flow()
        if self.server.turn is None:
            self.server.other_client_speaks()
        if self.server.turn is None or self.server.turn.compaction:
            return
        self.auto.speak(WORDS)
        self.auto.use(TOKENS[tier])
        self.flow()
        self.phase()
        if self.server.turn is not None:
            self.server.end_turn("completed")
        self.flow()

    @precondition(lambda self: self.server.turn is not None and not self.server.turn.compaction)
    @rule(tier=st.sampled_from(["early", "ready", "asap", "emergency"]))
    def fill(self, tier: str) -> None:
        self.auto.speak(WORDS)
        self.auto.use(TOKENS[tier])

    @precondition(lambda self: self.state.last_turn is not None and self.state.turn is None)
    @rule(tier=st.sampled_from(["roomy", "asap", "emergency"]))
    def late_usage(self, tier: str) -> None:
        """Told after the turn that it is of."""
        assert self.state.last_turn is not None
        tokens = TOKENS.get(tier, 20_000)
        told = facts.UsageUpdated(turn=self.state.last_turn.id, in_context=tokens, spent=tokens)
        self.tell(told if self.state.usage is None else replace(told, window=self.state.usage.window))

    @rule(crash=st.booleans(), forget=st.booleans())
    def restart(self, crash: bool, forget: bool = False) -> None:
        lost, self.questions = self.questions, []
        for name in lost:
            self._close(name, "none")
        super().restart(crash, forget)
        for name in lost:
            self._fail(name, "lost")

    # -- what must always hold ----------------------------------------------------------------------------------------

    @invariant()
    def a_judgment_is_awaited_in_an_idle_thread(self) -> None:
        state = self.state
        awaited = judging.awaited(state)
        asked = [one for one in state.asking if one.signature == "compaction_judgment"]
        assert len(asked) <= awaited
        if state.sequence is not None and awaited:
            assert state.turn is None
            assert bool(asked) != bool(state.sequence.verdict)
            assert not (state.sequence.verdict and state.online)

    @invariant()
    def a_users_words_wait_for_a_judgment_only_where_they_are_to(self) -> None:
        """A16: one that is still to be steered comes back by itself."""
        state = self.state
        if state.sequence is not None and judging.awaited(state) and not state.sequence.held and state.online:
            submitted = [one for one in state.queue if one.purpose == "user" and one.seq > self._asked_at()]
            assert submitted == []

    def _asked_at(self) -> int:
        return int(self.newest.partition(":")[2].partition(".")[0] or 0)

    # -- at rest ------------------------------------------------------------------------------------------------------

    def _next_step(self) -> Callable[[], object] | None:
        step = super()._next_step()
        if self.questions and (step is None or step == self._next_deadline):
            return lambda: self.judgment(0, "veto" if len(self.taken) % 2 else "approve")
        return step

    def teardown(self) -> None:
        if self.sound:
            # What was ordered last is brought to its end under the rules that act.
            self.adopt(JUDGED_RULES)
        super().teardown()
        if self.sound:
            assert self.state.sequence is None, self.state
            assert self.state.asking == ()

"""Should we compact now? The rule of A6 with every reason of A3 and A7, tier by tier."""

import inspect
import re
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.compaction import assessment
from rawr.core.compaction.assessment import LEFT_OVER, TRIVIAL, Assessment, assess
from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.policy.compaction import ASAP, EARLY, READY, AutoCompaction, TierPolicy
from rawr.core.policy.tiers import BASELINE, Tier
from rawr.core.state.ledger import Commit, Ledger, Touched
from rawr.core.state.messages import Queued
from rawr.core.state.sequence import Breaker, CompactionPast, Guard, LastCompaction, Phase, Sequence
from rawr.core.state.thread import Goal, OpenRequest, Plan, ThreadState, Usage
from rawr.core.state.turn import WORK, ActiveTurn, OpenItem, Purpose, TurnOutcome
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.limits import InForce
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import TimeQuestion
from tests.core.samples import AT, IDLE, WORDS

POLICY = AutoCompaction()
ROOM = 200_000
ROOMY_WINDOW = BASELINE + ROOM
KINDS: tuple[BoundaryKind, ...] = get_args(BoundaryKind)
PERCENT: dict[Tier, int] = {"roomy": 85, "early": 84, "ready": 74, "asap": 64, "emergency": 14}
"""The most that can remain in each tier (A4)."""


def boundary(kind: str) -> BoundaryEvent:
    return BoundaryEvent(f"t:5~{kind}", AT, "t", "T1", kind, "turn")


def ended(*kinds: str, percent: int = 64) -> ThreadState:
    """A turn of work has ended with these signals, and so much of the context remains."""
    return replace(
        IDLE,
        usage=Usage(BASELINE + ROOM // 100 * (100 - percent), 10**6, ROOMY_WINDOW),
        last_turn=TurnOutcome("T1", "completed", AT, agent_text=WORDS, files=("src/a.py",), spoke=True),
        signals=tuple(boundary(kind) for kind in kinds),
        work_turns=9,
    )


def answer(state: ThreadState, policy: AutoCompaction = POLICY) -> Assessment:
    return assess(state, policy, now=AT)


def running(kind: str) -> ActiveTurn:
    return ActiveTurn("T2", AT, (OpenItem("i", kind),))


PHASE = ended("phase_boundary")
SEQUENCE = Sequence("c1", Phase.AWAITING_PACKET, AT, "asap", 50)
LAST = LastCompaction(AT - 3_600_000, 1, "c1", "asap", "compact.decided.boundary")
ASKED = OpenRequest("1/1", TimeQuestion(), AT, "T1")


# -- what rules it out (A3) -----------------------------------------------------------------------------------------

RULED_OUT = {
    Reason.COMPACT_SKIPPED_SEQUENCE: replace(PHASE, sequence=SEQUENCE),
    Reason.COMPACT_SKIPPED_REVIEW: replace(PHASE, in_review=True),
    Reason.COMPACT_SKIPPED_GOAL: replace(PHASE, goal=Goal("win", "active")),
    Reason.COMPACT_SKIPPED_IN_REACH: replace(PHASE, in_force=InForce(cwd="/w", reaches="rawr's home lies in /w.")),
    Reason.COMPACT_SKIPPED_TOKEN_BUDGET: replace(PHASE, token_budget=True),
    Reason.COMPACT_SKIPPED_USAGE: replace(PHASE, usage=None),
    Reason.COMPACT_SKIPPED_SYNTHETIC: replace(PHASE, last_turn=TurnOutcome("T1", "completed", AT, purpose="packet")),
}


@pytest.mark.parametrize(("reason", "state"), RULED_OUT.items(), ids=[reason.value for reason in RULED_OUT])
def test_what_rules_a_compaction_out(reason: Reason, state: ThreadState) -> None:
    """A3: in every tier, emergency too, before anything is weighed."""
    assert answer(state) == Assessment(compact=False, reason=reason)
    if state.usage is not None:
        assert answer(replace(state, usage=ended(percent=1).usage)) == Assessment(compact=False, reason=reason)


def test_switched_off_nothing_is_weighed() -> None:
    """A1."""
    off = Assessment(compact=False, reason=Reason.COMPACT_SKIPPED_DISABLED)
    assert answer(PHASE, replace(POLICY, enabled=False)) == off


def test_an_unknown_window_rules_it_out() -> None:
    """A3."""
    unknown = replace(PHASE, usage=Usage(200_000, 200_000, None))
    assert answer(unknown) == Assessment(compact=False, reason=Reason.COMPACT_SKIPPED_USAGE)


@pytest.mark.parametrize("status", ["paused", "complete", "budgetLimited"])
def test_a_goal_that_is_not_pursued_stands_in_no_way(status: str) -> None:
    """A3: an active one does."""
    assert answer(replace(PHASE, goal=Goal("win", status))).compact


@pytest.mark.parametrize("purpose", get_args(Purpose))
def test_only_turns_of_work_are_followed_by_one(purpose: Purpose) -> None:
    """A3, A8: every turn that rawr started is synthetic."""
    state = replace(PHASE, last_turn=TurnOutcome("T1", "completed", AT, agent_text=WORDS, purpose=purpose))
    assert answer(state).compact == (purpose in WORK)


# -- tiers and boundaries (A4, A5, A6) ------------------------------------------------------------------------------


def test_the_defaults_of_each_tier() -> None:
    """A5, D9."""
    early = {"plan_checkpoint", "plan_update", "pr_checkpoint", "topic_shift", "phase_boundary"}
    assert set(EARLY) == early
    assert set(READY) == early | {"commit"}
    assert set(ASAP) == early | {"commit", "agent_done", "concluding", "idle"}
    assert POLICY.emergency.requires_any_boundary == ()


ALONE: dict[Tier, dict[str, Reason]] = {
    "early": {
        "pr_checkpoint": Reason.COMPACT_DECIDED_BOUNDARY,
        "topic_shift": Reason.COMPACT_DECIDED_BOUNDARY,
        "phase_boundary": Reason.COMPACT_DECIDED_BOUNDARY,
        "plan_checkpoint": Reason.COMPACT_DEFERRED_PLAN_ONLY,
        "plan_update": Reason.COMPACT_DEFERRED_WEAK_BOUNDARY,
    },
    "ready": {
        "pr_checkpoint": Reason.COMPACT_DECIDED_BOUNDARY,
        "topic_shift": Reason.COMPACT_DECIDED_BOUNDARY,
        "phase_boundary": Reason.COMPACT_DECIDED_BOUNDARY,
        "commit": Reason.COMPACT_DECIDED_BOUNDARY,
        "plan_checkpoint": Reason.COMPACT_DEFERRED_PLAN_ONLY,
        "plan_update": Reason.COMPACT_DEFERRED_WEAK_BOUNDARY,
    },
    "asap": {
        "pr_checkpoint": Reason.COMPACT_DECIDED_BOUNDARY,
        "topic_shift": Reason.COMPACT_DECIDED_BOUNDARY,
        "phase_boundary": Reason.COMPACT_DECIDED_BOUNDARY,
        "commit": Reason.COMPACT_DECIDED_BOUNDARY,
        "plan_checkpoint": Reason.COMPACT_DECIDED_BOUNDARY,
        "agent_done": Reason.COMPACT_DECIDED_BOUNDARY,
        "concluding": Reason.COMPACT_DECIDED_BOUNDARY,
        "idle": Reason.COMPACT_DECIDED_BOUNDARY,
        "plan_update": Reason.COMPACT_DEFERRED_WEAK_BOUNDARY,
    },
}
"""What a boundary that stands alone leads to; one that is not listed is none of its tier."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tier", ALONE)
def test_one_boundary_in_one_tier(tier: Tier, kind: BoundaryKind) -> None:
    """A5, A6, A7: the whole table."""
    found = answer(ended(kind, "turn_complete", percent=PERCENT[tier]))
    assert found.reason == ALONE[tier].get(kind, Reason.COMPACT_SKIPPED_NO_BOUNDARY)
    assert found.compact == (found.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert (found.tier, found.percent) == (tier, PERCENT[tier])
    assert found.satisfied == ((kind,) if kind in ALONE[tier] else ())


@pytest.mark.parametrize("kind", KINDS)
def test_above_all_tiers_no_boundary_counts(kind: BoundaryKind) -> None:
    """A4, A6: strictly below."""
    assert answer(ended(kind, percent=85)) == Assessment(
        compact=False, reason=Reason.COMPACT_SKIPPED_ROOMY, tier="roomy", percent=85
    )


def test_an_emergency_needs_no_boundary() -> None:
    """A6."""
    assert answer(ended(percent=14)) == Assessment(
        True, Reason.COMPACT_DECIDED_EMERGENCY, "emergency", 14, (), ("emergency",)
    )
    assert answer(ended(percent=15)).reason is Reason.COMPACT_SKIPPED_NO_BOUNDARY


def test_usage_is_what_is_in_the_context() -> None:
    """A4: never the total that was spent."""
    state = replace(PHASE, usage=Usage(BASELINE, 10**9, ROOMY_WINDOW))
    assert answer(state).reason is Reason.COMPACT_SKIPPED_ROOMY


def test_a_tier_without_kinds_does_not_act() -> None:
    """A6: boundaries are necessary."""
    assert answer(PHASE, replace(POLICY, asap=TierPolicy(65))).reason is Reason.COMPACT_SKIPPED_NO_BOUNDARY


def test_each_boundary_is_named_once() -> None:
    """B4: the satisfied signals, and all that were seen."""
    found = answer(ended("commit", "commit", "phase_boundary", "turn_complete"))
    assert found.satisfied == ("commit", "phase_boundary")
    assert [one.kind for one in found.boundaries] == ["commit", "commit", "phase_boundary", "turn_complete"]


# -- plan signals (A7) ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beside", ["concluding", "agent_done", "topic_shift", "plan_checkpoint", "phase_boundary"])
def test_a_plan_update_counts_beside_another(beside: str) -> None:
    """A7: weak alone."""
    assert answer(ended("plan_update", beside)).compact
    alone = answer(ended("plan_update"))
    assert (alone.compact, alone.against) == (False, (Reason.COMPACT_DEFERRED_WEAK_BOUNDARY,))


@pytest.mark.parametrize("tier", ["early", "ready"])
@pytest.mark.parametrize(
    "beside", ["concluding", "agent_done", "topic_shift", "phase_boundary", "commit", "pr_checkpoint"]
)
def test_plan_signals_need_a_semantic_break_or_a_commit(tier: Tier, beside: str) -> None:
    """A7: in early and ready."""
    assert answer(ended("plan_checkpoint", beside, percent=PERCENT[tier])).compact
    alone = answer(ended("plan_checkpoint", "plan_update", percent=PERCENT[tier]))
    assert (alone.compact, alone.reason) == (False, Reason.COMPACT_DEFERRED_PLAN_ONLY)


@pytest.mark.parametrize("tier", ["early", "ready"])
def test_unless_it_is_configured_otherwise(tier: Tier) -> None:
    """A7, A22."""
    free = replace(
        POLICY,
        early=replace(POLICY.early, plan_boundaries_require_semantic_break=False),
        ready=replace(POLICY.ready, plan_boundaries_require_semantic_break=False),
        asap=replace(POLICY.asap, plan_boundaries_require_semantic_break=True),
    )
    assert answer(ended("plan_checkpoint", percent=PERCENT[tier]), free).compact
    assert answer(ended("plan_checkpoint"), free).reason is Reason.COMPACT_DEFERRED_PLAN_ONLY


@pytest.mark.parametrize("seen", [(), ("plan_update",), ("plan_checkpoint",), ("plan_update", "plan_checkpoint")])
def test_where_a_turns_end_suffices_plan_signals_take_nothing_away(seen: tuple[str, ...]) -> None:
    """A16: they are no boundary then, and no objection."""
    tier = TierPolicy(85, ("turn_complete", *EARLY), plan_boundaries_require_semantic_break=True)
    found = answer(ended(*seen, "turn_complete", percent=84), replace(POLICY, early=tier))
    assert (found.compact, found.satisfied, found.against) == (True, ("turn_complete",), ())


# -- every other reason (A7), and emergency over it -----------------------------------------------------------------

OBJECTIONS = {
    Reason.COMPACT_STOPPED_BREAKER: replace(PHASE, breaker=Breaker(2, 0, stopped=True)),
    Reason.COMPACT_DEFERRED_BREAKER: replace(PHASE, breaker=Breaker(1, AT + 1)),
    Reason.COMPACT_DEFERRED_GUARD: replace(PHASE, guards=(Guard("the release is out"),)),
    Reason.COMPACT_DEFERRED_COMMAND_RUNNING: replace(PHASE, turn=running("Command")),
    Reason.COMPACT_DEFERRED_REQUEST_OPEN: replace(PHASE, requests=(ASKED,)),
    Reason.COMPACT_DEFERRED_SUBAGENT_BUSY: replace(PHASE, turn=running("SubAgent")),
    Reason.COMPACT_DEFERRED_REPLY_UNFINISHED: replace(PHASE, turn=running("AgentMessage")),
    Reason.COMPACT_DEFERRED_INPUT_QUEUED: replace(PHASE, queue=(Queued(3, "hello"),)),
    Reason.COMPACT_DEFERRED_COOLDOWN: replace(PHASE, last_compaction=replace(LAST, work_turns=8, at=AT - 119_999)),
    Reason.COMPACT_DEFERRED_WEAK_BOUNDARY: ended("plan_update"),
    Reason.COMPACT_DEFERRED_PLAN_ONLY: ended("plan_checkpoint", percent=74),
    Reason.COMPACT_DEFERRED_NOT_PACKET_WORTHY: replace(PHASE, last_turn=TurnOutcome("T1", "completed", AT)),
    Reason.COMPACT_DEFERRED_LITTLE_GAIN: replace(
        PHASE, compactions=(CompactionPast("rawr", "C", AT, True, 90_000, 80_000, 5),)
    ),
}
HARD = {
    Reason.COMPACT_STOPPED_BREAKER,
    Reason.COMPACT_DEFERRED_COMMAND_RUNNING,
    Reason.COMPACT_DEFERRED_REQUEST_OPEN,
    Reason.COMPACT_DEFERRED_SUBAGENT_BUSY,
    Reason.COMPACT_DEFERRED_REPLY_UNFINISHED,
}
"""What an emergency does not override: work that cannot be cut (A7), and a thread on which rawr has given up (A20)."""
EACH = pytest.mark.parametrize(("reason", "state"), OBJECTIONS.items(), ids=[reason.value for reason in OBJECTIONS])


@EACH
def test_each_objection_alone_defers(reason: Reason, state: ThreadState) -> None:
    """A7: a boundary is there, and it is not enough."""
    found = answer(state)
    assert (found.compact, found.reason, found.against) == (False, reason, (reason,))
    assert found.satisfied


@EACH
def test_an_emergency_overrides_all_but_work_that_cannot_be_cut(reason: Reason, state: ThreadState) -> None:
    """A7, A20."""
    found = answer(replace(state, usage=ended(percent=5).usage))
    assert found.compact == (reason not in HARD)
    assert found.reason is (reason if reason in HARD else Reason.COMPACT_DECIDED_EMERGENCY)
    assert found.tier == "emergency"


@EACH
def test_an_objection_is_named_also_where_there_is_no_boundary(reason: Reason, state: ThreadState) -> None:
    """B4: reasons against, even when something else decided."""
    found = answer(replace(state, signals=(boundary("turn_complete"),)))
    assert found.reason is Reason.COMPACT_SKIPPED_NO_BOUNDARY
    plan = {Reason.COMPACT_DEFERRED_WEAK_BOUNDARY, Reason.COMPACT_DEFERRED_PLAN_ONLY}
    assert found.against == (() if reason in plan else (reason,))


def test_several_objections_are_all_named() -> None:
    """B4: the weightiest decides."""
    state = replace(PHASE, guards=(Guard("x"),), queue=(Queued(3, "hello"),), breaker=Breaker(2, AT + 1, stopped=True))
    assert answer(state).against == (
        Reason.COMPACT_STOPPED_BREAKER,
        Reason.COMPACT_DEFERRED_BREAKER,
        Reason.COMPACT_DEFERRED_GUARD,
        Reason.COMPACT_DEFERRED_INPUT_QUEUED,
    )
    assert answer(state).reason is Reason.COMPACT_STOPPED_BREAKER


def test_every_reason_of_the_assessment_has_a_case_here() -> None:
    """A7: each a named reason."""
    named = {Reason[name] for name in re.findall(r"\bReason\.(COMPACT_\w+)", inspect.getsource(assessment))}
    decided = {Reason.COMPACT_DECIDED_BOUNDARY, Reason.COMPACT_DECIDED_EMERGENCY}
    skipped = {Reason.COMPACT_SKIPPED_DISABLED, Reason.COMPACT_SKIPPED_ROOMY, Reason.COMPACT_SKIPPED_NO_BOUNDARY}
    elsewhere = {
        Reason.COMPACT_DEFERRED_NO_NEED,  # test_need.py
        Reason.COMPACT_DEFERRED_UNSETTLED,  # test_settled.py
        Reason.COMPACT_DECIDED_LAST_RESORT,  # test_last_resort.py
    }
    assert named == {*RULED_OUT, *OBJECTIONS, *decided, *skipped, *elsewhere}


# -- the edges of the objections ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turns", "deferred"), [(0, True), (1, True), (2, False), (3, False)])
def test_cooldown_by_turns(turns: int, deferred: bool) -> None:
    """A7: two turns of work by default, however little time they took."""
    state = replace(PHASE, last_compaction=replace(LAST, work_turns=9 - turns, at=AT))
    assert (answer(state).reason is Reason.COMPACT_DEFERRED_COOLDOWN) == deferred


@pytest.mark.parametrize(("seconds", "deferred"), [(0, True), (119, True), (120, False), (10_000, False)])
def test_cooldown_by_seconds(seconds: int, deferred: bool) -> None:
    """A7: 120 seconds by default, however few turns."""
    state = replace(PHASE, last_compaction=replace(LAST, work_turns=9, at=AT - seconds * 1000))
    assert (answer(state).reason is Reason.COMPACT_DEFERRED_COOLDOWN) == deferred


@pytest.mark.parametrize(("turns", "seconds", "deferred"), [(2, 0, True), (0, 120, True), (1, 0, False), (0, 0, False)])
def test_what_is_switched_off_does_not_end_the_cooldown(turns: int, seconds: int, deferred: bool) -> None:
    """A7: one turn and one second have passed."""
    state = replace(PHASE, last_compaction=replace(LAST, work_turns=8, at=AT - 1000))
    policy = replace(POLICY, cooldown_turns=turns, cooldown_seconds=seconds)
    assert (answer(state, policy).reason is Reason.COMPACT_DEFERRED_COOLDOWN) == deferred


def test_the_breaker_is_closed_when_its_time_is_over() -> None:
    """A20: back-off, not for ever."""
    assert answer(replace(PHASE, breaker=Breaker(1, AT))).compact


@pytest.mark.parametrize("kind", ["Command", "ToolCall"])
def test_a_tool_at_work_is_a_running_command(kind: str) -> None:
    """A7."""
    assert answer(replace(PHASE, turn=running(kind))).reason is Reason.COMPACT_DEFERRED_COMMAND_RUNNING


@pytest.mark.parametrize("kind", ["Reasoning", "UserMessage", "OtherItem"])
def test_other_open_items_are_no_work_in_flight(kind: str) -> None:
    assert answer(replace(PHASE, turn=running(kind))).compact


def test_a_message_of_rawrs_own_is_no_input_of_the_user() -> None:
    """A7: queued user input stands against it, nothing else in the queue does."""
    assert answer(replace(PHASE, queue=(Queued(3, "x", "recovery"),))).compact


@pytest.mark.parametrize(
    "changes",
    [
        {"last_turn": TurnOutcome("T1", "completed", AT, agent_text="x" * TRIVIAL)},
        {"ledger": Ledger(files=(Touched("a", "add"),))},
        {"ledger": Ledger(commits=(Commit("a", "b"),))},
        {"plan": Plan((PlanStep("a", "pending"),))},
    ],
)
def test_what_a_packet_can_be_made_of(changes: dict[str, Any]) -> None:
    """A7: words of the agent, or a record."""
    bare = replace(PHASE, last_turn=TurnOutcome("T1", "completed", AT, agent_text=" " * 99 + "x" * (TRIVIAL - 1)))
    assert answer(bare).reason is Reason.COMPACT_DEFERRED_NOT_PACKET_WORTHY
    assert answer(replace(bare, **changes)).compact


@pytest.mark.parametrize(("tokens", "little"), [(LEFT_OVER + ROOMY_WINDOW // 10, False), (LEFT_OVER + 21_000, True)])
def test_too_little_to_gain(tokens: int, little: bool) -> None:
    """A7: less than a tenth of the window, by what a compaction leaves over."""
    wide = replace(POLICY, asap=replace(POLICY.asap, percent_remaining_lt=100))
    state = replace(PHASE, usage=Usage(tokens, tokens, ROOMY_WINDOW))
    assert (answer(state, wide).reason is Reason.COMPACT_DEFERRED_LITTLE_GAIN) == little


def test_the_last_compaction_that_worked_tells_what_is_left_over() -> None:
    """A7: one that failed tells nothing."""
    past = CompactionPast("rawr", "C", AT, True, 90_000, 70_000, 5)
    failed = replace(past, ok=False, tokens_after=None)
    assert not answer(replace(PHASE, compactions=(past, failed))).compact
    assert answer(replace(PHASE, compactions=(failed,))).compact


# -- whatever the state ---------------------------------------------------------------------------------------------

STATES = st.builds(
    lambda kinds, percent, changes: replace(ended(*kinds, percent=percent), **dict(changes)),
    st.lists(st.sampled_from(KINDS), max_size=5, unique=True),
    st.integers(0, 100),
    st.lists(
        st.sampled_from(
            [
                ("breaker", Breaker(2, 0, stopped=True)),
                ("breaker", Breaker(1, AT + 1)),
                ("guards", (Guard("x"),)),
                ("turn", running("Command")),
                ("turn", running("SubAgent")),
                ("requests", (ASKED,)),
                ("queue", (Queued(3, "hello"),)),
                ("last_compaction", replace(LAST, work_turns=9)),
                ("last_turn", TurnOutcome("T1", "completed", AT)),
                ("sequence", SEQUENCE),
                ("usage", None),
            ]
        ),
        max_size=3,
    ),
)
POLICIES = st.builds(
    lambda early, asap, free: replace(
        POLICY,
        early=TierPolicy(85, tuple(early), plan_boundaries_require_semantic_break=not free),
        asap=TierPolicy(65, tuple(asap)),
    ),
    st.lists(st.sampled_from(KINDS), unique=True),
    st.lists(st.sampled_from(KINDS), unique=True),
    st.booleans(),
)


@given(STATES, POLICIES)
def test_the_rule_holds_for_any_state(state: ThreadState, policy: AutoCompaction) -> None:
    """A6: yes means an emergency that nothing hard stands against, or a boundary and no objection."""
    found = assess(state, policy, now=AT)
    assert found.compact == (found.reason in (Reason.COMPACT_DECIDED_BOUNDARY, Reason.COMPACT_DECIDED_EMERGENCY))
    if found.tier == "emergency":
        assert found.compact == (not HARD.intersection(found.against))
    elif found.compact:
        assert found.satisfied
        assert not found.against
        rules = policy.tier(found.tier or "roomy")
        assert rules is not None
        assert set(found.satisfied) <= set(rules.requires_any_boundary) & {one.kind for one in state.signals}


@given(STATES, POLICIES, st.sampled_from(KINDS))
def test_one_boundary_more_never_turns_yes_into_no(
    state: ThreadState, policy: AutoCompaction, kind: BoundaryKind
) -> None:
    """A6: more reason to compact is not less."""
    if assess(state, policy, now=AT).compact:
        assert assess(replace(state, signals=(*state.signals, boundary(kind))), policy, now=AT).compact


@given(STATES, POLICIES)
def test_gating_is_the_same_in_all_modes(state: ThreadState, policy: AutoCompaction) -> None:
    """A2."""
    tag, suggest = replace(policy, mode="tag"), replace(policy, mode="suggest")
    assert assess(state, policy, now=AT) == assess(state, tag, now=AT) == assess(state, suggest, now=AT)

"""When rawr would have compacted, and how it goes on from there: the arbiter's own decisions, on less context (D4)."""

import pytest

from rawr.backtest.context import HANDOFF, SUMMARY
from rawr.backtest.result import BoundarySeen, WouldCompact
from rawr.core.thread import quiet
from tests.backtest.sessions import SAYS, Session, policy
from tests.history.rollouts import AT_MS, agent, called, context, ended, said, used, user

FIRST = 20_000
LEFT = FIRST + SUMMARY + HANDOFF
"""What a compaction leaves: the prompts, which the first call shows, and the packet. The words are few."""
BOUNDARY = "compact.decided.boundary"
LANDING = "compact.decided.landing"


def test_it_compacts_at_the_end_of_the_turn_with_the_boundary() -> None:
    session = Session().turn_of(FIRST, 60_000).turn_of(120_000, commit="Read it")
    end = session.line
    found = session.turn_of(125_000).tested()
    assert found.boundaries == (BoundarySeen("commit", end - 2, 2),)
    assert found.would_compact == (
        WouldCompact(
            line=end,
            turn=2,
            tier="asap",
            percent=56,
            kinds=("commit",),
            reason=BOUNDARY,
            tokens=120_000,
            tokens_after=LEFT + 2,
            at=AT_MS + 1000 * (session.seconds - 180) + quiet.BEFORE_ASKING,
        ),
    )
    assert (found.turns, found.needed, found.still_native) == (3, False, 0)


@pytest.mark.parametrize(
    ("tokens", "tier", "percent"), [(60_000, "early", 81), (80_000, "ready", 72), (120_000, "asap", 56)]
)
def test_each_tier_takes_a_checkpoint_of_the_plan_with_a_commit(tokens: int, tier: str, percent: int) -> None:
    session = Session().turn_of(FIRST).begin().plan("doing: a", "todo: b").work(tokens).commit("a")
    found = session.plan("done: a", "doing: b").end().tested(policy())
    [would] = found.would_compact
    assert (would.tier, would.percent, would.turn) == (tier, percent, 2)
    assert "plan_checkpoint" in would.kinds
    assert ("commit" in would.kinds) == (tier != "early"), "a commit opens the later tiers only"


def test_the_last_words_count_that_come_before_what_their_call_used() -> None:
    """As newer versions write it: the final answer, what it used, the end of the turn."""
    session = Session().turn_of(FIRST).begin().patch().work(120_000)
    last = said("assistant", "Done. The lexer and the parser share one table.", phase="final_answer")
    session.add(last, used(121_000))
    found = session.add(ended("T2")).tested()
    assert [one.kind for one in found.boundaries] == ["agent_done"]
    assert [(one.kinds, one.tokens) for one in found.would_compact] == [(("agent_done",), 121_000)]


def test_without_a_boundary_or_with_room_enough_it_waits() -> None:
    assert Session().turn_of(FIRST).turn_of(120_000).tested().would_compact == ()
    assert Session().turn_of(FIRST).turn_of(40_000, commit="Read it").tested().would_compact == ()


def test_a_command_that_still_runs_puts_it_off() -> None:
    session = Session().turn_of(FIRST, 120_000).begin().work(130_000).commit("a")
    session.add(called("exec_command", {"cmd": "make serve"}, call="serve")).end()
    assert session.tested().would_compact == ()


def test_later_decisions_are_made_on_what_the_context_would_hold() -> None:
    """80 000 more tokens after the first compaction are 105 000, not 200 000; and the cooldown counts from there."""
    session = Session().turn_of(FIRST, 120_000, commit="a").turn_of(200_000, commit="b").turn_of(220_000, commit="c")
    found = session.tested(policy(cooldown_seconds=0))
    first, second = found.would_compact
    assert (first.turn, first.tokens, first.tokens_after) == (1, 120_000, LEFT)
    kept = HANDOFF + 3  # Codex keeps the first handoff too, and three messages of the user's.
    assert (second.turn, second.tokens, second.tokens_after) == (3, LEFT + 100_000, LEFT + kept)
    warm = session.tested(policy(cooldown_turns=0, cooldown_seconds=0))
    assert [one.turn for one in warm.would_compact] == [1, 2]
    assert warm.would_compact[1].tokens == LEFT + 80_000


def test_a_cooldown_of_seconds_goes_by_the_times_of_the_record() -> None:
    rules = policy(cooldown_turns=0, cooldown_seconds=3_600)
    session = Session().turn_of(FIRST, 120_000, commit="a").turn_of(220_000, commit="b")
    assert [one.turn for one in session.tested(rules).would_compact] == [1]
    session.seconds += 4_000
    session.turn_of(221_000, commit="c")
    assert [one.turn for one in session.tested(rules).would_compact] == [1, 3]


def test_a_compaction_that_would_gain_little_is_not_made() -> None:
    session = Session().turn_of(FIRST, 105_000, commit="a")
    assert len(session.tested(policy(min_gain_percent=10)).would_compact) == 1
    assert session.tested(policy(min_gain_percent=40)).would_compact == ()


def test_the_breaker_opens_after_a_compaction_that_freed_little() -> None:
    """The user's own words fill the context, and Codex keeps those."""
    rules = policy(min_gain_percent=40, cooldown_turns=0, cooldown_seconds=0, breaker_seconds=900)
    session = Session().begin("word " * 24_000).work(40_000).work(125_000).commit("a").end()
    session.turn_of(230_000, commit="b")
    found = session.tested(rules).would_compact
    left = 10_000 + 20_000 + SUMMARY + HANDOFF
    assert [(one.turn, one.tokens, one.tokens_after) for one in found] == [(1, 125_000, left)]
    session.seconds += 900
    later = session.turn_of(231_000, commit="c").tested(rules).would_compact
    assert [one.turn for one in later] == [1, 3]


def test_an_emergency_needs_no_boundary() -> None:
    session = Session().turn_of(FIRST).turn_of(100_000).turn_of(223_000)
    end = session.line
    found = session.turn_of(226_000).tested(policy(soft_landing=False))
    assert [(one.line, one.turn, one.tier, one.percent, one.kinds, one.reason) for one in found.would_compact] == [
        (end, 3, "emergency", 14, ("turn_complete",), "compact.decided.emergency")
    ]


# -- landing ----------------------------------------------------------------------------------------------------------


def long_turn() -> Session:
    session = Session().begin()
    for tokens in (FIRST, 80_000, 120_000, 160_000, 197_000):
        session.work(tokens)
    return session


def test_a_running_turn_is_landed_before_codex_would_compact() -> None:
    """At the last moment."""
    session = long_turn().work(217_000)
    late = session.work(237_000).line
    session.work(240_000).end()
    found = session.tested()
    assert [(one.line, one.turn, one.percent, one.kinds, one.reason, one.tokens) for one in found.would_compact] == [
        (late, 1, 9, (), LANDING, 237_000)
    ]
    assert found.turns == 1, "the turn of the handoff is the rest of the user's own"


def test_the_rest_of_a_landed_turn_happens_after_the_handoff() -> None:
    """Its boundaries count there, with what was added since."""
    session = long_turn().work(217_000).work(237_000).commit("b").end()
    session.turn_of(322_000).turn_of(342_000, commit="c")
    found = session.tested()
    assert [(one.kind, one.turn) for one in found.boundaries] == [("commit", 1), ("commit", 3)]
    landed, later = found.would_compact
    assert (landed.reason, later.reason, later.turn) == (LANDING, BOUNDARY, 3)
    assert later.tokens == landed.tokens_after + 342_000 - 237_000


def test_a_turn_can_be_landed_twice() -> None:
    session = long_turn()
    for tokens in range(205_000, 460_000, 15_000):
        session.work(tokens)
    found = session.end().tested()
    assert [one.reason for one in found.would_compact] == [LANDING, LANDING]
    assert [one.turn for one in found.would_compact] == [1, 1]
    assert found.still_native == 0


def test_without_landing_the_turn_runs_on() -> None:
    found = long_turn().work(217_000).work(237_000).end().tested(policy(soft_landing=False))
    assert [one.reason for one in found.would_compact] == ["compact.decided.emergency"]


# -- modes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["tag", "suggest"])
def test_a_mode_that_does_not_act_marks_each_moment_and_changes_nothing(mode: str) -> None:
    session = Session().turn_of(FIRST, 120_000, commit="a").turn_of(200_000, commit="b")
    found = session.tested(policy(mode=mode))
    word = {"tag": "tagged", "suggest": "suggested"}[mode]
    assert [(one.turn, one.reason, one.tokens, one.tokens_after) for one in found.would_compact] == [
        (1, f"compact.{word}.boundary", 120_000, 120_000),
        (2, f"compact.{word}.boundary", 200_000, 200_000),
    ]
    assert found.recorded == found.with_rawr


def test_switched_off_it_sees_the_boundaries_and_does_nothing() -> None:
    found = Session().turn_of(FIRST, 120_000, commit="a").tested(policy(enabled=False))
    assert [one.kind for one in found.boundaries] == ["commit"]
    assert found.would_compact == ()
    assert found.recorded == found.with_rawr


def test_a_session_without_counts_of_tokens_has_boundaries_only() -> None:
    session = Session().begin().commit("a").end()
    found = session.tested()
    assert ([one.kind for one in found.boundaries], found.would_compact, found.window) == (["commit"], (), None)


# -- lines and turns --------------------------------------------------------------------------------------------------


def test_where_no_line_says_that_a_turn_ended_it_is_the_agents_last() -> None:
    """It is only known when the user speaks again, or when the file ends."""
    session = Session().add(user("First.")).work(FIRST).work(120_000).commit("a").add(agent(SAYS))
    line = session.line
    assert [(one.line, one.turn) for one in session.tested().would_compact] == [(line, 1)]
    session.add(context(""), user("Second."), seconds=9_000).work(125_000).add(agent(SAYS))
    assert [(one.line, one.turn) for one in session.tested().would_compact] == [(line, 1)]


@pytest.mark.parametrize("named", [True, False])
def test_while_the_user_is_away_it_is_still_the_turn_before(named: bool) -> None:
    session = Session().turn_of(FIRST, 60_000)
    if named:
        session.begin().patch().work(120_000).end()
    else:
        session = Session().add(user("First.")).work(FIRST).patch().work(120_000).add(agent(SAYS))
    line, turn = session.line, 2 if named else 1
    assert session.tested().would_compact == (), "the file does not say how long Codex was open after it"
    end = session.seconds
    session.seconds += 9_000
    if named:
        session.turn_of(125_000)
    else:
        session.add(user("Second.")).work(125_000).add(agent(SAYS))
    found = session.tested()
    idle = policy().compaction.idle_seconds
    assert [(one.line, one.turn, one.kinds, one.at) for one in found.would_compact] == [
        (line, turn, ("idle",), AT_MS + 1000 * (end + idle))
    ]
    assert [(one.kind, one.line, one.turn) for one in found.boundaries] == [("idle", line, turn)]

"""Compactions of the record: whose they were, in the middle of what, and if rawr would have come before."""

import pytest
from msgspec.structs import replace

from rawr.backtest.context import HANDOFF, SUMMARY
from rawr.backtest.result import NativeCompaction
from tests.backtest.sessions import Session, policy
from tests.history.rollouts import AT_MS, agent, began, compacted, context, ended, used, user

FIRST = 20_000


def guess(tokens: int) -> bytes:
    """What Codex thinks is left after a compaction: no call, so no input."""
    return used(tokens, output=tokens)


def test_one_in_the_middle_of_a_turn_that_nothing_came_before() -> None:
    session = Session().begin().work(FIRST).work(247_000)
    session.add(*compacted(), guess(9_000)).work(21_000).end()
    found = session.tested()
    assert found.would_compact == ()
    assert found.native_compactions == (
        NativeCompaction(
            line=11,
            turn=1,
            inside_turn=True,
            percent_before=5,
            preceded=False,
            after="a command",
            by="codex",
            tokens=247_000,
            tokens_after=21_000,
            at=AT_MS + 240_000,
        ),
    )
    assert (found.needed, found.still_native, found.turns) == (True, 0, 1)


def test_what_the_request_for_the_summary_used_was_never_in_the_context() -> None:
    """A20: a local summary is a call of its own, which is counted right before the compaction is written down."""
    session = Session().begin().work(FIRST).work(235_000)
    session.add(agent("All is well."), used(55_000), *compacted("All is well."), guess(9_000)).work(21_000).end()
    [native] = session.tested().native_compactions
    assert (native.tokens, native.percent_before, native.tokens_after) == (235_000, 9, 21_000)


def test_one_that_rawr_would_have_come_before() -> None:
    session = Session().turn_of(FIRST, 120_000, commit="a").begin().work(180_000).work(247_000)
    session.add(*compacted(), guess(9_000)).work(21_000).end()
    found = session.tested()
    assert [one.turn for one in found.would_compact] == [1]
    assert [(one.turn, one.preceded, one.by) for one in found.native_compactions] == [(2, True, "codex")]
    assert found.still_native == 0


def test_what_the_record_dropped_is_not_dropped_again() -> None:
    """With rawr there was no such compaction, so the context goes on growing from where it was."""
    session = Session().turn_of(FIRST, 120_000, commit="a").begin().work(180_000).work(247_000)
    session.add(*compacted(), guess(9_000)).work(21_000).end()
    session.turn_of(31_000, commit="b").turn_of(32_000, commit="c")
    found = session.tested()
    with_rawr = FIRST + SUMMARY + HANDOFF + (247_000 - 120_000) + (31_000 - 21_000)
    assert [(one.turn, one.tokens) for one in found.would_compact] == [(1, 120_000), (3, with_rawr)]


def test_codex_may_compact_even_so() -> None:
    """One turn adds more than the window holds, faster than it can be landed."""
    session = Session().turn_of(FIRST, 120_000, commit="a").begin().work(130_000).work(350_000)
    session.add(*compacted(), guess(9_000)).work(21_000).end()
    found = session.tested()
    assert found.still_native == 1
    assert [one.preceded for one in found.native_compactions] == [False]


def test_one_that_the_user_asked_for() -> None:
    session = Session().turn_of(FIRST, 100_000)
    session.add(began("T9"), *compacted(), guess(9_000), ended("T9")).turn_of(22_000).turn_of(120_000, commit="a")
    found = session.tested()
    assert [(one.by, one.inside_turn, one.turn, one.tokens_after) for one in found.native_compactions] == [
        ("user", False, 1, 22_000)
    ]
    assert found.turns == 3, "a turn in which nothing is said is none"
    assert not found.needed
    assert [one.turn for one in found.would_compact] == [3]


def test_the_user_may_ask_twice() -> None:
    session = Session().turn_of(FIRST, 100_000)
    for name in ("T8", "T9"):
        session.add(began(name), *compacted(), guess(9_000), ended(name))
    found = session.turn_of(22_000).tested()
    assert [one.by for one in found.native_compactions] == ["user", "user"]


def test_one_before_the_users_message_is_codexs_own_and_the_turn_goes_on() -> None:
    """Codex compacts when the turn begins, and writes the message down afterwards."""
    session = Session().turn_of(FIRST, 100_000, 140_000)
    line = session.line + 2
    session.add(began("T2"), *compacted(), guess(9_000), context("T2"), user("Go on."))
    session.turn = 2
    session.work(22_000).work(90_000).commit("b").end().turn_of(100_000).turn_of(120_000, commit="c")
    found = session.tested(policy(cooldown_seconds=0))
    assert [(one.line, one.by, one.inside_turn, one.turn) for one in found.native_compactions] == [
        (line, "codex", False, 1)
    ]
    assert [(one.kind, one.turn) for one in found.boundaries] == [("commit", 2), ("commit", 4)]
    assert (found.turns, found.needed) == (4, True)
    assert [(one.turn, one.reason) for one in found.would_compact] == [(4, "compact.decided.boundary")]


def test_one_before_the_users_message_that_rawr_came_before() -> None:
    session = Session().turn_of(FIRST, 120_000, commit="a").turn_of(231_000)
    session.add(began("T3"), *compacted(), guess(9_000), context("T3"), user("Go on."))
    session.turn = 3
    session.work(22_000).commit("b").end()
    found = session.tested()
    assert [(one.by, one.preceded) for one in found.native_compactions] == [("codex", True)]
    assert [(one.kind, one.turn) for one in found.boundaries] == [("commit", 1), ("commit", 3)]
    assert [one.turn for one in found.would_compact] == [1, 3]
    assert found.turns == 3


def test_a_version_that_names_no_turns() -> None:
    session = Session()
    session.add(user("First.")).work(FIRST).work(247_000).add(*compacted()).work(21_000).add(agent("Done."))
    found = session.add(user("Second.")).work(23_000).add(agent("Done.")).tested()
    assert [(one.by, one.inside_turn, one.turn, one.after) for one in found.native_compactions] == [
        ("codex", True, 1, "a command")
    ]
    assert found.turns == 2


OLD_SUMMARY = "Another language model began: the reader is mended."


def old(*, held: int = 100_000, answers: bool = True) -> Session:
    """As 0.77 writes it: turns have no names, and a call's report comes after what it made."""
    session = Session(cli_version="0.77.0").add(user("First.")).work(FIRST).work(held)
    return session.add(agent("Done with it."), used(held + 1_000)) if answers else session


def summarised(tokens: int) -> list[bytes]:
    """A local summary, in the shape of 0.77: its request is reported like any other, then what is left is guessed."""
    return [used(tokens), guess(7_000), *compacted(OLD_SUMMARY)]


@pytest.mark.parametrize("then", [(), (user("Second."),)], ids=["at the end", "before a message"])
def test_a_person_typed_it_in_a_version_that_names_no_turns(then: tuple[bytes, ...]) -> None:
    """Seen on 0.77.0: the agent has answered, and what comes next is the user, a while later, or nobody."""
    session = old().add(*summarised(102_000))
    line = session.line - 1
    found = session.add(*then).tested(policy(enabled=False))
    [native] = found.native_compactions
    assert (native.by, native.inside_turn, native.line, native.tokens) == ("user", False, line, 101_000)
    assert found.turns == (2 if then else 1)
    assert not found.needed


def test_codexs_own_before_a_message_in_a_version_that_names_no_turns() -> None:
    """Seen on 0.77.0: nearly full, and the message is written down at once, since it was there before."""
    session = old(held=232_000).add(*summarised(10_000)).add(user("Second."), seconds=0).work(21_000)
    [native] = session.tested(policy(enabled=False)).native_compactions
    assert (native.by, native.inside_turn, native.tokens) == ("codex", False, 233_000)
    room = old(held=100_000).add(*summarised(10_000)).add(user("Second."), seconds=0).work(21_000)
    assert [one.by for one in room.tested(policy(enabled=False)).native_compactions] == ["user"]


def test_codexs_own_after_a_call_in_a_version_that_names_no_turns() -> None:
    """Seen on 0.77.0: the turn goes on without the user."""
    session = old(held=233_000, answers=False).add(*summarised(10_000)).work(21_000).add(agent("Done."))
    found = session.tested(policy(enabled=False))
    [native] = found.native_compactions
    assert (native.by, native.inside_turn, native.tokens, native.tokens_after) == ("codex", True, 233_000, 21_000)
    assert found.turns == 1


def test_codexs_own_after_an_answer_that_filled_the_context() -> None:
    """Some old versions compact even then, and ask the model once more: the turn was not over."""
    session = old(held=233_000).add(*summarised(10_000)).work(21_000).add(agent("Done."))
    assert [(one.by, one.inside_turn) for one in session.tested(policy(enabled=False)).native_compactions] == [
        ("codex", True)
    ]


@pytest.mark.parametrize("words", [agent(OLD_SUMMARY), None], ids=["as 0.163 writes it", "as 0.77 does"])
def test_what_the_summarys_own_request_used_is_not_what_was_held_before(words: bytes | None) -> None:
    session = Session().begin().work(FIRST).work(233_000)
    session.add(*([words] if words is not None else []), used(240_000), *compacted(OLD_SUMMARY), guess(7_000))
    [native] = session.work(21_000).end().tested(policy(enabled=False)).native_compactions
    assert (native.tokens, native.percent_before, native.tokens_after) == (233_000, 10, 21_000)


def test_an_answer_right_before_a_summary_that_nobody_reported_is_its_own() -> None:
    session = Session().begin().work(FIRST).add(agent("Half of it is done."), used(233_000))
    session.add(*compacted(OLD_SUMMARY), guess(7_000))
    [native] = session.work(21_000).end().tested(policy(enabled=False)).native_compactions
    assert native.tokens == 233_000


@pytest.mark.parametrize(("held", "in_sight"), [(100_000, True), (98_000, False)])
@pytest.mark.parametrize("starts_at", [85, 20])
def test_foreseeable_is_a_matter_of_the_record_alone(held: int, starts_at: int, *, in_sight: bool) -> None:
    """At 65 % left a turn's end says that one comes, whatever the policy that is tried makes of it."""
    early = replace(policy().compaction.early, percent_remaining_lt=starts_at)
    rules = policy(early=early)
    session = Session().turn_of(FIRST, held).begin().work(180_000).work(247_000)
    session.add(*compacted(), guess(9_000)).work(21_000).end()
    session.begin().work(247_000).add(*compacted(), guess(9_000)).work(21_000).end()
    found = session.tested(rules).native_compactions
    assert [one.foreseeable for one in found] == [in_sight, False]


def test_rawrs_own_in_a_session_that_it_supervised() -> None:
    """The heads-up, the compaction and the handoff are not told again: they are what is tested."""
    session = Session().turn_of(FIRST, 120_000, commit="a")
    session.add(
        began("H1"), user("[rawr c12] Heads-up: we pause here."), agent("## Overall goal"), used(122_000), ended("H1")
    )
    session.add(began("C1"), *compacted(), guess(9_000), ended("C1"))
    session.add(
        began("H2"),
        user("[rawr c12] Handoff: the context was compacted."),
        agent("I go on."),
        used(25_000),
        ended("H2"),
    )
    session.turn_of(130_000, commit="b").turn_of(140_000, commit="c")
    found = session.tested(policy(cooldown_seconds=0))
    assert [one.by for one in found.native_compactions] == ["rawr"]
    assert [(one.turn, one.tokens) for one in found.would_compact] == [(1, 120_000), (3, 140_000)]
    assert found.turns == 3


def test_rawrs_own_without_a_heads_up() -> None:
    """With little room rawr writes the packet itself, and nothing is said before the compaction."""
    session = Session().turn_of(FIRST, 120_000, commit="a")
    session.add(began("C1"), *compacted(), guess(9_000), ended("C1"))
    session.add(
        began("H2"),
        user("[rawr c12] Handoff: the context was compacted."),
        agent("I go on."),
        used(25_000),
        ended("H2"),
    )
    session.turn_of(60_000).turn_of(140_000, commit="c")
    found = session.tested()
    assert [one.by for one in found.native_compactions] == ["rawr"]
    assert [(one.turn, one.tokens) for one in found.would_compact] == [(1, 120_000), (3, 140_000)]


def test_rawrs_own_under_a_policy_that_would_not_have() -> None:
    session = Session().turn_of(FIRST, 120_000, commit="a")
    session.add(
        began("H1"), user("[rawr c12] Heads-up: we pause here."), agent("## Overall goal"), used(122_000), ended("H1")
    )
    session.add(began("C1"), *compacted(), guess(9_000), ended("C1"))
    session.add(
        began("H2"),
        user("[rawr c12] Handoff: the context was compacted."),
        agent("I go on."),
        used(25_000),
        ended("H2"),
    )
    session.turn_of(130_000, commit="b")
    found = session.tested(policy(enabled=False))
    assert [one.by for one in found.native_compactions] == ["rawr"]
    assert found.would_compact == ()
    assert found.recorded == found.with_rawr


def test_what_it_left_may_come_before_it() -> None:
    """As older versions write it. With rawr, the context had not shrunk by that."""
    first, then = Session().turn_of(120_000, commit="a").begin().work(230_000), Session().turn_of(120_000, commit="a")
    then.begin().work(230_000)
    first.add(*compacted(), guess(9_000)).work(21_000).end()
    then.add(guess(9_000), *compacted()).work(21_000).end()
    usual, found = first.tested(), then.tested()
    assert [(one.tokens, one.percent_before) for one in found.native_compactions] == [
        (one.tokens, one.percent_before) for one in usual.native_compactions
    ]
    assert found.with_rawr == usual.with_rawr

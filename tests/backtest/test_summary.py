"""All sessions together: counted once, and against the right whole."""

from msgspec.structs import replace

from rawr.backtest.repeats import Repeats, fingerprint
from rawr.backtest.result import BoundarySeen, Carried, NativeCompaction, Place, SessionResult, TurnMark, WouldCompact
from rawr.backtest.summary import Cost, Summary, Tally
from rawr.core.policy.full_auto import FullAuto
from tests.backtest.sessions import Session
from tests.history.rollouts import envelope, event, item


def would(turn: int, *, kinds: tuple[str, ...] = ("commit",), percent: int = 50) -> WouldCompact:
    reason = "compact.decided.boundary" if kinds else "compact.decided.landing"
    place: Place = "choice" if kinds else "landing"
    return WouldCompact(turn * 10, turn, "asap", percent, kinds, reason, 100_000, 20_000, place=place)


def native(turn: int, *, preceded: bool = False, inside: bool = True, by: str = "codex") -> NativeCompaction:
    return NativeCompaction(turn * 10 + 5, turn, inside, 10, preceded, by=by)


def summed(*sessions: SessionResult) -> Summary:
    tally = Tally(FullAuto(), policy="yours")
    for one in sessions:
        tally.add(one)
    return tally.total(seconds=1.23456, workers=2)


def test_a_whole_summary() -> None:
    first = SessionResult(
        file="a",
        turns=9,
        boundaries=(BoundarySeen("commit", 9, 1), BoundarySeen("plan_update", 19, 2)),
        would_compact=(would(1), would(3, kinds=("commit", "plan_update"), percent=41), would(8, kinds=())),
        native_compactions=(native(4, preceded=True), native(5, inside=False, by="user"), native(6, by="rawr")),
        worked=5_400_000,
        still_native=1,
        needed=True,
        recorded=Carried(10, 1_000, 500, 10),
        with_rawr=Carried(12, 800, 300, 20),
        skipped={"event moon": 2},
        lines=100,
        bytes=5_000,
    )
    second = SessionResult(
        file="b",
        turns=2,
        would_compact=(would(1, percent=60),),
        recorded=Carried(1, 100, 0, 1),
        with_rawr=Carried(4, 300, 0, 4),
        skipped={"cut off": 1, "event moon": 1},
        lines=7,
        bytes=300,
        problem="permission denied",
    )
    assert summed(first, second) == Summary(
        policy="yours",
        sessions=2,
        turns=11,
        hours=1.5,
        per_hour=2.67,
        native_per_hour=1.33,
        native=2,
        native_inside_turn=1,
        preceded=1,
        still_native=1,
        would_compact=4,
        at_boundary=3,
        landed=1,
        needless=1,
        sessions_needing=1,
        thrash=1,
        mean_percent=50.2,
        tokens_carried=1_100,
        tokens_carried_recorded=1_100,
        cost_cached=Cost(738, 1_022),
        cost_uncached=Cost(1_188, 1_292),
        cost_unit="tokens",
        by_tier={"asap": 4},
        by_kind={"commit": 3, "plan_update": 1},
        boundaries={"commit": 1, "plan_update": 1},
        skipped={"cut off": 1, "event moon": 3},
        not_understood=4,
        lines=107,
        bytes=5_300,
        seconds=1.235,
        workers=2,
        failed=1,
    )


def test_what_belongs_to_a_sub_agent_is_read_and_left_out() -> None:
    """Live, rawr leaves it alone."""
    one = SessionResult(
        file="a",
        subagent=True,
        turns=3,
        native_compactions=(native(2),),
        recorded=Carried(10, 1_000, 500, 10),
        worked=5_000,
        lines=9,
        bytes=100,
    )
    assert summed(one) == replace(summed(), sub_agents=1, lines=9, bytes=100)


def test_bare_ends_landings_and_emergencies_are_no_places_of_choice() -> None:
    places: tuple[Place, ...] = ("choice", "turn_end", "turn_end", "landing", "emergency")
    total = summed(SessionResult(file="a", would_compact=tuple(replace(would(9), place=one) for one in places)))
    assert (total.would_compact, total.at_boundary, total.bare_ends, total.landed, total.emergencies) == (5, 1, 2, 1, 1)


def test_nothing_at_all() -> None:
    assert summed().mean_percent is None


def test_two_compactions_within_three_turns_are_one_too_many() -> None:
    for turns, thrash in (((1, 3, 5), 2), ((1, 4, 7), 0), ((2, 2), 1)):
        assert summed(SessionResult(file="a", would_compact=tuple(map(would, turns)))).thrash == thrash


# -- repeats ----------------------------------------------------------------------------------------------------------


def test_what_another_file_has_too_is_counted_once() -> None:
    """A fork has the turns of its ancestor, and what they carried; what it did itself is its own."""
    repeats = Repeats()
    marks = [TurnMark(n, Carried(n, n * 100, 0, n), Carried(n, n * 80, 0, n), n // 2) for n in range(1, 4)]
    whole = SessionResult(
        file="a",
        turns=3,
        would_compact=(would(2), would(3)),
        native_compactions=(native(2), native(3)),
        boundaries=(BoundarySeen("commit", 1, 2), BoundarySeen("commit", 1, 3)),
        recorded=Carried(5, 500, 0, 5),
        with_rawr=Carried(5, 400, 0, 5),
        still_native=2,
    )
    assert repeats.without(whole, marks[:2]) == whole
    again = repeats.without(whole, marks)
    assert (again.repeats, again.recorded, again.with_rawr, again.still_native) == (
        2,
        Carried(3, 300, 0, 3),
        Carried(3, 240, 0, 3),
        1,
    )
    total = summed(again)
    assert (total.turns, total.would_compact, total.native, total.boundaries) == (1, 1, 1, {"commit": 1})
    assert total.repeated == 2


def test_a_turn_in_the_middle_that_is_known_is_no_repeat() -> None:
    """Only a beginning is copied."""
    repeats = Repeats()
    none = Carried()
    known, new = TurnMark(1, none, none, 0), TurnMark(2, none, none, 0)
    one = SessionResult(file="a", turns=2)
    repeats.without(one, [known])
    assert repeats.without(one, [new, known]).repeats == 0
    assert repeats.without(one, [TurnMark(0, none, none, 0), known]).repeats == 0


def test_a_greeting_is_nobodys_own() -> None:
    assert fingerprint("Good morning.", []) == 0
    assert fingerprint("Good morning.", ["call_1"]) != fingerprint("Good morning.", ["call_2"])
    assert fingerprint("x" * 40, []) == fingerprint("x" * 40, []) != 0


# -- the rest of a session --------------------------------------------------------------------------------------------


def test_a_sub_agent_is_left_alone() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "0a-1b", "depth": 1}}}
    found = Session(source=source).turn_of(20_000, 120_000, commit="a").turn_of(125_000).tested()
    assert (found.subagent, found.turns, found.would_compact) == (True, 2, ())
    told = Session(source="cli", thread_source="subagent").turn_of(20_000, 120_000, commit="a").tested()
    assert (told.subagent, told.would_compact) == (True, ())
    fork = Session(source="cli", thread_source="user", parent_thread_id="0a-1b").turn_of(20_000).tested()
    assert not fork.subagent


def test_what_is_not_understood_is_counted_by_its_name() -> None:
    session = Session().begin()
    session.add(event("moon_phase"), event("moon_phase"), item({"type": "telepathy"}), envelope("comet", {"a": 1}))
    session.lines += [b"{", b"\xff\xfe", b"", b"\x00\x00"]
    found = session.end().tested()
    assert found.skipped == {"comet": 1, "event moon_phase": 2, "telepathy": 1, "unreadable": 2}
    assert found.lines == len(session.lines) - 2, "without those that hold nothing"


def test_a_session_that_says_again_who_it_is_is_the_first_one() -> None:
    """Newer versions repeat it; a fork has those of its ancestors after its own."""
    session = Session(session="own")
    lines = Session(session="older").lines
    session.lines += lines + lines
    found = session.turn_of(20_000).tested()
    assert (found.session, found.turns) == ("own", 1)

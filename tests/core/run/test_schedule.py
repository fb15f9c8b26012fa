"""Whose turn it is: fair, capped, and held up by nobody (C12)."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.kernel import Kernel
from rawr.core.policy.full_auto import FullAuto
from rawr.core.run.ending import COOL
from rawr.core.run.schedule import due
from rawr.core.state.host import HostState, RateLimit, limited_until
from rawr.core.state.run import Waiting
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartTurn
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import CommandApproval
from tests.core.runs import DONE, PAUSE, RESUME, RULES, SPOKEN, WAITING, Auto, ordered, rules, waiting_for
from tests.core.samples import AT
from tests.core.slots import grant

NOBODY = HostState()
ORDER = Order(goal="g")


def ready(name: str, since: int) -> ThreadState:
    state = waiting_for("slot").state
    assert state.run is not None
    return replace(state, id=name, run=replace(state.run, ready=since))


def working(name: str) -> ThreadState:
    return replace(waiting_for("turn").state, id=name)


# -- one look -------------------------------------------------------------------------------------------------------


def test_whoever_waited_longest_goes_first() -> None:
    """C12."""
    threads = [ready("a", 9), ready("b", 3), ready("c", 5)]
    assert due(threads, NOBODY, most=2, now=AT) == ("b", "c")


def test_the_cap_counts_turns_that_run() -> None:
    """C12."""
    threads = [working("a"), working("b"), ready("c", 1), ready("d", 2)]
    assert due(threads, NOBODY, most=3, now=AT) == ("c",)
    assert due(threads, NOBODY, most=2, now=AT) == ()
    assert due(threads, NOBODY, most=1, now=AT) == ()


@pytest.mark.parametrize("what", ["check", "retry", "limit", "resume"])
def test_a_run_that_waits_for_something_else_holds_no_slot(what: Waiting) -> None:
    """C12."""
    state = waiting_for(what).state
    if what == "resume":
        state = replace(state, turn=None, sent=())
    assert due([replace(state, id="a"), ready("b", 1)], NOBODY, most=1, now=AT) == ("b",)


@pytest.mark.parametrize("what", ["turn", "review", "sequence"])
def test_a_run_that_codex_works_for_holds_one(what: Waiting) -> None:
    """C12: also through a sequence."""
    assert due([replace(waiting_for(what).state, id="a"), ready("b", 1)], NOBODY, most=1, now=AT) == ()


def _waits(what: Waiting, **changes: Any) -> ThreadState:
    state = ready("a", 1)
    assert state.run is not None
    return replace(state, run=replace(state.run, waiting=what), **changes)


WORK = {
    "its turn, that has yet to begin": _waits("turn"),
    "its compaction, that has yet to begin": _waits("sequence"),
    "its review, that has yet to begin": _waits("review"),
    "somebody else's turn": _waits("check", turn=working("x").turn),
    "somebody else's compaction": _waits("check", sequence=waiting_for("sequence").state.sequence),
}


@pytest.mark.parametrize("state", WORK.values(), ids=WORK)
def test_each_kind_of_work_alone_holds_a_slot(state: ThreadState) -> None:
    """C12: whatever else is known of it."""
    assert due([state, ready("b", 1)], NOBODY, most=1, now=AT) == ()
    assert due([_waits("check"), ready("b", 1)], NOBODY, most=1, now=AT) == ("b",)


def test_a_run_that_waits_for_a_person_holds_up_nobody() -> None:
    """C10, C12: its turn is open, and nothing is done in it."""
    asks = OpenRequest("1/1", CommandApproval(command="rm x", cwd="/"), AT, "T1")
    waits = replace(working("a"), requests=(asks,))
    assert due([waits, ready("b", 1)], NOBODY, most=1, now=AT) == ("b",)
    answered = replace(waits, requests=(replace(asks, answer="t:1.0"),))
    assert due([answered, ready("b", 1)], NOBODY, most=1, now=AT) == ()


def test_a_thread_that_is_not_free_gets_no_slot() -> None:
    """C12: one turn at a time on each thread."""
    state = ready("a", 1)
    busy = [
        replace(state, online=False),
        replace(state, turn=working("x").turn),
        replace(state, sequence=waiting_for("sequence").state.sequence),
        replace(state, unweighed=True),
    ]
    assert [due([one], NOBODY, most=4, now=AT) for one in busy] == [(), (), (), ()]


def test_runs_that_do_not_run_are_not_asked() -> None:
    state = ready("a", 1)
    assert state.run is not None
    assert due([replace(state, run=replace(state.run, status="paused"))], NOBODY, most=4, now=AT) == ()
    assert due([replace(state, run=None)], NOBODY, most=4, now=AT) == ()


# -- the account's limit --------------------------------------------------------------------------------------------


def test_a_limit_that_is_reached_holds_everybody_until_it_resets() -> None:
    """C12."""
    host = HostState(rate_limits=(RateLimit("codex/primary", 100, AT // 1000 + 60, reached=True),))
    threads = [ready("a", 1), ready("b", 2)]
    assert due(threads, host, most=4, now=AT) == ()
    assert due(threads, host, most=4, now=AT + 60_000) == ("a", "b")


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        ((), 0),
        ((RateLimit("p", 99, 60, reached=False),), 0),
        ((RateLimit("p", 100, 60, reached=False),), 60),
        ((RateLimit("p", 100, None, reached=True),), 0),
        ((RateLimit("p", 100, 60, reached=True), RateLimit("s", 40, 9_000, reached=True)), 60),
        ((RateLimit("p", 40, 60, reached=True), RateLimit("s", 100, 9_000, reached=True)), 9_000),
        ((RateLimit("p", 100, 60, reached=True), RateLimit("s", 100, 9_000, reached=True)), 9_000),
        ((RateLimit("p", 97, 60, reached=True), RateLimit("s", 40, 9_000, reached=True)), 60),
    ],
)
def test_when_a_limit_resets(limits: tuple[RateLimit, ...], seconds: int) -> None:
    """C12: an account has a short window and a long one, and both say so when either is reached."""
    assert limited_until(HostState(rate_limits=limits)) == seconds * 1000


# -- many runs, from their orders to their ends ---------------------------------------------------------------------


class Crowd:
    """Many threads on one kernel, with slots granted as the loop grants them."""

    def __init__(self, names: list[str], *, most: int) -> None:
        self.kernel = Kernel(replace(RULES, full_auto=FullAuto(concurrent_turns=most)))
        self.at = AT
        self.turns: Counter[str] = Counter()
        self.order: list[str] = []
        self.running: dict[str, str] = {}
        self.most_at_once = 0
        for name in names:
            self.take(name, facts.ThreadOpened(cwd="/p", ours=True))
        for name in names:
            self.take(name, facts.RunSubmitted(order=ORDER))
        self.grant()

    def take(self, thread: str, fact: facts.AnyFact) -> None:
        self.at += 1
        for intended in self.kernel.take(thread, fact, at=self.at).effects:
            if isinstance(intended.effect, StartTurn):
                assert thread not in self.running
                self.running[thread] = intended.id
                self.turns[thread] += 1
                self.order.append(thread)

    def grant(self) -> None:
        grant(self.kernel, self.take, now=self.at)
        self.most_at_once = max(self.most_at_once, len(self.running))

    def end(self, thread: str, text: str = "On.") -> None:
        """A turn of its: it reads something new, so that no guard stops it."""
        effect = self.running.pop(thread)
        turn = f"{thread}-{self.turns[thread]}"
        done = (
            items.UserMessage(id="u", text="m", client_id=effect),
            items.Command(id="c", command=f"cat {turn}", cwd="/p", status="completed", exit_code=0),
            items.AgentMessage(id="a", text=text),
        )
        self.take(thread, facts.TurnStarted(turn=turn))
        for item in done:
            self.take(thread, facts.ItemCompleted(turn=turn, item=item))
        self.take(thread, facts.TurnCompleted(turn=turn, status="completed"))
        self.grant()


def jain(counts: list[int]) -> float:
    return sum(counts) ** 2 / (len(counts) * sum(count * count for count in counts))


@pytest.mark.parametrize(("threads", "most"), [(1, 4), (10, 4), (100, 4), (100, 1), (7, 100)])
def test_each_gets_a_turn_before_any_gets_a_second(threads: int, most: int) -> None:
    """C12: for turns of the same length Jain's index is 0.99 and more."""
    names = [f"t{n:03}" for n in range(threads)]
    crowd = Crowd(names, most=most)
    for _ in range(threads * 10):
        crowd.end(next(iter(crowd.running)))
    assert crowd.most_at_once == min(most, threads)
    counts = [crowd.turns[name] for name in names]
    assert jain(counts) >= 0.99, counts
    assert sorted(crowd.order[:threads]) == names


@settings(max_examples=30, deadline=None)
@given(data=st.data(), threads=st.integers(2, 9), most=st.integers(1, 4))
def test_nobody_is_overtaken_twice(data: st.DataObject, threads: int, most: int) -> None:
    """C12: while one waits for its slot, no other starts twice."""
    crowd = Crowd([f"t{n}" for n in range(threads)], most=most)
    waiting_since: dict[str, int] = {}
    for _ in range(40):
        ended = data.draw(st.sampled_from(sorted(crowd.running)))
        crowd.end(ended)
        waiting_since[ended] = waiting_since.get(ended, 0)
        for name in crowd.turns:
            if name in crowd.running:
                waiting_since[name] = len(crowd.order)
        for name, since in waiting_since.items():
            meanwhile = Counter(crowd.order[since:])
            assert name in crowd.running or max(meanwhile.values(), default=0) <= 1


def test_the_cap_holds_whatever_ends_first() -> None:
    """C12."""
    crowd = Crowd([f"t{n}" for n in range(12)], most=3)
    for n in range(60):
        crowd.end(sorted(crowd.running)[n % 3])
    assert crowd.most_at_once == 3


def test_one_that_is_asked_something_holds_up_nobody() -> None:
    """C10, C12: with a cap of one, the others go on."""
    crowd = Crowd(["a", "b", "c"], most=1)
    assert list(crowd.running) == ["a"]
    crowd.take("a", facts.TurnStarted(turn="A"))
    asked = facts.RequestReceived(
        request="1/1", question=CommandApproval(command="x", cwd="/p", network=True), turn="A"
    )
    crowd.take("a", asked)
    crowd.grant()
    for _ in range(4):
        crowd.end(next(name for name in crowd.running if name != "a"))
    assert (crowd.turns["b"], crowd.turns["c"]) == (3, 2)


def test_one_whose_check_runs_holds_up_nobody() -> None:
    """C7, C12."""
    crowd = Crowd(["a", "b"], most=1)
    run = crowd.kernel.threads["a"].run
    assert run is not None
    state = crowd.kernel.threads["a"]
    crowd.kernel.threads["a"] = replace(state, run=replace(run, order=replace(ORDER, done="sleep 600")))
    crowd.end("a", DONE)
    assert list(crowd.running) == ["b"]


@pytest.mark.parametrize("what", WAITING)
def test_looking_changes_nothing(what: Waiting) -> None:
    """B1: pure, so a replay grants the same."""
    state = waiting_for(what).state
    assert due([state], NOBODY, most=4, now=AT) == due([state], NOBODY, most=4, now=AT)


# -- turns that do nothing ------------------------------------------------------------------------------------------

PACED = replace(rules(no_progress_turns=9), pace_runs=True)


def idle(story: Auto, turn: str, *, after: int = 0) -> Auto:
    """The agent says something, does nothing, and ends its turn within a second or so."""
    message = items.UserMessage(id=f"{turn}-u", text=story.sent[-1], client_id=story.name(StartTurn))
    said = items.AgentMessage(id=f"{turn}-a", text="Hm.")
    told = [facts.ItemCompleted(turn=turn, item=one) for one in (message, said)]
    story.tell(facts.TurnStarted(turn=turn), *told, after=0)
    return story.tell(facts.TurnCompleted(turn=turn, status="completed"), after=after)


def two_idle_turns() -> Auto:
    return idle(idle(ordered(policy=PACED), "T1"), "T2")


def test_turns_that_end_at_once_and_do_nothing_are_spaced_out() -> None:
    """C12: twice as long each time; the wait is over by itself."""
    story = two_idle_turns()
    for n, seconds in enumerate((2, 4, 8), 2):
        assert (len(story.sent), story.run.waiting) == (n, "slot")
        assert (story.run.cools_until - story.at) // 1000 == seconds
        story.tell(facts.DeadlinePassed(name=COOL), after=seconds)
        assert len(story.sent) == n + 1
        idle(story, f"T{n + 1}")
    assert story.reasons().count(Reason.RUN_WAITS_COOLDOWN) == 4


def test_before_its_time_no_slot_is_granted() -> None:
    """C12: whatever else happens."""
    story = two_idle_turns().tell(facts.WarningReported(message="Meanwhile."))
    assert len(story.sent) == 2


def test_work_is_not_slowed_down() -> None:
    """C12: neither the first turn that only speaks, nor one that does something, nor one that takes its time."""
    story = idle(ordered(policy=PACED), "T1").works("T2", commands=("make",)).works("T3", commands=("make x",))
    assert len(story.sent) == 4
    assert len(idle(story, "T4", after=3).sent) == 5


def test_a_person_is_not_kept_waiting() -> None:
    """C12: what they say goes out at once."""
    assert len(two_idle_turns().tell(SPOKEN).sent) == 3


def test_a_run_that_rests_and_is_resumed_does_not_wait() -> None:
    """C13."""
    story = two_idle_turns().tell(PAUSE)
    assert (story.run.status, story.deadlines) == ("paused", ())
    assert len(story.tell(RESUME).sent) == 3


def test_older_rules_have_no_such_wait() -> None:
    """C17: journals from before are followed as they were."""
    assert len(idle(idle(ordered(policy=rules(no_progress_turns=9)), "T1"), "T2").sent) == 3

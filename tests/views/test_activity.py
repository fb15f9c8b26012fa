"""What a thread does now, since when and until when (C18)."""

from rawr.core.kernel import Kernel, Taken
from rawr.core.real import Real
from rawr.core.state.run import Waiting
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval
from rawr.views.activity import Activities, Activity
from tests.core.runs import RULES
from tests.core.samples import AT

LS = items.Command(id="i1", command="/bin/bash -lc 'ls  -la'", inner="ls  -la", cwd="/project", status="running")
THOUGHT = items.Reasoning(id="i2")


class Watched:
    """A thread with a run, and somebody who asks each second what it does."""

    def __init__(self, *, done: str = "") -> None:
        self.kernel = Kernel(RULES)
        self.activities = Activities()
        self.at = AT
        self.tell(facts.ThreadOpened(cwd="/project", model="m", ours=True))
        self.tell(facts.RunSubmitted(order=Order(goal="g", done=done, check="every-turn")))
        assert self.now == Activity("waiting for the other runs", 0)
        self.tell(facts.SlotGranted())

    def tell(self, fact: facts.AnyFact) -> Taken:
        self.at += 1_000
        taken = self.kernel.take("t", fact, at=self.at)
        self.activities.take(taken)
        return taken

    @property
    def now(self) -> Activity | None:
        return self.activities.of(self.kernel.threads["t"], lambda _: map(Real, self.kernel.threads["t"].requests))


def test_a_turn_thinks_until_something_of_it_begins() -> None:
    it = Watched()
    it.tell(facts.TurnStarted(turn="T1"))
    assert it.now == Activity("thinking", it.at)
    it.tell(facts.ItemStarted(turn="T1", item=LS))
    began = it.at
    assert it.now == Activity("$ ls -la", began)
    it.tell(facts.ItemStarted(turn="T1", item=THOUGHT))
    assert it.now == Activity("$ ls -la", began)
    it.tell(facts.ItemCompleted(turn="T1", item=LS))
    assert it.now == Activity("thinking", it.at - 1_000)
    it.tell(facts.ItemCompleted(turn="T1", item=THOUGHT))
    assert it.now == Activity("thinking", it.at)


def test_a_question_comes_before_everything_and_has_an_end() -> None:
    it = Watched()
    it.tell(facts.TurnStarted(turn="T1"))
    asked = CommandApproval(command="rm x", cwd="/", network=True)
    it.tell(facts.RequestReceived(request="1/0", turn="T1", item="i1", question=asked))
    assert it.now is not None
    assert (it.now.since, it.now.until) == (it.at, it.at + 900_000)
    assert "rm x" in it.now.what


def test_a_check() -> None:
    it = Watched(done="make check")
    it.tell(facts.TurnStarted(turn="T1"))
    it.tell(facts.ItemCompleted(turn="T1", item=LS))
    it.tell(facts.TurnCompleted(turn="T1", status="completed"))
    assert it.now == Activity("checking: make check", it.at)


def test_what_has_ended_does_nothing() -> None:
    it = Watched()
    it.tell(facts.TurnStarted(turn="T1"))
    it.tell(facts.ItemStarted(turn="T1", item=LS))
    it.tell(facts.RunStopSubmitted())
    it.tell(facts.TurnCompleted(turn="T1", status="interrupted"))
    assert it.now is None


def test_every_wait_has_words() -> None:
    """A wait without words would show as thinking."""
    from rawr.views import activity

    shown: tuple[Waiting, ...] = ("slot", "retry", "limit", "review", "model", "guidance")
    assert tuple(activity._WAITING) == shown

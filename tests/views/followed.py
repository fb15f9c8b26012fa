"""Stories whose events are kept, as a surface that follows them sees them."""

from msgspec.structs import replace

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.reasons import LOGIC
from rawr.core.vocabulary.records import Decision
from rawr.views.events import AnyEvent
from rawr.views.following import Following
from tests.core.runs import RULES, Auto
from tests.core.samples import GOLDEN, IDLE, Story


class Followed(Story):
    """A thread without a run."""

    def __init__(self, state: ThreadState = IDLE, *, policy: Policy = GOLDEN) -> None:
        super().__init__(state, policy=policy)
        self.following = Following()
        self.events: list[AnyEvent] = []

    def tell(self, *told: facts.AnyFact, after: int = 1) -> Story:
        for fact in told:
            super().tell(fact, after=after)
            self.events += self.following.take(self._taken(fact))
        return self

    def _taken(self, fact: facts.AnyFact) -> Taken:
        seq, at, thread, newest = self.seq, self.at, self.state.id, self.newest
        decisions = (
            Decision(f"{thread}:{seq}/{n}", seq, at, thread, one, self.policy.hash, LOGIC)
            for n, one in enumerate(newest.records)
        )
        return Taken(facts.Recorded(seq, at, thread, fact), tuple(decisions), newest.effects, newest.boundaries)

    @property
    def seen(self) -> list[AnyEvent]:
        """Since it was last asked, without their places."""
        events, self.events = self.events, []
        return [replace(one, thread="", seq=0, at=0) for one in events]


class FollowedRun(Auto, Followed):
    """A thread with a run."""

    def __init__(self, state: ThreadState = IDLE, *, policy: Policy = RULES, slots: bool = True) -> None:
        Followed.__init__(self, state, policy=policy)
        self.slots = slots
        self.kernel = Kernel(policy)

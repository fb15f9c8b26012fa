"""A run on one thread, told as a story: slots are granted as the loop grants them."""

from typing import Any

from msgspec.structs import replace

from rawr.core.kernel import Kernel
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Policy
from rawr.core.run.ending import STALL
from rawr.core.state.deadlines import Deadline
from rawr.core.state.run import Run, Waiting
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import InterruptTurn, RunCheck, StartReview, StartTurn
from rawr.core.vocabulary.order import Order
from tests.core.samples import IDLE, PACKET, WORDS, Story
from tests.core.slots import grant

GOAL = "Build the thing. Never push."
DONE = "Nothing is left to do: all tests pass."
RULES = Policy(compaction=AutoCompaction(enabled=False), watch_repositories=False)
GOLDEN = replace(RULES, compaction=AutoCompaction())
FULL = facts.Problem("the context is full", code="contextWindowExceeded")
DOWN = facts.Problem("overloaded", code="serverOverloaded")
LIMIT = facts.Problem("you have hit your limit", code="usageLimitExceeded")
JOINED = facts.ThreadJoined(cwd="/project")
LOST = facts.ServerLost(epoch=1, problem="it ended")
BACK = facts.ServerConnected(epoch=2, user_agent="codex", codex_home="/c", transport="t")
STARTED = facts.RuntimeStarted(version="0", policy="")
STOP = facts.RunStopSubmitted()
PAUSE = facts.RunPauseSubmitted()
NOW = facts.RunPauseSubmitted(now=True)
RESUME = facts.RunResumed()
OVERRIDE = facts.RunOverridden(text="Do that instead.")
SPOKEN = facts.UserSubmitted(text="And mind the docs.")


def rules(policy: Policy = RULES, **changes: Any) -> Policy:
    return replace(policy, full_auto=replace(FullAuto(), **changes))


class Auto(Story):
    def __init__(self, state: ThreadState = IDLE, *, policy: Policy = RULES, slots: bool = True) -> None:
        super().__init__(state, policy=policy)
        self.slots = slots
        self.kernel = Kernel(policy)

    def tell(self, *told: facts.AnyFact, after: int = 1) -> "Auto":
        """What is told at once is one batch: the slot comes after it."""
        for fact in told:
            super().tell(fact, after=after)
            if isinstance(fact, facts.RateLimitsUpdated | facts.ClockJumped):
                self.kernel.take("", fact, at=self.at)
        if self.slots:
            self.kernel.threads[self.state.id] = self.state
            grant(self.kernel, lambda _, slot: super(Auto, self).tell(slot, after=0), now=self.at)
        return self

    @property
    def deadlines(self) -> tuple[Deadline, ...]:
        """What is waited for, the look whether the turn still lives aside."""
        return tuple(one for one in self.state.deadlines if one.name != STALL)

    @property
    def run(self) -> Run:
        assert self.state.run is not None
        return self.state.run

    @property
    def ended(self) -> tuple[str, str]:
        """How the run stands, and why."""
        return self.run.status, self.run.stop.reason if self.run.stop is not None else ""

    @property
    def sent(self) -> list[str]:
        return [one.text for one in self.wanted(StartTurn)]

    @property
    def cuts(self) -> int:
        return len(self.wanted(InterruptTurn))

    def works(
        self,
        turn: str,
        text: str = "On I go.",
        *,
        status: facts.TurnStatus = "completed",
        problem: facts.Problem | None = None,
        commands: tuple[str, ...] = (),
        code: int = 0,
        tokens: int = 0,
    ) -> "Auto":
        """The agent takes up the newest message in a turn: it runs commands, speaks and ends."""
        self.begin(turn, self.sent[-1], ours=True)
        for n, line in enumerate(commands):
            done: items.Status = "failed" if code else "completed"
            ran = items.Command(
                id=f"{turn}-{n}", command=line, cwd="/project", status=done, exit_code=code, output_tail="boom"
            )
            self.tell(facts.ItemCompleted(turn=turn, item=ran))
        if tokens:
            self.uses(turn, tokens)
        self.says(turn, text)
        return self.tell(facts.TurnCompleted(turn=turn, status=status, problem=problem))

    def checks(self, code: int | None = 0, *, output: str = "", timed_out: bool = False) -> "Auto":
        effect = self.name(RunCheck)
        checked = facts.DoneChecked(effect=effect, exit_code=code, output=output, timed_out=timed_out)
        return self.tell(checked, facts.EffectSucceeded(effect=effect))

    def reviews(self, turn: str, *, status: facts.TurnStatus = "completed") -> "Auto":
        """Codex reviews what was changed."""
        entered = items.ReviewEntered(id="r1", review="current changes")
        left = items.ReviewExited(id="r2", review="One thing is wrong.")
        self.tell(facts.EffectSucceeded(effect=self.name(StartReview), result=turn), facts.TurnStarted(turn=turn))
        self.tell(facts.ItemCompleted(turn=turn, item=entered), facts.ItemCompleted(turn=turn, item=left))
        return self.tell(facts.TurnCompleted(turn=turn, status=status))


def ordered(*, policy: Policy = RULES, slots: bool = True, **changes: Any) -> Auto:
    """A run has just been ordered; its first message is on its way."""
    order = replace(Order(goal=GOAL), **changes)
    return Auto(policy=policy, slots=slots).tell(facts.RunSubmitted(order=order))


def in_a_turn(*, policy: Policy = RULES, **changes: Any) -> Auto:
    story = ordered(policy=policy, **changes)
    story.begin("T1", GOAL, ours=True)
    return story


def in_a_sequence(**changes: Any) -> Auto:
    """A phase ended in the first turn, so the golden path has begun: the heads-up is on its way."""
    story = in_a_turn(policy=GOLDEN, **changes)
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000).says("T1", WORDS).end("T1")
    return story


def handed_off(story: Auto) -> Auto:
    """From the heads-up to the handoff, which is on its way."""
    story.answers("P", PACKET)
    story.compacts()
    return story


def waiting_for(what: Waiting) -> Auto:
    """A run in each of the states in which it waits for something."""
    match what:
        case "slot":
            return ordered(slots=False)
        case "turn":
            return in_a_turn()
        case "check":
            return ordered(done="make check").works("T1", DONE)
        case "review":
            return ordered(review="at-end").works("T1", DONE)
        case "retry":
            return ordered().works("T1", status="failed", problem=DOWN)
        case "limit":
            story = in_a_turn()
            story.tell(facts.RateLimitsUpdated(limit="codex", used_percent=100, resets_at=story.at // 1000 + 60))
            return story.tell(facts.TurnCompleted(turn="T1", status="failed", problem=LIMIT))
        case "sequence":
            return in_a_sequence()
        case "resume":
            return in_a_turn().tell(STARTED, facts.RunResumed())
        case "model":
            return ordered(policy=replace(RULES, models=Models(decisions="model"))).works("T1")
        case "" | "guidance":
            raise AssertionError(what)


WAITING: tuple[Waiting, ...] = ("slot", "turn", "check", "review", "retry", "limit", "sequence", "resume", "model")
"""Every state in which a run comes to rest for a while; guidance has tests of its own."""

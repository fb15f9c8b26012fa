"""States that the core's tests start from, and short words for what a step leads to."""

from typing import TypeVar

from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.policy import Policy
from rawr.core.state.deadlines import Deadline
from rawr.core.state.host import HostState
from rawr.core.state.messages import Queued, Sent
from rawr.core.state.sequence import CompactionRun
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import ActiveTurn
from rawr.core.step import step, step_host
from rawr.core.thread import quiet
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.boundaries import BoundaryEvent, EventKind, Source
from rawr.core.vocabulary.effects import AnyEffect, Effect, Intended, Notify, StartCompaction, StartTurn, effect_id
from rawr.core.vocabulary.payloads import AnyPayload, ContextCompacted
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence, Record

E = TypeVar("E", bound=Effect)

AT = 1_700_000_000_000
SEQ = 7
QUIET = POLICY = Policy(compaction=AutoCompaction(enabled=False), watch_repositories=False)
"""What follows from turns, messages and requests is looked at with auto-compaction off; it has tests of its own."""

IDLE = ThreadState("t", cwd="/project", ours=True, online=True, wanted=True, certain=True)
RUNNING = replace(IDLE, turn=ActiveTurn("T1", AT - 5_000))
AWAY = replace(IDLE, online=False, certain=False)
CLOSED = replace(IDLE, online=False, closed=True)

HELLO = Queued(3, "hello")
SENT = replace(IDLE, sent=(Sent("t:3.0", HELLO),))
"""A message is on its way, and Codex has not answered."""
DOUBTED = replace(IDLE, sent=(Sent("t:3.0", HELLO, doubt="lost", finding="t:5.0", lookups=1),))
"""A message whose fate is being looked up."""
COMPACTING = replace(
    IDLE,
    compacting=CompactionRun("rawr", AT - 2_000, effect="t:4.0", tokens_before=90_000),
    deadlines=(Deadline("compaction", AT + 598_000),),
)


def take(state: ThreadState, fact: facts.AnyFact, *, at: int = AT, policy: Policy = POLICY) -> Step[ThreadState]:
    """One step, whole."""
    return step(state, facts.Recorded(SEQ, at, state.id, fact), policy)


def take_host(state: HostState, fact: facts.AnyFact) -> Step[HostState]:
    return step_host(state, facts.Recorded(SEQ, AT, "", fact), POLICY)


def fold(state: ThreadState, *story: facts.AnyFact) -> ThreadState:
    """The state after several facts, a second apart."""
    for n, fact in enumerate(story):
        state = step(state, facts.Recorded(SEQ + n, AT + n * 1000, state.id, fact), POLICY).state
    return state


def seen(
    kind: EventKind, turn: str, payload: AnyPayload | None = None, *, source: Source = "turn", n: int = 0
) -> BoundaryEvent:
    """A boundary that a step sees: the n-th of them."""
    detail = payload.words if payload is not None else ""
    return BoundaryEvent(f"t:{SEQ}~{n}", AT, "t", turn, kind, source, detail, payload)


def bare(*events: BoundaryEvent) -> tuple[BoundaryEvent, ...]:
    """As they are kept for a decision."""
    return tuple(replace(one, payload=None) for one in events)


def do(effect: AnyEffect, n: int = 0, *, thread: str = "t") -> Intended:
    return Intended(effect_id(thread, seq=SEQ, n=n), thread, effect)


CUT_OFF = Notify(
    level="warning",
    text="A turn was cut off while Codex was away; what it had done so far is kept. Send a message to continue.",
)


def cut_off(turn: str) -> Record:
    return Record(Reason.TURN_INTERRUPTED_LOST, {"turn": turn, "items": 0})


def audited(
    trigger: str = "submitted",
    *,
    ok: bool = True,
    before: int | None = 90_000,
    after: int | None = None,
    ms: int = 2_000,
) -> Record:
    """The record of a compaction that was not on the golden path (A23)."""
    return Record(
        Reason.COMPACT_AUDITED_OUTSIDE,
        {
            "trigger": trigger,
            "tier": None,
            "percent": None,
            "tokens_before": before,
            "tokens_after": after,
            "duration_ms": ms,
            "outcome": "compacted" if ok else "failed",
        },
    )


def compacted(trigger: str = "submitted", *, turn: str = "C", n: int = 0) -> BoundaryEvent:
    """The boundary at which a compaction ends."""
    return seen("compaction_completed", turn, ContextCompacted(trigger), source="rawr", n=n)


def why(reason: Reason, **evidence: Evidence) -> Record:
    return Record(reason, evidence)


# -- a thread over several facts ------------------------------------------------------------------------------------

WINDOW = 258_400
GOLDEN = Policy(watch_repositories=False)
"""Auto-compaction as it is by default, on plain prompts."""


class Story:
    """A thread that is told one fact after the other, and everything that came of it."""

    def __init__(self, state: ThreadState = IDLE, *, policy: Policy = GOLDEN) -> None:
        self.state = state
        self.policy = policy
        self.at = AT
        self.seq = 100
        self.steps: list[Step[ThreadState]] = []

    def tell(self, *told: facts.AnyFact, after: int = 1) -> "Story":
        """Each fact so many seconds after the one before."""
        for fact in told:
            self.at += after * 1000
            self.seq += 1
            taken = step(self.state, facts.Recorded(self.seq, self.at, self.state.id, fact), self.policy)
            self.steps.append(taken)
            self.state = taken.state
        return self

    @property
    def newest(self) -> Step[ThreadState]:
        return self.steps[-1]

    @property
    def effects(self) -> list[Intended]:
        return [one for taken in self.steps for one in taken.effects]

    @property
    def records(self) -> list[Record]:
        return [one for taken in self.steps for one in taken.records]

    def reasons(self) -> list[Reason]:
        return [one.reason for one in self.records]

    def wanted(self, kind: type[E]) -> list[E]:
        """The effects of one kind that were asked for so far, oldest first."""
        return [one.effect for one in self.effects if isinstance(one.effect, kind)]

    def name(self, kind: type[AnyEffect]) -> str:
        """The id of the newest effect of a kind."""
        return next(one.id for one in reversed(self.effects) if isinstance(one.effect, kind))

    # -- whole turns ------------------------------------------------------------------------------------------------

    def begin(self, turn: str, text: str, *, ours: bool = False) -> "Story":
        """A turn starts with a message: the newest that was sent, or another client's."""
        client = self.name(StartTurn) if ours else ""
        message = items.UserMessage(id=f"{turn}-u", text=text, client_id=client)
        return self.tell(facts.TurnStarted(turn=turn), facts.ItemCompleted(turn=turn, item=message))

    def says(self, turn: str, text: str) -> "Story":
        return self.tell(facts.ItemCompleted(turn=turn, item=items.AgentMessage(id=f"{turn}-a", text=text)))

    def runs(self, turn: str, command: str, *, code: int = 0) -> "Story":
        status: items.Status = "failed" if code else "completed"
        ran = items.Command(id=f"{turn}-c{self.seq}", command=command, cwd="/project", status=status, exit_code=code)
        return self.tell(facts.ItemCompleted(turn=turn, item=ran))

    def changes(self, turn: str, path: str) -> "Story":
        change = items.Change(path, "update")
        changed = items.FileChange(id=f"{turn}-f{self.seq}", changes=(change,), status="completed")
        return self.tell(facts.ItemCompleted(turn=turn, item=changed))

    def end(self, turn: str, status: facts.TurnStatus = "completed") -> "Story":
        """The turn ends, and nobody else types right then."""
        return self.breaks(turn, status).rests()

    def rests(self) -> "Story":
        """The pause in which others may type is over."""
        waits = any(one.name == quiet.DEADLINE for one in self.state.deadlines)
        return self.tell(facts.DeadlinePassed(name=quiet.DEADLINE)) if waits else self

    def breaks(self, turn: str, status: facts.TurnStatus = "completed") -> "Story":
        """The turn ends."""
        return self.tell(facts.TurnCompleted(turn=turn, status=status))

    def uses(self, turn: str, tokens: int) -> "Story":
        return self.tell(facts.UsageUpdated(turn=turn, in_context=tokens, spent=tokens, window=WINDOW))

    def answers(self, turn: str, text: str, *, status: facts.TurnStatus = "completed") -> "Story":
        """The agent hears the newest message of rawr's in a turn of its own, and answers it."""
        sent = self.wanted(StartTurn)[-1]
        return self.begin(turn, sent.text, ours=True).says(turn, text).end(turn, status)

    def compacts(self, turn: str = "C", *, tokens: int = 20_000) -> "Story":
        """Codex carries out the compaction that was asked for."""
        item = items.Compaction(id=f"{turn}-c")
        self.tell(facts.EffectSucceeded(effect=self.name(StartCompaction)), facts.TurnStarted(turn=turn))
        self.tell(facts.ItemStarted(turn=turn, item=item), facts.ItemCompleted(turn=turn, item=item))
        return self.uses(turn, tokens).end(turn)


WORDS = "The research is finished; everything that was found is in the notes for the draft."
PACKET = """\
## Overall goal and scope
Ship the thing.
## What just completed
Research, in notes.md.
## Current state
The draft is not begun.
## Invariants
None.
## Decisions and findings not to repeat
None.
## Open questions
None.
## The single next step
Write the draft.
"""


def worked(story: Story, *, turn: str = "W", tokens: int = 100_000, says: str = WORDS) -> Story:
    """A turn of work in which a phase ended: above the context of a new thread, below the first tiers."""
    story.begin(turn, "Do the job.").tell(facts.PhaseSubmitted(phase="research"))
    return story.uses(turn, tokens).says(turn, says).end(turn)


def decided(*, policy: Policy = GOLDEN, tokens: int = 100_000, state: ThreadState = IDLE, says: str = WORDS) -> Story:
    """A turn of work has ended at a boundary: the decision is made, and the heads-up is on its way."""
    return worked(Story(state, policy=policy), tokens=tokens, says=says)

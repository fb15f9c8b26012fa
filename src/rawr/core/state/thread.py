"""What rawr knows about one thread. Immutable, bounded, and complete: ``step`` needs nothing else.

Every collection here is bounded, except a person's undelivered messages: a thread of a million events costs as much as
a thread of ten.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.state import invariants
from rawr.core.state.deadlines import Deadline
from rawr.core.state.ledger import Ledger
from rawr.core.state.messages import Queued, Sent
from rawr.core.state.mode import Mode
from rawr.core.state.run import Run
from rawr.core.state.sequence import (
    AgentHeld,
    Breaker,
    CompactionPast,
    CompactionRun,
    Guard,
    Idling,
    LastCompaction,
    Recovery,
    Sequence,
)
from rawr.core.state.session import SessionFile
from rawr.core.state.since import Since
from rawr.core.state.topic import Topic
from rawr.core.state.turn import ActiveTurn, Cut, TurnOutcome
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.facts import FileDelta, PlanStep, Problem
from rawr.core.vocabulary.limits import InForce, Limits
from rawr.core.vocabulary.native import Native
from rawr.core.vocabulary.opinions import SignatureName
from rawr.core.vocabulary.requests import Question

MAX_ERRORS = 8
MAX_PLAN_TRAIL = 32
MAX_STEP_ACTIONS = 8
MAX_STEP_ACTION = 80
MAX_PHASES = 32
MAX_REQUESTS = 64
MAX_SIGNALS = 64
MAX_OBSERVING = 64
MAX_CHILDREN = 32
MAX_GROWTH = 5


class Usage(Struct, frozen=True, gc=False):
    in_context: int
    spent: int
    window: int | None


class StepDone(Struct, frozen=True, gc=False, omit_defaults=True):
    step: str
    at: int
    turn: str
    actions: tuple[str, ...] = ()
    """What was done for it: the newest commands, patches and tools since the step before."""
    acted: int = 0
    """How many that were."""


class Plan(Struct, frozen=True, gc=False, omit_defaults=True):
    steps: tuple[PlanStep, ...] = ()
    explanation: str = ""
    trail: tuple[StepDone, ...] = ()
    """Steps as they moved to completed, oldest first."""
    actions: tuple[str, ...] = ()
    """The newest of what was done since the last of them."""
    acted: int = 0
    """How many that were."""


class Diff(Struct, frozen=True, gc=False):
    turn: str
    digest: str
    files: tuple[FileDelta, ...]
    files_omitted: int


class OpenRequest(Struct, frozen=True, gc=False):
    """A question of the server without an answer, or with an answer on its way."""

    request: str
    question: Question
    since: int
    turn: str
    answer: str = ""
    """The effect that carries the answer, once there is one."""
    asked: str = ""
    """The question to a model about it, if any."""
    leaves: str = ""
    """The limit that a yes would exceed."""
    paths: tuple[str, ...] = ()
    """For a file change: what it would touch."""
    doubts: tuple[str, ...] = ()
    """Why the rules do not approve it."""


class Goal(Struct, frozen=True, gc=False):
    objective: str
    status: str


class PhaseMark(Struct, frozen=True, gc=False):
    """The agent's own statement that a phase is over, or a person's."""

    phase: str
    summary: str
    next_phase: str
    artifacts: tuple[str, ...]
    turn: str
    at: int
    by: Literal["agent", "user"] = "agent"


class Repo(Struct, frozen=True, gc=False, omit_defaults=True):
    root: str
    branch: str
    head: str
    stack: tuple[str, ...] = ()
    """Graphite's stack of branches, if it is used."""


class Asking(Struct, frozen=True, gc=False):
    """A question to a model that is under way."""

    effect: str
    signature: SignatureName
    since: int


class ThreadState(Struct, frozen=True, gc=False, omit_defaults=True):
    id: str
    cwd: str = ""
    model: str = ""
    parent: str = ""
    session_id: str = ""
    """Codex's own name for the session that the thread belongs to."""
    link: str = ""
    """The connection that reaches it, where rawr has several."""
    ours: bool = False
    shared: bool = False
    """Codex serves other clients, too, who can open the thread and type there, whoever started it."""
    ephemeral: bool = False
    closed: bool = False
    put_away: Literal["", "archived", "deleted"] = ""
    """What was done to it in Codex, if that closed it."""
    online: bool = False
    """The connection is open and the thread's events reach us."""
    wanted: bool = False
    """We had joined it, so it is joined again after a lost connection. Our own threads always are."""
    server: str = ""
    """The process that held it when last seen. Another process knows nothing of requests there."""
    resuming: str = ""
    """The effect that is joining the thread again, or checking whether it should."""
    stirred: bool = False
    """It showed a sign of life in the meantime: if joining fails, it is tried once more."""
    turn: ActiveTurn | None = None
    cut: Cut | None = None
    certain: bool = False
    """Events of this connection have shown whether a turn is running; otherwise ``turn`` is the earlier knowledge."""
    last_turn: TurnOutcome | None = None
    ended: tuple[str, ...] = ()
    """The newest finished turns. A late or doubled fact about one of them does not start it again."""
    turns: int = 0
    plan: Plan = Plan()
    diff: Diff | None = None
    usage: Usage | None = None
    requests: tuple[OpenRequest, ...] = ()
    errors: tuple[Problem, ...] = ()
    in_review: bool = False
    reviewed: str = ""
    """The newest turn that was a review: what happened in it opens nothing, not at the end of the next one either."""
    goal: Goal | None = None
    children: tuple[str, ...] = ()
    """Threads of sub-agents that this one spawned."""
    busy_children: tuple[str, ...] = ()
    phases: tuple[PhaseMark, ...] = ()
    mode: Mode = ""
    """What kind of work it is at, as far as anybody has said."""
    mode_by: Literal["agent", "user", ""] = ""
    compacting: CompactionRun | None = None
    compactions: tuple[CompactionPast, ...] = ()
    compaction_count: int = 0
    queue: tuple[Queued, ...] = ()
    sent: tuple[Sent, ...] = ()
    deadlines: tuple[Deadline, ...] = ()
    ledger: Ledger = Ledger()
    repo: Repo | None = None
    observing: tuple[str, ...] = ()
    """Looks at the repository that are under way. A turn is judged when they are back."""
    tree: str = ""
    """The digest of the working tree after the last turn that did something."""
    tree_at: int = 0
    """When that was."""
    tree_owed: str = ""
    """A turn after which nobody had to know the tree: it is looked at when the next one has begun."""
    tree_cut: bool = False
    """It was once too large to look at all of it, and the person was told."""
    tree_turn: str = ""
    """The turn after which it was last looked at."""
    unweighed: bool = False
    session: SessionFile | None = None
    """Codex's own record of the thread, where it has calls that Codex did not report."""
    signals: tuple[BoundaryEvent, ...] = ()
    """The boundaries of the running or last turn, until a decision uses them."""
    sequence: Sequence | None = None
    preflight: bool = False
    """A user's next message is held until a sequence has run."""
    pausing: bool = False
    """This is the moment to compact, unless somebody types just now: their turn goes first, and its end is weighed
    with all boundaries so far."""
    breaker: Breaker = Breaker()
    guards: tuple[Guard, ...] = ()
    agent_held: AgentHeld = AgentHeld()
    last_compaction: LastCompaction | None = None
    since: Since = Since()
    """What came since the last compaction."""
    work_turns: int = 0
    """Finished turns that were not rawr's own."""
    asking: tuple[Asking, ...] = ()
    run: Run | None = None
    """The Full Auto run on this thread, if there is or was one."""
    limited_until: int = 0
    """When the account's limit resets, as far as known, in ms since the epoch."""
    suggested: str = ""
    """What was last suggested or marked: the tier, and its boundary if there was one."""
    token_budget: bool = False
    """Codex's own token budget is on, under which compaction means something else."""
    native: Native | None = None
    """When Codex compacts it by itself, as its configuration says."""
    limits: Limits | None = None
    """The limits ordered for it. Threads that rawr only watches have none."""
    in_force: InForce | None = None
    """The limits that Codex last reported as in force."""
    beyond: tuple[str, ...] = ()
    """In what respects those are wider than ordered. As long as they are, nothing is begun."""
    started: bool = False
    """rawr made Codex start it."""
    unborn: bool = False
    """Codex has kept nothing of it: it died before the first turn was written down."""
    replacing: str = ""
    """The effect that starts a replacement thread."""
    replaced_by: str = ""
    barren: int = 0
    """Consecutive compactions of Codex's own that left the context as full as before."""
    recovering: Recovery | None = None
    """The record that the agent is about to get. It waits for looks at the repository that are under way, and for a
    turn to go into."""
    idling: Idling = Idling()
    reasoning: int = 0
    """Tokens of encrypted reasoning since the last compaction: the model gets it again, Codex counts it before it
    compacts by itself, and no report has it."""
    held: int = 0
    """What the context held when the last turn of work ended."""
    turn_growth: tuple[int, ...] = ()
    """What each of the newest turns of work added to it."""
    growth: tuple[int, ...] = ()
    """How many tokens each of the newest model calls added to the context, oldest first."""

    topic: Topic = Topic()
    """What the user's newest orders were about."""

    @property
    def invariants(self) -> tuple[invariants.Invariant, ...]:
        """What must stay true: the user's, then the agent's."""
        return invariants.listed(self.ledger)

    @property
    def in_touch(self) -> bool:
        """Return True if the connection concerns it: we have joined it, or will on the next one. All other threads are
        left alone until somebody has something for them, however often rawr starts and stops."""
        joins = self.wanted or self.online or bool(self.resuming or self.replacing or self.requests)
        return joins or self.unborn or (self.run is not None and self.run.active)

    @property
    def left_alone(self) -> bool:
        """Return True if nothing waits there, or all of it waits for a run to be resumed. Such a thread is joined again
        when somebody sends it something: a rawr that was started for another one does not touch it."""
        waits = self.turn is not None or self.queue or self.sent or self.sequence is not None
        return not (waits or self.compacting is not None) or (self.run is not None and not self.run.active)

    @property
    def in_reach(self) -> bool:
        """Return True if the agent could change what rawr obeys: then rawr does nothing by it here."""
        return self.in_force is not None and bool(self.in_force.reaches)

    @property
    def reading(self) -> bool:
        """Return True while the session file is read: what comes next depends on what is in it."""
        return self.session is not None and bool(self.session.reading)

    @property
    def busy(self) -> bool:
        """Return True if a turn started now would interfere with something."""
        return self.turn is not None or self.compacting is not None or any(not one.steer for one in self.sent)

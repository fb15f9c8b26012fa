"""What rawr knows about one thread. Immutable, bounded, and complete: ``step`` needs nothing else.

Every collection here has a bound, except the messages that a person waits to have delivered: a thread of a million
events costs what a thread of ten costs.
"""

from typing import Literal, Self

from msgspec import Struct

from rawr.core.compaction.boundaries import BoundaryEvent
from rawr.core.compaction.precompact import PreCompact
from rawr.core.compaction.table import Phase
from rawr.core.policy.tiers import Tier
from rawr.core.speech import Own
from rawr.core.state.ledger import Ledger
from rawr.core.state.run import Run
from rawr.core.state.since import Since
from rawr.core.vocabulary.facts import FileDelta, PlanStep, Problem, ThreadRequested, TurnStatus
from rawr.core.vocabulary.limits import InForce, Limits
from rawr.core.vocabulary.opinions import SignatureName
from rawr.core.vocabulary.requests import Question

MAX_OPEN_ITEMS = 128
MAX_ERRORS = 8
MAX_FILES = 256
MAX_ACTIONS = 64
MAX_ACTION = 200
MAX_PLAN_TRAIL = 32
MAX_PHASES = 32
MAX_COMPACTIONS = 16
MAX_ENDED = 16
MAX_REQUESTS = 64
MAX_SIGNALS = 64
MAX_GUARDS = 16
MAX_OBSERVING = 64
MAX_CHILDREN = 32

Purpose = Literal["user", "continue", "heads_up", "scratch", "packet", "correction", "landing", "handoff", "recovery"]
"""Why a message is sent. All but a user's own and a run's are rawr's, and the turns that they start are synthetic."""
OwnPurpose = Literal["continue", "heads_up", "scratch", "packet", "correction", "landing", "handoff", "recovery"]
"""Of what rawr says itself."""
WORK: frozenset[str] = frozenset({"", "user", "continue"})
"""In turns of these purposes the agent works; empty is another client's."""


class Usage(Struct, frozen=True, gc=False):
    in_context: int
    spent: int
    window: int | None


class OpenItem(Struct, frozen=True, gc=False, omit_defaults=True):
    id: str
    kind: str
    paths: tuple[str, ...] = ()
    """Of a file change: what it would touch, for whoever must approve it."""


class ActiveTurn(Struct, frozen=True, gc=False, omit_defaults=True):
    """The turn that runs now, as far as decisions need it."""

    id: str
    """Empty while only that a turn runs is known; the next fact about it brings its name."""
    started_at: int
    open_items: tuple[OpenItem, ...] = ()
    messages: tuple[str, ...] = ()
    """The client ids of the user messages in it. An effect id among them makes the turn a synthetic one."""
    items: int = 0
    commands: int = 0
    commands_failed: int = 0
    files: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    """The commands that ran, to tell one turn's doings from another's."""
    tools: int = 0
    agent_text: str = ""
    """The newest whole message of the agent."""
    review: str = ""
    """It is a review: of what, and in the end what it found."""
    purpose: Purpose | Literal[""] = ""
    """Of the message of ours that is in it; empty where another client's message started it."""
    midway: bool = False
    """We came in the middle of it, so its message was not seen."""


class Cut(Struct, frozen=True, gc=False, omit_defaults=True):
    """A turn that Codex was asked to end before its time."""

    turn: str
    asked: int = 1
    restart: str = ""
    """The effect that starts Codex anew, because it did not."""


class TurnOutcome(Struct, frozen=True, gc=False, omit_defaults=True):
    """The turn that ended last."""

    id: str
    status: TurnStatus
    ended_at: int
    problem: Problem | None = None
    items: int = 0
    commands: int = 0
    commands_failed: int = 0
    files: tuple[str, ...] = ()
    agent_text: str = ""
    messages: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()
    """The kinds of items that had begun in it and not ended: a command in the background, a sub-agent."""
    lost: bool = False
    """The connection was lost while it ran, so its end was not seen."""
    purpose: Purpose | Literal[""] = ""
    actions: tuple[str, ...] = ()
    tools: int = 0
    midway: bool = False
    review: str = ""

    @property
    def synthetic(self) -> bool:
        return self.purpose not in WORK


class StepDone(Struct, frozen=True, gc=False):
    step: str
    at: int
    turn: str


class Plan(Struct, frozen=True, gc=False, omit_defaults=True):
    steps: tuple[PlanStep, ...] = ()
    explanation: str = ""
    trail: tuple[StepDone, ...] = ()
    """Steps as they moved to completed, oldest first."""


class Diff(Struct, frozen=True, gc=False):
    turn: str
    digest: str
    files: tuple[FileDelta, ...]
    files_omitted: int


class OpenRequest(Struct, frozen=True, gc=False):
    """A question of the server that is not answered yet, or whose answer is on its way."""

    request: str
    question: Question
    since: int
    turn: str
    answer: str = ""
    """The effect that carries the answer, once there is one."""
    asked: str = ""
    """The question to a model about it, if one was asked."""
    leaves: str = ""
    """The limit that a yes would go beyond."""
    paths: tuple[str, ...] = ()
    """Of a file change: what it would touch."""
    doubts: tuple[str, ...] = ()
    """Why the rules do not approve it."""


Compactor = Literal["rawr", "other", "upstream"]
"""Who started it: we, another client (a person's ``/compact``), or Codex in the middle of a turn."""


class CompactionRun(Struct, frozen=True, gc=False, omit_defaults=True):
    """A compaction under way. Done means both signals, in either order (A13)."""

    by: Compactor
    since: int
    turn: str = ""
    effect: str = ""
    """Ours: the effect that asked for it."""
    tokens_before: int | None = None
    item_done: bool = False
    turn_done: bool = False
    doubted: bool = False
    """The connection went down, or rawr did, while it was under way."""
    again: bool = False
    """An earlier attempt was cut off before it was done."""


class CompactionPast(Struct, frozen=True, gc=False):
    by: Compactor
    turn: str
    at: int
    ok: bool
    tokens_before: int | None
    tokens_after: int | None
    duration_ms: int


class Goal(Struct, frozen=True, gc=False):
    objective: str
    status: str


class PhaseMark(Struct, frozen=True, gc=False):
    """The agent's own word that a phase is over."""

    phase: str
    summary: str
    next_phase: str
    artifacts: tuple[str, ...]
    turn: str
    at: int


class Queued(Struct, frozen=True, gc=False):
    """A message that waits for the thread to be free. ``seq`` is the fact that brought it.

    It is made by one of the two below, so that nothing but what rawr says is sent as rawr's.
    """

    seq: int
    text: str
    purpose: Purpose = "user"

    @classmethod
    def of_user(cls, seq: int, text: str) -> Self:
        """A person's own words, verbatim."""
        return cls(seq, text)

    @classmethod
    def own(cls, seq: int, text: Own, purpose: OwnPurpose) -> Self:
        """rawr's."""
        return cls(seq, text, purpose)


Doubt = Literal["", "lost", "timed_out"]
Verdict = Literal["", "approve", "veto", "none"]
"""Of a model that was asked whether to compact; ``none`` if it gave no usable answer, empty as long as it is asked."""


class Sent(Struct, frozen=True, gc=False, omit_defaults=True):
    """A message on its way: Codex has taken it in for good when the turn that shows it has ended, and not before."""

    effect: str
    message: Queued
    steer: bool = False
    """It goes into the running turn; otherwise it starts one."""
    turn: str = ""
    shown: bool = False
    """Codex showed it in the thread. A server that dies now may still not have written it down (measured)."""
    doubt: Doubt = ""
    """The connection went down, or no answer came: only Codex's history can tell."""
    finding: str = ""
    """The effect that looks for it there."""
    lookups: int = 0
    """How often it was looked for on this connection."""
    ended: Literal["", "completed", "interrupted"] = ""
    """How the turn that it was found in ended."""
    said: str = ""
    """The agent's last words there."""


class Sequence(Struct, frozen=True, gc=False, omit_defaults=True):
    """The golden path under way: why it began, where it stands, and what it has so far."""

    id: str
    phase: Phase
    since: int
    tier: Tier
    percent: int
    boundaries: tuple[BoundaryEvent, ...] = ()
    ended: str = ""
    """What ended, in a few words, for the heads-up."""
    reason: str = ""
    requests: tuple[PreCompact, ...] = ()
    """What is still to be asked for before the compaction."""
    packet: str = ""
    packet_author: Literal["agent", "rawr", ""] = ""
    corrections: int = 0
    missing: tuple[str, ...] = ()
    """What the packet still lacked when it was taken."""
    tokens_before: int | None = None
    injecting: str = ""
    """The effect that puts a packet of rawr's into the history."""
    landing: bool = False
    """It began with a steer into a running turn, whose end brings the packet."""
    settled: bool = False
    """It has waited for what the user had queued."""
    late: bool = False
    """The agent's time for what it was asked is over, and its turn is being ended."""
    verdict: Verdict = ""
    judgment: str = ""
    """The verdict in words: whose it is, and why; or why there is none. Empty: nobody was asked."""
    held: bool = False
    """A user's message waits for the judgment, because the sequence was to run before it."""


class Breaker(Struct, frozen=True, gc=False, omit_defaults=True):
    """Keeps compactions that gain nothing from being repeated (A20)."""

    failures: int = 0
    open_until: int = 0
    stopped: bool = False


class Guard(Struct, frozen=True, gc=False):
    """A standing "do not compact until …"."""

    until: str
    turns_left: int | None = None


class LastCompaction(Struct, frozen=True, gc=False):
    at: int
    work_turns: int
    sequence: str
    tier: str
    reason: str
    judgment: str = ""


class Repo(Struct, frozen=True, gc=False, omit_defaults=True):
    root: str
    branch: str
    head: str
    stack: tuple[str, ...] = ()
    """Graphite's stack of branches, where it is used."""


class Asking(Struct, frozen=True, gc=False):
    """A question to a model that is under way."""

    effect: str
    signature: SignatureName
    since: int


class Deadline(Struct, frozen=True, gc=False):
    name: str
    at: int


class ThreadState(Struct, frozen=True, gc=False, omit_defaults=True):
    id: str
    cwd: str = ""
    model: str = ""
    parent: str = ""
    ours: bool = False
    ephemeral: bool = False
    closed: bool = False
    online: bool = False
    """The connection stands and the thread's events reach us."""
    wanted: bool = False
    """We were in on it, so it is joined again after a lost connection. Threads of our own always are."""
    server: str = ""
    """The process that had it when it was last heard of. Another one knows nothing of what was asked there."""
    resuming: str = ""
    """The effect that is joining the thread again, if one is; or looking whether to."""
    stirred: bool = False
    """It showed a sign of life while that was under way: if it comes to nothing, it is tried once more."""
    turn: ActiveTurn | None = None
    cut: Cut | None = None
    certain: bool = False
    """Events of this connection have told whether a turn runs; otherwise ``turn`` is what was known before."""
    last_turn: TurnOutcome | None = None
    ended: tuple[str, ...] = ()
    """The newest turns that are over. A late or doubled fact about one of them does not start it again."""
    turns: int = 0
    plan: Plan = Plan()
    diff: Diff | None = None
    usage: Usage | None = None
    requests: tuple[OpenRequest, ...] = ()
    errors: tuple[Problem, ...] = ()
    in_review: bool = False
    goal: Goal | None = None
    children: tuple[str, ...] = ()
    """Threads of sub-agents that this one spawned."""
    busy_children: tuple[str, ...] = ()
    phases: tuple[PhaseMark, ...] = ()
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
    unjudged: bool = False
    signals: tuple[BoundaryEvent, ...] = ()
    """The boundaries of the turn that runs or ran last, as long as no decision has used them up."""
    sequence: Sequence | None = None
    preflight: bool = False
    """The next message of a user is held until a sequence has run."""
    breaker: Breaker = Breaker()
    guards: tuple[Guard, ...] = ()
    last_compaction: LastCompaction | None = None
    since: Since = Since()
    """What came since the last compaction."""
    work_turns: int = 0
    """Turns that were not rawr's own and have ended."""
    asking: tuple[Asking, ...] = ()
    run: Run | None = None
    """The Full Auto run on this thread, if there is or was one."""
    limited_until: int = 0
    """When the account's limit resets, as far as it was told, in ms since the epoch."""
    suggested: str = ""
    """The newest boundary that a suggestion was made for."""
    token_budget: bool = False
    """Codex's own token budget is on, under which compaction means something else."""
    limits: Limits | None = None
    """Under what it was ordered to work. Threads that rawr only watches have none."""
    in_force: InForce | None = None
    """What Codex said last that it works under."""
    beyond: tuple[str, ...] = ()
    """In what that is wider than ordered. As long as it is, nothing is begun."""
    started: bool = False
    """rawr had Codex start it."""
    unborn: bool = False
    """Codex has kept nothing of it: it died before the first turn was written down."""
    replacing: str = ""
    """The effect that starts a thread in its place."""
    replaced_by: str = ""
    barren: int = 0
    """Compactions of Codex's own, in a row, that left the context as full as it was."""

    @property
    def busy(self) -> bool:
        """Whether a turn started now would cut into something."""
        return self.turn is not None or self.compacting is not None or any(not one.steer for one in self.sent)


class Wanted(Struct, frozen=True, gc=False, omit_defaults=True):
    """A thread that was asked for: which fact asked, and the effect that is starting it, if Codex is there."""

    fact: ThreadRequested
    effect: str = ""
    epoch: int = 0
    """The connection that it is started on."""
    tries: int = 0
    """How often it went down with one."""


class RateLimit(Struct, frozen=True, gc=False):
    limit: str
    used_percent: int
    resets_at: int | None
    reached: bool


class HostState(Struct, frozen=True, gc=False, omit_defaults=True):
    """What rawr knows that belongs to no thread."""

    id: str = ""
    online: bool = False
    epoch: int = 0
    wanted: tuple[Wanted, ...] = ()
    rate_limits: tuple[RateLimit, ...] = ()
    faults: int = 0
    deadlines: tuple[Deadline, ...] = ()

"""A Full Auto run: its order, its status, and the result of each of its turns (C2, C13)."""

from typing import Literal

from msgspec import Struct

from rawr.core.speech import NOTHING, Own
from rawr.core.vocabulary.facts import TurnStatus
from rawr.core.vocabulary.opinions import Planning, Route, TaskUnderstanding
from rawr.core.vocabulary.order import Order

MAX_HISTORY = 12
"""How many turns are remembered, to see whether anything advances."""

Status = Literal["running", "paused", "stopped", "done", "failed"]
Done = Literal["no", "self_reported", "checked"]
Waiting = Literal["", "slot", "turn", "check", "review", "retry", "limit", "sequence", "resume", "model", "guidance"]


class TurnSummary(Struct, frozen=True, gc=False, omit_defaults=True):
    """One turn of a run, compiled at its end from items, plan, diff, errors and usage."""

    turn: str
    status: TurnStatus
    work: str
    """A digest of the state of the work: plan, diff, commits, files. The same twice: nothing advanced."""
    actions: str
    """A digest of the actions: the commands, and the changed files. The same twice: it went in circles."""
    problem: str = ""
    """A turn's own failure, or the newest command that failed, in one line."""
    commands: int = 0
    commands_failed: int = 0
    files: int = 0
    tools: int = 0
    plan_done: int = 0
    plan_steps: int = 0
    tokens: int = 0
    compactions: int = 0
    """The thread's count so far."""
    said: str = ""
    """The end of the agent's last message."""


Course = Literal["first", "super", "loop"]
"""What guidance is about: a user's first message, one that only says to go, or the next turn."""
GuidanceStage = Literal["", "route", "research", "understand", "plan", "direct", "decide"]


class Guidance(Struct, frozen=True, gc=False, omit_defaults=True):
    """The state of a run's guidance (C15): what is under way, and the results so far."""

    course: Course
    stage: GuidanceStage = ""
    effect: str = ""
    """The survey of the repository that is under way."""
    research: str = ""
    route: Route | Literal[""] = ""
    understanding: TaskUnderstanding | None = None
    plan: Planning | None = None
    directive: str = ""
    """What to tell the agent next."""
    hint: str = ""
    """The next step, from whoever decided to continue."""
    by_rules: tuple[GuidanceStage, ...] = ()
    """Stages settled by the rules, because no model did."""
    opened: bool = False
    """The first message is on its way. Until then the agent was told nothing."""
    directives: tuple[str, ...] = ()
    """The newest ones, so that none is repeated."""


class Stop(Struct, frozen=True, gc=False):
    """Why a run is not running. ``reason`` is one of a closed list; ``detail`` is for people."""

    reason: str
    detail: str = ""


class Decided(Struct, frozen=True, gc=False, omit_defaults=True):
    """A decision about the run, as the next one needs it."""

    turn: str
    """The turn after which it was made."""
    action: str
    reason: str
    by: str = "policy"
    confidence: float = 1.0
    overridden: bool = False
    """It was not carried out: a guard, a rule or a person decided otherwise."""


class Run(Struct, frozen=True, gc=False, omit_defaults=True):
    id: str
    order: Order
    status: Status
    since: int
    stretch: int
    """When it began, or was last resumed: paused time does not count."""
    used_ms: int = 0
    """Time of earlier stretches."""
    waiting: Waiting = ""
    ready: int = 0
    """The fact since which it waits for its slot; older ones go first."""
    turns: int = 0
    tokens: int = 0
    cost: int = 0
    spent: int = 0
    """The thread's token count when last reported."""
    retries: int = 0
    reviews: int = 0
    checks: int = 0
    check: str = ""
    """The effect that runs the done check."""
    unchecked: bool = False
    """Something was done since the done check last ran."""
    checked_at: int = 0
    check_ms: int = 0
    """When the last check came back, and how long it took."""
    judged: int = -1
    """How many turns the run had when it came back; -1 before the first, and when it is resumed."""
    last: Stop | None = None
    """What stops the run if the check that runs now fails."""
    reviewed: tuple[str, ...] = ()
    """The errors after which a review was asked for: each gets one."""
    review: str = ""
    """The effect that asked for a review."""
    note: Own = NOTHING
    """What the next message must say besides the goal: findings of a check or a review."""
    claimed: bool = False
    """The agent says that it is done."""
    passed: bool = False
    """The done check confirmed it."""
    heard: int = 0
    """When something last happened in its turn."""
    stalled: bool = False
    """Its turn is being ended because nothing happens in it."""
    pause_asked: bool = False
    interrupted: str = ""
    """Its turn was interrupted, on a thread that others have too: whoever closes the thread interrupts its turn first,
    so that for a moment it is not known which it is."""
    stop_asked: bool = False
    cut_asked: bool = False
    """Interrupt at once, not at the turn's own end: a turn still on its way is ended once its message is in."""
    history: tuple[TurnSummary, ...] = ()
    decided: tuple[Decided, ...] = ()
    """The newest decisions, oldest first."""
    granted_at: int = 0
    """When its last slot came, and so its last turn began."""
    wasted: int = 0
    """Turns in a row that ended at once and did nothing."""
    cools_until: int = 0
    """Its next turn waits until then, unless a person has something to say."""
    stop: Stop | None = None
    rested: int = 0
    """The fact with which it last came to rest. What was said before waits until it is resumed."""
    done: Done = "no"
    guidance: Guidance | None = None
    """Only for a guided run."""

    @property
    def number(self) -> int:
        """The fact that ordered it, and brought its first message."""
        return int(self.id.removeprefix("r"))

    @property
    def opens(self) -> bool:
        """Return True if guidance still has to send the user's first message."""
        return self.guidance is not None and not self.guidance.opened

    @property
    def about_to(self) -> Literal["", "pause", "stop"]:
        """What a person asked of it and has not happened yet, because a turn or a compaction has to end first."""
        return "stop" if self.stop_asked else "pause" if self.pause_asked else ""

    @property
    def active(self) -> bool:
        return self.status == "running"

    def used(self, now: int) -> int:
        """Milliseconds at work, without pauses."""
        return self.used_ms + (max(now - self.stretch, 0) if self.active else 0)

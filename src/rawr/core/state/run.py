"""A Full Auto run: what was ordered, how it stands, and what each of its turns came to (C2, C13)."""

from typing import Literal

from msgspec import Struct

from rawr.core.speech import NOTHING, Own
from rawr.core.vocabulary.facts import TurnStatus
from rawr.core.vocabulary.opinions import Planning, Route, TaskUnderstanding
from rawr.core.vocabulary.order import Order

MAX_HISTORY = 12
"""Turns that are remembered to see whether anything advances."""

Status = Literal["running", "paused", "stopped", "done", "failed"]
Done = Literal["no", "self_reported", "checked"]
Waiting = Literal["", "slot", "turn", "check", "review", "retry", "limit", "sequence", "resume", "model", "guidance"]


class TurnSummary(Struct, frozen=True, gc=False, omit_defaults=True):
    """One turn of a run, compiled at its end from items, plan, diff, errors and usage."""

    turn: str
    status: TurnStatus
    work: str
    """A digest of what the work has come to: plan, diff, commits, files. The same twice: nothing advanced."""
    actions: str
    """A digest of what was done: the commands, and the files that were changed. The same twice: it went in circles."""
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
    """Of the thread, so far."""
    said: str = ""
    """The end of the agent's last message."""


Course = Literal["first", "super", "loop"]
"""What guidance is about: a user's first message, one that only says to go, or the next turn."""
GuidanceStage = Literal["", "route", "research", "understand", "plan", "direct", "decide"]


class Guidance(Struct, frozen=True, gc=False, omit_defaults=True):
    """Where the guidance of a run stands (C15): what is under way, and what has come of it so far."""

    course: Course
    stage: GuidanceStage = ""
    effect: str = ""
    """The look at the repository that is under way."""
    research: str = ""
    route: Route | Literal[""] = ""
    understanding: TaskUnderstanding | None = None
    plan: Planning | None = None
    directive: str = ""
    """What the agent is told next."""
    hint: str = ""
    """The next step, by whoever decided to go on."""
    by_rules: tuple[GuidanceStage, ...] = ()
    """Stages that the rules settled, because no model did."""
    opened: bool = False
    """The first message is on its way. Until then nothing was said to the agent."""
    directives: tuple[str, ...] = ()
    """The newest ones, so that none is given again and again."""


class Stop(Struct, frozen=True, gc=False):
    """Why a run does not run. ``reason`` is one of a closed list; ``detail`` is for people."""

    reason: str
    detail: str = ""


class Run(Struct, frozen=True, gc=False, omit_defaults=True):
    id: str
    order: Order
    status: Status
    since: int
    stretch: int
    """When it began, or was last resumed: time in which it was paused does not count."""
    used_ms: int = 0
    """Time of earlier stretches."""
    waiting: Waiting = ""
    ready: int = 0
    """The fact that made it wait for its turn among others; older ones go first."""
    turns: int = 0
    tokens: int = 0
    cost: int = 0
    spent: int = 0
    """The thread's own count of tokens when it was last heard of."""
    retries: int = 0
    reviews: int = 0
    checks: int = 0
    check: str = ""
    """The effect that runs the done check."""
    review: str = ""
    """The effect that asked for a review."""
    note: Own = NOTHING
    """What the next message must say beside the goal: what a check or a review found."""
    claimed: bool = False
    """The agent says that it is done."""
    passed: bool = False
    """The done check said so."""
    heard: int = 0
    """When something last happened in its turn."""
    stalled: bool = False
    """Its turn is being ended because nothing happens in it."""
    pause_asked: bool = False
    stop_asked: bool = False
    cut_asked: bool = False
    """And not at the turn's own end: one that was still on its way is ended once its message is in."""
    history: tuple[TurnSummary, ...] = ()
    stop: Stop | None = None
    done: Done = "no"
    guidance: Guidance | None = None
    """Of a guided run."""

    @property
    def number(self) -> int:
        """The fact that ordered it, and brought what it begins with."""
        return int(self.id.removeprefix("r"))

    @property
    def opens(self) -> bool:
        """Return True if guidance has still to say the user's first message."""
        return self.guidance is not None and not self.guidance.opened

    @property
    def active(self) -> bool:
        return self.status == "running"

    def used(self, now: int) -> int:
        """Milliseconds at work, pauses left out."""
        return self.used_ms + (max(now - self.stretch, 0) if self.active else 0)

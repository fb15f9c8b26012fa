"""What is said and done in a turn."""

from typing import Literal

from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.items import Change, Status
from rawr.views.events.base import Event

Purpose = Literal[
    "heads_up", "scratch", "packet", "correction", "handoff", "recovery", "landing", "continue", "declined"
]
"""Why rawr speaks to the agent."""


class UserSaid(Event, frozen=True, kw_only=True):
    """A message to the agent: the user's own or, with a ``purpose``, rawr's."""

    text: str
    purpose: Purpose | Literal[""] = ""


class AgentSaid(Event, frozen=True, kw_only=True):
    text: str


class CommandBegan(Event, frozen=True, kw_only=True):
    command: str


class CommandRan(Event, frozen=True, kw_only=True):
    command: str
    status: Status
    exit_code: int | None
    output: str
    """The end of the output."""
    unreported: bool = False
    """Codex did not report it: it is from Codex's session file, and shown when its turn has ended."""
    denied: bool = False
    """Codex seems to have denied it: its sandbox did, or it was not allowed to ask."""


class FilesChanged(Event, frozen=True, kw_only=True):
    changes: tuple[Change, ...]
    status: Status
    unreported: bool = False


class PlanChanged(Event, frozen=True, kw_only=True):
    """The agent's plan; the run's own is in ``runs``."""

    steps: tuple[PlanStep, ...]


class DiffChanged(Event, frozen=True, kw_only=True):
    """What the turn has changed so far."""

    files: int
    added: int
    removed: int


class ErrorSeen(Event, frozen=True, kw_only=True):
    message: str
    will_retry: bool

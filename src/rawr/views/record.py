"""What is on record of a thread: its repository, changed files, invariants, phases and steps (B3)."""

from typing import Literal

from msgspec import Struct

from rawr.core.state.mode import Mode
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.items import ChangeKind

SHOWN_FILES = 100


class ChangedFile(Struct, frozen=True):
    path: str
    kind: ChangeKind
    shared: bool = False
    """Another thread was at work in the same tree, and it may be that one's."""


class PhaseView(Struct, frozen=True):
    phase: str
    summary: str
    next_phase: str
    artifacts: tuple[str, ...]
    by: Literal["agent", "user"]


class StepView(Struct, frozen=True):
    step: str
    at: int
    actions: tuple[str, ...]
    """The newest of what was done for it."""
    acted: int
    """How many that were."""


class InvariantView(Struct, frozen=True):
    text: str
    by: Literal["agent", "user"]
    pinned: bool = False


class RecordView(Struct, frozen=True):
    session_id: str = ""
    """Codex's own name for the session."""
    root: str = ""
    branch: str = ""
    commits: int = 0
    files: tuple[ChangedFile, ...] = ()
    """The newest, however they were written."""
    invariants: tuple[InvariantView, ...] = ()
    """What must stay true, in this order: what is pinned, what else the user said that applies until it is withdrawn,
    and what the agent's packets added."""
    mode: Mode = ""
    """What kind of work it is at, as far as anybody has said."""
    phases: tuple[PhaseView, ...] = ()
    steps: tuple[StepView, ...] = ()
    """Completed steps of the plan, oldest first."""


def record_view(state: ThreadState) -> RecordView:
    ledger, repo = state.ledger, state.repo
    return RecordView(
        session_id=state.session_id,
        root=repo.root if repo is not None else "",
        branch=repo.branch if repo is not None else "",
        commits=len(ledger.commits),
        files=tuple(ChangedFile(one.path, one.kind, one.shared) for one in ledger.files[-SHOWN_FILES:]),
        invariants=tuple(InvariantView(one.text, one.by, one.pinned) for one in state.invariants),
        mode=state.mode,
        phases=tuple(PhaseView(one.phase, one.summary, one.next_phase, one.artifacts, one.by) for one in state.phases),
        steps=tuple(StepView(one.step, one.at, one.actions, one.acted) for one in state.plan.trail),
    )

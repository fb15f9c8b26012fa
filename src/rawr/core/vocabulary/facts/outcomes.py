"""Outcomes of rawr's effects, and rawr's observations."""

from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.facts.base import Fact, FailureCode
from rawr.core.vocabulary.items import Change
from rawr.core.vocabulary.opinions import AnyOpinion, NoOpinion, SignatureName
from rawr.core.vocabulary.session import SessionMark, SessionTrouble


class EffectSucceeded(Fact, frozen=True):
    effect: str
    result: str = ""
    """What the effect returned: the id of the thread or the turn; for ``FindMessage``, empty if it was not found."""


class EffectFailed(Fact, frozen=True):
    effect: str
    problem: str
    code: FailureCode


class MessageFound(Fact, frozen=True):
    """A message whose fate was unknown is in a finished turn, according to Codex's own history."""

    message: str
    """The effect that carried it."""
    turn: str
    completed: bool
    said: str = ""
    """The agent's last words in that turn."""


class CommitSeen(Struct, frozen=True, gc=False):
    sha: str
    subject: str
    amends: str = ""


class CommandObserved(Fact, frozen=True):
    """What a command did to the repository, according to the repository, and what its line intended (B6)."""

    turn: str
    item: str
    root: str = ""
    branch: str = ""
    head: str = ""
    commits: tuple[CommitSeen, ...] = ()
    switched_to: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    """New branches."""
    stack: tuple[str, ...] = ()
    """Graphite's stack around the current branch, from the trunk up; empty if Graphite is not used."""
    pull_request: tuple[str, ...] = ()
    url: str = ""
    agreed: bool = True
    why: str = ""
    rewritten: tuple[CommitSeen, ...] = ()
    """Commits that a rebase wrote anew, or that somebody else amended: known work under another name."""


class TreeSeen(Fact, frozen=True):
    """The working tree after a turn. The same digest twice: nothing in it has changed."""

    turn: str
    digest: str
    files: int = 0
    cut: bool = False
    """It is too large to look at all of it."""
    changes: tuple[Change, ...] = ()
    """The files that the turn wrote, by whatever means, with whole paths."""
    more: int = 0
    """How many changes are not listed."""
    shared: bool = False
    """Another thread was at work in the same tree: some of the changes may be its own."""


class SessionRead(Fact, frozen=True):
    """How far the session file is read. What was found in it, and nobody had reported, came just before, as facts of
    its own; if nothing is new and nothing wrong, this fact does not come."""

    effect: str
    mark: SessionMark
    lines: int = 0
    found: int = 0
    """Calls that nobody had reported."""
    omitted: int = 0
    """More of them, which were too many to record."""
    earlier: int = 0
    """Calls from before rawr joined, which are not recorded."""
    unread: int = 0
    """Lines that were not understood."""
    ended: bool = False
    """Everything about the turn is in it."""
    trouble: SessionTrouble = ""
    problem: str = ""


class DoneChecked(Fact, frozen=True):
    """The done check ran: only exit code 0 means done (C7). ``output`` is its end, bounded."""

    effect: str
    exit_code: int | None
    output: str = ""
    timed_out: bool = False
    duration_ms: int = 0


class ApprovalJudged(Fact, frozen=True):
    """The approval policy's verdict on a request, with a digest of exactly what it examined (C10)."""

    request: str
    safe: bool
    reasons: tuple[str, ...] = ()
    digest: str = ""


class ModelAnswered(Fact, frozen=True):
    """A model's answer to a typed question, raw and as parsed. A replay asks no model (C17)."""

    effect: str
    """The question, by the effect that asked it."""
    signature: SignatureName
    opinion: AnyOpinion | None = None
    """None: there is no usable answer, and ``code`` and ``problem`` say why."""
    code: NoOpinion | Literal[""] = ""
    problem: str = ""
    raw: str = ""
    """The last reply as received, bounded."""
    diagnostics: tuple[str, ...] = ()
    """What was wrong with each unusable reply, and which models could not be reached."""
    model: str = ""
    attempts: int = 0
    tokens: int = 0
    """The total cost in tokens, in and out, over all attempts."""
    output_tokens: int = 0
    duration_ms: int = 0


class RepositoryResearched(Fact, frozen=True):
    """The result of a survey of a workspace: text for a model, bounded (C15)."""

    effect: str
    text: str = ""
    problem: str = ""
    """Why there is no text."""
    duration_ms: int = 0


class ClaimsLookedUp(Fact, frozen=True):
    """What there is of the files and commits that a packet names (D2). What could not be looked up counts as there."""

    effect: str
    missing: tuple[str, ...] = ()
    """Paths at which there is nothing."""
    unknown: tuple[str, ...] = ()
    """Commits that the repository does not have."""
    branch: str = ""
    """The branch that is checked out; empty if none is, or that is unknown."""

"""How HEAD got from one commit to another when no log tells (B6): from the commits themselves."""

from typing import Literal

from msgspec import Struct

from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.locating import Repository
from rawr.observe.repository.objects import Commit, made_since, read_commit

MovementKind = Literal[
    "commit",
    "amend",
    "merge",
    "rebase",
    "cherry_pick",
    "revert",
    "reset",
    "checkout",
    "branch",
    "pull",
    "clone",
    "other",
]
MAX_STEPS = 64


class Step(Struct, frozen=True):
    kind: MovementKind
    before: str | None
    after: str
    subject: str
    at: int
    made: bool


def steps_between(
    repository: Repository, before: str | None, after: str, *, at: float, switched: bool
) -> tuple[Step, ...]:
    """The commits made since then on the way to HEAD, oldest first; otherwise one step that made none."""
    new: list[Commit] = []
    for oid in _not_reached_from(repository, before, after):
        commit = read_commit(repository, oid)
        if commit is None or not made_since(repository, commit, at=at):
            break
        new.append(commit)
    if not new:
        return (_without_commit(repository, before, after, switched=switched),)
    old = read_commit(repository, before) if before is not None else None
    steps: list[Step] = []
    for commit in reversed(new):
        kind: MovementKind = "merge" if len(commit.parents) > 1 else "commit"
        if not steps and old is not None and commit.parents == old.parents and not switched:
            kind = "amend"
        previous = steps[-1].after if steps else before
        steps.append(Step(kind, previous, commit.oid, commit.subject, commit.committed_at, made=True))
    return tuple(steps)


def _not_reached_from(repository: Repository, before: str | None, after: str) -> list[str]:
    """From the newest back along first parents."""
    excluded = () if before is None else ("--not", before)
    listed = run_git(repository, "rev-list", "--first-parent", f"--max-count={MAX_STEPS}", after, *excluded, "--")
    return [] if listed is None else listed.decode().split()


def _without_commit(repository: Repository, before: str | None, after: str, *, switched: bool) -> Step:
    commit = read_commit(repository, after)
    subject = "" if commit is None else commit.subject
    kind: MovementKind = "other"
    if switched:
        kind = "checkout"
    elif before is not None:
        back = run_git(repository, "merge-base", "--is-ancestor", after, before)
        kind = "reset" if back is not None else "other"
    return Step(kind, before, after, subject, 0 if commit is None else commit.committed_at, made=False)

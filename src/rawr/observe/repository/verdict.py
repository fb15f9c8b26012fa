"""Did this command really commit, switch or branch (A5, B2, B6)? Compares two sources, and says in words why not.

The repository always has the last word on what happened; the command says what was meant, and so if the two agree.
Pure: it receives everything that it judges.
"""

from collections.abc import Sequence

from msgspec import Struct

from rawr.observe.intents.intent import COMMITTING, Intent
from rawr.observe.repository.git import Movement

_FOLLOWS: dict[str, frozenset[str]] = {
    "commit": frozenset({"commit"}),
    "amend": frozenset({"amend"}),
    "merge": frozenset({"merge", "pull", "commit"}),
    "pull": frozenset({"merge"}),
    "rebase": frozenset({"rebase"}),
    "cherry_pick": frozenset({"cherry_pick", "rebase"}),
    "revert": frozenset({"revert"}),
}
"""Which intents can lead to a commit of some kind. ``git commit`` finishes a merge with conflicts."""


def follows(kind: str) -> frozenset[str]:
    """The intents that a commit of this kind can come from."""
    return _FOLLOWS.get(kind, frozenset()) | {kind}


class Verdict(Struct, frozen=True):
    commits: tuple[Movement, ...]
    """The new commits, according to the repository."""
    agreed: bool
    why: str


class BranchVerdict(Struct, frozen=True):
    branches: tuple[str, ...]
    agreed: bool
    why: str


def committed(intents: Sequence[Intent], movements: Sequence[Movement], *, exit_code: int | None) -> Verdict:
    """``movements`` are those of every repository that was watched while the command ran."""
    made = tuple(movement for movement in movements if movement.made)
    meant = [intent for intent in intents if intent.kind in COMMITTING]
    real = [intent for intent in meant if not intent.dry_run]
    if made:
        return _made(made, real, only_dry=bool(meant) and not real)
    if not meant:
        return Verdict((), agreed=True, why="no commit was meant and none was made")
    if not real:
        return Verdict((), agreed=True, why="a dry run: no commit was meant to be made")
    return _not_made(real, movements, exit_code)


def _made(made: tuple[Movement, ...], real: Sequence[Intent], *, only_dry: bool) -> Verdict:
    what = _count(made)
    if only_dry:
        return Verdict(made, agreed=False, why=f"{what} though only a dry run was asked for: something else committed")
    if not real:
        return Verdict(
            made, agreed=False, why=f"{what} without a command for it: a script or an unknown alias committed"
        )
    kinds: set[str] = {intent.kind for intent in real}
    odd = [movement for movement in made if not kinds & follows(movement.kind)]
    if odd and len(odd) == len(made):
        return Verdict(made, agreed=False, why=f"{what}, where the command says {_listed(sorted(kinds))}")
    if odd:
        return Verdict(made, agreed=True, why=f"{what}, {len(odd)} of them of another kind than the command says")
    return Verdict(made, agreed=True, why=what)


def _not_made(real: Sequence[Intent], movements: Sequence[Movement], exit_code: int | None) -> Verdict:
    elsewhere = [intent for intent in real if intent.directory != "."]
    if exit_code:
        why = f"the command failed with exit code {exit_code}: nothing to commit, or a hook or a conflict stopped it"
        return Verdict((), agreed=True, why=why)
    if any(movement.before != movement.after and movement.kind not in ("reset", "checkout") for movement in movements):
        return Verdict((), agreed=True, why="HEAD moved to a commit that was there already: a fast-forward")
    if all(intent.kind in ("merge", "rebase") for intent in real):
        return Verdict((), agreed=True, why="there was nothing to bring in: it was up to date already")
    if not any(intent.certain or intent.directory is None for intent in real):
        return Verdict((), agreed=True, why="the part of the line with the commit was not run, or came to nothing")
    if exit_code is None:
        return Verdict((), agreed=False, why="a commit was meant, HEAD did not move, and the exit code is not known")
    if elsewhere:
        where = f"it ran in another repository ({elsewhere[0].directory or 'a place that is not known'})"
        if not any(intent.certain for intent in real):
            where += ", or not at all"
        return Verdict((), agreed=False, why=f"a commit was meant, and none was seen: {where}")
    why = "a commit was meant and the line succeeded, and HEAD did not move: nothing to commit, or another repository"
    return Verdict((), agreed=False, why=why)


def _count(made: Sequence[Movement]) -> str:
    kinds = _listed(sorted({movement.kind.replace("_", "-") for movement in made}))
    return f"one {kinds}" if len(made) == 1 else f"{len(made)} commits in one line ({kinds})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def switched(intents: Sequence[Intent], movements: Sequence[Movement], *, exit_code: int | None) -> BranchVerdict:
    """Which branches HEAD moved to. A checkout of the same branch, or of a file, does not count."""
    went = tuple(
        target
        for movement in movements
        if movement.kind == "checkout" and (target := _target(movement.subject)) is not None
    )
    meant = any(intent.kind in ("branch_switch", "branch_create") and not intent.dry_run for intent in intents)
    return _branch_verdict(
        went, meant=meant, exit_code=exit_code, done="switched to", nothing="HEAD stayed on its branch"
    )


def _target(subject: str) -> str | None:
    if not subject.startswith("moving from "):
        return None
    before, found, after = subject.removeprefix("moving from ").partition(" to ")
    return after if found and before != after else None


def branched(
    intents: Sequence[Intent], before: frozenset[str], *, after: frozenset[str], exit_code: int | None
) -> BranchVerdict:
    """Which branches were created: those that exist now and did not before."""
    new = tuple(sorted(after - before))
    meant = any(intent.kind == "branch_create" and not intent.dry_run for intent in intents)
    return _branch_verdict(new, meant=meant, exit_code=exit_code, done="created", nothing="no branch is new")


def _branch_verdict(
    found: tuple[str, ...], *, meant: bool, exit_code: int | None, done: str, nothing: str
) -> BranchVerdict:
    names = _listed(found)
    if found and meant:
        return BranchVerdict(found, agreed=True, why=f"{done} {names}")
    if found:
        return BranchVerdict(found, agreed=False, why=f"{done} {names} without a command for it: a script or an alias")
    if not meant:
        return BranchVerdict((), agreed=True, why=nothing)
    if exit_code:
        return BranchVerdict((), agreed=True, why=f"the command failed with exit code {exit_code}")
    return BranchVerdict((), agreed=False, why=f"it was meant, and {nothing}: it was there already, or is elsewhere")

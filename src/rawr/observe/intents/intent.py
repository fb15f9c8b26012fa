"""The shape of an intent, and the place where it will happen (B6). Only data and paths as text."""

import posixpath
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from msgspec import Struct

from rawr.observe.shell.simple_command import Assignment

Kind = Literal[
    "commit",
    "amend",
    "merge",
    "rebase",
    "cherry_pick",
    "revert",
    "branch_create",
    "branch_switch",
    "push",
    "pr_create",
    "pr_update",
    "pr_merge",
    "pr_close",
    "pr_reopen",
    "pr_review",
    "pr_ready",
    "stack_change",
]

COMMITTING: frozenset[Kind] = frozenset({"commit", "amend", "merge", "rebase", "cherry_pick", "revert"})
PULL_REQUEST: frozenset[Kind] = frozenset(kind for kind in get_args(Kind) if kind.startswith("pr_"))


class Intent(Struct, frozen=True):
    kind: Kind
    directory: str | None = "."
    """Where, as written: absolute, or relative to where the line starts. ``None`` if only running would tell."""
    dry_run: bool = False
    """It asks to change nothing: ``--dry-run``, or to continue in a browser."""
    certain: bool = True
    argv: tuple[str | None, ...] = ()
    """The command as written in the line."""


class Place(Struct, frozen=True):
    """A directory as text, after any ``cd`` and ``-C``."""

    directory: str | None = "."

    def entered(self, directory: str | None) -> "Place":
        if directory is None:
            return Place(None)
        if directory.startswith("/"):
            return Place(posixpath.normpath(directory))
        if self.directory is None:
            return self
        # "a/../b" is not shortened across "..": with a symbolic link it is a different place.
        return Place(_plain(posixpath.join(self.directory, directory)))

    def with_environment(self, assignments: Iterable[Assignment]) -> "Place":
        """The place that ``GIT_DIR`` and ``GIT_WORK_TREE`` before the command name."""
        given = {assignment.name: assignment.value for assignment in assignments}
        return self.pointed(given, git_dir="GIT_DIR", work_tree="GIT_WORK_TREE")

    def pointed(self, given: Mapping[str, str | None], *, git_dir: str, work_tree: str) -> "Place":
        """The place of an explicitly named repository. HEAD belongs to the git directory, so that one counts first."""
        for name in (git_dir, work_tree):
            if name in given:
                return self.repository(given[name])
        return self

    def repository(self, path: str | None) -> "Place":
        """The place that a git directory belongs to."""
        if path is not None and posixpath.basename(path.rstrip("/")) == ".git":
            path = posixpath.dirname(path.rstrip("/")) or "."
        return self.entered(path)


def _plain(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts) or "."

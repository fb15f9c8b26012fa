"""Watches the repositories that a thread works in, command by command (B6).

It remembers how far each repository has been seen and reports after a command what is new there. The repository is the
truth; the command line says what was meant, and if the two differ, the record says why. Everything here blocks, usually
for milliseconds, and is called in a thread.
"""

import time
from pathlib import Path
from threading import Lock

from rawr.core.real import Real
from rawr.core.vocabulary.effects import ObserveCommand, ObserveTree, WatchRepository
from rawr.core.vocabulary.facts import CommandObserved, CommitSeen, TreeSeen
from rawr.observe.intents.reading import Intent, intents
from rawr.observe.repository.git import (
    LogPosition,
    Movement,
    Repository,
    aliases,
    branches,
    family,
    locate,
    look,
    movements,
)
from rawr.observe.repository.graphite import graphite_stack
from rawr.observe.repository.pr_verdict import pull_request
from rawr.observe.repository.verdict import branched, committed, switched
from rawr.observe.workspace.tree import TreeWatch

MAX_COMMITS = 50
MAX_CREATED = 20
MAX_STACK_SHOWN = 50


class RepositoryWatch:
    """One for all threads: two threads in one repository see each commit once, whichever asks first."""

    def __init__(self) -> None:
        self._seen: dict[Path, LogPosition] = {}
        self._begun = time.time()
        self._from_nothing = LogPosition(head=None, branch=None, size=0, last="", at=self._begun)
        self._branches: dict[Path, frozenset[str]] = {}
        self._trees = TreeWatch()
        self._lock = Lock()

    def look(
        self, effect: Real[WatchRepository | ObserveCommand | ObserveTree], /
    ) -> CommandObserved | TreeSeen | None:
        match effect.thing:
            case WatchRepository(cwd=cwd):
                self.begin(cwd)
                return None
            case ObserveTree(turn=turn, cwd=cwd):
                tree = self._trees.look(cwd)
                return TreeSeen(turn=turn, digest=tree.digest, files=tree.files, cut=tree.cut)
            case ObserveCommand() as ended:
                return self.command_ended(
                    turn=ended.turn,
                    item=ended.item,
                    command=ended.command,
                    cwd=ended.cwd,
                    exit_code=ended.exit_code,
                    output=ended.output,
                )

    def begin(self, cwd: str) -> None:
        """Start watching: what is already in the repository is not news."""
        with self._lock:
            for repository in _around(Path(cwd)):
                view = look(repository)
                self._seen.setdefault(repository.git_dir, view.log_position)
                self._branches.setdefault(repository.common_dir, branches(repository))

    def command_ended(
        self, *, turn: str, item: str, command: str, cwd: str, exit_code: int | None, output: str
    ) -> CommandObserved:
        home = locate(Path(cwd))
        meant = intents(command, aliases=aliases(home) if home is not None else {})
        with self._lock:
            moved = self._news(Path(cwd), meant)
            created = self._created(home, meant, exit_code) if home is not None else ()
        verdict = committed(meant, moved, exit_code=exit_code)
        pr = pull_request(meant, output, exit_code=exit_code)
        view = look(home) if home is not None else None
        return CommandObserved(
            turn=turn,
            item=item,
            root=str(view.root) if view is not None else "",
            branch=(view.branch or "") if view is not None else "",
            head=(view.head or "") if view is not None else "",
            commits=tuple(_commit(one) for one in verdict.commits[-MAX_COMMITS:]),
            switched_to=switched(meant, moved, exit_code=exit_code).branches,
            created=created,
            stack=(graphite_stack(home) or ())[:MAX_STACK_SHOWN] if home is not None else (),
            pull_request=pr.done,
            url=pr.url or "",
            agreed=verdict.agreed,
            why="" if verdict.agreed else verdict.why,
        )

    def _created(self, repository: Repository, meant: tuple[Intent, ...], exit_code: int | None) -> tuple[str, ...]:
        after = branches(repository)
        before = self._branches.get(repository.common_dir, after)
        self._branches[repository.common_dir] = after
        return branched(meant, before, after=after, exit_code=exit_code).branches[:MAX_CREATED]

    def _news(self, cwd: Path, meant: tuple[Intent, ...]) -> list[Movement]:
        """What moved since the last look, in the command's repository and in those that it names."""
        places = [cwd, *(cwd / one.directory for one in meant if one.directory not in (None, "."))]
        found: dict[Path, Repository] = {}
        for place in places:
            for repository in _around(place):
                found.setdefault(repository.git_dir, repository)
        news: list[Movement] = []
        for git_dir, repository in found.items():
            since = self._seen.get(git_dir)
            moved, position = movements(repository, since or self._from_nothing)
            self._seen[git_dir] = position
            # A repository that was never looked at, perhaps created by this command: its own dates tell what is new.
            news += moved if since is not None else [one for one in moved if one.at >= int(self._begun)]
        return news


def _around(place: Path) -> tuple[Repository, ...]:
    repository = locate(place)
    return family(repository) if repository is not None else ()


def _commit(movement: Movement) -> CommitSeen:
    amended = (movement.before or "") if movement.kind == "amend" else ""
    return CommitSeen(movement.after, movement.subject, amended)

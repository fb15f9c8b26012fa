"""Watches the repositories that a thread works in, command by command (B6).

It remembers how far each repository has been seen and reports after a command what is new there. The repository is the
truth; the command line says what was meant, and if the two differ, the record says why. Everything here blocks, usually
for milliseconds, and is called in a thread.
"""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from rawr.core.real import Real
from rawr.core.vocabulary.effects import ObserveCommand, ObserveTree, WatchRepository
from rawr.core.vocabulary.facts import CommandObserved, CommitSeen, TreeSeen
from rawr.core.vocabulary.items import Change
from rawr.observe.commit_claims import CommitClaims, Ended, began
from rawr.observe.file_claims import FileClaims
from rawr.observe.intents.hidden import hidden
from rawr.observe.intents.intent import Place
from rawr.observe.intents.reading import PULL_REQUEST, Intent, intents_of
from rawr.observe.presence import Presence
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
    remotes,
)
from rawr.observe.repository.graphite import graphite_stack
from rawr.observe.repository.pr_opened import addresses, is_of, opened_by_script
from rawr.observe.repository.pr_verdict import PrVerdict, pull_request
from rawr.observe.repository.rewriting import rewritten
from rawr.observe.repository.verdict import branched, committed, switched
from rawr.observe.shell.parsing import SimpleCommand, parse

MAX_COMMITS = 50
MAX_CREATED = 20
MAX_STACK_SHOWN = 50
MAX_CHANGES = 200
MAX_ADDRESSES = 1_000
Observed = CommandObserved | TreeSeen


class _News(Struct):
    """What moved in a repository since the last look."""

    moved: list[Movement] = msgspec.field(default_factory=list)
    renamed: dict[str, str] = msgspec.field(default_factory=dict)
    """By the new name of a commit that was written anew, the old one."""


class RepositoryWatch:
    """One for all threads: it knows which of them are at work where, and so whose a commit or a file can be."""

    def __init__(self) -> None:
        self._seen: dict[Path, LogPosition] = {}
        self._begun = time.time()
        self._from_nothing = LogPosition(head=None, branch=None, size=0, last="", at=self._begun)
        self._branches: dict[Path, frozenset[str]] = {}
        self._addresses: dict[str, None] = {}
        """Of pull requests, as commands have printed them."""
        self._presence = Presence()
        self._commits = CommitClaims(self._presence)
        self._files = FileClaims(self._presence)
        self._lock = Lock()

    def look(
        self, effect: Real[WatchRepository | ObserveCommand | ObserveTree], /, *, thread: str = ""
    ) -> tuple[Observed, ...]:
        with self._lock:
            match effect.thing:
                case WatchRepository(cwd=cwd, turn=turn, files=files, since=since):
                    self._begin(cwd)
                    if turn:
                        self._enter(cwd, thread)
                    if turn or files:
                        self._files.before_turn(cwd, thread, turn=turn, look=files, since=since / 1000)
                    return ()
                case ObserveTree() as ended:
                    found = self._turn_ended(ended, thread)
                    if ended.begun:
                        self._enter(ended.cwd, thread)
                        self._files.before_turn(ended.cwd, thread, turn=True, look=False)
                    return found
                case ObserveCommand() as ended:
                    return (self._command_ended(ended, thread),)

    def _begin(self, cwd: str) -> None:
        """Start watching: what is already in the repository is not news."""
        for repository in _around(Path(cwd)):
            view = look(repository)
            self._seen.setdefault(repository.git_dir, view.log_position)
            self._branches.setdefault(repository.common_dir, branches(repository))

    def _enter(self, cwd: str, thread: str) -> None:
        """A turn of the thread is under way here."""
        home = locate(Path(cwd))
        if home is not None:
            self._presence.enter(home.common_dir, thread)

    def _command_ended(self, ended: ObserveCommand, thread: str) -> CommandObserved:
        home = locate(Path(ended.cwd))
        known = aliases(home) if home is not None else {}
        own = str(Path.home())
        parsed = parse(ended.command, home=own)
        meant = intents_of(parsed, aliases=known, home=own, scripts_in=Path(ended.cwd))
        if ended.tool:
            meant = (Intent("commit", certain=False),)
        self._enter(ended.cwd, thread)
        news = self._news(Path(ended.cwd), meant)
        line = Ended(ended.command, parsed.commands, ended.output, meant, ended.exit_code, began(ended.took_ms))
        mine: list[Movement] = []
        renamed: list[CommitSeen] = []
        for place, new in news.items():
            claimed = self._commits.after_command(place, thread, line, moved=new.moved)
            mine += [*claimed, *(one for one in new.moved if not one.made)]
            renamed += self._renamed(place, new, claimed)
        created = self._created(home, meant, ended.exit_code) if home is not None else ()
        verdict = committed(meant, mine, exit_code=ended.exit_code)
        pr = self._pull_request(ended, meant, parsed.commands, home)
        view = look(home) if home is not None else None
        return CommandObserved(
            turn=ended.turn,
            item=ended.item,
            root=str(view.root) if view is not None else "",
            branch=(view.branch or "") if view is not None else "",
            head=(view.head or "") if view is not None else "",
            commits=tuple(_commit(one) for one in verdict.commits[-MAX_COMMITS:]),
            switched_to=switched(meant, mine, exit_code=ended.exit_code).branches,
            created=created,
            stack=(graphite_stack(home) or ())[:MAX_STACK_SHOWN] if home is not None else (),
            pull_request=pr.done,
            url=pr.url or "",
            agreed=verdict.agreed,
            why="" if verdict.agreed else verdict.why,
            rewritten=tuple(renamed[-MAX_COMMITS:]),
        )

    def _pull_request(
        self, ended: ObserveCommand, meant: Sequence[Intent], commands: Sequence[SimpleCommand], home: Repository | None
    ) -> PrVerdict:
        """As the line says; or else by its output, if a script opened one."""
        verdict = pull_request(meant, ended.output, exit_code=ended.exit_code)
        shown = addresses(ended.output)
        if not shown:
            return verdict
        if not any(one.kind in PULL_REQUEST for one in meant):
            texts = [hidden(one, Place(), Path(ended.cwd)).text for one in commands]
            seen = self._addresses
            one = opened_by_script(commands, ended.output, exit_code=ended.exit_code, seen=seen, texts=texts)
            if one is not None and is_of(one, remotes(home) if home is not None else ()):
                verdict = PrVerdict(("pr_create",), one.url, agreed=True, why="a script printed its address")
        self._addresses.update(dict.fromkeys(one.url for one in shown))
        while len(self._addresses) > MAX_ADDRESSES:
            del self._addresses[next(iter(self._addresses))]
        return verdict

    def _renamed(self, place: Path, new: "_News", claimed: Iterable[Movement]) -> list[CommitSeen]:
        """What a rebase wrote anew, and what somebody else amended."""
        mine = {one.after for one in claimed}
        others = {after: before for after, before in new.renamed.items() if after not in mine}
        self._commits.rename(place, others)
        return [
            CommitSeen(one.after, one.subject, others[one.after])
            for one in new.moved
            if one.made and others.get(one.after)
        ]

    def _turn_ended(self, ended: ObserveTree, thread: str) -> tuple[Observed, ...]:
        found: list[Observed] = []
        home = locate(Path(ended.cwd)) if ended.commits else None
        if home is not None:
            found += self._left_over(home, ended, thread)
            self._presence.leave(home.common_dir, thread)
        if ended.files:
            found.append(self._tree(ended, thread))
        else:
            self._files.leave(ended.cwd, thread)
        return tuple(found)

    def _left_over(self, home: Repository, ended: ObserveTree, thread: str) -> list[CommandObserved]:
        """What no command accounts for: made in the background, or found and not claimed."""
        new = self._news(Path(ended.cwd), ()).get(home.common_dir, _News())
        mine = self._commits.after_turn(home.common_dir, thread, moved=new.moved)
        renamed = self._renamed(home.common_dir, new, mine)
        others = [one for one in new.moved if not one.made]
        went = switched((), others, exit_code=None).branches
        if not (mine or went or renamed):
            return []
        view = look(home)
        return [
            CommandObserved(
                turn=ended.turn,
                item="",
                root=str(view.root),
                branch=view.branch or "",
                head=view.head or "",
                commits=tuple(_commit(one) for one in mine[-MAX_COMMITS:]),
                switched_to=went,
                rewritten=tuple(renamed[-MAX_COMMITS:]),
            )
        ]

    def _tree(self, ended: ObserveTree, thread: str) -> TreeSeen:
        claimed = self._files.after_turn(ended.cwd, thread)
        tree, changes = claimed.tree, claimed.changes
        return TreeSeen(
            turn=ended.turn,
            digest=tree.digest,
            files=tree.files,
            cut=tree.cut,
            changes=tuple(_whole(one, tree.root) for one in changes[:MAX_CHANGES]) if ended.commits else (),
            more=max(len(changes) - MAX_CHANGES, 0) if ended.commits else 0,
            shared=claimed.shared and bool(changes),
        )

    def _created(self, repository: Repository, meant: tuple[Intent, ...], exit_code: int | None) -> tuple[str, ...]:
        after = branches(repository)
        before = self._branches.get(repository.common_dir, after)
        self._branches[repository.common_dir] = after
        return branched(meant, before, after=after, exit_code=exit_code).branches[:MAX_CREATED]

    def _news(self, cwd: Path, meant: Iterable[Intent]) -> "dict[Path, _News]":
        """What moved since the last look, in the command's repository and in those that it names, by common
        directory."""
        places = [cwd, *(cwd / one.directory for one in meant if one.directory not in (None, "."))]
        found: dict[Path, Repository] = {}
        for place in places:
            for repository in _around(place):
                found.setdefault(repository.git_dir, repository)
        news: dict[Path, _News] = {}
        for git_dir, repository in found.items():
            since = self._seen.get(git_dir)
            moved, position = movements(repository, since or self._from_nothing)
            self._seen[git_dir] = position
            # A repository that was never looked at, perhaps created by this command: its own dates tell what is new.
            fresh = moved if since is not None else [one for one in moved if one.at >= int(self._begun)]
            new = news.setdefault(repository.common_dir, _News())
            new.moved.extend(fresh)
            new.renamed.update(rewritten(repository, fresh))
        return news


def _whole(change: Change, root: Path) -> Change:
    """As Codex writes paths: from the root of the file system. A name need not be text. Git adds a slash to that of a
    repository in the tree."""
    moved = _path(root, change.moved_to) if change.moved_to else ""
    return Change(_path(root, change.path), change.kind, moved)


def _path(root: Path, name: str) -> str:
    return f"{root}/{name}".rstrip("/").encode("utf-8", "replace").decode()


def _around(place: Path) -> tuple[Repository, ...]:
    repository = locate(place)
    return family(repository) if repository is not None else ()


def _commit(movement: Movement) -> CommitSeen:
    amended = (movement.before or "") if movement.kind == "amend" else ""
    return CommitSeen(movement.after, movement.subject, amended)

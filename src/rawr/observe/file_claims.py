"""Whose files are they (B6)? A tree is looked at before and after each turn; what changed in between is the turn's.

If another thread was in a turn in the same tree meanwhile, nobody can tell whose a change is: each of them gets it,
marked as shared.
"""

from collections import deque
from pathlib import Path

from msgspec import Struct

from rawr.core.vocabulary.items import Change
from rawr.observe.presence import Presence
from rawr.observe.workspace.changes import folded
from rawr.observe.workspace.tree import Tree, TreeWatch

MAX_LOG = 5_000
MAX_POSITIONS = 256
LARGE = 20_000
"""Files in a tree from which on it is looked at once per turn, at its end: what a person changes between two turns then
counts for the second."""


class Claimed(Struct, frozen=True):
    tree: Tree
    changes: tuple[Change, ...]
    shared: bool


class _Log:
    def __init__(self) -> None:
        self.changes: deque[Change] = deque(maxlen=MAX_LOG)
        self.end = 0
        self.positions: dict[str, int] = {}

    def add(self, changes: tuple[Change, ...]) -> None:
        self.changes.extend(changes)
        self.end += len(changes)

    def move(self, thread: str, position: int) -> None:
        self.positions.pop(thread, None)
        self.positions[thread] = position
        while len(self.positions) > MAX_POSITIONS:
            del self.positions[next(iter(self.positions))]

    def since(self, position: int) -> list[Change]:
        start = self.end - len(self.changes)
        return list(self.changes)[max(position - start, 0) :]


class FileClaims:
    def __init__(self, presence: Presence) -> None:
        self._presence = presence
        self._trees = TreeWatch()
        self._logs: dict[Path, _Log] = {}

    def before_turn(self, cwd: str, thread: str, *, turn: bool, look: bool, since: float = 0) -> None:
        """``turn``: it has begun. ``since``: it began then and was cut off; in seconds since the epoch."""
        known = self._trees.known(cwd)
        changes: tuple[Change, ...] = ()
        if known is not None and (known[1] > LARGE or not look):
            root = known[0]
        else:
            tree = self._trees.look(cwd, turn=bool(since) or self._others(cwd, thread), since=since)
            root, changes = tree.root, tree.changes
        if turn:
            self._presence.enter(root, thread)
        log = self._logs.setdefault(root, _Log())
        begun = log.end
        log.add(changes)
        log.move(thread, begun if since else log.end)

    def _others(self, cwd: str, thread: str) -> bool:
        """Return True if another thread is in a turn here: then what changed is somebody's work."""
        known = self._trees.known(cwd)
        return known is not None and self._presence.others_now(known[0], thread)

    def after_turn(self, cwd: str, thread: str) -> Claimed:
        tree = self._trees.look(cwd)
        log = self._logs.setdefault(tree.root, _Log())
        begun = log.positions.get(thread, log.end)
        log.add(tree.changes)
        mine = folded(log.since(begun))
        log.move(thread, log.end)
        shared = self._presence.others_since(tree.root, thread)
        self._presence.leave(tree.root, thread)
        return Claimed(tree, tuple(mine), shared)

    def leave(self, cwd: str, thread: str) -> None:
        if (known := self._trees.known(cwd)) is not None:
            self._presence.leave(known[0], thread)

"""Whose commit is it (B6)? A look after a command finds what is new in the repository, whoever did it: the command, a
person in another terminal, or another thread's command.

A thread gets what its command's output or line names, and what can only come from that line or from a script that it
runs. What no command accounts for is a person's. A commit of a command that is still running may be found by the look
after another one, so what is not claimed waits for the end of the turn, or of the last turn if several threads are at
work. No commit is reported twice, in whichever worktree it shows up.
"""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from rawr.observe.intents.intent import COMMITTING, Intent
from rawr.observe.presence import Presence
from rawr.observe.repository.git import Movement
from rawr.observe.repository.verdict import follows
from rawr.observe.shell.simple_command import SimpleCommand

MAX_WAITING = 200
MAX_KNOWN = 10_000
MAX_OWED = 20
SLACK = 2.0
"""Seconds by which a look may come late, and a log's whole seconds be off."""
LONG = 8
"""Characters of a message from which on it is found again in a subject that a hook has changed."""
_MESSAGE = re.compile(r"(?:-[a-zA-Z]*m|--message(?:=|$))(?P<text>.*)", re.DOTALL)
_PRINTED = re.compile(r"^\[[^\]\n]* ([0-9a-f]{4,64})\] ", re.MULTILINE)
"""``[main 1a2b3c4] Subject``; before the first commit, ``[main (root-commit) 1a2b3c4] Subject``."""
_STAYS = re.compile(r"(?<![&><])&(?![&><\d])|\b(?:nohup|setsid|disown|tmux|screen)\b")
"""A line that may leave something running."""


class Ended(Struct, frozen=True):
    """A command that has just ended. ``began``: seconds since the epoch; 0: not known."""

    line: str
    commands: tuple[SimpleCommand, ...]
    output: str
    meant: tuple[Intent, ...]
    exit_code: int | None = 0
    began: float = 0

    @property
    def commits(self) -> tuple[Intent, ...]:
        """What it meant to commit."""
        return tuple(one for one in self.meant if one.kind in COMMITTING and not one.dry_run)

    @property
    def stays(self) -> bool:
        return _STAYS.search(self.line) is not None


class CommitClaims:
    """By common directory: all worktrees of a repository share their commits."""

    def __init__(self, presence: Presence) -> None:
        self._presence = presence
        self._waiting: dict[Path, list[Movement]] = {}
        self._whose: dict[Path, dict[str, str]] = {}
        """The commits that were seen, each with its thread; empty for a person's."""
        self._owed: dict[tuple[Path, str], list[Ended]] = {}
        """The lines of a running turn that meant to commit, and may have done so without being seen yet."""

    def after_command(
        self, place: Path, thread: str, ended: Ended, *, moved: Iterable[Movement]
    ) -> tuple[Movement, ...]:
        """``moved`` is what was found after it; the part of that, and of what waits, which is this thread's."""
        fresh = self._fresh(place, moved)
        waiting = [*self._waiting.get(place, ()), *fresh]
        shared = self._presence.others_since(place, thread)
        mine: list[Movement] = []
        owed = self._owed.setdefault((place, thread), [])
        for line in (*owed, ended):
            mine += self._claimed(place, thread, line, waiting, fresh=fresh, taken=mine, shared=shared)
        if ended.commits and not mine and (ended.stays or (shared and ended.exit_code == 0)):
            owed[:] = [*owed, ended][-MAX_OWED:]
        return self._take(place, thread, mine, waiting)

    def after_turn(self, place: Path, thread: str, *, moved: Iterable[Movement]) -> tuple[Movement, ...]:
        """What a line of the turn still accounts for. Then the rest is a person's, unless another thread is at work."""
        fresh = self._fresh(place, moved)
        waiting = [*self._waiting.get(place, ()), *fresh]
        others = self._presence.others_now(place, thread)
        mine: list[Movement] = []
        for line in self._owed.pop((place, thread), ()):
            rest = () if others else waiting
            mine += self._claimed(place, thread, line, waiting, fresh=rest, taken=mine, shared=others)
        found = self._take(place, thread, mine, waiting)
        if not others:
            self._know(place, [one.after for one in self._waiting.pop(place, ())], thread="")
        return found

    def rename(self, place: Path, names: Mapping[str, str]) -> None:
        """By the new name of each commit, the old one: it stays whose it was."""
        whose = self._whose.get(place, {})
        for after, before in names.items():
            self._know(place, [after], thread=whose.get(before, ""))

    def _fresh(self, place: Path, moved: Iterable[Movement]) -> list[Movement]:
        """A rebase makes no new commit: it writes known ones anew."""
        known = {*self._whose.get(place, ()), *(one.after for one in self._waiting.get(place, ()))}
        made = [one for one in moved if one.made]
        self._know(place, [one.after for one in made if one.kind == "rebase" and one.after not in known], thread="")
        found: dict[str, Movement] = {}
        for one in made:
            if one.kind != "rebase" and one.after not in known:
                found.setdefault(one.after, one)
        return list(found.values())

    def _claimed(
        self,
        place: Path,
        thread: str,
        ended: Ended,
        waiting: Sequence[Movement],
        *,
        fresh: Sequence[Movement],
        taken: Sequence[Movement],
        shared: bool,
    ) -> list[Movement]:
        free = [one for one in waiting if one not in taken]
        mine = self._named(place, thread, ended, free)
        if shared:
            # Another thread's line is as good a reason: only what has just appeared, and nothing beside what is named.
            rest = [one for one in fresh if one not in taken] if not mine and ended.exit_code == 0 else []
            return mine + (_of_kind(ended, rest, named=0) if not any(map(_message, ended.commits)) else [])
        return mine + _of_kind(ended, [one for one in free if one not in mine], named=len(mine))

    def _named(self, place: Path, thread: str, ended: Ended, free: Sequence[Movement]) -> list[Movement]:
        """Git prints the beginning of a commit's id; a quiet one is known by its message, or by what it amends. Other
        ids in the output may be of anybody's commit: of the one that git found in its way, for example."""
        said = _PRINTED.findall(ended.output)
        by_id = [one for one in free if any(one.after.startswith(sha) for sha in said)]
        whose = self._whose.get(place, {})
        own = {after for after, owner in whose.items() if owner == thread} if _amends(ended) else set()
        by_words = [
            one
            for one in free
            if one not in by_id and ((one.kind == "amend" and one.before in own) or _worded(one, ended))
        ]
        return by_id + by_words

    def _take(
        self, place: Path, thread: str, mine: Sequence[Movement], waiting: Sequence[Movement]
    ) -> tuple[Movement, ...]:
        taken = {one.after for one in mine}
        self._waiting[place] = [one for one in waiting if one.after not in taken][-MAX_WAITING:]
        self._know(place, taken, thread=thread)
        return tuple(one for one in waiting if one.after in taken)

    def _know(self, place: Path, commits: Iterable[str], *, thread: str) -> None:
        whose = self._whose.setdefault(place, {})
        whose.update(dict.fromkeys(commits, thread))
        while len(whose) > MAX_KNOWN:
            del whose[next(iter(whose))]


def _of_kind(ended: Ended, free: Sequence[Movement], *, named: int) -> list[Movement]:
    """The line, or a script in it, did commit and does not say with what message: what appeared while it ran, if it is
    of the kind. A line that says what it does made as many as it says, and those are the newest."""
    silent = [one for one in ended.commits if _message(one) is None]
    kinds = {one.kind for one in silent}
    since = ended.began - SLACK if ended.began else 0
    fitting = [one for one in free if kinds & follows(one.kind) and one.at >= int(since)]
    if all(one.certain for one in ended.commits):
        count = max(len(ended.commits) - named, 0)
        return fitting[-count:] if count else []
    return fitting


def _amends(ended: Ended) -> bool:
    return any(one.kind == "amend" for one in ended.commits)


def _worded(one: Movement, ended: Ended) -> bool:
    """The line has the commit's subject as a message, or as a line of a longer one; a hook may have added to it."""
    subject = one.subject.strip()
    if not subject:
        return False
    said = [text for intent in ended.commits if (text := _message(intent)) is not None]
    if any(text == subject or (len(text) >= LONG and text in subject) for text in said):
        return True
    if not ended.commits:
        # An alias of the user's shell: ``gc 'Add the parser'``.
        return " " in subject and any(subject in command.words for command in ended.commands)
    return any(line.strip() == subject for line in ended.line.splitlines())


def _message(intent: Intent) -> str | None:
    """The first line of the message that a command names: ``-m TEXT``, ``-amTEXT``, ``--message=TEXT``. None if only
    running it would tell."""
    words = intent.argv
    for number, word in enumerate(words):
        option = _MESSAGE.fullmatch(word or "")
        if option is None:
            continue
        following = words[number + 1] if number + 1 < len(words) else None
        text = (option["text"] or following or "").strip().partition("\n")[0].strip()
        return text or None
    return None


def began(took_ms: int | None) -> float:
    """When a command began that has just ended."""
    return 0 if took_ms is None else time.time() - took_ms / 1000

"""Whose commit is it (B6)? Several threads may work in one repository, and a look after one's command can find what
another's has just done.

If only one thread is at work, everything new is its own: scripts and aliases commit too, and what the repository shows
counts. Otherwise a thread gets what its command's output or line names, or what can only come from that line. The rest
waits for whoever names it, or for the last of them to end its turn. No commit is reported twice, in whichever worktree
it shows up.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from rawr.observe.intents.intent import COMMITTING, Intent
from rawr.observe.presence import Presence
from rawr.observe.repository.git import Movement
from rawr.observe.repository.verdict import follows

MAX_WAITING = 200
MAX_KNOWN = 10_000
_MESSAGE = re.compile(r"(?:-[a-zA-Z]*m|--message(?:=|$))(?P<text>.*)", re.DOTALL)
_PRINTED = re.compile(r"^\[[^\]\n]* ([0-9a-f]{4,64})\] ", re.MULTILINE)
"""``[main 1a2b3c4] Subject``; before the first commit, ``[main (root-commit) 1a2b3c4] Subject``."""


class Ended(Struct, frozen=True):
    """A command that has just ended."""

    line: str
    output: str
    meant: tuple[Intent, ...]
    exit_code: int | None = 0

    @property
    def commits(self) -> tuple[Intent, ...]:
        """What it meant to commit."""
        return tuple(one for one in self.meant if one.kind in COMMITTING and not one.dry_run)


class CommitClaims:
    """By common directory: all worktrees of a repository share their commits."""

    def __init__(self, presence: Presence) -> None:
        self._presence = presence
        self._waiting: dict[Path, list[Movement]] = {}
        self._whose: dict[Path, dict[str, str]] = {}
        """The commits that were reported, each with its thread."""

    def after_command(
        self, place: Path, thread: str, ended: Ended, *, moved: Iterable[Movement]
    ) -> tuple[Movement, ...]:
        """``moved`` is what was found after it; the part of that, and of what waits, which is this thread's."""
        fresh = self._fresh(place, moved)
        waiting = [*self._waiting.get(place, ()), *fresh]
        if self._presence.others_since(place, thread):
            mine = self._named(place, thread, ended, waiting)
            mine += self._meant(ended, [one for one in fresh if one not in mine]) if not mine else []
        else:
            mine = waiting
        return self._take(place, thread, mine, waiting)

    def after_turn(self, place: Path, thread: str, *, moved: Iterable[Movement]) -> tuple[Movement, ...]:
        """What nobody claimed goes to the last thread whose turn ends."""
        waiting = [*self._waiting.get(place, ()), *self._fresh(place, moved)]
        mine = [] if self._presence.others_now(place, thread) else waiting
        return self._take(place, thread, mine, waiting)

    def _fresh(self, place: Path, moved: Iterable[Movement]) -> list[Movement]:
        known = {*self._whose.get(place, ()), *(one.after for one in self._waiting.get(place, ()))}
        found: dict[str, Movement] = {}
        for one in moved:
            if one.made and one.after not in known:
                found.setdefault(one.after, one)
        return list(found.values())

    def _named(self, place: Path, thread: str, ended: Ended, waiting: Sequence[Movement]) -> list[Movement]:
        """Git prints the beginning of a commit's id; a quiet one is known by its message, or by what it amends. Other
        ids in the output may be of anybody's commit: of the one that git found in its way, for example."""
        said = _PRINTED.findall(ended.output)
        by_id = [one for one in waiting if any(one.after.startswith(sha) for sha in said)]
        whose = self._whose.get(place, {})
        by_words = [
            one
            for one in waiting
            if one not in by_id
            and ((one.kind == "amend" and whose.get(one.before or "") == thread) or _worded(one, ended))
        ]
        return by_id + by_words

    def _meant(self, ended: Ended, fresh: Sequence[Movement]) -> list[Movement]:
        """The line did commit, and says nothing of it, not even a message: what has just appeared, if it is of the
        kind."""
        if ended.exit_code != 0 or any(_messages(one) for one in ended.commits):
            return []
        kinds = {one.kind for one in ended.commits}
        return [one for one in fresh if kinds & follows(one.kind)]

    def _take(
        self, place: Path, thread: str, mine: Sequence[Movement], waiting: Sequence[Movement]
    ) -> tuple[Movement, ...]:
        taken = {one.after for one in mine}
        self._waiting[place] = [one for one in waiting if one.after not in taken][-MAX_WAITING:]
        whose = self._whose.setdefault(place, {})
        whose.update(dict.fromkeys(taken, thread))
        while len(whose) > MAX_KNOWN:
            del whose[next(iter(whose))]
        return tuple(one for one in waiting if one.after in taken)


def _worded(one: Movement, ended: Ended) -> bool:
    """The line has the commit's subject as a message, or as a line of a longer one."""
    subject = one.subject.strip()
    if not subject or not ended.commits:
        return False
    said = {text.strip().partition("\n")[0].strip() for intent in ended.commits for text in _messages(intent)}
    return subject in said or any(line.strip() == subject for line in ended.line.splitlines())


def _messages(intent: Intent) -> list[str]:
    """The messages that a command names: ``-m TEXT``, ``-amTEXT``, ``--message=TEXT``."""
    found: list[str] = []
    words = intent.argv
    for number, word in enumerate(words):
        option = _MESSAGE.fullmatch(word or "")
        if option is None:
            continue
        following = words[number + 1] if number + 1 < len(words) else ""
        found.append(option["text"] or following or "")
    return found

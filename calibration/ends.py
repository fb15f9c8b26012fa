"""The turn ends of a session file: where they are, and what a person needs to see to label one.

A turn end is named by the line, from 1 on, of the agent's last message in the turn. Only completed turns in which the
agent said something and did something count: a command, a change, a tool call, a search.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from rawr.core.vocabulary import facts, items
from rawr.history import entries
from rawr.history.compressed import CannotUnpack
from rawr.history.files import Cut, lines_of
from rawr.history.lines import entry_of
from rawr.history.telling import Telling

HASH = 12
"""Hex digits of a file's SHA-256 in an id."""
_BLOCK = 1 << 20
_KEPT = 40
"""Commands and paths that are kept of a turn."""
_DONE = items.Command | items.FileChange | items.ToolCall | items.WebSearch | items.SubAgent


class TurnEnd(Struct, kw_only=True):
    """``began`` and ``ended`` are the lines with which the turn starts and is over; signals in between are its own.
    ``heard`` is the line with which the user's next message is known, 0 if there is none: a topic shift may be seen
    as late as that. ``spoken`` is the line of the turn's own first message, with which a shift belongs to the turn
    before."""

    began: int
    spoken: int = 0
    line: int = 0
    ended: int = 0
    heard: int = 0
    version: str = ""
    asked: str = ""
    said: str = ""
    phase: str = ""
    next: str = ""
    commands: list[tuple[str, int | None]] = []
    changed: list[str] = []
    tools: int = 0
    plan: tuple[int, int] | None = None
    """Steps completed, and all."""
    worked: bool = False


def file_hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()[:HASH]


def ends_of(path: Path) -> list[TurnEnd]:
    """All turn ends of a file that can be labelled. What cannot be read ends the list."""
    reading = _Reading()
    try:
        for line in lines_of(str(path)):
            reading.take(line)
    except (OSError, CannotUnpack):
        pass
    reading.over()
    return [one for one in reading.ends if one.line and one.worked and one.said.strip()]


class _Reading:
    def __init__(self) -> None:
        self.ends: list[TurnEnd] = []
        self._telling = Telling()
        self._line = 0
        self._message = 0
        """The line of the agent's newest message, which is told only with a later line."""
        self._turn: TurnEnd | None = None
        self._plan: tuple[int, int] | None = None
        self._last: TurnEnd | None = None
        """The completed turn that the user has not answered yet."""

    def take(self, line: bytes | Cut) -> None:
        self._line += 1
        if isinstance(line, Cut) or not line.strip(b"\x00 \r\t"):
            return
        entry = entry_of(line)
        self._hear(self._telling.take(entry))
        if isinstance(entry, entries.Said) and entry.role == "assistant":
            self._message = self._line

    def over(self) -> None:
        self._hear(self._telling.over())

    def _hear(self, told: list[tuple[int, facts.AnyFact]]) -> None:
        for _, fact in told:
            self._take(fact)

    def _take(self, fact: facts.AnyFact) -> None:
        match fact:
            case facts.TurnStarted():
                self._turn = TurnEnd(began=self._line, version=self._telling.version)
            case facts.PlanUpdated(steps=steps):
                self._plan = (sum(step.status == "completed" for step in steps), len(steps))
            case facts.ItemCompleted(item=item):
                self._item(item)
            case facts.TurnCompleted(status=status):
                self._completed(completed=status == "completed")
            case _:
                pass

    def _completed(self, *, completed: bool) -> None:
        turn, self._turn = self._turn, None
        if turn is not None and completed and turn.line:
            turn.ended, turn.plan = self._line, self._plan
            self.ends.append(turn)
            self._last = turn

    def _item(self, item: items.AnyItem) -> None:
        turn = self._turn
        if turn is None:
            return
        match item:
            case items.UserMessage(text=text):
                turn.asked, turn.spoken = turn.asked or text, turn.spoken or self._line
                if self._last is not None:
                    self._last.next, self._last.heard = text, self._line
            case items.AgentMessage(text=text, phase=phase):
                turn.said, turn.phase, turn.line = text, phase, self._message
            case items.Command(exit_code=code):
                turn.commands.append((item.meant, code))
            case items.FileChange(changes=changes):
                turn.changed += [change.path for change in changes]
            case items.ToolCall() | items.WebSearch() | items.SubAgent():
                turn.tools += 1
            case _:
                pass
        turn.worked = turn.worked or isinstance(item, _DONE)
        del turn.commands[:-_KEPT], turn.changed[:-_KEPT]
        if not isinstance(item, items.Compaction):
            self._last = None


def turn_ends(files: list[Path]) -> Iterator[tuple[str, Path, TurnEnd]]:
    """The turn ends of all files, with the file's hash. What a resumed session repeats comes once."""
    seen: set[tuple[str, str]] = set()
    for path in files:
        found = ends_of(path)
        name = file_hash(path) if found else ""
        for end in found:
            text = (end.asked, end.said)
            if text not in seen:
                seen.add(text)
                yield name, path, end

"""From what happened to the entries of a conversation: which of it is shown, and as what."""

from collections.abc import Iterable, Iterator

from rawr.tui.rendering.entries import Agent, Compacted, Entry, Folded, FromRawr, Note, Packet, Planned, Ran, You, flat
from rawr.tui.told import Told
from rawr.views import events as e
from rawr.views.numbers import counted
from rawr.views.questions import in_short

ASKED_FOR = frozenset({"heads_up", "scratch", "packet", "correction", "landing"})
"""After these, what the agent says is for rawr."""
_NOTES: dict[type[e.AnyEvent], str] = {
    e.RunStarted: "Full Auto on",
    e.RunResumed: "Full Auto goes on",
    e.RunOverridden: "You decided",
    e.RunPaused: "Full Auto paused",
    e.RunStopped: "Full Auto stopped",
    e.RunFailed: "Full Auto failed",
    e.RunRefused: "Full Auto refused",
    e.RunStalled: "Nothing happens in the turn",
    e.CompactionCancelled: "Compaction called off",
    e.RunReviewing: "Reviewing",
}
"""Decisions with a line of their own, before their reason."""


class Telling:
    """Takes what happened on one thread, in order, and keeps the entries that may still change."""

    def __init__(self) -> None:
        self._running: dict[str, Ran] = {}
        self._for_rawr = self._in_turn = False
        self._again: Note | None = None
        """What Codex says again and again."""
        self._compacted: Compacted | None = None
        self._tokens: int | None = None

    def take(self, told: Iterable[Told]) -> Iterator[Entry]:
        """The new entries. Others may have changed: a command ended, a compaction was counted."""
        for one in told:
            for entry in self._entries(one):
                entry.seq, entry.item = one.event.seq, one.item
                yield entry

    def running(self, item: str) -> Ran | None:
        return self._running.get(item)

    def _entries(self, told: Told) -> Iterator[Entry]:
        event = told.event
        match event:
            case e.UserSaid(text=text, purpose=""):
                self._for_rawr = False
                yield You(event.seq, text)
            case e.UserSaid(text=text, purpose=purpose):
                self._for_rawr = purpose in ASKED_FOR
                yield FromRawr(event.seq, purpose, text)
            case e.AgentSaid(text=text):
                self._again = None
                yield Packet(event.seq, text) if self._for_rawr else Agent(event.seq, text)
            case e.CommandBegan(command=command):
                self._running[told.item] = entry = Ran(event.seq, command)
                yield entry
            case e.CommandRan():
                yield from self._ran(event, told.item)
            case e.FilesChanged():
                yield _files(event)
            case e.TurnBegan() | e.TurnEnded() | e.ThreadJoined():
                # What still runs is no longer waited for; or Codex is there again, without it.
                lost = isinstance(event, e.ThreadJoined)
                for entry in self._running.values():
                    entry.ended(ending="cut off" if lost else "left running", output=entry.body, bad=lost)
                if lost:
                    self._running.clear()
                if lost and self._in_turn:
                    words = "The turn was cut off: Codex was away. What it had done is kept; write to continue."
                    yield Note(event.seq, words, role="warn", mark="✗")
                self._in_turn = isinstance(event, e.TurnBegan)
                yield from self._of_context(event)
            case e.PlanChanged(steps=steps):
                yield Planned(event.seq, tuple((one.step, one.status) for one in steps))
            case _:
                yield from self._of_context(event)

    def _ran(self, event: e.CommandRan, item: str) -> Iterator[Entry]:
        entry = self._running.pop(item, None)
        if entry is None:
            entry = Ran(event.seq, event.command)
            yield entry
        code = event.exit_code
        ending = "declined" if event.status == "declined" else "✓" if code == 0 else f"exit {code}"
        ending = "denied by Codex" if event.denied else ending
        entry.ended(ending=ending, output=event.output, bad=code != 0)

    def _of_context(self, event: e.AnyEvent) -> Iterator[Entry]:
        match event:
            case e.ContextUsed(tokens=tokens):
                self._tokens = tokens
                self._counted(tokens)
            case e.ContextCompacted():
                self._compacted = Compacted(event.seq, self._tokens)
                yield self._compacted
            case e.CompactionEnded(ok=True, tokens_before=before, tokens_after=after):
                if self._compacted is not None and before is not None:
                    self._compacted.before = before
                    self._compacted.change()
                if after is not None:
                    self._counted(after)
            case e.CompactionEnded(ok=False, why=why):
                yield Note(event.seq, f"The compaction failed: {why}", role="bad", mark="◆")
            case e.ErrorSeen(message=message, will_retry=True):
                text = f"{message} (Codex tries again)"
                if self._again is not None and self._again.text.startswith(text):
                    self._again.repeat(text)
                else:
                    self._again = Note(event.seq, text, role="bad", mark="✗")
                    yield self._again
            case _:
                yield from _notes(event)

    def _counted(self, tokens: int) -> None:
        """Codex counts again: that is what the compaction left."""
        made = self._compacted
        if made is not None:
            made.after, self._compacted = tokens, None
            made.change()


def _files(event: e.FilesChanged) -> Folded:
    names = [one.path for one in event.changes]
    listed = "\n".join(f"{one.kind} {one.path}{f' → {one.moved_to}' if one.moved_to else ''}" for one in event.changes)
    title = f"± {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    bad = event.status in ("failed", "declined")
    entry = Folded(event.seq, title, listed, role="accent", ending=event.status if bad else counted(len(names), "file"))
    entry.ending_role = "bad" if bad else "dim"
    return entry


def _notes(event: e.AnyEvent) -> Iterator[Entry]:
    match event:
        case e.RunChecked(passed=passed, exit_code=code, output=output, timed_out=late):
            how = "✓" if passed else "timed out" if late else f"exit {code}"
            entry = Folded(event.seq, "done check", output, role="rawr", ending=how)
            entry.ending_role = "good" if passed else "bad"
            yield entry
        case e.RunDone(checked=checked):
            yield Note(event.seq, "Done, and checked." if checked else "Done, the agent says.", role="good", mark="✓")
        case e.RunRetrying(seconds=seconds, detail=detail):
            yield Note(event.seq, f"Trying again in {seconds} s: {detail or event.why}", role="warn", mark="◆")
        case e.RunWaiting(seconds=seconds):
            yield Note(event.seq, f"Waiting {seconds} s: {event.why}", role="warn", mark="◆")
        case _:
            yield from _requests(event)


def _requests(event: e.AnyEvent) -> Iterator[Entry]:
    match event:
        case e.RequestPut(question=question, seconds=seconds):
            asked = flat(in_short(question), 120)
            yield Note(
                event.seq, f"Asked you (a opens the inbox; {seconds} s to answer): {asked}", role="warn", mark="?"
            )
        case e.RequestApproved(what=what):
            yield Note(event.seq, f"approved by rule: {what}", mark="◆")
        case e.RequestAnswered(by="person", words=words, secret=secret):
            yield Note(event.seq, f"You answered: {'(not shown)' if secret else words}", role="you", mark="›")
        case e.RequestDeclined(why=why):
            yield Note(event.seq, f"Declined: {why}", role="warn", mark="◆")
        case _:
            yield from _rest(event)


def _judged(seq: int, judgment: str) -> Iterator[Entry]:
    """What a model said to it, if one was asked: always a line of its own, whatever followed (A21)."""
    if judgment:
        yield Note(seq, f"auto-compaction judgment: {judgment}", role="rawr", mark="◆")


def _rest(event: e.AnyEvent) -> Iterator[Entry]:
    match event:
        case e.PhaseEnded(phase=phase):
            yield Note(event.seq, f"Phase finished: {phase}", role="good", mark="◆")
        case e.TurnEnded(failed=True, problem=problem):
            yield Note(event.seq, f"The turn failed: {problem}", role="bad", mark="✗")
        case e.TurnEnded(status="interrupted"):
            yield Note(event.seq, "The turn was interrupted.", role="warn", mark="✗")
        case e.ErrorSeen(message=message):
            yield Note(event.seq, message, role="bad", mark="✗")
        case e.CompactionMarked(percent_left=percent, boundary=boundary, judgment=judgment):
            yield from _judged(event.seq, judgment)
            at = f" ({boundary})" if boundary else ""
            yield Note(event.seq, f"A moment to compact{at}, {percent} % left", role="rawr", mark="◆")
        case e.CompactionDeferred(judgment=judgment):
            yield from _judged(event.seq, judgment)
        case e.CompactionDecided(only_suggested=suggested, judgment=judgment, why=why):
            yield from _judged(event.seq, judgment)
            yield Note(event.seq, f"{'Compact now' if suggested else 'Compacting'}: {why}", role="rawr", mark="◆")
        case _ if isinstance(event, e.Decided) and type(event) in _NOTES:
            detail = f" ({event.detail})" if isinstance(event, e.RunEvent) and event.detail else ""
            yield Note(event.seq, f"{_NOTES[type(event)]}: {event.why}{detail}", role="rawr", mark="◆")
        case _:
            return

"""One session under a policy: lines in, a result out."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from rawr.backtest.arbiter import Arbiter, Thread, phase_marked, rules
from rawr.backtest.carrying import Ledger
from rawr.backtest.context import Context
from rawr.backtest.decided import MOMENTS, would_compact
from rawr.backtest.native import MADE, NativeCompactions, asks_for_summary
from rawr.backtest.repeats import fingerprint
from rawr.backtest.result import BoundarySeen, NativeCompaction, Point, SessionResult, TurnMark, WouldCompact
from rawr.backtest.thinned import Thinned
from rawr.backtest.threshold import Candidate, NativeThreshold, Nobody, codex_would_compact
from rawr.backtest.worked import Worked
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import percent_remaining
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.boundaries import GATING
from rawr.history import entries
from rawr.history.lines import entry_of
from rawr.history.made import command_in
from rawr.history.outputs import may_run_on
from rawr.history.skimming import BLANK, Skimmer
from rawr.history.telling import ACTS, Telling
from rawr.observe.derived import may_make, may_matter_in

SHOWN: frozenset[str] = GATING - {"turn_complete"}
"""Every turn's end is a boundary of that kind; there is nothing to show."""
KNOWN_BY = 4
"""Calls by which a turn is recognised in another file."""
_OWN = re.compile(r"\A\[rawr [cu]\d+\] ")
"""A heads-up, a handoff or a record of rawr's own, in a session that it supervised."""
_OF_SEQUENCE = "[rawr c"
_WORDS = {
    items.Command: "a command",
    items.FileChange: "a patch",
    items.ToolCall: "a tool call",
    items.WebSearch: "a search",
    items.AgentMessage: "a message of the agent",
    items.UserMessage: "a message of the user",
}
_OFTEN = frozenset({items.Command, items.FileChange, items.ToolCall, items.AgentMessage})


class Backtest:
    """Takes a session line by line. ``points`` is filled only if somebody wants to draw them.

    What cannot change a decision is neither read nor told, unless it is to be drawn or ``whole`` is set.
    """

    def __init__(self, tried: Candidate, *, file: str = "", draws: bool = False, whole: bool = False) -> None:
        self._policy = tried if isinstance(tried, Policy) else Policy()
        self._threshold = tried if isinstance(tried, NativeThreshold) else None
        self._file = file
        self._draws = draws
        self._telling = Telling()
        self._context = Context()
        self._ledger = Ledger()
        whole = whole or draws
        self._skimmer = Skimmer(may_matter_in, may_make) if not whole else None
        self._arbiter = self._arbiter_of(whole=whole)
        self._handlers: Mapping[type[entries.Entry], Callable[[Any], None]] = {
            entries.UsageSeen: self._usage_seen,
            entries.Returned: self._returned,
            entries.Reasoned: self._reasoned,
            entries.Compacted: self._compacted,
            entries.Unknown: self._not_understood,
            entries.Unreadable: self._not_understood,
        }
        self._begun = False
        self._line = self._lines = self._bytes = 0
        self._acted = self._ended = self._place = 0
        """Lines: what the agent last did; the end of the last turn; and where something is decided, if not in the line
        that is read."""
        self._turn = 0
        self._skipped: Counter[str] = Counter()
        self._boundaries: list[BoundarySeen] = []
        self._would: list[WouldCompact] = []
        self._native = NativeCompactions()
        self._still = self._still_since = 0
        self._guessed = False
        """The last count is Codex's own guess."""
        self._made: entries.AnyEntry | None = None
        """What the model said or called last, since the newest report of usage."""
        self._reported: entries.AnyEntry | None = None
        """The same for that report."""
        self._summary = False
        """The newest report is that of the request for a summary."""
        self._worked = Worked()
        self._format = ""
        self._starting: facts.TurnStarted | None = None
        self._own = ""
        """The running turn of the record, if rawr itself had started it and it is not told."""
        self._own_before = False
        self._compacting = ""
        """The turn of the record that began with a compaction: Codex's own, or all that the turn is for."""
        self._told_of = ""
        """That turn, if the arbiter was told of it."""
        self._before = ""
        self._said = ""
        self._calls: list[str] = []
        self.marks: list[TurnMark] = []
        """One for each turn, to recognise it in another file."""
        self.points: list[Point] = []
        self.taken: list[Taken] = []
        """Everything that was decided, if somebody wants to draw it."""

    def _arbiter_of(self, *, whole: bool) -> Arbiter | Nobody:
        if self._threshold is not None:
            return Nobody()
        kind = Arbiter if whole else Thinned
        return kind(rules(self._policy), heard=self._hear, compacted=self._compact)

    @property
    def model(self) -> str:
        """The newest that is known."""
        return self._telling.model

    @property
    def folder(self) -> str:
        """The newest that is known."""
        return self._telling.cwd

    # -- reading -----------------------------------------------------------------------------------------------------

    def feed(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self.take(line)

    def take(self, line: bytes) -> None:
        batch = [line if line.endswith(b"\n") else line + b"\n"]
        self.enter(self.read(batch), batch)

    def read(self, lines: Sequence[bytes]) -> list[entries.AnyEntry | None]:
        """What each line says, if more than its time may count."""
        return self._skimmer.read(lines) if self._skimmer is not None else list(map(entry_of, lines))

    def enter(self, found: Sequence[entries.AnyEntry | None], lines: Sequence[bytes]) -> None:
        """Lines that were read: here, or by another that takes the same session."""
        before = self._line
        self._bytes += sum(map(len, lines))
        self._lines += len(lines)
        if not self._format:
            self._format = _format_of(lines)
        handler_of, other = self._handlers.get, self._enter
        for n, entry in enumerate(found):
            if entry is None:
                continue
            self._line = before + n + 1
            kind = type(entry)
            if kind is entries.Unreadable and not lines[n].strip(BLANK):
                self._lines -= 1
            else:
                handler_of(kind, other)(entry)
        self._line = before + len(lines)

    def _enter(self, entry: entries.AnyEntry) -> None:
        for at, fact in self._telling.take(entry):
            self._told(at, fact)
        kind = type(entry)
        if kind in ACTS:
            self._acted = self._line
            if kind in MADE:
                self._made = entry
        elif isinstance(entry, entries.Said) and entry.role == "assistant":
            self._acted, self._made = self._line, entry

    def _not_understood(self, entry: entries.Unknown | entries.Unreadable) -> None:
        self._skipped[entry.kind if isinstance(entry, entries.Unknown) else "unreadable"] += 1
        self._enter(entry)

    def _usage_seen(self, entry: entries.UsageSeen) -> None:
        self._guessed = not entry.input
        self._ledger.called(entry)
        telling = self._telling
        if telling.counted(entry):
            for at, fact in telling.final_words():
                self._told(at, fact)
            if not self._begun:
                self._begin(telling.at)
            self._used(telling.at, entry)

    def _reasoned(self, entry: entries.Reasoned) -> None:
        self._telling.take(entry)
        self._context.reasoned(entry.tokens)

    def _compacted(self, entry: entries.Compacted) -> None:
        self._summary = asks_for_summary(self._reported, entry)
        self._context.back_before(summary=self._summary)
        self._enter(entry)

    def _returned(self, entry: entries.Returned) -> None:
        if self._starting is None and not self._own and self._passes_over(entry):
            self._acted = self._line
        elif entry.line:
            read = replace(entry_of(entry.line), at=entry.at)
            self._handlers.get(type(read), self._enter)(read)
        else:
            self._enter(entry)

    def _passes_over(self, entry: entries.Returned) -> bool:
        """A call ended that does not matter. Return False if it has to be told like any other."""
        telling = self._telling
        call = telling.plain(entry)
        if isinstance(call, entries.CommandCalled):
            if not entry.line or not self._arbiter.passes_over(telling.turn, call, at=entry.at):
                return False
            self._passed_over(items.Command, entry.call)
        elif isinstance(call, entries.PatchCalled):
            if entry.session or not self._arbiter.has_files(telling.turn, at=entry.at):
                return False
            self._passed_over(items.FileChange, entry.call)
        elif isinstance(call, entries.ScriptCalled) and entry.unread is not None and not may_run_on(entry.unread):
            if not self._arbiter.passes_script(telling.turn, call, at=entry.at):
                return False
            for n in range(len(call.commands)):
                self._passed_over(items.Command, command_in(call, n))
        else:
            return False
        telling.passed_over(entry)
        return True

    def _passed_over(self, kind: type[items.Item], item: str) -> None:
        self._before = _WORDS[kind]
        if len(self._calls) < KNOWN_BY:
            self._calls.append(item)

    def late(self) -> int:
        """The time of the last lines, if they do not count."""
        return self._skimmer.now() if self._skimmer is not None else 0

    def cut(self, size: int) -> None:
        """The last line was never finished, or a line was too long to read."""
        self._line += 1
        self._bytes += size
        self._skipped["cut off"] += 1

    def over(self, *, problem: str = "", late: int = 0) -> SessionResult:
        self._telling.passed(late or self.late())
        for at, fact in self._telling.over():
            self._told(at, fact)
        self._remember()
        told = self._telling
        return SessionResult(
            file=self._file,
            session=told.session,
            format=self._format,
            version=told.version,
            subagent=bool(told.parent),
            turns=self._turn,
            window=self._context.window,
            boundaries=tuple(self._boundaries),
            would_compact=tuple(self._would),
            native_compactions=tuple(self._native.all),
            worked=self._worked.ms,
            still_native=self._still,
            needed=self._context.at_limit or any(one.by == "codex" for one in self._native.all),
            recorded=self._ledger.recorded,
            with_rawr=self._ledger.with_rawr,
            skipped=dict(sorted(self._skipped.items())),
            lines=self._lines,
            bytes=self._bytes,
            problem=problem or self._nothing_read(),
        )

    def _nothing_read(self) -> str:
        """A file with other things in it is no session with a few damaged lines."""
        return "it is no session of Codex" if 0 < self._lines == self._skipped["unreadable"] else ""

    # -- the record --------------------------------------------------------------------------------------------------

    def _told(self, at: int, fact: facts.AnyFact) -> None:
        if not self._begun:
            self._begin(at)
        # The most frequent first.
        if isinstance(fact, facts.ItemCompleted) and type(fact.item) in _OFTEN and not self._own:
            self._acts(at, fact)
        else:
            self._place = self._place_of(fact)
            self._told_else(at, fact)
            self._place = 0
            if isinstance(fact, facts.ItemCompleted):
                self._before = _WORDS.get(type(fact.item), self._before)

    def _told_else(self, at: int, fact: facts.AnyFact) -> None:
        match fact:
            case facts.TurnStarted():
                # Whose turn it is says its first message.
                self._starting = fact
            case facts.ItemCompleted(item=items.UserMessage(text=text)) if _OWN.match(text):
                self._own_message(at, fact)
            case facts.ItemCompleted(item=items.Compaction()):
                self._compacted_in_record(at, fact)
            case facts.ItemStarted(item=items.Compaction()):
                pass
            case facts.TurnCompleted(turn=turn) if turn == self._own:
                self._own, self._own_before = "", True
            case facts.TurnCompleted(turn=turn) if self._starting is not None and turn == self._compacting:
                # It held nothing else.
                self._starting = None
                if turn == self._told_of:
                    self._arbiter.tell(fact, at=at)
            case _ if self._own:
                pass
            case facts.ItemCompleted():
                self._item(at, fact)
            case _:
                self._start(at)
                if isinstance(fact, facts.TurnCompleted) and self._context.turn_over():
                    kept = facts.ReasoningKept(self._context.reasoning_with_rawr, anew=True)
                    self._arbiter.tell(kept, at=at)
                self._arbiter.tell(fact, at=at)
                if isinstance(fact, facts.TurnCompleted):
                    self._turn_ended(at, fact)

    def _turn_ended(self, at: int, fact: facts.TurnCompleted) -> None:
        threshold, context = self._threshold, self._context
        if threshold is None or fact.status != "completed" or self._telling.parent or not threshold.reached(context):
            return
        self._would.append(codex_would_compact(context, line=self._place or self._line, turn=self._turn, at=at))
        self._ledger.codex_compacts(context.with_rawr)
        context.compact(handoff=False)

    def _place_of(self, fact: facts.AnyFact) -> int:
        """Where no line says that a turn ended, it is known when the next one begins."""
        if not isinstance(fact, facts.TurnCompleted):
            return 0
        self._ended = self._line if self._telling.names_turns else self._acted
        self._native.turn_ended(self._context)
        return self._ended

    def _begin(self, at: int) -> None:
        self._begun = True
        told = self._telling
        ours = told.client == "rawr" and not told.parent
        thread = Thread(told.session or "session", told.cwd or "/", told.model, ours=ours, parent=told.parent)
        self._arbiter.begin(thread, at=at)

    def _start(self, at: int) -> None:
        if self._starting is not None:
            starting, self._starting = self._starting, None
            if starting.turn != self._told_of:
                self._wait(at)
            self._remember()
            self._turn += 1
            self._own_before = False
            self._before = ""
            self._worked.begins(at)
            if starting.turn == self._compacting:
                self._native.codexs_own(inside_turn=False)
            self._native.turn_begins(at, spoken=self._telling.spoken, limit=self._context.limit)
            if starting.turn != self._told_of:
                self._arbiter.tell(starting, at=at)

    def _wait(self, at: int) -> None:
        """Until the next turn. What is decided meanwhile belongs to the one before."""
        self._place = self._ended
        self._arbiter.close()
        self._arbiter.wait(at)
        self._place = 0

    def _remember(self) -> None:
        if self._turn:
            known, ledger = fingerprint(self._said, self._calls), self._ledger
            self.marks.append(TurnMark(known, ledger.recorded, ledger.with_rawr, self._still, self._worked.ms))
        self._said, self._calls = "", []

    def _item(self, at: int, fact: facts.ItemCompleted) -> None:
        self._start(at)
        item = fact.item
        if isinstance(item, items.UserMessage):
            self._context.heard(item.text)
            self._said += item.text[:200]
        self._arbiter.tell(fact, at=at)

    def _acts(self, at: int, fact: facts.ItemCompleted) -> None:
        if self._starting is not None:
            self._start(at)
        item = fact.item
        if len(self._calls) < KNOWN_BY and not isinstance(item, items.AgentMessage):
            self._calls.append(item.id)
        if isinstance(item, items.ToolCall):
            marked = phase_marked(item, fact.turn)
            if marked is not None:
                self._arbiter.tell(marked, at=at)
        self._arbiter.tell(fact, at=at)
        self._before = _WORDS[type(item)]

    def _own_message(self, at: int, fact: facts.ItemCompleted) -> None:
        """The record has a message of rawr's own. A handoff's turn goes on in the one that was played for it."""
        if self._starting is None:
            # It was steered into a turn, and the turn goes on, unless it was to end.
            if self._arbiter.lands_in_record(fact.turn):
                self._own = fact.turn
            return
        self._starting = None
        handoff = isinstance(fact.item, items.UserMessage) and fact.item.text.startswith(_OF_SEQUENCE)
        if handoff and self._native.was_rawrs(turn=self._turn):
            self._own_before = True
            self._rejoin()
        if self._arbiter.open and self._own_before:
            self._arbiter.goes_on_in_handoff(fact.turn)
        else:
            self._own = fact.turn

    def _compacted_in_record(self, at: int, fact: facts.ItemCompleted) -> None:
        context, by_rawr = self._context, self._own_before and self._starting is not None
        inside = self._starting is None and self._telling.spoken
        alone, named = self._starting is not None, self._telling.names_turns
        held = context.recorded
        native = NativeCompaction(
            line=self._line,
            turn=self._turn,
            inside_turn=inside,
            percent_before=percent_remaining(in_context=held, window=context.window) if held else None,
            preceded=context.parted and not self._still_since,
            after=self._before if inside else "",
            by="rawr" if by_rawr else "codex" if inside or (named and self._telling.spoken) else "user",
            tokens=held,
            at=at,
        )
        self._native.add(native, undecided=alone and not named and not by_rawr)
        self._still_since = 0
        played = by_rawr and context.parted
        if played:
            # It is the one that was just played: the record goes on from here.
            self._starting, self._own = None, fact.turn
            self._rejoin()
        self._ledger.compacted_in_record(held, parted=context.parted, reported=self._summary)
        if played:
            return
        if alone:
            self._compacting = fact.turn
        context.compacted_in_record()
        if not context.parted:
            self._told_of = fact.turn if alone else ""
            self._codex_compacts(at, fact.turn, begins=alone)

    def _rejoin(self) -> None:
        self._context.rejoin()
        self._ledger.rejoin()

    def _codex_compacts(self, at: int, turn: str, *, begins: bool) -> None:
        """As a live Codex tells it: in the middle of a turn, or at its beginning."""
        item = items.Compaction(id=f"item-{self._line}")
        if begins:
            self._wait(at)
            self._arbiter.tell(facts.TurnStarted(turn=turn), at=at)
        self._arbiter.tell(facts.ItemStarted(turn=turn, item=item), at=at)
        self._arbiter.tell(facts.ItemCompleted(turn=turn, item=item), at=at)

    def _used(self, at: int, usage: entries.UsageSeen) -> None:
        context = self._context
        if not self._guessed:
            self._reported, self._made = self._made, None
        self._worked.goes_on(at)
        if self._native.left_unknown:
            self._native.counted(usage.in_context, guessed=self._guessed)
        held = context.called(usage.in_context, usage.window, guessed=self._guessed)
        self._ledger.parted(context.offset if context.parted else 0)
        if context.parted and context.full:
            self._still += 1
            self._still_since += 1
            self._ledger.codex_compacts(context.with_rawr)
            context.compact(handoff=False)
            if self._starting is None and not self._own:
                self._codex_compacts(at, self._telling.turn, begins=False)
            held = context.with_rawr
        if self._draws:
            self.points.append(Point(at, self._line, self._turn, usage.in_context, held))
        if not self._own and not self._arbiter.far(held, usage.spent, context.window, at=at):
            told = replace(self._telling.told(usage), in_context=held, window=context.window)
            self._arbiter.tell(told, at=at)

    # -- the arbiter -------------------------------------------------------------------------------------------------

    def _hear(self, taken: Taken) -> None:
        if self._draws:
            self.taken.append(taken)
        for boundary in taken.boundaries:
            if boundary.kind in SHOWN:
                self._boundaries.append(BoundarySeen(boundary.kind, self._place or self._line, self._turn))
        for decision in taken.decisions:
            if decision.record.reason in MOMENTS:
                line = self._place or self._line
                self._would.append(
                    would_compact(decision, line=line, turn=self._turn, context=self._context, policy=self._policy)
                )

    def _compact(self) -> int:
        away = bool(self._would) and "idle" in self._would[-1].kinds
        before = self._context.with_rawr
        after = self._context.compact(handoff=True)
        self._ledger.golden_path(before, after, cold=away)
        return after


def _format_of(lines: Sequence[bytes]) -> str:
    """The first line that is not empty says it."""
    first = next((line for line in lines if line.strip(BLANK)), b"")
    return "envelope" if b'"payload"' in first else "legacy" if first else ""

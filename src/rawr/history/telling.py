"""A session file told again, as the facts that rawr would have had from a live Codex.

Entries in, facts out, with their times; no clock and no file. A version that does not say where turns begin and end is
told by what the user said: a message after the agent did something begins the next turn. What a session file does not
have is not made up here: nobody looks at a repository, and a call that was never answered has only begun.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from rawr.core.text import head, tail
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.bounds import MAX_COMMAND, MAX_EXPLANATION, MAX_MESSAGE, MAX_NAME, MAX_OUTPUT_TAIL
from rawr.history import entries
from rawr.history.calls import command_read
from rawr.history.made import Made, command_in, items_of, plan_of, tool_shown
from rawr.history.outputs import return_read

Told = tuple[int, facts.AnyFact]
"""A fact and its time, in ms since the epoch."""
UNTIMED = 1_000
"""Lines without a time are taken to be so far apart, in ms."""
_KEPT = 4_096
"""Calls that may be open at once."""
_ADDED = re.compile(r"\A\s*(?:<(?:[a-z]+_[a-z_]+|skill)[ >]|# AGENTS\.md instructions)")
"""What Codex itself says to the model in the user's name."""


class Telling:
    """One session. ``turn`` is the running turn, by Codex's name or by ours; ``turns`` counts them."""

    def __init__(self) -> None:
        self.session = self.version = self.client = self.cwd = self.model = self.parent = ""
        self.at = 0
        self.turn = ""
        self.turns = 0
        self.names_turns = False
        """The version says where turns begin and end."""
        self.spoken = self.acted = False
        """In the running turn: the user said something; the agent did something."""
        self._shows_users = False
        self._held: entries.Said | None = None
        """The agent's last words, which may be the summary of a compaction that comes next."""
        self._unshown: entries.Said | None = None
        """A message in the user's name, which Codex may be about to show."""
        self._open: dict[str, Made] = {}
        self._background: dict[str, Made] = {}
        self._script: Made | None = None
        self._usage: tuple[int, int] = (0, 0)
        self._answered = self._answered_before = False
        """The agent said something, and did nothing since; and the same before its newest words."""
        self._shown_last = ""
        self._held_at = self._unshown_at = 0
        self._active = 0
        """When the agent last did something."""
        self._count = 0
        self._out: list[Told] = []

    def take(self, entry: entries.AnyEntry) -> list[Told]:
        """The facts that follow from one line; most lines have none."""
        handler = _HANDLERS.get(type(entry))
        self._move(entry.at)
        if handler is None:
            return []
        self._out = []
        handler(self, entry)
        if type(entry) in ACTS:
            self._active = self.at
        return self._out

    def _move(self, at: int) -> None:
        if at > self.at:
            self.at = at
        elif not at:
            self.at += UNTIMED

    def passed(self, at: int) -> None:
        """Lines that say nothing have their time too."""
        self.at = max(self.at, at)

    def over(self) -> list[Told]:
        """The file ends. A turn without an end is over only where none has one, and only if the agent answered."""
        self._out = []
        self._flush()
        if self.turn and not self.names_turns and self._answered and not self._open:
            self._end("completed")
        return self._out

    # -- turns -------------------------------------------------------------------------------------------------------

    def _session(self, entry: entries.SessionBegan) -> None:
        if not self.session:
            self.session, self.version, self.client = entry.session, entry.version, entry.client
            self.parent = entry.parent
        self.cwd = self.cwd or entry.cwd

    def _context(self, entry: entries.TurnContext) -> None:
        self.cwd = entry.cwd or self.cwd
        self.model = entry.model or self.model

    def _turn_began(self, entry: entries.TurnBegan) -> None:
        self.names_turns = True
        name = entry.turn or self._name("t")
        if name == self.turn:
            return
        if self.turn:
            self._flush()
            self._end("interrupted")
        # What the user said is for this turn; what anybody else said is not.
        self._flush_held()
        self._begin(name)

    def _turn_ended(self, entry: entries.TurnEnded) -> None:
        self._flush()
        if self.turn and entry.turn in ("", self.turn):
            self._end("interrupted" if entry.interrupted else "completed")

    def _begin(self, name: str, *, at: int = 0) -> None:
        self.turn = name
        self.turns += 1
        self.spoken = self.acted = self._answered = False
        self._shown_last = ""
        self._tell(facts.TurnStarted(turn=name), at=at)

    def _end(self, status: facts.TurnStatus, *, at: int = 0) -> None:
        for made in self._open.values():
            call = command_read(made.call) if isinstance(made.call, entries.CommandCalled) else made.call
            if isinstance(call, entries.CommandCalled):
                self._tell(facts.ItemStarted(turn=self.turn, item=_begun(call, made.cwd)), at=at)
        self._open.clear()
        self._script = None
        self._tell(facts.TurnCompleted(turn=self.turn, status=status), at=at)
        self.turn = ""

    def _compacted(self, entry: entries.Compacted) -> None:
        held, answered = self._held, self._answered
        if held is not None and held.text and held.text in entry.summary:
            self._held, answered = None, self._answered_before
        self._flush()
        item = items.Compaction(id=self._name("compaction"))
        if self.turn and not self.names_turns and answered and not self._open:
            # The agent had answered: it goes on only if the next line says so. Else this came between two turns.
            self._end("completed", at=self._active)
        if self.turn:
            self._tell(facts.ItemStarted(turn=self.turn, item=item))
            self._tell(facts.ItemCompleted(turn=self.turn, item=item))
            return
        # Older versions name no turns: this one was asked for between two.
        own = self._name("c")
        self._tell(facts.TurnStarted(turn=own))
        self._tell(facts.ItemStarted(turn=own, item=item))
        self._tell(facts.ItemCompleted(turn=own, item=item))
        self._tell(facts.TurnCompleted(turn=own, status="completed"))

    # -- words -------------------------------------------------------------------------------------------------------

    def _said(self, entry: entries.Said) -> None:
        if entry.role == "assistant":
            self._flush()
            self._held, self._held_at = entry, self.at
            self._active = self.at
            self._answered_before, self.acted, self._answered = self._answered, True, True
        elif entry.role == "user" and not self._shows_users and not _ADDED.match(entry.text):
            self._flush()
            self._unshown, self._unshown_at = entry, self.at

    def _user_spoke(self, entry: entries.UserSpoke) -> None:
        self._shows_users = True
        self._unshown = None
        self._flush()
        # A message may be shown in two ways, one right after the other.
        again = entry.text == self._shown_last and not self.acted
        if entry.text and not again and not _ADDED.match(entry.text):
            self._heard(entry.text, entry.client)
            self._shown_last = entry.text

    def _heard(self, text: str, client: str = "", *, at: int = 0) -> None:
        if self.turn and self.acted and not self.names_turns:
            self._end("completed", at=self._active)
        if not self.turn:
            self._begin(self._name("t"), at=at)
        self.spoken = True
        self._answered = False
        item = items.UserMessage(id=self._name("u"), text=head(text, MAX_MESSAGE), client_id=head(client, MAX_NAME))
        self._tell(facts.ItemCompleted(turn=self.turn, item=item), at=at)

    def _flush(self) -> None:
        """What was held back is told before what comes next, with the time at which it was said."""
        if self._unshown is not None:
            unshown, self._unshown = self._unshown, None
            self._heard(unshown.text, at=self._unshown_at)
        self._flush_held()

    def _flush_held(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            text, phase = head(held.text, MAX_MESSAGE), head(held.phase, 40)
            self._item(items.AgentMessage(id=self._name("m"), text=text, phase=phase), at=self._held_at)

    def _reviewed(self, entry: entries.Reviewed) -> None:
        self._flush()
        name = self._name("review")
        self._item(items.ReviewEntered(id=name, review="") if entry.began else items.ReviewExited(id=name, review=""))

    # -- calls -------------------------------------------------------------------------------------------------------

    def _called(self, entry: entries.AnyCall) -> None:
        self._flush()
        if self._outside:
            return
        if not self.turn:
            self._begin(self._name("t"))
        self.acted, self._answered = True, False
        if not entry.call or len(self._open) >= _KEPT:
            return
        made = self._open[entry.call] = Made(entry, self.turn, self.cwd)
        if isinstance(entry, entries.ScriptCalled):
            self._script = made

    def _returned(self, entry: entries.Returned) -> None:
        made = self._open.pop(entry.call, None)
        if made is None:
            return
        entry = return_read(entry)
        if made is self._script:
            self._script = None
        if isinstance(made.call, entries.CommandCalled):
            made.call = command_read(made.call)
        call = made.call
        made.returned = entry
        if isinstance(call, entries.InputWritten):
            waited = self._background.get(call.session)
            if waited is None or entry.exit_code is None:
                return
            del self._background[call.session]
            self._open.pop(waited.call.call, None)
            made = waited
            made.returned = entry
        elif entry.session:
            # It runs on, and is open until somebody hears of its end.
            self._background[entry.session] = made
            self._open[entry.call] = made
            return
        for fact in self._facts(made):
            self._tell(fact)

    def plain(self, entry: entries.Returned) -> entries.AnyCall | None:
        """The call that ended, if nothing else is known of it; else the entry has to be told."""
        made = self._open.get(entry.call)
        if made is None or made.shown is not None or made.inside or not self.turn or len(entry.call) > MAX_NAME:
            return None
        return made.call

    def passed_over(self, entry: entries.Returned) -> None:
        """Such a call ended in the running turn, and does not matter."""
        if self._open.pop(entry.call) is self._script:
            self._script = None
        self._move(entry.at)
        self._active = self.at

    def _facts(self, made: Made) -> Iterator[facts.AnyFact]:
        call = made.call
        if isinstance(call, entries.PlanCalled):
            if made.returned is not None and not made.returned.refused:
                explanation = head(call.explanation, MAX_EXPLANATION)
                yield facts.PlanUpdated(turn=self.turn, steps=plan_of(call.steps), explanation=explanation)
            return
        for item in _of_script(made, call) if isinstance(call, entries.ScriptCalled) else items_of(made):
            yield facts.ItemCompleted(turn=self.turn, item=item)
        if isinstance(call, entries.ScriptCalled) and made.returned is not None and not made.returned.refused:
            for steps in call.plans:
                yield facts.PlanUpdated(turn=self.turn, steps=plan_of(steps))

    def _shown(self, entry: entries.CommandShown) -> None:
        made = self._open.get(entry.call)
        if made is not None:
            made.shown = entry
        elif self._script is not None:
            self._script.inside.append(entry.command)
            self._item(_shown_in_script(entry, self.cwd))

    def _tool_shown(self, entry: entries.ToolShown) -> None:
        made = self._open.get(entry.call)
        if made is not None:
            made.shown = entry
        elif self._script is not None:
            self._item(tool_shown(entry))

    def _searched(self, entry: entries.Searched) -> None:
        self._flush()
        self.acted = True
        self._item(items.WebSearch(id=self._name("s"), query=head(entry.query, MAX_NAME)))

    # -- the rest ----------------------------------------------------------------------------------------------------

    def counted(self, entry: entries.UsageSeen) -> bool:
        """A model call ended. Return True if that is news; then ``final_words`` and ``told`` are what follows from it.
        The same as ``take``, for whoever has no need of facts."""
        self._move(entry.at)
        return self._is_news(entry)

    def final_words(self) -> list[Told]:
        """What the agent said last, if it is no summary. Live, its words come before what their call used."""
        self._out = []
        if self._held is not None and self._held.phase == "final_answer":
            self._flush_held()
        return self._out

    def _is_news(self, entry: entries.UsageSeen) -> bool:
        """Rate limits are reported by the same event, with the old numbers; and after a resume with none."""
        used = (entry.in_context, entry.spent)
        if entry.in_context <= 0 or used == self._usage:
            return False
        self._usage = used
        self._active = self.at
        return True

    def _used(self, entry: entries.UsageSeen) -> None:
        if self._is_news(entry):
            self._out = self.final_words()
            self._tell(self.told(entry))

    def told(self, entry: entries.UsageSeen) -> facts.UsageUpdated:
        return facts.UsageUpdated(
            turn=self.turn,
            in_context=entry.in_context,
            spent=entry.spent,
            window=entry.window,
            cached_input=entry.cached,
            output=entry.output,
        )

    @property
    def _outside(self) -> bool:
        """Between two turns that Codex names. A client may put items there; nobody works."""
        return self.names_turns and not self.turn

    def _item(self, item: items.AnyItem, *, at: int = 0) -> None:
        if self._outside:
            return
        if not self.turn:
            self._begin(self._name("t"), at=at)
            self.acted = True
        self._tell(facts.ItemCompleted(turn=self.turn, item=item), at=at)

    def _tell(self, fact: facts.AnyFact, *, at: int = 0) -> None:
        self._out.append((at or self.at, fact))

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


CALLS: tuple[type[entries.Call], ...] = get_args(entries.AnyCall)
ACTS: frozenset[type[entries.Entry]] = frozenset(
    {
        *CALLS,
        entries.Returned,
        entries.CommandShown,
        entries.ToolShown,
        entries.Searched,
        entries.Compacted,
        entries.Reviewed,
    }
)
"""What only happens while the agent is at work."""


def _begun(call: entries.CommandCalled, cwd: str) -> items.Command:
    return items.Command(id=call.call, command=head(call.command, MAX_COMMAND), cwd=call.cwd or cwd, status="running")


def _shown_in_script(shown: entries.CommandShown, cwd: str) -> items.Command:
    failed = shown.exit_code not in (0, None)
    return items.Command(
        id=shown.call,
        command=head(shown.command, MAX_COMMAND),
        cwd=cwd,
        status="failed" if failed else "completed",
        exit_code=shown.exit_code,
        output_tail=tail(shown.output, MAX_OUTPUT_TAIL),
    )


def _of_script(made: Made, call: entries.ScriptCalled) -> Iterator[items.AnyItem]:
    """What a script did, as far as it is written out: its commands, with their exit codes if those are plain, and its
    patches."""
    with_codes = list(items_of(made))
    if with_codes or len(call.commands) == len(made.inside):
        yield from with_codes
    else:
        for n, line in enumerate(call.commands):
            if line not in made.inside:
                command = head(line, MAX_COMMAND)
                yield items.Command(id=command_in(call, n), command=command, cwd=made.cwd, status="completed")
    if call.changes and made.returned is not None:
        patch = entries.PatchCalled(call=f"{call.call}#patch", changes=call.changes)
        yield from items_of(Made(patch, made.turn, made.cwd, returned=made.returned))


_HANDLERS: Mapping[type[entries.Entry], Callable[[Telling, Any], None]] = {
    entries.SessionBegan: Telling._session,  # noqa: SLF001
    entries.TurnContext: Telling._context,  # noqa: SLF001
    entries.TurnBegan: Telling._turn_began,  # noqa: SLF001
    entries.TurnEnded: Telling._turn_ended,  # noqa: SLF001
    entries.Compacted: Telling._compacted,  # noqa: SLF001
    entries.Said: Telling._said,  # noqa: SLF001
    entries.UserSpoke: Telling._user_spoke,  # noqa: SLF001
    entries.Reviewed: Telling._reviewed,  # noqa: SLF001
    entries.Searched: Telling._searched,  # noqa: SLF001
    entries.Returned: Telling._returned,  # noqa: SLF001
    entries.CommandShown: Telling._shown,  # noqa: SLF001
    entries.ToolShown: Telling._tool_shown,  # noqa: SLF001
    entries.UsageSeen: Telling._used,  # noqa: SLF001
    **dict.fromkeys(CALLS, Telling._called),  # noqa: SLF001
}

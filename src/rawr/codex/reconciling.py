"""Compares what Codex wrote into a thread's session file with what it reported: the rest becomes facts.

A call is known by its id, which its item has too. Some calls have no item: a plan has its own notification, input for a
running command belongs to that command, and a script of code mode shows the calls in it under other ids. It blocks.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.text import head
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.bounds import MAX_EXPLANATION
from rawr.core.vocabulary.effects import ReadSession
from rawr.core.vocabulary.session import Found, SessionMark, SessionTrouble, plan_digest
from rawr.history import entries
from rawr.history.lines import entry_of
from rawr.history.made import Made, items_of, plan_of
from rawr.history.portion import Place, Portion, read_portion

MAX_FOUND = 200


class Read(Struct, frozen=True):
    """What is in a portion of the file, beyond what is known."""

    told: tuple[facts.AnyFact, ...]
    """In their order, without the last word."""
    last: facts.SessionRead | None
    """None if nothing is new and nothing wrong."""
    ended: bool


class _Course:
    """The calls of a portion, in order."""

    def __init__(self, turn: str) -> None:
        self.turn = turn
        self.cwd = ""
        self.made: dict[str, Made] = {}
        self.over: set[str] = set()
        self.lines = 0
        self.unread = 0
        self.problem = ""
        self.reasoned: list[tuple[int, int]] = []
        """Where encrypted reasoning is, and how many tokens of it."""
        self.compacted = -1
        """Where the context was compacted last."""
        self._last: dict[str, str] = {}
        self._script: Made | None = None

    def take(self, entry: entries.AnyEntry, offset: int) -> None:
        self.lines += 1
        match entry:
            case entries.TurnContext() | entries.TurnBegan():
                self.turn = entry.turn or self.turn
                self.cwd = (entry.cwd if isinstance(entry, entries.TurnContext) else "") or self.cwd
            case entries.TurnEnded():
                self.over.add(entry.turn or self.turn)
            case entries.Call(call=call) if call and call not in self.made:
                self._called(entry, offset)
            case entries.Returned(call=call) if call in self.made:
                self._returned(self.made[call], entry)
            case entries.CommandShown(call=call) | entries.ToolShown(call=call) if call in self.made:
                self.made[call].shown = entry
            case entries.CommandShown(command=command) if self._script is not None:
                self._script.inside.append(command)
            case entries.Reasoned(tokens=tokens):
                self.reasoned.append((offset, tokens))
            case entries.Compacted():
                self.compacted = offset
            case entries.Unreadable(problem=problem):
                self.unread += 1
                self.problem = self.problem or problem
            case entries.Unknown():
                self.unread += 1
            case _:
                pass

    def _called(self, call: entries.AnyCall, offset: int) -> None:
        turn = call.turn or self.turn
        made = self.made[call.call] = Made(call, turn, self.cwd, self._last.get(turn, ""), offset)
        self._last[turn] = call.call
        if isinstance(call, entries.ScriptCalled):
            self._script = made

    def _returned(self, made: Made, returned: entries.Returned) -> None:
        made.returned = returned
        if made is self._script:
            self._script = None

    def leave(self, turn: str) -> None:
        """The last line began another turn: this one is over, and that line is for another time."""
        self.over.add(turn)
        self.turn = turn
        self.lines -= 1

    def is_over(self, turn: str) -> bool:
        """Return True if nothing more will come of a turn: it has ended, or another has begun."""
        return turn in self.over or turn != self.turn


def read_session(effect: ReadSession) -> Read:
    """Read on from the mark. It does not raise."""
    mark = effect.mark or SessionMark()
    portion = read_portion(effect.path, Place(mark.offset, mark.check))
    course = _Course(mark.turn)
    portion = _taken(course, effect, portion)
    ended = not effect.over or not effect.turn or effect.turn in course.over
    found = list(_facts(course, effect, portion))
    told, omitted = found[:MAX_FOUND], max(len(found) - MAX_FOUND, 0)
    # A plan that Codex did not report is from a time without rawr, and not from the turn before this one.
    plan = _plan(course, effect) if (effect.over and not effect.late) or effect.mark is None else None
    last = _last_word(course, effect, portion, found=len(told), omitted=omitted)
    everything = (*told, *((plan,) if plan is not None else ()), *_reasoning(course, effect, portion))
    return Read(everything, last if everything or _says_something(last, effect) else None, ended)


def _taken(course: _Course, effect: ReadSession, portion: Portion) -> Portion:
    """Take all of it; if the turn is over, up to its end: Codex may be about to report what follows. Returns what was
    taken."""
    bounded = effect.over and bool(effect.turn)
    start, inside = 0, course.turn == effect.turn
    for line in portion.data.split(b"\n"):
        if line:
            course.take(entry_of(line), start)
        end = start + len(line) + 1
        if bounded and effect.turn in course.over:
            return portion.until(end)
        if bounded and inside and course.turn != effect.turn:
            course.leave(effect.turn)
            return portion.until(start)
        start, inside = end, course.turn == effect.turn
    return portion


def _says_something(last: facts.SessionRead, effect: ReadSession) -> bool:
    return last.mark != effect.mark or last.trouble != effect.trouble


def _last_word(
    course: _Course, effect: ReadSession, portion: Portion, *, found: int, omitted: int
) -> facts.SessionRead:
    trouble: SessionTrouble = portion.trouble
    problem = portion.problem
    if trouble == "skipped" and effect.mark is None:
        trouble, problem = "", ""
    if course.unread and not trouble and course.problem:
        trouble = "garbled"
        problem = f"{course.unread} of {course.lines} lines could not be read ({course.problem})"
    end, turn = _end(course, portion)
    if trouble in ("missing", "unreadable") and effect.mark is None:
        # It is not known what is in it, so nothing in it counts as known when it is there.
        mark = SessionMark()
    else:
        mark = SessionMark(end.offset, end.check, turn)
    earlier = sum(1 for one in course.made.values() if effect.mark is None and one.turn != effect.turn)
    return facts.SessionRead(
        effect="",
        mark=mark,
        lines=course.lines,
        found=found,
        omitted=omitted,
        earlier=earlier,
        unread=course.unread,
        ended=effect.over and effect.turn in course.over,
        trouble=trouble,
        problem=head(problem, 300),
    )


def _still_open(course: _Course) -> list[Made]:
    return [one for one in course.made.values() if one.returned is None and not course.is_over(one.turn)]


def _end(course: _Course, portion: Portion) -> tuple[Place, str]:
    """How far it is read: a call that is still running is read again, together with its output."""
    open_ = _still_open(course)
    if not open_:
        return portion.end, course.turn
    first = min(open_, key=lambda one: one.offset)
    return portion.place_before(first.offset), first.turn


def _reasoning(course: _Course, effect: ReadSession, portion: Portion) -> tuple[facts.ReasoningKept, ...]:
    """What is behind a call that still runs is read again, and counted then."""
    end = min((one.offset for one in _still_open(course)), default=len(portion.data))
    compacted = -1 < course.compacted < end
    start = course.compacted if compacted else -1
    tokens = sum(many for offset, many in course.reasoned if start < offset < end)
    lost = portion.trouble in ("truncated", "replaced")
    anew = compacted or lost or effect.mark is None
    return (facts.ReasoningKept(tokens, anew),) if tokens or compacted or lost else ()


# -- what nobody reported ---------------------------------------------------------------------------------------------


def _facts(course: _Course, effect: ReadSession, portion: Portion) -> Iterator[facts.AnyFact]:
    known = set(effect.told)
    news = effect.mark is not None and portion.trouble not in ("truncated", "replaced")
    # Of more calls than rawr remembers, the first in the file were reported too.
    sure = not effect.overflow
    made = list(course.made.values())
    for n, one in enumerate(made):
        sure = sure or one.call.call in known
        if one.call.call in known or not sure or one.returned is None:
            continue
        if not news and one.turn != effect.turn:
            continue
        later = [other for other in made[n + 1 :] if other.turn == one.turn]
        for item in items_of(one):
            place = _place(one, item, later, known)
            yield facts.ItemCompleted(turn=one.turn or effect.turn, item=item, found=place)


def _place(one: Made, item: items.AnyItem, later: list[Made], known: set[str]) -> Found:
    found = Found(at=one.call.at, after=one.after)
    if not isinstance(item, items.Command):
        return found
    # The last call of a command counts. Of those that failed, the reported ones are on record already.
    last = {other.call.command: other for other in later if isinstance(other.call, entries.CommandCalled)}
    failed = sum(other.call.call in known and _failed(other) for other in last.values())
    return replace(found, overtaken=item.command in last, behind=failed)


def _failed(one: Made) -> bool:
    item = next(items_of(one), None)
    return isinstance(item, items.Command) and item.went_wrong


def _plan(course: _Course, effect: ReadSession) -> facts.PlanUpdated | None:
    """The newest plan that Codex accepted."""
    for one in reversed(course.made.values()):
        call = one.call
        if isinstance(call, entries.PlanCalled) and one.returned is not None and not one.returned.refused:
            steps = plan_of(call.steps)
            if plan_digest(steps) == effect.plan:
                return None
            turn = one.turn or effect.turn
            place = Found(at=call.at, after=one.after)
            return facts.PlanUpdated(
                turn=turn, steps=steps, explanation=head(call.explanation, MAX_EXPLANATION), found=place
            )
    return None

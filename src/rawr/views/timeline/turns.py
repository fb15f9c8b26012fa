"""The turns of a thread, as a timeline has them."""

from msgspec.structs import replace

from rawr.core.state.turn import OF_WORK
from rawr.core.text import head
from rawr.core.vocabulary import facts, items
from rawr.views import events as e
from rawr.views.timeline.shapes import TurnSpan
from rawr.views.timeline.thinning import Thinned, notable

MOST = 1_200
OPEN = 8
"""Turns whose end was not seen yet; more than one only if the connection was lost."""
PROBLEM = 300
COMPACTION = "compaction"


class Turns:
    """``count`` has all of them; ``work`` those that ended and in which an agent worked."""

    def __init__(self) -> None:
        self.count = self.work = self.work_ms = 0
        self.done: Thinned[TurnSpan] = Thinned(MOST, notable(_rank))
        self._open: dict[str, TurnSpan] = {}
        self._spoken: set[str] = set()
        """Open turns in which somebody has spoken."""
        self._newest = 0

    @property
    def number(self) -> int:
        """Of the newest turn, running or not."""
        return self._newest

    @property
    def place(self) -> tuple[int, int, bool]:
        """The turn, how many items it has, and whether an agent works in it."""
        running = next(reversed(self._open.values()), None)
        if running is None:
            return self._newest, 0, False
        work = running.id in self._spoken and not running.synthetic
        return running.number, running.items, work

    def take(self, fact: facts.AnyFact, at: int) -> None:
        match fact:
            case facts.TurnStarted(turn=turn):
                self._begin(turn, at)
            case facts.ItemStarted(turn=turn, item=items.Compaction()) if turn in self._open:
                self._compacts(turn)
            case facts.ItemCompleted(turn=turn, item=item) if turn in self._open:
                self._item(turn, item)
            case _:
                pass

    def _begin(self, turn: str, at: int) -> None:
        if turn in self._open:
            return
        self.count += 1
        self._newest = self.count
        self._open[turn] = TurnSpan(self.count, turn, at, None, "running", "", synthetic=False)
        while len(self._open) > OPEN:
            self.done.add(self._open.pop(next(iter(self._open))))

    def _item(self, turn: str, item: items.AnyItem) -> None:
        span = self._open[turn]
        if isinstance(item, items.Compaction):
            self._compacts(turn)
        elif not isinstance(item, items.UserMessage):
            self._open[turn] = replace(span, items=span.items + 1)

    def _compacts(self, turn: str) -> None:
        """A turn in which nobody has spoken and nothing was done is the compaction's own."""
        span = self._open[turn]
        if turn not in self._spoken and not span.items:
            self._open[turn] = replace(span, purpose=COMPACTION, synthetic=True)

    def told(self, event: e.AnyEvent) -> None:
        """The first message in a turn says whose it is; a later one was steered into it."""
        if not isinstance(event, e.UserSaid) or not self._open:
            return
        turn = next(reversed(self._open))
        if turn in self._spoken:
            return
        self._spoken.add(turn)
        purpose = event.purpose
        self._open[turn] = replace(self._open[turn], purpose=purpose, synthetic=purpose not in OF_WORK)

    def ended(self, fact: facts.TurnCompleted, at: int) -> None:
        if fact.turn not in self._open:
            self._begin(fact.turn, at - (fact.duration_ms or 0))
        span = self._open.pop(fact.turn)
        self._spoken.discard(fact.turn)
        said = head(fact.problem.message, PROBLEM) if fact.problem is not None else ""
        self.done.add(replace(span, ended=at, status=fact.status, problem=said))
        self.work += not span.synthetic
        self.work_ms += max(at - span.began, 0)

    @property
    def spans(self) -> tuple[TurnSpan, ...]:
        return tuple(sorted((*self.done, *self._open.values()), key=lambda one: one.number))


def _rank(one: TurnSpan) -> int:
    """What went wrong comes first, then what took long."""
    took = (one.ended or one.began) - one.began
    return took + (10**12 if one.status != "completed" else 0)

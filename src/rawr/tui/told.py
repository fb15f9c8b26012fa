"""What happened on a thread, as the conversation takes it: an event, and the item it is about."""

from collections.abc import Iterator

from msgspec import Struct

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts
from rawr.views import events as e
from rawr.views.following import Following


class Told(Struct, frozen=True, gc=False):
    event: e.AnyEvent
    item: str = ""
    """Codex's id of the item; text that streams in has the same."""


def told_by(taken: Taken, following: Following) -> Iterator[Told]:
    fact = taken.recorded.fact
    item = fact.item.id if isinstance(fact, facts.ItemStarted | facts.ItemCompleted) else ""
    for event in following.take(taken):
        yield Told(event, item)

"""Events from what rawr records, fact by fact, as it happens.

``happened`` knows what a fact shows, ``outcomes`` what a decision means; here they come together, in order. Each
follower makes its own ``Following``, at any moment: it remembers only what was asked and said since then.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import Notify, StartTurn, SteerTurn
from rawr.core.vocabulary.records import Record
from rawr.core.vocabulary.requests import Question
from rawr.views import events as e
from rawr.views import outcomes
from rawr.views.happened import happened
from rawr.views.questions import is_secret, spoken


class Following:
    def __init__(self) -> None:
        self._own: dict[str, e.Purpose] = {}
        """What rawr itself said, by the effect that carries it."""
        self._asked: dict[tuple[str, str], Question] = {}
        """The questions to which Codex awaits an answer, by thread and request."""

    def take(self, taken: Taken) -> tuple[e.AnyEvent, ...]:
        """The fact, its boundaries, the decisions, and the questions that it closed."""
        recorded = taken.recorded
        self._remember(taken)
        found = (
            *(() if outcomes.is_known(one.record for one in taken.decisions) else self._happened(recorded)),
            *_phases(taken),
            *(
                e.BoundarySeen(kind=one.kind, source=one.source, detail=one.detail, payload=one.payload)
                for one in taken.boundaries
            ),
            *(event for one in taken.decisions for event in self._decided(taken, one.record)),
            *self._gone(recorded),
        )
        return tuple(replace(one, thread=recorded.thread, seq=recorded.seq, at=recorded.at) for one in found)

    def _remember(self, taken: Taken) -> None:
        fact = taken.recorded.fact
        if isinstance(fact, facts.RequestReceived):
            self._asked[taken.recorded.thread, fact.request] = fact.question
        purpose = outcomes.own_words(one.record for one in taken.decisions)
        if purpose is not None:
            sent = (one.id for one in taken.effects if isinstance(one.effect, StartTurn | SteerTurn))
            self._own.update(dict.fromkeys(sent, purpose))

    def _happened(self, recorded: facts.Recorded) -> tuple[e.AnyEvent, ...]:
        match recorded.fact:
            case facts.ItemCompleted(item=items.UserMessage(text=text, client_id=client)) if client in self._own:
                return (e.UserSaid(text=text, purpose=self._own[client]),)
            case _:
                return happened(recorded)

    def _decided(self, taken: Taken, record: Record) -> Iterator[e.AnyEvent]:
        fact, request = taken.recorded.fact, str(record.evidence.get("request"))
        question = self._asked.get((taken.recorded.thread, request))
        if isinstance(fact, facts.SteerSubmitted):
            yield outcomes.explained(e.SteerTaken(text=fact.text), record)
        if outcomes.is_put_to_a_person(record) and question is not None:
            notices = tuple(one.effect.text for one in taken.effects if isinstance(one.effect, Notify))
            seconds = outcomes.number(record, "seconds") or 0
            yield e.RequestPut(request=request, question=question, seconds=seconds, notices=notices)
        if outcomes.is_answered_by_a_person(record) and isinstance(fact, facts.AnswerSubmitted):
            # If the question was not seen, it may have asked for a secret.
            secret = question is None or is_secret(question)
            words = "" if secret else spoken(fact.answer)
            came = fact.origin.in_words if fact.origin is not None else ""
            answered = e.RequestAnswered(by="person", words=words, secret=secret, came=came)
            yield outcomes.explained(answered, record)
        event = outcomes.outcome(record)
        if event is not None:
            yield event

    def _gone(self, recorded: facts.Recorded) -> Iterator[e.AnyEvent]:
        """Questions that Codex no longer asks, however they were settled."""
        match recorded.fact:
            case facts.RequestResolved(request=request):
                gone = [(recorded.thread, request)]
            case facts.ServerLost() | facts.ThreadClosed() | facts.RuntimeStarted():
                gone = [key for key in self._asked if key[0] == recorded.thread]
            case _:
                return
        for key in gone:
            if self._asked.pop(key, None) is not None:
                yield e.RequestGone(request=key[1])


class EventSurface:
    """A surface of the runtime that receives only events."""

    def __init__(self, show: Callable[[e.AnyEvent], None]) -> None:
        self._show = show
        self._following = Following()

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self._show(e.Notice(thread=thread, level=level, text=text))

    def taken(self, taken: Taken) -> None:
        for event in self._following.take(taken):
            self._show(event)


def _phases(taken: Taken) -> Iterator[e.AnyEvent]:
    """Phases that the agent marked, in a tool call."""
    if isinstance(taken.recorded.fact, facts.RequestReceived):
        marked = (outcomes.phase_marked(one.record) for one in taken.decisions)
        yield from (e.PhaseEnded(phase=phase, by="agent") for phase in marked if phase is not None)

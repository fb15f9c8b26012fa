"""In Codex's place: answers every effect at once, so that the arbiter can be on and golden paths run to their end.

A day has the same shape over and over: some turns of work, each with a message of the user that waits for its end;
then one that ends with a commit, a finished step of the plan and less room, and no message waiting. rawr gives its
heads-up, the packet lacks something and is sent back, the compaction is done, the handoff comes, and then the message
that the user sent meanwhile. So every turn's end is followed by an effect that begins another turn.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from bench import work
from rawr.core.kernel import Kernel
from rawr.core.vocabulary import effects, facts, items

Begin = effects.StartTurn | effects.StartCompaction
Decided = Literal["message", "heads-up", "correction", "compaction", "handoff"]
"""What was decided at a turn's end."""

WORK = 4
"""Turns of work between two compactions; rawr's own rule wants two at least."""
DAY = WORK + 4
"""All turns from one compaction to the next: heads-up, correction, compaction and handoff have one each."""
BEFORE, AFTER, GROWTH = 160_000, 18_000, 4_000
"""Tokens in the context when rawr compacts and afterwards, and how many a turn of work adds until the last one, which
reads so much that hardly another of its kind would fit."""
MINUTE = 60_000

PACKET = """\
## Overall goal and scope
The parser, part by part.
## What just completed
The newest part.
## Current state
Nothing is open.
## Invariants
The generated files stay as they are.
## Decisions and findings not to repeat
The short way.
## Open questions
None.
## The single next step
The next part.
"""
"""Short of most of what is on record, whatever that is: it is sent back once, and then taken as it is."""


class Begun(Struct, frozen=True):
    """A turn that rawr has begun."""

    name: str
    """Of the effect."""
    number: int
    decided: Decided
    text: str = ""


class Peer:
    """``commands`` is how many each turn of work runs; fewer make a shorter story."""

    def __init__(self, *, commands: int = work.COMMANDS) -> None:
        self.turns = 0
        self.compactions = 0
        """Those that rawr began."""
        self._commands = commands
        self.since_compaction = 0

    @property
    def now(self) -> int:
        """A minute for each turn: cooldowns pass as they do in life."""
        return work.NOON + MINUTE * self.turns

    def go_on_from(self, other: "Peer") -> None:
        self.turns, self.since_compaction = other.turns, other.since_compaction

    def begin(self, name: str, effect: Begin) -> Begun:
        self.turns += 1
        text = effect.text if isinstance(effect, effects.StartTurn) else ""
        return Begun(name, self.turns, _decided(effect), text)

    def turn(self, begun: Begun) -> tuple[list[facts.AnyFact], facts.AnyFact]:
        """All that happens in the turn, and its end."""
        *told, end = self._turn(begun)
        return told, end

    def _turn(self, begun: Begun) -> Iterator[facts.AnyFact]:
        match begun.decided:
            case "message":
                yield from self._work(begun)
            case "heads-up":
                yield from _brief(begun, PACKET, in_context=BEFORE)
            case "correction":
                yield facts.UserSubmitted(text=work.message(begun.number + 1))
                yield from _brief(begun, PACKET, in_context=BEFORE)
            case "compaction":
                self.since_compaction = 0
                self.compactions += 1
                yield from _compaction(begun)
            case "handoff":
                yield from _brief(begun, "I go on with the next part.", in_context=AFTER)

    def _work(self, begun: Begun) -> Iterator[facts.AnyFact]:
        self.since_compaction += 1
        due = self.since_compaction == WORK
        if not due:
            yield facts.UserSubmitted(text=work.message(begun.number + 1))
        yield from work.turn(
            begun.number,
            text=begun.text,
            client_id=begun.name,
            in_context=BEFORE if due else AFTER + GROWTH * self.since_compaction,
            commands=self._commands,
            compacted=self.since_compaction == 2 and begun.number % 3 == 0,
        )


def _decided(effect: Begin) -> Decided:
    if isinstance(effect, effects.StartCompaction):
        return "compaction"
    if not effect.text.startswith("[rawr"):
        return "message"
    if "Handoff:" in effect.text:
        return "handoff"
    return "heads-up" if "Heads-up:" in effect.text else "correction"


def steered(name: str, effect: effects.SteerTurn) -> Iterator[facts.AnyFact]:
    """A message into the running turn is shown there."""
    return work.item(effect.turn, items.UserMessage(id=f"{effect.turn}-s", text=effect.text, client_id=name))


def observed(turn: str, item: str) -> facts.CommandObserved:
    """The first command of each turn has made a commit."""
    commit = facts.CommitSeen(f"{turn.replace('-', '')[::-1]:0<40}", f"Write part {turn}")
    commits = (commit,) if item.endswith("-c0") else ()
    return facts.CommandObserved(turn=turn, item=item, root="/project", branch="main", head=commit.sha, commits=commits)


def _brief(begun: Begun, says: str, *, in_context: int) -> Iterator[facts.AnyFact]:
    """A turn in which the agent only says something."""
    name = work.turn_id(begun.number)
    yield facts.ThreadStatusChanged(status="active")
    yield facts.TurnStarted(turn=name)
    yield from work.item(name, items.UserMessage(id=f"{name}-u", text=begun.text, client_id=begun.name))
    yield from work.item(name, items.AgentMessage(id=f"{name}-a", text=says))
    yield work.usage(name, in_context)
    yield facts.ThreadStatusChanged(status="idle")
    yield facts.TurnCompleted(turn=name, status="completed", duration_ms=1_234)


def _compaction(begun: Begun) -> Iterator[facts.AnyFact]:
    name = work.turn_id(begun.number)
    yield facts.TurnStarted(turn=name)
    yield from work.item(name, items.Compaction(id=f"{name}-k"))
    yield work.usage(name, AFTER)
    yield facts.TurnCompleted(turn=name, status="completed", duration_ms=1_234)


# -- through the kernel alone -----------------------------------------------------------------------------------


def drive(kernel: Kernel, events: int) -> None:
    """At least so many facts through the kernel, up to the end of a day."""
    peer = Peer()
    begun: list[Begun] = []

    def take(*told: facts.AnyFact) -> None:
        for fact in told:
            for intended in kernel.take(work.THREAD, fact, at=peer.now).effects:
                answer(intended.id, intended.effect)

    def answer(name: str, effect: effects.AnyEffect) -> None:
        result = ""
        match effect:
            case effects.StartTurn() | effects.StartCompaction():
                begun.append(peer.begin(name, effect))
                result = work.turn_id(begun[-1].number)
            case effects.SteerTurn():
                take(*steered(name, effect))
            case effects.ObserveCommand(turn=turn, item=item):
                take(observed(turn, item))
            case effects.SetDeadline() | effects.CancelDeadline() | effects.Notify():
                return
            case _:
                pass
        take(facts.EffectSucceeded(effect=name, result=result))

    take(work.OPENED, facts.UserSubmitted(text=work.message(1)))
    while kernel.seq < events or peer.turns % DAY != 1:
        told, end = peer.turn(begun.pop())
        take(*told, end)
        assert len(begun) == 1, f"turn {peer.turns} was followed by {len(begun)} turns"
    check_days(peer)


def check_days(peer: Peer) -> None:
    """Every day had its compaction, or something else was measured than what is said."""
    days = peer.turns // DAY
    assert days > 0, "not one day has passed"
    assert peer.compactions == days, f"rawr compacted {peer.compactions} times in {days} days"

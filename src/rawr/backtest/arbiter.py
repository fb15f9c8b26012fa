"""The arbiter on a session that is over: the facts of the record go in, and what it asks for is answered as by Codex.

Nothing is sent anywhere. A turn that the arbiter starts is played in one go: the message is shown, the agent answers,
the turn ends. A handoff's turn stays open until the record goes on: if a running turn was landed, the rest of it
happens there. Packets are rawr's own, because nobody can ask that agent any more, and for the same reason no model has
a say.
"""

from collections import deque
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.compaction.sequence import SETTLING
from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import TIERS
from rawr.core.requests.tools import PHASE_COMPLETE
from rawr.core.state.sequence import Phase
from rawr.core.state.thread import ThreadState
from rawr.core.thread import quiet
from rawr.core.vocabulary import effects, facts, items, requests
from rawr.history.entries import CommandCalled, ScriptCalled
from rawr.observe.derived import derived

_WAITED_FOR = frozenset({SETTLING, quiet.DEADLINE})
"""Deadlines that are all that a sequence waits for: the record says what the user did meanwhile."""
_MOST_STEPS = 200
"""Of one sequence. None has as many; it is for sequences that nobody thought of."""

Compacted = Callable[[], int]
"""Called when the arbiter compacts; returns what is left in the context."""


def rules(policy: Policy) -> Policy:
    """The policy as it can be applied to a session that is over."""
    compaction = policy.compaction
    unasked = {tier: replace(compaction.acting(tier), decision_prompt_path="", decision_prompt="") for tier in TIERS}
    history: AutoCompaction = replace(
        compaction,
        packet_author="watcher",
        packet_turn="same",
        scratch_write_enabled=False,
        early=unasked["early"],
        ready=unasked["ready"],
        asap=unasked["asap"],
        emergency=unasked["emergency"],
    )
    return replace(policy, compaction=history, join="all", join_only="", watch_repositories=True, watch_files=False)


class Thread(Struct, frozen=True):
    name: str
    cwd: str = "/"
    model: str = ""
    ours: bool = False
    """rawr had started it."""
    parent: str = ""
    """For a sub-agent's, which rawr leaves alone."""


class Arbiter:
    """One thread under a policy. ``heard`` gets everything that was decided; ``compacted`` is asked what is left."""

    def __init__(self, policy: Policy, *, heard: Callable[[Taken], None], compacted: Compacted) -> None:
        self._kernel = Kernel(policy)
        self._heard = heard
        self._compacted = compacted
        self._thread = ""
        self._at = 0
        self._todo: deque[effects.Intended] = deque()
        self._deadlines: dict[str, int] = {}
        self._count = 0
        self._alias: dict[str, str] = {}
        self._landed_turn = ""
        self._joined = facts.ThreadJoined(cwd="/", fresh=True)
        self.open = ""
        """The turn of a handoff, in which the record may go on."""

    @property
    def state(self) -> ThreadState:
        return self._kernel.threads[self._thread]

    def begin(self, thread: Thread, *, at: int) -> None:
        self._thread, self._at = thread.name, at
        opened = facts.ThreadOpened(cwd=thread.cwd, model=thread.model, ours=thread.ours, parent=thread.parent)
        self._joined = facts.ThreadJoined(cwd=thread.cwd, model=thread.model, fresh=True)
        self._take(opened)
        self._settle()

    def tell(self, fact: facts.AnyFact, *, at: int) -> None:
        """A fact of the record."""
        self._until(at)
        self._take(self._renamed(fact) if self._alias else fact)
        if self._todo or self._deadlines:
            self._settle()

    def passes_over(self, turn: str, call: CommandCalled, *, at: int) -> bool:
        """A command ended that means nothing to a repository. Return False if it has to be told."""
        return False

    def passes_script(self, turn: str, call: ScriptCalled, *, at: int) -> bool:
        """The same for a script and all that it ran."""
        return False

    def has_files(self, turn: str, *, at: int) -> bool:
        """Return True if nothing depends on whether one more patch was applied."""
        return False

    def far(self, in_context: int, spent: int, window: int | None, *, at: int) -> bool:
        """The context grew, and nothing depends on it yet. Return False if that has to be told."""
        return False

    def wait(self, at: int) -> None:
        """Time passes, until then."""
        self._until(at)

    def _until(self, at: int) -> None:
        for name, due in sorted(self._deadlines.items(), key=lambda one: one[1]) if self._deadlines else ():
            if due <= at and self._deadlines.pop(name, None) is not None:
                self._at = max(self._at, due)
                self._take(facts.DeadlinePassed(name=name))
                self._settle()
        self._at = max(self._at, at)

    # -- turns of the record ------------------------------------------------------------------------------------------

    def goes_on_in_handoff(self, turn: str) -> None:
        """What the record tells of this turn happens in the open turn."""
        self._alias[turn] = self.open

    def lands_in_record(self, turn: str) -> bool:
        """The record has the landing too: what is left of this turn is its packet. Returns False if none was played."""
        return self._alias.pop(turn, None) is not None

    def close(self) -> None:
        """The record goes on elsewhere: the agent has nothing more to say in the turn of the handoff."""
        if self.open and self.open not in self._alias.values():
            turn, self.open = self.open, ""
            self._answered(turn)
            self._settle()

    def _renamed(self, fact: facts.AnyFact) -> facts.AnyFact:
        turn = getattr(fact, "turn", "")
        if not turn or turn not in self._alias:
            return fact
        own = self._alias[turn]
        if isinstance(fact, facts.TurnCompleted):
            del self._alias[turn]
            self.open = ""
        return replace(fact, turn=own)

    # -- what the arbiter asks for ------------------------------------------------------------------------------------

    def _take(self, fact: facts.AnyFact) -> None:
        taken = self._kernel.take(self._thread, fact, at=self._at)
        if taken.effects:
            self._todo.extend(taken.effects)
        self._heard(taken)

    def _settle(self) -> None:
        """Answer everything, until the arbiter waits for the record again."""
        for _ in range(_MOST_STEPS):
            while self._todo:
                self._answer(self._todo.popleft())
            if not self._deadlines:
                return
            due = [one for one in self._deadlines if one in _WAITED_FOR]
            if not due or self.state.turn is not None:
                return
            self._at = max(self._at, self._deadlines.pop(due[0]))
            self._take(facts.DeadlinePassed(name=due[0]))

    def _answer(self, intended: effects.Intended) -> None:
        effect = intended.effect
        match effect:
            case effects.SetDeadline(name=name, at=at):
                self._deadlines[name] = at
            case effects.CancelDeadline(name=name):
                self._deadlines.pop(name, None)
            case effects.Notify():
                pass
            case _:
                for fact in self._outcome(intended):
                    self._take(fact)

    def _outcome(self, intended: effects.Intended) -> Iterator[facts.AnyFact]:
        done = facts.EffectSucceeded(effect=intended.id)
        match intended.effect:
            case effects.ObserveCommand() as command:
                yield derived(command)
                yield done
            case effects.ResumeThread():
                yield self._joined
                yield done
            case effects.StartTurn():
                yield from self._turn(intended.id)
            case effects.SteerTurn(turn=turn):
                yield done
                yield self._shown(turn, intended.id)
                if self.state.sequence is not None and self.state.sequence.landing:
                    self._landed(turn)
            case effects.StartCompaction():
                yield from self._compaction(done)
            case effects.AnswerRequest(request=request):
                yield facts.RequestResolved(request=request)
                yield done
            case _:
                yield done

    def _turn(self, message: str) -> Iterator[facts.AnyFact]:
        turn = self._name("turn")
        sequence = self.state.sequence
        handoff = sequence is not None and sequence.phase is Phase.HANDOFF_PENDING
        yield facts.EffectSucceeded(effect=message, result=turn)
        yield facts.TurnStarted(turn=turn)
        yield self._shown(turn, message)
        if handoff:
            self.open = turn
            if self._landed_turn:
                self._alias[self._landed_turn], self._landed_turn = turn, ""
        else:
            self._answered(turn)

    def _answered(self, turn: str) -> None:
        self._take(facts.ItemCompleted(turn=turn, item=items.AgentMessage(id=self._name("m"), text="Ready.")))
        self._take(facts.TurnCompleted(turn=turn, status="completed"))

    def _landed(self, turn: str) -> None:
        """The agent stops where it is, and goes on after the handoff."""
        self._answered(turn)
        self._landed_turn = next((name for name, own in self._alias.items() if own == turn), turn)

    def _compaction(self, done: facts.EffectSucceeded) -> Iterator[facts.AnyFact]:
        turn = self._name("compaction")
        item = items.Compaction(id=self._name("item"))
        window = self.state.usage.window if self.state.usage is not None else None
        spent = self.state.usage.spent if self.state.usage is not None else 0
        left = self._compacted()
        yield done
        yield facts.TurnStarted(turn=turn)
        yield facts.ItemStarted(turn=turn, item=item)
        yield facts.ItemCompleted(turn=turn, item=item)
        yield facts.UsageUpdated(turn=turn, in_context=left, spent=spent, window=window)
        yield facts.TurnCompleted(turn=turn, status="completed")

    def _shown(self, turn: str, message: str) -> facts.ItemCompleted:
        return facts.ItemCompleted(turn=turn, item=items.UserMessage(id=self._name("u"), text="", client_id=message))

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"played-{kind}-{self._count}"


def phase_marked(item: items.ToolCall, turn: str) -> facts.RequestReceived | None:
    """The agent marked a phase with rawr's own tool: live, that is a request to rawr."""
    if item.tool != PHASE_COMPLETE or item.server or item.status != "completed":
        return None
    question = requests.ToolInvocation(tool=item.tool, call=item.id, arguments=item.arguments)
    return facts.RequestReceived(request=f"recorded/{item.id}", question=question, turn=turn, item=item.id)

"""A small model of the app-server, for one thread: what it holds, and what it would send.

It takes the core's effects and works on them when told to, in any order. What it sends goes on a wire that can be cut;
answers to calls are kept apart from events, because the two can overtake each other on their way into the core.
"""

from collections import deque

from msgspec import Struct

from rawr.core.vocabulary import effects, facts, items, requests
from rawr.core.vocabulary.effects import Intended

THREAD = "t"
NATIVE = "native"
"""The id of the item when Codex compacts by itself."""


class Turn(Struct):
    id: str
    compaction: bool = False
    item_sent: bool = False
    pending: list[Intended] = []
    """Steers that were taken and that the model has not seen yet."""


class Answer(Struct, frozen=True):
    effect: str
    outcome: facts.EffectSucceeded | facts.EffectFailed
    joined_idle: bool | None = None
    """For ``ResumeThread``: the thread's status when the call was worked on."""
    running: str = ""
    """For ``FindMessage``: the turn that has it, if it ran when the call was worked on."""


class AppServer:
    def __init__(self) -> None:
        self.turn: Turn | None = None
        self.turns: list[tuple[str, str]] = []
        """All turns with their status, as the history lists them."""
        self.history: list[tuple[str, str]] = []
        """Messages as the agent got them: the client id, and the turn."""
        self.calls: dict[str, Intended] = {}
        self.wire: deque[facts.AnyFact] = deque()
        self.answers: dict[str, Answer] = {}
        self.subscribed = True
        self.unfinished_item = ""
        """A compaction turn that has ended and whose item is still to come."""
        self.compacted: set[str] = set()
        """Turns in which the context was compacted, told or not."""
        self.fresh = False
        """It was started anew and has not opened the thread yet."""
        self._resumed = effects.ResumeThread()
        self.questions: list[str] = []
        self._asked = 0

    # -- calls --------------------------------------------------------------------------------------------------------

    def work_on(self, name: str, *, refuse: bool = False) -> None:
        """Work on one call that has arrived, and have the answer ready."""
        call = self.calls.pop(name)
        refusal = facts.EffectFailed(effect=name, problem="no", code="refused")
        result = None if refuse else self._do(call)
        outcome = refusal if result is None else facts.EffectSucceeded(effect=name, result=result)
        idle = self.turn is None if isinstance(call.effect, effects.ResumeThread) else None
        finding = isinstance(call.effect, effects.FindMessage) and self.turn is not None and self.turn.id == result
        running = self.turn.id if finding and self.turn is not None else ""
        self.answers[name] = Answer(name, outcome, idle if result is not None else None, running)

    def _do(self, call: Intended) -> str | None:
        match call.effect:
            case effects.StartTurn():
                return None if self.turn is not None else self._begin(call.id)
            case effects.SteerTurn(turn=turn):
                if self.turn is None or self.turn.id != turn or self.turn.compaction:
                    return None
                self.turn.pending.append(call)
                return turn
            case effects.InterruptTurn(turn=turn):
                if self.turn is not None and self.turn.id == turn:
                    self.end_turn("interrupted")
                return ""
            case effects.StartCompaction():
                if self.turn is not None:
                    self.end_turn("interrupted")
                self._begin("", compaction=True)
                return ""
            case effects.FindMessage(message=message):
                return next((turn for client, turn in self.history if client == message), "")
            case effects.ResumeThread():
                self.subscribed = True
                self._resumed = call.effect
                return THREAD
            case effects.AnswerRequest(request=request):
                if request in self.questions:
                    self.questions.remove(request)
                    self._send(facts.RequestResolved(request=request))
                return ""
            case _:
                raise AssertionError(call)

    # -- what happens in a turn ---------------------------------------------------------------------------------------

    def other_client_speaks(self) -> None:
        self._begin("")

    def say(self) -> None:
        assert self.turn is not None
        self._item(items.AgentMessage(id="a", text="Words."))

    def take_up_steer(self) -> None:
        assert self.turn is not None
        self._message(self.turn.pending.pop(0).id)

    def compact_in_the_middle(self) -> None:
        """Codex's own compaction: in a turn that holds a message."""
        assert self.turn is not None
        self.compacted.add(self.turn.id)
        self._send(facts.ItemStarted(turn=self.turn.id, item=items.Compaction(id=NATIVE)))
        self._item(items.Compaction(id=NATIVE))

    def send_compaction_item(self) -> None:
        turn = self.unfinished_item
        if self.turn is not None and self.turn.compaction and not self.turn.item_sent:
            self.turn.item_sent = True
            turn = self.turn.id
            self._send(facts.ItemStarted(turn=turn, item=items.Compaction(id="c")))
        else:
            self.unfinished_item = ""
        self.compacted.add(turn)
        self._send(facts.ItemCompleted(turn=turn, item=items.Compaction(id="c")))

    def ask(self, epoch: int) -> None:
        assert self.turn is not None
        self._asked += 1
        request = f"{epoch}/{self._asked}"
        self.questions.append(request)
        question = requests.CommandApproval(command="rm notes", cwd="/project")
        self._send(facts.RequestReceived(request=request, question=question, turn=self.turn.id))

    def end_turn(self, status: facts.TurnStatus) -> None:
        turn = self.turn
        assert turn is not None
        if status == "completed":
            while turn.pending:
                self.take_up_steer()
        if turn.compaction and not turn.item_sent and status == "completed":
            self.unfinished_item = turn.id
        self.turn = None
        self.turns[-1] = (turn.id, status)
        problem = facts.Problem("model down") if status == "failed" else None
        self._send(facts.TurnCompleted(turn=turn.id, status=status, problem=problem))

    def _begin(self, client: str, *, compaction: bool = False) -> str:
        turn = f"T{len(self.turns) + 1}"
        self.turn = Turn(turn, compaction)
        self.turns.append((turn, "inProgress"))
        self._send(facts.TurnStarted(turn=turn))
        if not compaction:
            self._message(client)
        return turn

    def _message(self, client: str) -> None:
        assert self.turn is not None
        self.history.append((client, self.turn.id))
        self._item(items.UserMessage(id="u", text="…", client_id=client))

    def _item(self, item: items.AnyItem) -> None:
        assert self.turn is not None
        self._send(facts.ItemCompleted(turn=self.turn.id, item=item))

    def _send(self, fact: facts.AnyFact) -> None:
        if self.subscribed:
            self.wire.append(fact)

    # -- the connection -----------------------------------------------------------------------------------------------

    def cut(self, *, crash: bool, forget: bool = False) -> None:
        """The connection goes down. What is on the wire and what was not worked on is gone; a crash ends the turn, and
        may take with it what that turn had shown and not written down."""
        self.wire.clear()
        self.calls.clear()
        self.questions.clear()
        self.unfinished_item = ""
        self.subscribed = False
        self.fresh = crash
        if crash and self.turn is not None:
            turn = self.turn.id
            self.end_turn("interrupted")
            if forget:
                self.history = [one for one in self.history if one[1] != turn]

    def joined(self, *, idle: bool, listed: bool) -> facts.ThreadJoined:
        """What the client tells after a resume: the status of then, and the newest turn of now.

        A turn that runs is not always ``listed`` from its first moment on.
        """
        listing = self.turns[:-1] if self.turn is not None and not listed else self.turns
        turn, status = listing[-1] if listing else ("", "")
        names = [name for name, _ in listing]
        asked = self._resumed
        if asked.since in names:
            newer = names[names.index(asked.since) + 1 :]
        elif asked.unseen in names:
            newer = names[names.index(asked.unseen) :]
        else:
            newer = names if asked.whole else []
        spoken = {name for _, name in self.history}
        missed = tuple(facts.MissedTurn(name, name in self.compacted, name in spoken) for name in newer)
        return facts.ThreadJoined(
            cwd="/project", idle=idle, last_turn=turn, last_status=status, missed=missed, fresh=self.fresh
        )

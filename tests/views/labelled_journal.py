"""Journals in which models were asked and people had their say: the real core decides, the real journal keeps it."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from msgspec.structs import replace

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Policy
from rawr.core.real import Redacted
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import AskModel, StartTurn
from rawr.core.vocabulary.opinions import AnyOpinion, FullAutoDecision, Move
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.records import Decision
from rawr.journal.batch import Batch
from rawr.journal.store import Journal
from tests.core.runs import rules
from tests.core.samples import AT, IDLE

ASKING = replace(rules(concurrent_turns=16), models=Models(decisions="model"))
encode = msgspec.json.encode


def says(action: Move = "continue", *, confidence: float = 0.9) -> FullAutoDecision:
    return FullAutoDecision(action=action, next_input="", reason="so", confidence=confidence)


class Told:
    """A journal that is written as the loop writes it."""

    def __init__(self, home: Path, policy: Policy = ASKING) -> None:
        self.journal = Journal.open(home)
        self.kernel = Kernel(policy, after=self.journal.last_seq())
        self.taken: list[Taken] = []
        self.at = AT

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.journal.close()

    def tell(self, thread: str, *told: facts.AnyFact) -> "Told":
        if thread and thread not in self.kernel.threads:
            self.kernel.threads[thread] = replace(IDLE, id=thread)
        for fact in told:
            self._take(thread, fact)
            for name in self.kernel.due(now=self.at):
                self._take(name, facts.SlotGranted())
        return self

    def _take(self, thread: str, fact: facts.AnyFact) -> None:
        self.at += 1_000
        taken = self.kernel.take(thread, fact, at=self.at)
        self.taken.append(taken)
        batch = Batch()
        batch.add_fact(taken.recorded, Redacted(encode(fact)))
        for decision in taken.decisions:
            batch.add_decision(decision, Redacted(encode(decision.record.evidence)))
        for intended in taken.effects:
            batch.add_effect(intended, Redacted(encode(intended.effect)), seq=taken.recorded.seq)
        self.journal.append(batch)

    # -- a run ------------------------------------------------------------------------------------------------------

    def asked(self, thread: str, goal: str, **order: Any) -> "Told":
        """A run is ordered, its first turn ends, and the model is asked what comes next."""
        self.tell(thread, facts.RunSubmitted(order=replace(Order(goal=goal), **order)))
        return self.turn(thread, "T1")

    def turn(self, thread: str, turn: str) -> "Told":
        self.begin(thread, turn)
        message = items.AgentMessage(id=f"{turn}-a", text="On I go.")
        self.tell(thread, facts.ItemCompleted(turn=turn, item=message))
        return self.tell(thread, facts.TurnCompleted(turn=turn, status="completed"))

    def begin(self, thread: str, turn: str) -> "Told":
        """The agent takes up the newest message."""
        sent = self._newest(thread, StartTurn)
        message = items.UserMessage(id=f"{turn}-u", text="…", client_id=sent)
        return self.tell(thread, facts.TurnStarted(turn=turn), facts.ItemCompleted(turn=turn, item=message))

    def hears(self, thread: str, opinion: AnyOpinion) -> list[Decision]:
        """The model answers. What was decided about it."""
        effect = self._newest(thread, AskModel)
        question = next(one.effect for taken in self.taken for one in taken.effects if one.id == effect)
        assert isinstance(question, AskModel)
        answer = facts.ModelAnswered(effect=effect, signature=question.signature, opinion=opinion, model="m")
        before = len(self.taken)
        self.tell(thread, answer, facts.EffectSucceeded(effect=effect))
        return list(self.taken[before].decisions)

    def label(self, decision: Decision, word: str, note: str = "") -> "Told":
        return self.tell(
            "", facts.DecisionLabelled(decision=decision.id, label="good" if word == "good" else "bad", note=note)
        )

    def _newest(self, thread: str, kind: type[StartTurn] | type[AskModel]) -> str:
        return next(
            one.id
            for taken in reversed(self.taken)
            for one in taken.effects
            if one.thread == thread and isinstance(one.effect, kind)
        )

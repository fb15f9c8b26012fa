"""Receipts to learn from, and a model that has something to learn."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from rawr.core.vocabulary.opinions import CompactionJudgment, FullAutoDecision, Move, Planning
from rawr.models.tuning.examples import Label, Receipt
from tests.models.questions import question
from tests.models.servers import ModelServer, Request, Say, Turn, model_server

RED = "The tests are red."
GREEN = "The tests are green."


def decision(n: int, action: Move, label: Label, *, said: str = GREEN, note: str = "") -> Receipt:
    return Receipt(
        id=f"t:{n}/0",
        question=question(
            "full_auto_decision", goal=f"<goal {n}>", last_message=said, open_moves="continue, pause, stop"
        ).thing,
        opinion=FullAutoDecision(action=action, next_input="", reason="so", confidence=0.9),
        label=label,
        note=note,
        at=n,
    )


def decisions(count: int = 9) -> list[Receipt]:
    """A model that went on whatever the tests said, and one that did not: green go on, red pause."""
    kinds = (
        lambda n: decision(n, "continue", "good"),
        lambda n: decision(n, "continue", "bad", said=RED),
        lambda n: decision(n, "pause", "good", said=RED),
    )
    return [kinds[n % 3](n) for n in range(count)]


def judgment(n: int, should_compact: bool, label: Label, *, note: str = "") -> Receipt:
    return Receipt(
        id=f"t:{n}/0",
        question=question("compaction_judgment", context=f"<context {n}>").thing,
        opinion=CompactionJudgment(should_compact=should_compact, reason="so"),
        label=label,
        note=note,
        at=n,
    )


def plan(n: int, label: Label = "good", *, step: str = "Write it.") -> Receipt:
    opinion = Planning(steps=(step,), files=(), checks=(), confidence=0.9)
    asked = question("planning", goal=f"<goal {n}>").thing
    return Receipt(id=f"t:{n}/0", question=asked, opinion=opinion, label=label, at=n)


def taught(request: Request) -> bool:
    """Whether there are examples in the prompt."""
    return any(one["role"] == "assistant" for one in request.messages)


def learner(request: Request) -> Turn:
    """Goes on, whatever the tests say; unless it has seen how it is done."""
    red = RED in request.messages[-1]["content"]
    action = "pause" if red and taught(request) else "continue"
    return Say(json.dumps({"action": action, "next_input": "", "reason": "so", "confidence": 0.8}))


@contextmanager
def answering(answer: Callable[[Request], Turn]) -> Iterator[ModelServer]:
    """A server whose model answers by what it is asked."""
    with model_server("openai", Say()) as server, pytest.MonkeyPatch.context() as patch:

        def take(request: Request) -> Turn:
            server.requests.append(request)
            return answer(request)

        patch.setattr(server, "take", take)
        yield server

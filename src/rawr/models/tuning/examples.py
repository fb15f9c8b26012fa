"""Model answers that a person confirmed or overrode, as examples to learn from.

This module defines what counts as the same choice, what is known to be right, and how many examples are needed. It does
not know DSPy, a model or a journal.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain, zip_longest
from typing import Literal

import msgspec
from msgspec import Struct

from rawr.core.requests.answering import replies_of
from rawr.core.text import head
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.opinions import (
    AnyOpinion,
    CompactionJudgment,
    FullAutoDecision,
    GuidanceDecision,
    GuidanceRouter,
    SignatureName,
    ToolInput,
)
from rawr.core.vocabulary.requests import UserInput, UserQuestion

NEEDED = 8
OF_EACH = 2
"""Of each kind: with only one kind, always giving the same answer would look like learning."""
HELD_OUT = 3
"""Every third, by the hash of its name, is never learned from if there are enough."""
SCORED = 24
"""At most this many are asked about, for each of the two scores."""
DEMO_INPUTS = 2_400
DEMO_OUTPUTS = 2_000
"""Characters of one example in a prompt."""

Label = Literal["good", "bad"]
Method = Literal["held-out", "leave-one-out"]


class Receipt(Struct, frozen=True, kw_only=True):
    """One answer of a model, with the question as it was asked and a person's label."""

    id: str
    """The id of the decision that took the answer."""
    question: AskModel
    opinion: AnyOpinion
    label: Label
    note: str = ""
    implied: bool = False
    """No explicit label: a person overrode it right after."""
    at: int = 0

    @property
    def signature(self) -> SignatureName:
        return self.question.signature


# -- what is right ---------------------------------------------------------------------------------------------------


def choice(opinion: AnyOpinion) -> object:
    """What an answer comes down to, without free text. None if there is only free text."""
    match opinion:
        case CompactionJudgment(should_compact=yes):
            return yes
        case FullAutoDecision(action=action) | GuidanceDecision(action=action):
            return action
        case GuidanceRouter(route=route):
            return route
        case ToolInput(answers=answers):
            return frozenset((one.id, " ".join(one.answer.split()).casefold()) for one in answers)
        case _:
            return None


def is_right(receipt: Receipt, opinion: AnyOpinion | None) -> bool:
    """The same choice is right after a good receipt, another after a bad one. An unusable one is wrong."""
    if opinion is None or not _usable(receipt, opinion):
        return False
    return (choice(opinion) == choice(receipt.opinion)) == (receipt.label == "good")


def _usable(receipt: Receipt, opinion: AnyOpinion) -> bool:
    """Return True if it can be acted on: one of the open moves, answers that fit the questions."""
    inputs = receipt.question.inputs
    if isinstance(opinion, FullAutoDecision | GuidanceDecision) and "open_moves" in inputs:
        return opinion.action in inputs["open_moves"].split(", ")
    if isinstance(opinion, ToolInput):
        try:
            questions = msgspec.json.decode(inputs.get("questions", ""), type=tuple[UserQuestion, ...])
        except msgspec.MsgspecError:
            return True
        return replies_of(UserInput(questions=questions), opinion) is not None
    return True


def lesson(receipt: Receipt) -> AnyOpinion | None:
    """The right answer, if it is known: the one that was given, or the other of two."""
    if receipt.label == "good":
        return receipt.opinion if _usable(receipt, receipt.opinion) else None
    if isinstance(receipt.opinion, CompactionJudgment):
        why = head(receipt.note.strip(), 500) or "A person who looked at it decided so."
        return CompactionJudgment(should_compact=not receipt.opinion.should_compact, reason=why)
    return None


# -- how many there are ----------------------------------------------------------------------------------------------


def tells(receipts: Iterable[Receipt]) -> list[Receipt]:
    """The receipts to learn from. For bad free text, nothing says what would be better."""
    return [one for one in receipts if one.label == "good" or choice(one.opinion) is not None]


def lacks(name: SignatureName, receipts: Sequence[Receipt]) -> str:
    """What is still needed, in words; empty if there is enough."""
    told = tells(receipts)
    if name in ("task_understanding", "planning", "guidance_directive"):
        return f"{NEEDED} good ones are needed" if len(told) < NEEDED else ""
    there = _kinds(told)
    kinds = ("to compact", "not to compact") if name == "compaction_judgment" else ("good", "bad")
    if len(told) >= NEEDED and all(there[kind] >= OF_EACH for kind in kinds):
        return ""
    if name == "compaction_judgment":
        by = ", ".join(f"{there[kind]} where it was right {kind}" for kind in kinds)
        return f"{NEEDED} are needed, {OF_EACH} of each side at least (there are {by})"
    return f"{NEEDED} are needed, {OF_EACH} good and {OF_EACH} bad ones at least"


def _kinds(receipts: Iterable[Receipt]) -> Counter[str]:
    """By the right answer for a judgment, of which there are two; otherwise by the label."""
    rights = ((one, lesson(one)) for one in receipts)
    return Counter(
        ("to compact" if right.should_compact else "not to compact")
        if isinstance(right, CompactionJudgment)
        else one.label
        for one, right in rights
    )


class Division(Struct, frozen=True):
    learned: tuple[Receipt, ...]
    scored: tuple[Receipt, ...]
    method: Method


def divide(name: SignatureName, receipts: Sequence[Receipt]) -> Division:
    """Some to learn from, others to score by, always the same ones. If there are few, all are used for both, each
    scored by a program that has not seen it."""
    ordered = sorted(tells(receipts), key=lambda one: _hash(one.id))
    held = tuple(one for one in ordered if _hash(one.id) % HELD_OUT == 0)
    rest = tuple(one for one in ordered if _hash(one.id) % HELD_OUT)
    if len(held) >= NEEDED and not lacks(name, rest):
        return Division(rest, held[:SCORED], "held-out")
    return Division(tuple(ordered), tuple(ordered[:SCORED]), "leave-one-out")


def _hash(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8])


# -- as examples in a prompt -----------------------------------------------------------------------------------------


def demos(receipts: Iterable[Receipt]) -> list[dict[str, object]]:
    """The examples in the order in which they are taken: the choices in turn, the newest of each first."""
    by_choice: dict[object, list[dict[str, object]]] = {}
    for one in sorted(receipts, key=lambda one: (-one.at, one.id)):
        right = lesson(one)
        made = _demo(one, right) if right is not None else None
        if right is not None and made is not None:
            by_choice.setdefault(choice(right), []).append(made)
    rounds = zip_longest(*by_choice.values())
    return [made for made in chain.from_iterable(rounds) if made is not None]


def _demo(receipt: Receipt, right: AnyOpinion) -> dict[str, object] | None:
    """None if the answer is too long: half an answer would teach to give half an answer."""
    outputs = msgspec.to_builtins(right)
    del outputs["opinion"]
    if len(msgspec.json.encode(outputs)) > DEMO_OUTPUTS:
        return None
    return {"receipt": receipt.id, **_cut(receipt.question.inputs), **outputs}


def _cut(inputs: dict[str, str]) -> dict[str, str]:
    """All of it within bounds: short fields complete, and the long ones share the rest."""
    left, kept = DEMO_INPUTS, {}
    for n, (name, text) in enumerate(sorted(inputs.items(), key=lambda item: len(item[1]))):
        kept[name] = head(text, left // (len(inputs) - n))
        left -= min(len(text), left // (len(inputs) - n))
    return {name: kept[name] for name in inputs}

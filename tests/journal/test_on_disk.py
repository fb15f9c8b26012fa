"""What a run writes is redacted (D12): every kind of secret goes through a journal, and none is in its files."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.facts import AnyFact, Recorded
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.journal.fresh_eighth import EIGHTH
from tests.journal.fresh_fifth import FIFTH
from tests.journal.fresh_first import FIRST
from tests.journal.fresh_fourth import FOURTH
from tests.journal.fresh_ninth import NINTH
from tests.journal.fresh_second import SECOND
from tests.journal.fresh_seventh import SEVENTH
from tests.journal.fresh_sixth import SIXTH
from tests.journal.fresh_third import THIRD
from tests.journal.on_disk import everything
from tests.journal.samples import AT
from tests.journal.secret_corpus import bare, kinds
from tests.journal.secret_places import in_double_quotes
from tests.journal.secret_shapes import Maker

pytestmark = pytest.mark.mission("D12")

Told = tuple[str, str, str]
"""A kind, a text, and the secret in it."""

FRESH = {
    "first": FIRST,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
    "seventh": SEVENTH,
    "eighth": EIGHTH,
    "ninth": NINTH,
}
KNOWN = {
    "service account of Google",  # the id of a key, which is no secret
    "pgbouncer",  # the MD5 of a password, without a word that says so
}
MOST_LEFT = 2


def written(home: Path, told: list[Told]) -> str:
    """The home's disk after these went by as a message, a command with its output, and a frame."""
    redactor, batch = Redactor(), Batch()
    with Journal.open(home) as journal:
        for seq, fact in enumerate(_facts(told), 1):
            body = redactor.foreign(msgspec.json.encode(fact))
            known = msgspec.json.decode(body, type=AnyFact)
            batch.add_fact(Recorded(seq=seq, at=AT + seq, thread="t", fact=known), body)
            frame = redactor.foreign(_frame(fact))
            batch.add_frame("in", frame, at=AT, thread="t", method="item/completed", size=len(frame))
        journal.append(batch).result()
        return everything(home)


def _facts(told: list[Told]) -> Iterator[AnyFact]:
    for _, text, _ in told:
        yield facts.UserSubmitted(text=text)
        line = f"/bin/bash -lc {in_double_quotes(text)}"
        command = items.Command(id="c", command=line, cwd="/", status="completed", output_tail=text)
        yield facts.ItemCompleted(turn="T", item=command)


def _frame(fact: AnyFact) -> bytes:
    """As a server sends it: the text inside a string inside a string."""
    return msgspec.json.encode({"method": "x", "params": {"arguments": msgspec.json.encode(fact).decode()}})


def left(disk: str, told: list[Told]) -> set[str]:
    return {kind for kind, _, secret in told if secret in disk}


def test_none_of_the_corpus_is_on_the_disk(tmp_path: Path) -> None:
    """In one of its places each; ``test_corpus.py`` has them all, without a disk."""
    told: list[Told] = []
    for kind in kinds():
        _, text, secret = next(bare(kind, Random(kind)))  # noqa: S311 - the same in every run
        told.append((kind, text, secret))
    assert len(kinds()) >= 102
    assert len(left(written(tmp_path / "home", told), told)) <= MOST_LEFT


@pytest.mark.parametrize("fresh", FRESH.values(), ids=FRESH)
def test_what_was_written_down_without_a_look_at_the_rules(tmp_path: Path, fresh: dict[str, tuple[str, Maker]]) -> None:
    told: list[Told] = []
    for kind, (text, make) in fresh.items():
        chance = Random(kind)  # noqa: S311 - the same in every run
        told += [(kind, text.format(secret), secret) for secret in (make(chance) for _ in range(3))]
    assert len(fresh) >= 46
    assert left(written(tmp_path / "home", told), told) <= KNOWN

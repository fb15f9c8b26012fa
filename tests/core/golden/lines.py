"""A journal as readable lines: one fact each, with what followed from it. Policy and logic are those of the reader."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.core.kernel import Taken
from rawr.core.replay import Replay, replay
from rawr.core.vocabulary.effects import AnyEffect, Intended
from rawr.core.vocabulary.facts import AnyFact, Recorded
from rawr.core.vocabulary.reasons import LOGIC
from rawr.core.vocabulary.records import Decision, Record
from tests.core.samples import QUIET

HERE = Path(__file__).parent
TOLD = HERE / "a_day.ndjson"
FORGED = HERE / "must_diverge.ndjson"


class Named(Struct, frozen=True):
    id: str
    effect: AnyEffect


class Line(Struct, frozen=True, omit_defaults=True):
    seq: int
    at: int
    thread: str
    fact: AnyFact
    because: tuple[Record, ...] = ()
    do: tuple[Named, ...] = ()


_decode = msgspec.json.Decoder(Line).decode


def line_of(taken: Taken) -> Line:
    recorded = taken.recorded
    because = tuple(decision.record for decision in taken.decisions)
    do = tuple(Named(one.id, one.effect) for one in taken.effects)
    return Line(recorded.seq, recorded.at, recorded.thread, recorded.fact, because, do)


def read(path: Path) -> Iterator[Line]:
    with path.open("rb") as file:
        yield from map(_decode, file)


def write(path: Path, lines: Iterable[Line]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def tell_again(lines: Iterable[Line]) -> Replay:
    policy = QUIET
    told = list(lines)
    return replay(
        [Recorded(line.seq, line.at, line.thread, line.fact) for line in told],
        decisions={line.seq: _decisions(line, policy.hash) for line in told},
        effects={line.seq: tuple(Intended(one.id, line.thread, one.effect) for one in line.do) for line in told},
        policy=policy,
    )


def _decisions(line: Line, policy: str) -> tuple[Decision, ...]:
    return tuple(
        Decision(f"{line.thread}:{line.seq}/{n}", line.seq, line.at, line.thread, record, policy, LOGIC)
        for n, record in enumerate(line.because)
    )

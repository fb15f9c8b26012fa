"""Which turns of a session another file has too.

A session that is resumed or forked begins with a copy of the one before. A turn is known by what was said in it and by
the names of its calls, which are Codex's own and are copied with it.
"""

from collections.abc import Sequence
from hashlib import blake2b

from msgspec.structs import replace

from rawr.backtest.result import Carried, SessionResult, TurnMark


def fingerprint(words: str, calls: Sequence[str]) -> int:
    """A turn without a call is known by its words alone. A greeting is not enough: it is 0, and counts as new."""
    if not calls and len(words) < 40:
        return 0
    return int.from_bytes(blake2b("\0".join((words, *calls)).encode("utf-8", "replace"), digest_size=8).digest())


class Repeats:
    def __init__(self) -> None:
        self._seen: set[int] = set()

    def without(self, result: SessionResult, marks: Sequence[TurnMark]) -> SessionResult:
        """The session without what is known of it; the rest of it is known from now on."""
        known = self._count(marks)
        self._seen.update(one.fingerprint for one in marks if one.fingerprint)
        return leaving_out(result, marks, known)

    def _count(self, marks: Sequence[TurnMark]) -> int:
        """How many turns at the beginning are known."""
        known = 0
        while known < len(marks) and marks[known].fingerprint in self._seen:
            known += 1
        return known


def leaving_out(result: SessionResult, marks: Sequence[TurnMark], known: int) -> SessionResult:
    """The session without its first turns."""
    if not known:
        return result
    until = marks[known - 1]
    return replace(
        result,
        repeats=known,
        recorded=_minus(result.recorded, until.recorded),
        with_rawr=_minus(result.with_rawr, until.with_rawr),
        still_native=result.still_native - until.still_native,
        worked=result.worked - until.worked,
    )


def _minus(one: Carried, other: Carried) -> Carried:
    return Carried(
        one.requests - other.requests,
        one.input - other.input,
        one.cached - other.cached,
        one.output - other.output,
    )

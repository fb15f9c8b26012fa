"""What a backtest says about one session, as values with stable names (``rawr backtest --json``)."""

from typing import Literal

from msgspec import Struct

from rawr.core.policy.tiers import Tier

Place = Literal["choice", "turn_end", "landing", "emergency"]
"""Why it would have been there and then: a boundary of the tier's list, at a turn's end or while the user was away; the
end of a turn of which nothing else is known; a running turn that had to be stopped; or too little room for anything
else."""


class BoundarySeen(Struct, frozen=True, gc=False):
    """A boundary of a kind that can open the golden path. ``line`` is that of the session file, from 1 on."""

    kind: str
    line: int
    turn: int


class WouldCompact(Struct, frozen=True, gc=False):
    """rawr would have compacted here."""

    line: int
    turn: int
    tier: Tier
    percent: int
    """Left of the context, before."""
    kinds: tuple[str, ...]
    """The boundaries that were there; those of the tier's list at a place of choice."""
    reason: str
    tokens: int
    """In the context, before and after; after is an estimate."""
    tokens_after: int
    at: int = 0
    place: Place = "choice"


class NativeCompaction(Struct, frozen=True, gc=False):
    """The context was compacted in the record, by Codex itself unless ``by`` says otherwise."""

    line: int
    turn: int
    inside_turn: bool
    """In the middle of a turn's work."""
    percent_before: int | None
    preceded: bool
    """rawr would have compacted before, so that there would have been no need for this one."""
    foreseeable: bool = False
    """Since the thread's start, or the compaction before, a turn had ended with less than 65 % left, as Codex shows it:
    at that end, or while the user was away, it could have been preceded. No policy changes that."""
    after: str = ""
    """What came just before it: a command, a patch, a message, …"""
    by: str = "codex"
    """Or ``user``, who typed ``/compact``; or ``rawr``."""
    tokens: int = 0
    """In the context at the last report before it began."""
    tokens_after: int = 0
    at: int = 0


class Carried(Struct, frozen=True, gc=False):
    """What all requests together carried to the model, in tokens; ``cached`` is a part of ``input``."""

    requests: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0


class TurnMark(Struct, frozen=True, gc=False):
    """The end of a turn of the record: what it is known by in another file, and what was carried until then."""

    fingerprint: int
    recorded: Carried
    with_rawr: Carried
    still_native: int
    worked: int = 0


class Point(Struct, frozen=True, gc=False):
    """The context after a model call: as it was, and as it would have been with rawr."""

    at: int
    line: int
    turn: int
    recorded: int
    with_rawr: int


class SessionResult(Struct, frozen=True, kw_only=True, tag_field="type", tag="session", omit_defaults=False):
    file: str
    session: str = ""
    format: str = ""
    """legacy: bare items, as in 2025; envelope: with a type and a payload."""
    version: str = ""
    subagent: bool = False
    turns: int = 0
    """Without those that rawr itself had started."""
    window: int | None = None
    boundaries: tuple[BoundarySeen, ...] = ()
    would_compact: tuple[WouldCompact, ...] = ()
    native_compactions: tuple[NativeCompaction, ...] = ()
    worked: int = 0
    """For how long turns were under way, in ms."""
    still_native: int = 0
    """How often Codex would have compacted by itself even so."""
    needed: bool = False
    """The session came to the point where Codex compacts by itself."""
    recorded: Carried = Carried()
    with_rawr: Carried = Carried()
    skipped: dict[str, int] = {}
    """Lines that were not understood, by kind."""
    lines: int = 0
    bytes: int = 0
    repeats: int = 0
    """Turns at the beginning that another file has too: it is a resumed or forked session. They are not counted."""
    problem: str = ""
    """Why the file could not be read to its end; empty if it was."""

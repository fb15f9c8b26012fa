"""A backtest in words: one session in a few lines, all of them in a table."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rawr.backtest.result import NativeCompaction, Place, SessionResult, WouldCompact
from rawr.backtest.summary import Cost, Summary
from rawr.cli.terminal.numbers import short

_WHY: dict[Place, str] = {"turn_end": "a bare end of a turn", "landing": "landing", "emergency": "emergency"}
_WHO = {"codex": "Codex", "user": "the user", "rawr": "rawr"}


def session(one: SessionResult) -> Iterator[str]:
    """Only sessions in which something happened."""
    if not (one.would_compact or one.native_compactions or one.problem):
        return
    yield f"{Path(one.file).name}  {_exactly(one.turns, 'turn')}"
    told = [(native.line, _native(native)) for native in one.native_compactions]
    told += [(would.line, _would(would)) for would in one.would_compact]
    for line, text in sorted(told):
        yield f"  line {line}: {text}"
    if one.problem:
        yield f"  {one.problem}"


def _native(one: NativeCompaction) -> str:
    after = f", after {one.after}" if one.after else ""
    where = f"in the middle of turn {one.turn}{after}" if one.inside_turn else f"after turn {one.turn}"
    left = f", {one.percent_before} % left" if one.percent_before is not None else ""
    came = "; rawr would have come before" if one.preceded else ""
    return f"{_WHO.get(one.by, one.by)} compacted {where}{left}{came}"


def _would(one: WouldCompact) -> str:
    why = ", ".join(one.kinds) if one.place == "choice" else _WHY[one.place]
    gain = f"{short(one.tokens)} → about {short(one.tokens_after)}"
    return f"rawr would compact, turn {one.turn}: {one.tier}, {one.percent} % left, {why} ({gain})"


def totals(found: Sequence[Summary], unread: Sequence[tuple[str, str]] = ()) -> Iterator[str]:
    """One column per policy, side by side. ``unread``: what could not be read, or not to its end, and why."""
    first = found[0]
    sessions, turns = _exactly(first.sessions, "session"), _exactly(first.turns, "turn")
    yield f"{sessions}, {turns}, {first.bytes / 1e6:.0f} MB in {first.seconds:.1f} s"
    if first.sub_agents:
        yield f"left out, as they are live: {_exactly(first.sub_agents, 'session')} of sub-agents"
    if first.not_understood:
        kinds = ", ".join(f"{kind} {count}" for kind, count in first.skipped.items())
        lines = first.lines + first.skipped.get("cut off", 0)
        yield f"not understood: {first.not_understood} of {_exactly(lines, 'line')} ({kinds})"
    for name, problem in unread:
        yield f"not read: {name}: {problem}"
    yield ""
    yield from table(found)


def _exactly(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def table(found: Sequence[Summary]) -> Iterator[str]:
    rows = [[label, *(cell(one) for one in found)] for label, cell in _ROWS]
    if len(found) > 1:
        rows.insert(0, ["policy", *(one.policy for one in found)])
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for label, *cells in rows:
        right = (text.rjust(width) for text, width in zip(cells, widths[1:], strict=True))
        yield "  ".join((label.ljust(widths[0]), *right)).rstrip()


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part // whole} %)" if whole else "")


def _cost(cost: Cost | None, unit: str = "tokens") -> str:
    if cost is None or not cost.recorded:
        return "–"
    change = 100 * (cost.with_rawr - cost.recorded) / cost.recorded
    shown = f"{cost.with_rawr:.2f}" if unit == "currency" else short(round(cost.with_rawr))
    return f"{shown} ({change:+.1f} %)"


def _hourly(one: Summary) -> str:
    if one.per_hour is None or one.native_per_hour is None:
        return "–"
    return f"{one.per_hour:.2f} (record: {one.native_per_hour:.2f})"


_ROWS: tuple[tuple[str, Callable[[Summary], str]], ...] = (
    ("cost of all requests", lambda one: _cost(one.cost_cached, one.cost_unit)),
    ("  the same without prompt caching", lambda one: _cost(one.cost_uncached, one.cost_unit)),
    ("tokens carried by all requests", lambda one: _cost(Cost(one.tokens_carried_recorded, one.tokens_carried))),
    ("compactions on record", lambda one: str(one.native)),
    ("  in the middle of a turn", lambda one: str(one.native_inside_turn)),
    ("  would have been preceded", lambda one: _of(one.preceded, one.native)),
    ("  of the foreseeable ones", lambda one: _of(one.preceded_foreseeable, one.foreseeable)),
    ("  Codex would still have compacted", lambda one: str(one.still_native)),
    ("compactions instead", lambda one: str(one.would_compact)),
    ("  in an hour of work", _hourly),
    ("  at a place of choice", lambda one: _of(one.at_boundary, one.would_compact)),
    ("  at a bare end of a turn", lambda one: str(one.bare_ends)),
    ("  landing a turn that was nearly full", lambda one: str(one.landed)),
    ("  in an emergency", lambda one: str(one.emergencies)),
    ("  in sessions that never needed it", lambda one: str(one.needless)),
    ("  within three turns of the last one", lambda one: str(one.thrash)),
    ("  context left then, on average", lambda one: f"{one.mean_percent} %" if one.mean_percent is not None else "–"),
)

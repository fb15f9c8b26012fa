"""A replay in lines of text: where it differs, what would change, a state in full, and the totals."""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from rawr.cli.terminal.numbers import clock_time
from rawr.cli.terminal.output import encoded
from rawr.views.asked import short
from rawr.views.decisions import DecisionView
from rawr.views.replayed import DifferenceView, ReplayView, StateView

MAX_LINES = 200
MAX_CHARS = 300
_NAMES = {"decisions": "decision", "effects": "effect", "boundaries": "boundary event", "state": "kept state"}


def in_detail(one: DifferenceView) -> Iterator[str]:
    """The first difference: where, both outcomes, the fact that came in, the state before."""
    yield f"First difference: {_place(one)}"
    if one.problem is not UNSET:
        yield f"  {one.problem}"
    if one.recorded or one.replayed:
        yield f"  recorded {one.what}:"
        yield from _rows(one.recorded)
        yield f"  replayed {one.what}:"
        yield from _rows(one.replayed)
    if one.fact is not UNSET:
        yield "  the fact:"
        yield from _block(one.fact)
    if one.before is not UNSET:
        yield "  the state before it:" if one.before is not None else "  There is no state before it."
        if one.before is not None:
            yield from _block(one.before)


def change(one: DifferenceView) -> Iterator[str]:
    """A line for each decision that would have another reason."""
    when = clock_time(one.at, "%m-%d %H:%M:%S") if one.at is not UNSET else ""
    for name, then, now in decided_otherwise(one):
        yield f"{when}  {short(name):<16} {_reason(then)} → {_reason(now)}"


def decided_otherwise(one: DifferenceView) -> list[tuple[str, DecisionView | None, DecisionView | None]]:
    """The decisions with another reason, by their names, then and now. Beside them, evidence may differ."""
    if one.what != "decisions":
        return []
    then, now = _by_name(one.recorded), _by_name(one.replayed)
    found = [(name, then.get(name), now.get(name)) for name in dict.fromkeys((*then, *now))]
    return [(name, old, new) for name, old, new in found if _reason(old) != _reason(new)]


def _by_name(rows: tuple[object, ...]) -> dict[str, DecisionView]:
    return {view.id: view for view in rows if isinstance(view, DecisionView)}


def totals(total: ReplayView, *, otherwise: int = 0) -> Iterator[str]:
    """``otherwise``: how many decisions have another reason, under another policy."""
    if total.policy is not UNSET:
        yield _would_change(total, otherwise)
    else:
        others = [_amount(count, what) for what, count in total.differ.items() if what != "decisions"]
        more = f"; also {', '.join(others)}" if others else ""
        yield f"{total.decisions} decisions, {total.differ.get('decisions', 0)} differ{more}"
    followed = f"{total.facts} facts, {total.effects} effects"
    if total.boundaries or total.states:
        followed += f", {_amount(total.boundaries, 'boundaries')}, {_amount(total.states, 'state')}"
    yield f"({followed})"
    if total.not_compared:
        yield f"{total.not_compared} facts were not compared: one before them on their thread cannot be used."
    earlier = {logic: count for logic, count in total.rules.items() if logic != str(total.logic)}
    for logic, count in earlier.items():
        yield f"{count} decisions were made under version {logic} of the rules; this rawr has {total.logic}."
    if total.outdated:
        yield f"Under version {total.logic}, {total.outdated} of what followed then would be otherwise."


def state(view: StateView) -> Iterator[str]:
    whose = f"thread {view.thread}" if view.thread else "rawr itself"
    fact = type(view.fact).__name__
    yield f"{whose} after fact {view.seq} ({fact}, {clock_time(view.at, '%Y-%m-%d %H:%M:%S')})"
    yield f"policy {view.policy}, rules version {view.logic}"
    if not view.sound:
        yield "A fact before it cannot be used: this is the last sound state."
    yield from _lines(view.state)


def _would_change(total: ReplayView, otherwise: int) -> str:
    other = sum(total.differ.values()) - otherwise
    beside = f"; effects and evidence of others: {other}" if other else ""
    return f"{total.decisions} decisions, {otherwise} would be different{beside}"


def _place(one: DifferenceView) -> str:
    kind = f" ({type(one.fact).__name__})" if one.fact is not UNSET else ""
    when = f", {clock_time(one.at, '%Y-%m-%d %H:%M:%S')}" if one.at is not UNSET else ""
    whose = f"thread {one.thread}" if one.thread else "rawr itself"
    return f"{one.what} at fact {one.seq}{kind}, {whose}{when}"


def _rows(rows: tuple[object, ...]) -> Iterator[str]:
    if not rows:
        yield "    none"
    for row in rows:
        if isinstance(row, DecisionView):
            evidence = encoded(row.evidence).decode()
            yield f"    {row.reason}  {_cut(evidence)}  (policy {row.policy}, rules {row.logic})"
        else:
            yield from _block(row)


def _block(value: object) -> Iterator[str]:
    """Some lines of it: a state can have thousands."""
    lines = list(_lines(value))
    yield from (f"    {_cut(line)}" for line in lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        yield f"    … {len(lines) - MAX_LINES} more lines; --json has all of it."


def _lines(value: object) -> Iterator[str]:
    yield from msgspec.json.format(encoded(value), indent=2).decode().splitlines()


def _cut(line: str) -> str:
    return line if len(line) <= MAX_CHARS else f"{line[:MAX_CHARS]}…"


def _reason(one: DecisionView | None) -> str:
    return one.reason if one is not None else "(nothing)"


def _amount(count: int, what: str) -> str:
    name = _NAMES.get(what, what.removesuffix("s"))
    return f"{count} {name}{'' if count == 1 else 's'}"

"""A thread without a run in words, from its timeline: what a report has of it in a terminal."""

import shlex
from collections.abc import Iterator

from rawr.cli.terminal.output import counted
from rawr.cli.terminal.report_words import DAY, SHORT_SHA, SHOWN, Drawn, Line, Quoted, Section, in_lines, pictures
from rawr.views.codes import meaning
from rawr.views.numbers import clock, clock_time, short
from rawr.views.timeline import CompactionPoint, Counterfactual, SessionRead, Timeline, WouldCompact

SHOWN_REASONS = 8


def on_terminal(timeline: Timeline, drawn: Drawn = (), *, instead: Counterfactual | None = None) -> Iterator[str]:
    """Lines for ``say``, which makes what is quoted harmless. ``instead``: what would have been otherwise."""
    yield f"Thread {timeline.thread}"
    if timeline.goal:
        yield from in_lines(Section("First message", [], quote=timeline.goal))
    yield from in_lines(Section("Outcome", list(_outcome(timeline))))
    yield from pictures(drawn)
    if timeline.commits:
        commits = [(Quoted(one.sha[:SHORT_SHA]), " ", Quoted(one.subject)) for one in timeline.commits[-SHOWN:]]
        yield from in_lines(Section("Commits", commits))
    if timeline.compactions:
        made = [_compaction(one, timeline) for one in timeline.compactions[-SHOWN:]]
        yield from in_lines(Section("Compactions", made))
    if instead is not None:
        yield from in_lines(Section(f"Compactions {instead.name}", list(_would_be(instead, timeline))))
    if timeline.session is None:
        yield from in_lines(Section("Decisions", list(_decisions(timeline))))


def _outcome(timeline: Timeline) -> Iterator[Line]:
    model: Line = (", with ", Quoted(timeline.model)) if timeline.model else ()
    yield ("In ", Quoted(timeline.folder or "a folder that is not known"), *model)
    turns = counted(timeline.counts.get("turns of work", 0), "turn")
    cost = f", cost {timeline.cost:.2f}" if timeline.cost is not None else ""
    yield (f"{turns}, {clock(timeline.work_ms // 1000)} of work, {short(timeline.tokens)} tokens{cost}",)
    if timeline.session is not None and timeline.session.not_understood:
        yield _not_understood(timeline.session)


def _not_understood(read: SessionRead) -> Line:
    """The kinds are as the file names them."""
    kinds = [part for kind, count in read.kinds.items() for part in (", ", Quoted(kind), f" {count}")]
    return (f"not understood: {read.not_understood} of {read.lines} lines (", *kinds[1:], ")")


def _compaction(one: CompactionPoint, timeline: Timeline) -> Line:
    before, after = (short(count) if count is not None else "?" for count in (one.tokens_before, one.tokens_after))
    whose = {"codex": ", by Codex itself", "person": ", by a person"}.get(one.by, "")
    where = f", in the middle of turn {one.turn}" if one.in_work else ""
    when = _when(one.at, timeline)
    return (f"{when} {f'{before} → {after} tokens' if one.ok else 'failed'}{whose}{where}",)


def _would_be(instead: Counterfactual, timeline: Timeline) -> Iterator[Line]:
    made = instead.compactions
    if not made:
        yield ("None.",)
    elif len(made) > SHOWN:
        yield (f"{len(made)}; the newest {SHOWN}:",)
    yield from (_would(one, timeline) for one in made[-SHOWN:])


def _would(one: WouldCompact, timeline: Timeline) -> Line:
    tokens = f"{short(one.tokens)} tokens" if one.tokens is not None else "? tokens"
    left = f", {one.percent_left} % left" if one.percent_left is not None else ""
    return (f"{_when(one.at, timeline)} {tokens}{left}, turn {one.turn}: {one.why}",)


def _when(at: int, timeline: Timeline) -> str:
    """The time of day, with its date if the thread went over midnight."""
    one_day = clock_time(timeline.began, DAY) == clock_time(timeline.ended, DAY)
    return clock_time(at, "%H:%M" if one_day else f"{DAY} %H:%M")


def _decisions(timeline: Timeline) -> Iterator[Line]:
    for reason, count in list(timeline.reasons.items())[:SHOWN_REASONS]:
        yield (f"{short(count)}: {meaning(reason)}",)
    yield ("All of them: ", Quoted(f"rawr log {shlex.quote(timeline.thread)}"))

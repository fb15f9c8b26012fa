"""A thread without a run in words, from its timeline: what a report has of it in a terminal."""

from collections.abc import Iterator

from rawr.cli.terminal.output import counted
from rawr.cli.terminal.report_words import DAY, SHORT_SHA, SHOWN, Drawn, Line, Quoted, Section, in_lines, pictures
from rawr.views.codes import meaning
from rawr.views.numbers import clock, clock_time, short
from rawr.views.timeline import CompactionPoint, Timeline

SHOWN_REASONS = 8


def on_terminal(timeline: Timeline, drawn: Drawn = ()) -> Iterator[str]:
    """Lines for ``say``, which makes what is quoted harmless."""
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
    yield from in_lines(Section("Decisions", list(_decisions(timeline))))


def _outcome(timeline: Timeline) -> Iterator[Line]:
    yield ("In ", Quoted(timeline.folder or "a folder that is not known"))
    turns = counted(timeline.counts.get("turns of work", 0), "turn")
    cost = f", cost {timeline.cost:.2f}" if timeline.cost is not None else ""
    yield (f"{turns}, {clock(timeline.work_ms // 1000)} of work, {short(timeline.tokens)} tokens{cost}",)


def _compaction(one: CompactionPoint, timeline: Timeline) -> Line:
    before, after = (short(count) if count is not None else "?" for count in (one.tokens_before, one.tokens_after))
    whose = {"codex": ", by Codex itself", "person": ", by a person"}.get(one.by, "")
    where = f", in the middle of turn {one.turn}" if one.in_work else ""
    one_day = clock_time(timeline.began, DAY) == clock_time(timeline.ended, DAY)
    when = clock_time(one.at, "%H:%M" if one_day else f"{DAY} %H:%M")
    return (f"{when} {f'{before} → {after} tokens' if one.ok else 'failed'}{whose}{where}",)


def _decisions(timeline: Timeline) -> Iterator[Line]:
    for reason, count in list(timeline.reasons.items())[:SHOWN_REASONS]:
        yield (f"{short(count)}: {meaning(reason)}",)
    yield ("All of them: ", Quoted(f"rawr log {timeline.thread}"))

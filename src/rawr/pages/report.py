"""The report on a thread or a run as a page: how it went over time, what came of it, and why."""

from collections.abc import Iterator, Sequence

from rawr.pages import deciding, over_time
from rawr.pages.html import NOTHING, Html, joined, tag, text
from rawr.pages.parts import context
from rawr.pages.parts.listing import badge, block, code, facts, figures, folded, left_out, listed, section, table
from rawr.pages.shell import page
from rawr.views.changes import ChangesView, CommitView
from rawr.views.numbers import clock, clock_time, short
from rawr.views.report import RunReport
from rawr.views.timeline import CheckPoint, CompactionPoint, Counterfactual, SessionRead, Timeline

ROWS = 200
"""Of a table; the newest."""
SHORT_SHA = 10


def report_page(
    timeline: Timeline,
    *,
    run: RunReport | None = None,
    changes: ChangesView | None = None,
    instead: Counterfactual | None = None,
) -> str:
    """``run``: the report on the run, if it was one. ``changes``: its commits in numbers. ``instead``: what would have
    been otherwise, such as a session of Codex's own with rawr beside it."""
    changes = run.changes if run is not None else changes
    title = f"Run {run.run}: {run.verdict}" if run is not None else f"Thread {timeline.thread}"
    return page(
        title,
        figures(_figures(timeline, run, changes)),
        _goal(timeline, run),
        _waiting(run),
        over_time.context(timeline, instead),
        over_time.plan(timeline),
        _commits(timeline, changes),
        _checks(timeline, run),
        deciding.packets(timeline),
        deciding.requests(timeline, run),
        deciding.decisions(timeline),
        _price(timeline, run),
        _read(timeline.session),
        subtitle=_subtitle(timeline),
    )


def _subtitle(timeline: Timeline) -> Html:
    when = f"{clock_time(timeline.began)} to {clock_time(timeline.ended)}"
    model = f" · {timeline.model}" if timeline.model else ""
    # On a line of its own, since it may be long.
    folder = code(timeline.folder) if timeline.folder else text("The folder is not known.")
    return joined((tag("p", None, text(f"{when}{model}")), tag("p", None, folder)))


def _figures(timeline: Timeline, run: RunReport | None, changes: ChangesView | None) -> Iterator[tuple[str, str, str]]:
    turns = run.turns if run is not None else timeline.counts.get("turns of work", 0)
    yield "Turns", short(turns), f"of {short(run.max_turns)}" if run is not None else ""
    seconds = run.seconds if run is not None else timeline.work_ms // 1000
    yield "At work", clock(seconds), f"over {clock((timeline.ended - timeline.began) // 1000)}"
    tokens = run.tokens if run is not None else timeline.tokens
    cost = run.cost if run is not None else timeline.cost
    yield "Tokens", short(tokens), f"cost {cost:.2f}" if cost is not None else ""
    left = [one.percent_left for one in timeline.points if one.percent_left is not None]
    if left:
        yield "Context left", f"{left[-1]} %", f"lowest {min(left)} %"
    yield "Compactions", short(timeline.counts.get("compactions", 0)), _by_whom(timeline.compactions)
    if timeline.progress:
        newest = timeline.progress[-1]
        yield "Plan", f"{newest.done} of {newest.total}", "steps done"
    made = timeline.counts.get("commits", 0)
    size = f"+{changes.added} -{changes.removed}" if changes is not None and changes.files else ""
    yield "Commits", short(made), size


def _by_whom(made: Sequence[CompactionPoint]) -> str:
    counts = {by: sum(one.by == by for one in made) for by in context.WHO}
    return ", ".join(f"{count} by {context.WHO[by]}" for by, count in counts.items() if count)


def _goal(timeline: Timeline, run: RunReport | None) -> Html:
    goal = run.goal if run is not None else timeline.goal
    if run is None:
        return section("Goal", block(goal)) if goal else NOTHING
    why = (tag("p", None, text(run.why), *((text(" "), code(run.detail, limit=500)) if run.detail else ())),)
    went = [
        joined((_time(one.at, timeline), text(f"{one.what}: {one.why} "), code(one.detail) if one.detail else NOTHING))
        for one in run.happenings[-ROWS:]
    ]
    course = folded(text(f"How it went: {len(run.happenings)} events"), listed(went)) if went else NOTHING
    return section("Goal and outcome", block(goal), *(why if run.why else ()), course)


def _waiting(run: RunReport | None) -> Html:
    if run is None or not (run.waiting or run.unsent):
        return NOTHING
    asked = [
        joined((text(one.asked), listed([*map(text, one.grounds), *map(code, one.commands)]))) for one in run.waiting
    ]
    unsent = [joined((text("Not sent until you resume it: "), code(one))) for one in run.unsent]
    return section("Waiting for you", listed([*asked, *unsent]))


# -- what was done ----------------------------------------------------------------------------------------------------


def _commits(timeline: Timeline, changes: ChangesView | None) -> Html:
    if not timeline.commits and not timeline.files:
        return NOTHING
    sizes = {one.sha: one for one in changes.commits} if changes is not None else {}
    rows = (
        (_time(one.at, timeline), code(one.sha[:SHORT_SHA]), text(one.subject), *_size(sizes.get(one.sha)))
        for one in timeline.commits[-ROWS:]
    )
    listing = table(("When", "Commit", "Subject", "Files", "Lines"), rows, numbers=(3, 4))
    touched = folded(
        text(f"Files: {short(timeline.counts.get('files', 0))}"),
        listed(joined((code(one.path), text(f" {one.kind}"))) for one in timeline.files),
        left_out(timeline.left_out.get("files", 0), "files"),
    )
    problem = changes.problem if changes is not None else ""
    parts = (
        listing if timeline.commits else NOTHING,
        left_out(timeline.left_out.get("commits", 0) + max(len(timeline.commits) - ROWS, 0), "commits"),
        touched if timeline.files else NOTHING,
        _uncommitted(changes),
    )
    return section("Commits and files", *parts, note=problem)


def _size(one: CommitView | None) -> tuple[Html, Html]:
    if one is None or one.files is None:
        return text("–"), text("–")
    added = tag("span", {"class": "added"}, text(f"+{one.added}"))
    return text(one.files), joined((added, text(" "), tag("span", {"class": "removed"}, text(f"-{one.removed}"))))


def _uncommitted(changes: ChangesView | None) -> Html:
    found = changes.uncommitted if changes is not None else None
    if found is None or not found.files:
        return NOTHING
    kinds = (("changed", found.changed), ("staged", found.staged), ("new", found.untracked))
    entries = [joined((code(name), text(f" {kind}"))) for kind, names in kinds for name in names]
    return folded(text(f"Not committed: {found.files}"), listed(entries))


def _checks(timeline: Timeline, run: RunReport | None) -> Html:
    if not timeline.checks and not (run is not None and run.until):
        return NOTHING
    command = tag("p", None, code(run.until, limit=500)) if run is not None and run.until else NOTHING
    newest = timeline.checks[-1] if timeline.checks else None
    parts = [_check(one, timeline, opened=one is newest and not one.passed) for one in timeline.checks[-ROWS:]]
    missing = left_out(timeline.left_out.get("checks", 0) + max(len(timeline.checks) - ROWS, 0), "checks")
    return section("Checks", command, *parts, missing, note="" if timeline.checks else "Not run yet.")


def _check(one: CheckPoint, timeline: Timeline, *, opened: bool) -> Html:
    code_ = f"exit code {one.exit_code}" if one.exit_code is not None else "no exit code"
    how = "did not end in time" if one.timed_out else code_
    took = f", {one.duration_ms / 1000:.1f} s" if one.duration_ms is not None else ""
    verdict = badge("passed" if one.passed else "failed", "good" if one.passed else "bad")
    title = joined((_time(one.at, timeline), verdict, text(f" {how}{took}, turn {one.turn}")))
    return folded(title, block(one.output or "It printed nothing."), opened=opened)


def _price(timeline: Timeline, run: RunReport | None) -> Html:
    tokens, cost = (run.tokens, run.cost) if run is not None else (timeline.tokens, timeline.cost)
    entries = [
        ("From", text(clock_time(timeline.began, "%Y-%m-%d %H:%M:%S %Z"))),
        ("To", text(clock_time(timeline.ended, "%Y-%m-%d %H:%M:%S %Z"))),
        ("In turns", text(clock(timeline.work_ms // 1000))),
        *(_own(timeline) if timeline.session is None else ()),
        ("Tokens", text(f"{short(tokens)} over all model calls")),
        ("Cost", text(f"{cost:.2f}" if cost is not None else "not known: no prices are set")),
        ("Thread", code(timeline.thread)),
    ]
    return section("Cost and time", facts(entries))


def _own(timeline: Timeline) -> Iterator[tuple[str, Html]]:
    compacting = sum(one.duration_ms or 0 for one in timeline.compactions) // 1000
    own = sum((one.ended or one.began) - one.began for one in timeline.turns if one.synthetic) // 1000
    yield "Of that, rawr's own", text(f"{clock(own)}, compactions {clock(compacting)}")


def _read(read: SessionRead | None) -> Html:
    """What of a session file is on this page, and what is not."""
    if read is None:
        return NOTHING
    name = tag("p", None, code(read.file))
    unread = f"It could not be read to its end: {read.problem}." if read.problem else ""
    if not read.not_understood:
        return section("What was read", name, note=f"{read.lines} lines. {unread}".strip())
    note = f"Not understood: {read.not_understood} of {read.lines} lines. {unread}".strip()
    rows = ((code(kind), text(count)) for kind, count in read.kinds.items())
    return section(
        "What was read", name, folded(text("By kind"), table(("Kind", "Lines"), rows, numbers=(1,))), note=note
    )


def _time(at: int, timeline: Timeline) -> Html:
    return deciding.moment(at, timeline)

"""``rawr status``: the threads in the journal, as they stood last."""

import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr import __version__
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.conversation import SYMBOLS
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.cli.terminal.run_view import MILLION, limits_line, plan_line
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import percent_remaining, tier_of
from rawr.core.requests.wording import named
from rawr.core.run.plan import Stage, run_plan
from rawr.core.state.thread import Diff, ThreadState
from rawr.core.text import head
from rawr.core.vocabulary.records import Decision
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.rows import ThreadSpan
from rawr.runtime.control import is_live
from rawr.runtime.recovery import Distrust, Recollection

SHOWN = 20
SHOWN_GOAL = 100
SHOWN_DETAIL = 300
RECENT = 500
"""Facts among which the newest decision is looked for first."""


class ThreadLine(Struct, frozen=True, tag_field="type", tag="thread"):
    thread: str
    cwd: str
    ours: bool
    state: str
    turns: int
    plan_done: int
    plan_steps: int
    tokens: int | None
    window: int | None
    percent_left: int | None
    tier: str | None
    compactions: int
    limits: str
    """Under what it works: sandbox and approvals, as Codex told last."""
    diff: "DiffLine | None"
    waiting: tuple[str, ...]
    queued: int
    run: "RunLine | None"
    decision: "DecisionLine | None"
    damage: "DamageLine | None"
    """Why rawr leaves it alone, if it does; everything else is then as it stood before."""
    last_seen: int
    """When the newest fact about it was recorded, in ms since the epoch."""


class DamageLine(Struct, frozen=True):
    """What is damaged in a thread's record."""

    rows: int
    fact: int
    """The first of them."""
    problem: str
    way_out: str


class DiffLine(Struct, frozen=True):
    """What the newest turn that changed something has changed, in numbers."""

    files: int
    added: int
    removed: int


class DecisionLine(Struct, frozen=True):
    """The newest decision about a thread."""

    id: str
    at: int
    reason: str
    meaning: str


class RunLine(Struct, frozen=True):
    """The Full Auto run on a thread."""

    id: str
    status: str
    live: bool
    """A rawr has it in hand right now."""
    goal: str
    turns: int
    max_turns: int
    tokens: int
    seconds: int
    waits_for: str
    run_plan: tuple[Stage, ...]
    until: str
    """The check that says when it is done; empty: the agent's own word does."""
    max_tokens: int
    max_minutes: int
    max_cost: float
    """Of each of these, zero is no limit."""
    stop: str
    stop_detail: str
    done: str


class Summary(Struct, frozen=True, tag_field="type", tag="summary"):
    threads: int
    shown: int
    facts: int
    journal: Path
    damaged: int = 0
    """Rows of the journal that could not be used for this."""


def run(*, json: bool) -> Exit:
    places = Places.find()
    recorded = is_recorded(places.home)
    for warning in places.loaded.warnings:
        warn(str(warning))
    path = database(places.home)
    if not recorded:
        if json:
            emit(Summary(0, 0, 0, path))
        else:
            say(f"Nothing is recorded yet in {places.home}. `rawr demo` makes a first recording of its own.")
        return Exit.OK
    with JournalReader.open(path) as reader:
        recollection = Recollection(reader, policy=places.loaded.policy, version=__version__)
        spans = sorted((one for one in reader.threads() if one.thread), key=lambda one: -one.last_at)
        live = is_live(places.home)
        lines = []
        for span in spans[:SHOWN]:
            state, why = recollection.last_sound(span.thread)
            line = line_for(
                state or ThreadState(span.thread, closed=why is None),
                places.loaded.policy,
                last_seen=span.last_at,
                live=live,
                decision=_newest(reader, span),
                why=why,
            )
            lines.append(line)
        damaged = tell_of_damage(reader)
        summary = Summary(len(spans), len(lines), reader.counts().facts, path, damaged)
    if json:
        for line in lines:
            emit(line)
        emit(summary)
    else:
        _show(lines, summary)
    return Exit.OK


def _newest(reader: JournalReader, span: ThreadSpan) -> Decision | None:
    """What was decided last; what only says that something was ignored is no decision."""
    for after in (span.last_seq - RECENT, 0):
        decided = (one for one in reader.decisions(span.thread, after=after) if isinstance(one, Decision))
        found = [one for one in decided if not one.record.reason.startswith("ignored.")]
        if found:
            return found[-1]
    return None


def line_for(
    state: ThreadState,
    policy: Policy,
    *,
    last_seen: int,
    live: bool = False,
    decision: Decision | None = None,
    why: Distrust | None = None,
) -> ThreadLine:
    usage = state.usage
    percent = percent_remaining(in_context=usage.in_context, window=usage.window) if usage is not None else None
    return ThreadLine(
        thread=state.id,
        cwd=state.cwd,
        ours=state.ours,
        state="damaged" if why is not None else _word(state),
        turns=state.turns,
        plan_done=sum(step.status == "completed" for step in state.plan.steps),
        plan_steps=len(state.plan.steps),
        tokens=usage.in_context if usage is not None else None,
        window=usage.window if usage is not None else None,
        percent_left=percent,
        tier=tier_of(percent, policy.thresholds) if percent is not None else None,
        compactions=state.compaction_count,
        limits=limits_line(state),
        diff=_diff_line(state.diff) if state.diff is not None else None,
        waiting=tuple(named(one) for one in state.requests if live and not one.answer),
        queued=len(state.queue),
        run=_run_line(state, last_seen=last_seen, live=live),
        decision=_decision_line(decision) if decision is not None else None,
        damage=DamageLine(why.rows, why.seq, why.problem, why.way_out) if why is not None else None,
        last_seen=last_seen,
    )


def _diff_line(diff: Diff) -> DiffLine:
    added, removed = sum(one.added for one in diff.files), sum(one.removed for one in diff.files)
    return DiffLine(files=len(diff.files) + diff.files_omitted, added=added, removed=removed)


def _decision_line(decision: Decision) -> DecisionLine:
    reason = decision.record.reason
    return DecisionLine(id=decision.id, at=decision.at, reason=reason.value, meaning=reason.meaning)


def _run_line(state: ThreadState, *, last_seen: int, live: bool) -> RunLine | None:
    run = state.run
    if run is None:
        return None
    status = run.status if live or not run.active else "cut off"
    # What is on record may be ahead of the date: a clock that was set back does not make it undone.
    now = max(int(time.time() * 1000), last_seen) if live else last_seen
    budgets = run.order.budgets
    return RunLine(
        id=run.id,
        status=status,
        live=live and run.active,
        goal=head(run.order.goal, SHOWN_GOAL),
        turns=run.turns,
        max_turns=budgets.turns,
        tokens=run.tokens,
        seconds=run.used(now) // 1000,
        waits_for=run.waiting if run.active else "",
        # Where it was cut off nothing is under way.
        run_plan=run_plan(run if status == run.status else replace(run, status="paused")),
        until=run.order.done,
        max_tokens=budgets.tokens,
        max_minutes=budgets.minutes,
        max_cost=budgets.cost / MILLION,
        stop=run.stop.reason if run.stop is not None else "",
        stop_detail=head(run.stop.detail, SHOWN_DETAIL) if run.stop is not None else "",
        done=run.done,
    )


def _word(state: ThreadState) -> str:
    if state.closed:
        return "closed"
    if state.compacting is not None:
        return "compacting"
    if state.turn is not None:
        return "working" if state.online else "cut off"
    if state.last_turn is not None and state.last_turn.lost and state.last_turn.status != "completed":
        return "cut off"
    return "idle" if state.online else "away"


def _show(lines: list[ThreadLine], summary: Summary) -> None:
    if not lines:
        say(f"No thread is recorded in {summary.journal} ({counted(summary.facts, 'fact')}).")
        return
    for line in lines:
        left = f"{line.percent_left} % left ({line.tier})" if line.percent_left is not None else "context unknown"
        plan = f", plan {line.plan_done}/{line.plan_steps}" if line.plan_steps else ""
        compacted = f", compacted {counted(line.compactions, 'time')}" if line.compactions else ""
        say(f"{line.thread}  {line.state}, {_ago(line.last_seen)}")
        if line.damage is not None:
            say(f"    {_damage(line.damage)}")
            say(f"    → {line.damage.way_out}")
        say(f"    {line.cwd or '?'}")
        say(f"    {counted(line.turns, 'turn')}{plan}, {left}{compacted}")
        if line.limits:
            say(f"    {line.limits}")
        if line.run is not None:
            _show_run(line.run, diff=line.diff, decision=line.decision)
        for question in line.waiting:
            say(f"    waits: {question}")
        if line.queued:
            say(f"    {counted(line.queued, 'message')} queued")
    threads = counted(summary.threads, "thread")
    shown = f"{summary.shown} of " if summary.shown < summary.threads else ""
    say()
    say(f"{shown}{threads}, {counted(summary.facts, 'fact')} in {summary.journal}")


def _damage(damage: DamageLine) -> str:
    first = f", the first is fact {damage.fact}" if damage.fact else ""
    return f"{counted(damage.rows, 'damaged row')}{first} ({damage.problem}); rawr leaves it alone. Before that:"


def _show_run(run: RunLine, *, diff: DiffLine | None, decision: DecisionLine | None) -> None:
    how = f", waits for: {run.waits_for}" if run.waits_for not in ("", "turn") else ""
    checked = {"checked": ", checked", "self_reported": ", by its own word"}.get(run.done, "")
    say(f"    run {run.id}: {run.status}{checked}{how}, turn {run.turns} of {run.max_turns}, {run.tokens} tokens")
    say(f"        {' '.join(run.goal.split())}")
    say(f"        {plan_line(run.run_plan, SYMBOLS)}")
    if diff is not None:
        say(f"        last diff: {counted(diff.files, 'file')}, +{diff.added} -{diff.removed}")
    if decision is not None:
        say(f"        decided {_ago(decision.at)}: {decision.meaning} ({decision.reason})")
    if run.stop:
        say(f"        stop: {run.stop}{f': {run.stop_detail}' if run.stop_detail else ''}")
    else:
        say(f"        until {_until(run)}")
    if run.status in ("paused", "stopped", "failed", "cut off"):
        say(f"        go on with: rawr resume {run.id}")
    elif run.live:
        say(f'        change its course: rawr override {run.id} "…", rawr pause {run.id}, rawr stop {run.id}')


def _until(run: RunLine) -> str:
    """What ends it, if nothing goes wrong."""
    most = [counted(run.max_turns, "turn")]
    most += [f"{run.max_tokens} tokens"] if run.max_tokens else []
    most += [f"{run.max_minutes} min"] if run.max_minutes else []
    most += [f"a cost of {run.max_cost:.2f}"] if run.max_cost else []
    done = f"this passes: {' '.join(run.until.split())}" if run.until else "the agent says that it is done"
    return f"{done}; at most {', '.join(most)}"


def _ago(at: int) -> str:
    seconds = max(int(time.time()) - at // 1000, 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"

"""``rawr status``: the threads in the journal, in their latest state."""

import time

from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.cli.terminal.run_words import SYMBOLS, plan_line
from rawr.core.state.thread import ThreadState
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.control import is_live
from rawr.views import decisions
from rawr.views.recorded import recall
from rawr.views.runs import ABOUT_TO, RunView
from rawr.views.threads import DamageView, DecisionMade, DiffView, ThreadsSummary, ThreadView, thread_view

SHOWN = 20


def run(*, json: bool) -> Exit:
    places = Places.find()
    recorded = is_recorded(places.home)
    for warning in places.loaded.warnings:
        warn(str(warning))
    if not recorded:
        if json:
            emit(ThreadsSummary(0, 0, 0, database(places.home)))
        else:
            say(f"Nothing is recorded yet in {places.home}. Start with `rawr run` or `rawr watch`.")
        return Exit.OK
    threads, summary = _look(places)
    if json:
        for thread in threads:
            emit(thread)
        emit(summary)
    else:
        _show(threads, summary)
    return Exit.OK


def _look(places: Places) -> tuple[list[ThreadView], ThreadsSummary]:
    path, policy, live = database(places.home), places.loaded.policy, is_live(places.home)
    now = int(time.time() * 1000)
    with JournalReader.open(path) as reader:
        threads = [
            thread_view(
                one.state or ThreadState(one.span.thread, closed=one.why is None),
                policy,
                last_seen=one.span.last_at,
                now=now,
                live=live,
                decision=decisions.newest(reader, one.span),
                why=one.why,
            )
            for one in recall(reader, policy, most=SHOWN)
        ]
        damaged = tell_of_damage(reader)
        in_all, facts = reader.totals()
        return threads, ThreadsSummary(in_all, len(threads), facts, path, damaged)


def _show(lines: list[ThreadView], summary: ThreadsSummary) -> None:
    if not lines:
        say(f"No thread is recorded in {summary.journal} ({counted(summary.facts, 'fact')}).")
        return
    for line in lines:
        _show_thread(line)
    threads = counted(summary.threads, "thread")
    shown = f"{summary.shown} of " if summary.shown < summary.threads else ""
    say()
    say(f"{shown}{threads}, {counted(summary.facts, 'fact')} in {summary.journal}")


def _show_thread(line: ThreadView) -> None:
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
        say(f"    waiting: {question}")
    for text in line.held:
        say(f"    not sent: “{text}” (`rawr resume` sends it; with --drop-messages it does not)")
    if line.queued > len(line.held):
        say(f"    {counted(line.queued - len(line.held), 'message')} queued")


def _damage(damage: DamageView) -> str:
    first = f", the first is fact {damage.fact}" if damage.fact else ""
    return (
        f"{counted(damage.rows, 'damaged row')}{first} ({damage.problem}); rawr leaves the thread alone. Before that:"
    )


def _show_run(run: RunView, *, diff: DiffView | None, decision: DecisionMade | None) -> None:
    how = f", waiting for: {run.waits_for}" if run.waits_for not in ("", "turn") else ""
    how += f", {ABOUT_TO[run.about_to]}" if run.about_to else ""
    checked = {"checked": ", checked", "self_reported": ", self-reported"}.get(run.done, "")
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
        say(f"        to continue: rawr resume {run.id}")
    elif run.live:
        say(f'        to intervene: rawr override {run.id} "…", rawr pause {run.id}, rawr stop {run.id}')


def _until(run: RunView) -> str:
    """What ends it, if nothing goes wrong."""
    most = [counted(run.max_turns, "turn")]
    most += [f"{run.max_tokens} tokens"] if run.max_tokens else []
    most += [f"{run.max_minutes} min"] if run.max_minutes else []
    most += [f"a cost of {run.max_cost:.2f}"] if run.max_cost else []
    done = f"this passes: {' '.join(run.until.split())}" if run.until else "the agent says it is done"
    return f"{done}; at most {', '.join(most)}"


def _ago(at: int) -> str:
    seconds = max(int(time.time()) - at // 1000, 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"

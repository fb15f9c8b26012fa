"""A thread in lines of text: a few for a list, all of it for one thread."""

from collections.abc import Iterator

from rawr.cli.terminal.numbers import ago, short
from rawr.cli.terminal.output import counted
from rawr.cli.terminal.run_words import SYMBOLS, plan_line
from rawr.cli.terminal.visible import exact
from rawr.views.runs import ABOUT_TO, RunView
from rawr.views.threads import DamageView, HoldView, ThreadView

MAX_PIN = 200
"""Characters of a directive, which may be a page."""


def brief(thread: ThreadView) -> Iterator[str]:
    """For a list: where, what it does, what it waits for."""
    run = thread.run
    yield f"{thread.thread}  {thread.state}, {ago(thread.last_seen)}, {thread.cwd or '?'}"
    if thread.damage is not None:
        yield f"    {_damage(thread.damage)}"
        yield f"    → {thread.damage.way_out}"
    if thread.native:
        yield f"    {thread.compacting}"
    if run is None:
        yield f"    {_progress(thread)}"
    else:
        yield f"    {_run_line(run)}: {_flat(run.goal)}"
        if run.stop:
            yield f"        stop: {run.stop}"
    kept = [counted(len(thread.holds), "hold")] if thread.holds else []
    kept += [counted(len(thread.pins), "pin")] if thread.pins else []
    if kept:
        yield f"    {', '.join(kept)}"
    yield from _waiting(thread)


def detail(thread: ThreadView) -> Iterator[str]:
    """Everything about one thread."""
    yield f"{thread.thread}  {thread.state}, {ago(thread.last_seen)}"
    if thread.damage is not None:
        yield f"    {_damage(thread.damage)} Before that:"
        yield f"    → {thread.damage.way_out}"
    yield f"    {thread.cwd or '?'}"
    if thread.parent or thread.ephemeral:
        yield f"    a sub-agent of {thread.parent}" if thread.parent else "    a helper of your own program"
    yield f"    {_progress(thread)}"
    if thread.limits:
        yield f"    {thread.limits}"
    if thread.compacting:
        yield f"    {thread.compacting}"
    yield from (f"    {_whose(hold)}: no compaction {_until_released(hold)}" for hold in thread.holds)
    yield from (f"    pinned: “{_shortened(_flat(pin))}”" for pin in thread.pins)
    if thread.record.mode:
        yield f"    mode: {thread.record.mode}"
    if thread.run is not None:
        yield from _run(thread, thread.run)
    yield from _waiting(thread)


def _progress(thread: ThreadView) -> str:
    plan = f", plan {thread.plan_done}/{thread.plan_steps}" if thread.plan_steps else ""
    left = f"{thread.percent_left} % left ({thread.tier})" if thread.percent_left is not None else "context unknown"
    compacted = f", compacted {counted(thread.compactions, 'time')}" if thread.compactions else ""
    return f"{counted(thread.turns, 'turn')}{plan}, {left}{compacted}"


def _damage(damage: DamageView) -> str:
    first = f", the first is fact {damage.fact}" if damage.fact else ""
    return f"{counted(damage.rows, 'damaged row')}{first} ({damage.problem}); rawr leaves the thread alone."


def _whose(hold: HoldView) -> str:
    return "hold by the agent" if hold.by == "agent" else "hold"


def _until_released(hold: HoldView) -> str:
    until = f"until “{_flat(hold.until)}”" if hold.until != "released" else "until you release it"
    return f"{until}, for {counted(hold.turns_left, 'more turn')}" if hold.turns_left is not None else until


def _flat(text: str) -> str:
    return " ".join(text.split())


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_PIN else f"{text[: MAX_PIN - 1]}…"


def _run_line(run: RunView) -> str:
    how = f", waiting for: {run.waits_for}" if run.waits_for not in ("", "turn") else ""
    how += f", {ABOUT_TO[run.about_to]}" if run.about_to else ""
    checked = {"checked": ", checked", "self_reported": ", self-reported"}.get(run.done, "")
    used = f"turn {run.turns} of {run.max_turns}, {short(run.tokens)} tokens"
    return f"run {run.id}: {run.status}{checked}{how}, {used}"


def _run(thread: ThreadView, run: RunView) -> Iterator[str]:
    yield f"    {_run_line(run)}"
    yield f"        {_flat(run.goal)}"
    yield f"        {plan_line(run.run_plan, SYMBOLS)}"
    if thread.diff is not None:
        yield f"        last diff: {counted(thread.diff.files, 'file')}, +{thread.diff.added} -{thread.diff.removed}"
    if thread.decision is not None:
        made = thread.decision
        yield f"        decided {ago(made.at)}: {made.meaning} ({made.reason})"
    if run.stop:
        yield f"        stop: {run.stop}{f': {run.stop_detail}' if run.stop_detail else ''}"
    else:
        yield f"        until {_until(run)}"
    if run.resume:
        yield f"        to continue: {run.resume}"
    elif run.live:
        yield f'        to intervene: rawr override {run.id} "…", rawr pause {run.id}, rawr stop {run.id}'


def _until(run: RunView) -> str:
    """What ends it, if nothing goes wrong."""
    most = [counted(run.max_turns, "turn")]
    most += [f"{short(run.max_tokens)} tokens"] if run.max_tokens else []
    most += [f"{run.max_minutes} min"] if run.max_minutes else []
    most += [f"a cost of {run.max_cost:.2f}"] if run.max_cost else []
    done = f"this passes: {_flat(run.until)}" if run.until else "the agent says it is done"
    return f"{done}; at most {', '.join(most)}"


def _waiting(thread: ThreadView) -> Iterator[str]:
    """A person may decide by these: anything that only looks like another text is spelled out."""
    for question in thread.waiting:
        first, *more = exact(question).split("\n")
        yield f"    waiting: {first}"
        yield from (f"           │ {line}" for line in more)
    for text in thread.held:
        yield f"    not sent: “{text}” (`rawr resume` sends it; with --drop-messages it does not)"
    if thread.queued > len(thread.held):
        yield f"    {counted(thread.queued - len(thread.held), 'message')} queued"

"""What a model learns when it is asked to compact now or not: the placeholders of ``judgment-context.md`` (A18).

All of it is data. Each value is bounded, the newest is kept, and omissions are marked; text of an agent or a user is in
a block that it cannot close, or on one line.
"""

from rawr.core.compaction.assessment import Assessment
from rawr.core.speech import NOTHING, Own, Template, as_json, block, line, listed, render, rows, say, word
from rawr.core.state import since
from rawr.core.state.ledger import Commit, Ledger
from rawr.core.state.thread import Plan, ThreadState
from rawr.core.text import head
from rawr.core.vocabulary.boundaries import BoundaryEvent

MAX_LINE = 300
MAX_MESSAGE = 3_000
MAX_GOAL = 1_500
MAX_REQUEST = 800
MAX_REQUESTS = 4_000
MAX_EXCERPT = 6_000
MAX_LIST = 3_000
MAX_BOUNDARIES = 24
NONE = say("none")


def write(template: Template, state: ThreadState, answer: Assessment) -> Own:
    return render(template, placeholders(state, answer))


def placeholders(state: ThreadState, answer: Assessment) -> dict[str, Own]:
    """Every placeholder that a template may use."""
    turn, usage, ledger = state.last_turn, state.usage, state.ledger
    said = turn.agent_text.strip() if turn is not None else ""
    made = since.commits(state.since, ledger)
    changed = [*map(_commit, made), *(say("file {path}", path=line(path)) for path in state.since.files)]
    return {
        "tier": word(answer.tier) if answer.tier else NOTHING,
        "percentRemaining": word(str(answer.percent)),
        "boundariesJson": _boundaries(answer.boundaries),
        "threadId": word(state.id),
        "turnId": word(turn.id) if turn is not None else NONE,
        "totalUsageTokens": word(str(usage.in_context)) if usage is not None else say("unknown"),
        "modelContextWindow": word(str(usage.window)) if usage is not None else say("unknown"),
        "lastAgentMessage": block(said, limit=MAX_MESSAGE, end=True) if said else NONE,
        "transcriptExcerpt": _excerpt(state),
        "mode": word(state.mode) if state.mode else NONE,
        "planTrail": _newest(_plan(state.plan), MAX_LIST),
        "userRequests": _requests(ledger),
        "commits": _newest([_commit(one) for one in ledger.commits], MAX_LIST),
        "changesSinceCompaction": _newest(changed, MAX_LIST),
    }


def _boundaries(boundaries: tuple[BoundaryEvent, ...]) -> Own:
    """Always valid JSON, whatever is left out."""
    told = [
        {"kind": one.kind, "source": one.source, "detail": head(one.detail, MAX_LINE)}
        for one in boundaries[-MAX_BOUNDARIES:]
    ]
    return as_json(told)


def _plan(plan: Plan) -> list[Own]:
    """The completed steps, then the rest of the plan."""
    marks = {"in_progress": say("doing"), "pending": say("to do")}
    left = [
        say("{mark}: {step}", mark=marks[one.status], step=line(one.step))
        for one in plan.steps
        if one.status != "completed"
    ]
    return [*(say("done: {step}", step=line(one.step)) for one in plan.trail), *left]


def _requests(ledger: Ledger) -> Own:
    """The goal, and the user's newest messages after it, oldest first."""
    if not ledger.goal:
        return NONE
    goal = line(ledger.goal, limit=MAX_GOAL)
    later = [line(one.text, limit=MAX_REQUEST) for one in ledger.directives]
    return listed((goal, *_fitting(later, MAX_REQUESTS - len(goal))))


def _excerpt(state: ThreadState) -> Own:
    """Who said what, newest last, one line each: nobody can speak as another."""
    ledger = state.ledger
    spoken = [(0, say("user: {text}", text=line(ledger.goal, limit=MAX_GOAL)))] if ledger.goal else []
    spoken += [
        (one.at, say("user: {text}", text=line(one.text, limit=MAX_REQUEST)))
        for one in ledger.directives
        if not one.pinned
    ]
    spoken += [(one.at, say("agent: {text}", text=line(one.text, limit=MAX_REQUEST * 2))) for one in state.since.said]
    return _newest([text for _, text in sorted(spoken, key=lambda one: one[0])], MAX_EXCERPT)


def _commit(commit: Commit) -> Own:
    return say("commit {sha} {subject}", sha=word(commit.sha[:10]), subject=line(commit.subject))


def _newest(entries: list[Own], limit: int) -> Own:
    return rows(_fitting(entries, limit)) or NONE


def _fitting(entries: list[Own], limit: int) -> list[Own]:
    """The newest entries, as many as fit."""
    kept: list[Own] = []
    room = limit
    for entry in reversed(entries):
        room -= len(entry) + 1
        if room < 0:
            break
        kept.append(entry)
    left_out = len(entries) - len(kept)
    note = [say("({count} earlier ones are left out)", count=left_out)] if left_out else []
    return [*note, *reversed(kept)]

"""What a model is told when it is asked whether to compact now: the placeholders of ``judgment-context.md`` (A18).

All of it is data. Each value is bounded, the newest is kept, and what is left out is said; what an agent or a user
wrote stands in a block that it cannot close, or on one line.
"""

import msgspec

from rawr.core import since
from rawr.core.assessment import Assessment
from rawr.core.boundaries import BoundaryEvent
from rawr.core.fence import fenced
from rawr.core.ledger import Commit, Ledger
from rawr.core.prompts import render
from rawr.core.state import Plan, ThreadState
from rawr.core.text import head, tail

MAX_LINE = 300
MAX_MESSAGE = 3_000
MAX_GOAL = 1_500
MAX_REQUEST = 800
MAX_REQUESTS = 4_000
MAX_EXCERPT = 6_000
MAX_LIST = 3_000
MAX_BOUNDARIES = 24
NONE = "none"


def write(template: str, state: ThreadState, answer: Assessment) -> str:
    return render(template, placeholders(state, answer))


def placeholders(state: ThreadState, answer: Assessment) -> dict[str, str]:
    """Every one that a template may use."""
    turn, usage, ledger = state.last_turn, state.usage, state.ledger
    said = turn.agent_text.strip() if turn is not None else ""
    made = since.commits(state.since, ledger)
    changed = [*(_commit(one) for one in made), *(f"file {_line(path)}" for path in state.since.files)]
    return {
        "tier": answer.tier or "",
        "percentRemaining": str(answer.percent),
        "boundariesJson": _boundaries(answer.boundaries),
        "threadId": state.id,
        "turnId": turn.id if turn is not None else NONE,
        "totalUsageTokens": str(usage.in_context) if usage is not None else "unknown",
        "modelContextWindow": str(usage.window) if usage is not None else "unknown",
        "lastAgentMessage": fenced(tail(said, MAX_MESSAGE)) if said else NONE,
        "transcriptExcerpt": _excerpt(state),
        "planTrail": _newest(_plan(state.plan), MAX_LIST),
        "userRequests": _requests(ledger),
        "commits": _newest([_commit(one) for one in ledger.commits], MAX_LIST),
        "changesSinceCompaction": _newest(changed, MAX_LIST),
    }


def _boundaries(boundaries: tuple[BoundaryEvent, ...]) -> str:
    """Whole JSON, whatever is left out."""
    told = [
        {"kind": one.kind, "source": one.source, "detail": head(one.detail, MAX_LINE)}
        for one in boundaries[-MAX_BOUNDARIES:]
    ]
    return msgspec.json.encode(told).decode()


def _plan(plan: Plan) -> list[str]:
    """Steps as they were completed, then what is left of the plan."""
    marks = {"in_progress": "doing", "pending": "to do"}
    left = [f"{marks[one.status]}: {_line(one.step)}" for one in plan.steps if one.status != "completed"]
    return [*(f"done: {_line(one.step)}" for one in plan.trail), *left]


def _requests(ledger: Ledger) -> str:
    """The goal, and the newest of what the user said after it, oldest first."""
    if not ledger.goal:
        return NONE
    goal = head(ledger.goal, MAX_GOAL)
    later = [f"- {head(one.text, MAX_REQUEST)}" for one in ledger.directives]
    return fenced("\n".join([f"- {goal}", *_fitting(later, MAX_REQUESTS - len(goal))]))


def _excerpt(state: ThreadState) -> str:
    """Who said what, newest last."""
    spoken = [(0, f"user: {head(state.ledger.goal, MAX_GOAL)}")] if state.ledger.goal else []
    spoken += [(one.at, f"user: {head(one.text, MAX_REQUEST)}") for one in state.ledger.directives if not one.pinned]
    spoken += [(one.at, f"agent: {one.text}") for one in state.since.said]
    told = [text for _, text in sorted(spoken, key=lambda one: one[0])]
    return fenced("\n".join(_fitting(told, MAX_EXCERPT))) if told else NONE


def _commit(commit: Commit) -> str:
    return f"commit {commit.sha[:10]} {_line(commit.subject)}"


def _newest(entries: list[str], limit: int) -> str:
    return "\n".join(_fitting(entries, limit)) or NONE


def _fitting(entries: list[str], limit: int) -> list[str]:
    """The newest of them, as many as there is room for."""
    kept: list[str] = []
    room = limit
    for entry in reversed(entries):
        room -= len(entry) + 1
        if room < 0:
            break
        kept.append(entry)
    left_out = len(entries) - len(kept)
    return [*([f"({left_out} earlier ones are left out)"] if left_out else []), *reversed(kept)]


def _line(text: str) -> str:
    return head(" ".join(text.split()), MAX_LINE)

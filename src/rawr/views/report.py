"""The report on a run, for the person who left it alone: what came of it, at what price, and what it needs now."""

import shlex

from msgspec import UNSET, Struct, UnsetType

from rawr.core.policy.full_auto import MILLION
from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.thread.spoken import held_back
from rawr.core.vocabulary.requests import UserInput
from rawr.journal.placeholders import MARK
from rawr.journal.reader import JournalReader
from rawr.views.changes import ChangesView, changes_of
from rawr.views.codes import meaning
from rawr.views.course import AnswerView, CheckView, CompactionView, Happening, course_of
from rawr.views.questions import grounds, named, open_requests
from rawr.views.runs import resume_command, run_view
from rawr.views.summary import ending_of
from rawr.views.timeline import Timeline
from rawr.views.waiting import UnansweredView, waiting_on


class ApprovalsView(Struct, frozen=True):
    """How many requests were settled, and by whom."""

    by_rule: int
    by_person: int
    declined: int
    answered_by_person: int
    """Questions, not approvals."""
    answered_by_model: int


class OpenQuestion(Struct, frozen=True):
    """What waits for a person, and the commands that answer it."""

    asked: str
    grounds: tuple[str, ...]
    commands: tuple[str, ...]


class RunReport(Struct, frozen=True, tag_field="type", tag="report"):
    run: str
    thread: str
    folder: str
    goal: str
    until: str
    """The done check; empty: the agent's word counts."""
    allow: tuple[str, ...]
    """Commands that the order approved in advance."""
    status: str
    """The run's own status, or ``cut off``: nothing is running it, and nobody paused it."""
    done: str
    verdict: str
    why: str
    """Why it rests, as a sentence; empty while it runs."""
    detail: str
    began: int
    last_seen: int
    """In ms since the epoch."""
    seconds: int
    """At work, without pauses."""
    turns: int
    max_turns: int
    tokens: int
    cost: float | None
    """None: no prices are set."""
    retries: int
    happenings: tuple[Happening, ...]
    changes: ChangesView
    checks: tuple[CheckView, ...]
    compactions: tuple[CompactionView, ...]
    approvals: ApprovalsView
    answers: tuple[AnswerView, ...]
    """Those of a person or a model, and whatever was declined."""
    waiting: tuple[OpenQuestion, ...]
    unsent: tuple[str, ...]
    """Messages that wait until the run is resumed."""
    continue_with: str
    """The command that continues it, or gives it more to do."""
    whole: bool
    """False: the beginning of the run is no longer in the journal."""
    timeline: Timeline | UnsetType = UNSET
    """How it went over time; only where it was asked for."""


def report_of(
    reader: JournalReader,
    state: ThreadState,
    policy: Policy,
    *,
    last_seen: int,
    now: int,
    live: bool,
    until: int | None = None,
) -> RunReport:
    """``state`` has a run. ``live``: a rawr is running on this home. ``until``: the last fact that counts."""
    run, ending = state.run, ending_of(state)
    assert run is not None, "a thread with a run"  # noqa: S101
    assert ending is not None, "a thread with a run"  # noqa: S101
    view = run_view(run, last_seen=last_seen, now=now, live=live)
    course = course_of(reader, state.id, first=run.number, until=until)
    return RunReport(
        run=run.id,
        thread=state.id,
        folder=state.cwd,
        goal=run.order.goal,
        until=run.order.done,
        allow=run.order.allow,
        status=view.status,
        done=run.done,
        verdict=_verdict(view.status, ending.verdict),
        why=meaning(run.stop.reason) if run.stop is not None else "",
        detail=run.stop.detail if run.stop is not None else "",
        began=run.since,
        last_seen=last_seen,
        seconds=view.seconds,
        turns=run.turns,
        max_turns=view.max_turns,
        tokens=run.tokens,
        cost=_cost(run, policy),
        retries=course.retries,
        happenings=course.happenings,
        changes=changes_of(state.cwd, course.commits),
        checks=course.checks,
        compactions=course.compactions,
        approvals=_approvals(course.answers, by_rule=course.approved_by_rule),
        answers=course.answers,
        waiting=_waiting(state, live=live),
        unsent=tuple(one.text for one in held_back(state)),
        continue_with=_continue_with(run, live=view.live),
        whole=course.whole,
    )


def _verdict(status: str, ending: str) -> str:
    return {
        "running": "Still under way.",
        "cut off": "Cut off: rawr exited while it was under way.",
    }.get(status, ending)


def _cost(run: Run, policy: Policy) -> float | None:
    prices = policy.full_auto
    priced = run.cost or prices.price_input or prices.price_cached or prices.price_output
    return run.cost / MILLION if priced else None


def _approvals(answers: tuple[AnswerView, ...], *, by_rule: int) -> ApprovalsView:
    persons = [one for one in answers if one.by == "person"]
    return ApprovalsView(
        by_rule=by_rule,
        by_person=sum(one.approval and one.answer.startswith("accept") for one in persons),
        declined=sum(one.answer in ("decline", "cancel") and (one.approval or one.by != "person") for one in answers),
        answered_by_person=sum(not one.approval for one in persons),
        answered_by_model=sum(one.by == "model" for one in answers),
    )


def _waiting(state: ThreadState, *, live: bool) -> tuple[OpenQuestion, ...]:
    run = shlex.quote(state.run.id if state.run is not None else state.id)
    found = []
    for opened in open_requests(state):
        request = shlex.quote(opened.request)
        commands: tuple[str, ...] = (f"rawr approve {request}", f"rawr deny {request}")
        if MARK.search(named(opened)):
            # A report may be passed on, so it is made of the record. Nobody should decide by that.
            commands = ("rawr approvals",)
        if not live:
            # Only a running rawr can pass an answer to Codex; the agent may ask again.
            commands = (f"rawr resume {run}",)
        elif isinstance(opened.question, UserInput):
            commands = (f'rawr answer {run} "…"',)
        found.append(OpenQuestion(named(opened), grounds(opened), commands))
    late = (one for one in waiting_on(state, live=live) if isinstance(one, UnansweredView))
    ways = (f'rawr answer {run} "…"', f"rawr resume {run}")
    return (*found, *(OpenQuestion(one.text, (), ways) for one in late))


def _continue_with(run: Run, *, live: bool) -> str:
    if live or run.status == "done":
        return f'rawr override {run.id} "…"'
    return resume_command(run)

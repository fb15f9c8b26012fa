"""What a turn achieved, and whether anything advances (C2, C6).

Progress is compared by content: plan, diff, commits, files. Reading and research change none of these, but still are
not a standstill, as long as the agent reads something new.
"""

import re
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from rawr.core.state.run import Run, TurnSummary
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import TurnOutcome
from rawr.core.text import head, tail

SAID = 600
_TIMES = re.compile(
    r"0x[0-9a-f]+|\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?|\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|min|minutes?)\b",
    re.IGNORECASE,
)

_encode = msgspec.json.Encoder(order="deterministic").encode


def digest(*parts: object) -> str:
    return sha256(_encode(parts)).hexdigest()[:16]


def summarise(state: ThreadState, turn: TurnOutcome, *, tokens: int) -> TurnSummary:
    """The turn that has just ended."""
    ledger = state.ledger
    failing = ledger.failures[-1] if ledger.failures else None
    problem = turn.problem.message if turn.problem is not None else ""
    if not problem and turn.commands_failed and failing is not None:
        # By its message: an agent in trouble varies the command, and the error stays the same.
        problem = failing.last_line or failing.command
    return TurnSummary(
        turn=turn.id,
        status=turn.status,
        work=work_digest(state),
        actions=digest(turn.actions, turn.files, turn.tools and turn.agent_text),
        problem=head(problem, 300),
        commands=turn.commands,
        commands_failed=turn.commands_failed,
        files=len(turn.files),
        tools=turn.tools,
        plan_done=sum(step.status == "completed" for step in state.plan.steps),
        plan_steps=len(state.plan.steps),
        tokens=tokens,
        compactions=state.compaction_count,
        said=tail(turn.agent_text, SAID),
    )


def work_digest(state: ThreadState) -> str:
    """A digest of the work so far."""
    ledger = state.ledger
    diff = state.diff.digest if state.diff is not None else ""
    plan = [(step.step, step.status) for step in state.plan.steps]
    commits = [commit.sha for commit in ledger.commits]
    files = [(one.path, one.kind) for one in ledger.files]
    tree = (state.tree,) if state.tree else ()
    phases = [mark.phase for mark in state.phases if mark.by == "agent"]
    return digest(plan, diff, commits, files, ledger.dropped, phases, *tree)


def seen_first(history: tuple[TurnSummary, ...], state: ThreadState) -> tuple[TurnSummary, ...]:
    """Turns from before anybody looked at the tree. If the turn after which somebody did wrote nothing, it was the same
    tree then: to see it for the first time is no advance."""
    unseen, now = work_digest(replace(state, tree="")), work_digest(state)
    return tuple(replace(one, work=now) if one.work == unseen else one for one in history)


def standstill(run: Run) -> int:
    """How many of the newest turns in a row brought nothing: no work, and nothing new read."""
    count = 0
    history = _whole(run)
    for n in range(len(history) - 1, 0, -1):
        turn, before = history[n], history[:n]
        if _advanced(turn, before) or (_acted(turn) and not _repeats(turn, before)):
            break
        count += 1
    return count


def circles(run: Run) -> int:
    """How many of the newest turns in a row repeated an earlier one, with nothing to show for it."""
    count = 0
    history = _whole(run)
    for n in range(len(history) - 1, 0, -1):
        turn, before = history[n], history[:n]
        if _advanced(turn, before) or not _acted(turn) or not _repeats(turn, before):
            break
        count += 1
    return count


def same_problem(run: Run) -> int:
    """How many of the newest turns in a row ended on the same problem, with nothing to show for them."""
    if not run.history or not run.history[-1].problem:
        return 0
    problem = _without_times(run.history[-1].problem)
    count = 0
    for n in range(len(run.history) - 1, -1, -1):
        turn, before = run.history[n], run.history[:n]
        if _without_times(turn.problem) != problem:
            break
        count += 1
        if before and _advanced(turn, before):
            # The work went on in this turn anyway; only the turns since then got nowhere.
            break
    return count


QUICK_MS = 2_000
"""A turn that is shorter and did nothing has only cost tokens."""


def wasted(run: Run, turn: TurnSummary, *, now: int) -> bool:
    """Return True if the turn that has just ended took no time, did nothing, and advanced nothing."""
    if turn.status != "completed" or not run.granted_at or now - run.granted_at >= QUICK_MS:
        return False
    return not _acted(turn) and bool(run.history) and not _advanced(turn, run.history)


def new_problem(run: Run) -> str:
    """The problem on which the newest turn ended, if no review was asked for it yet; or empty."""
    if not run.history or not run.history[-1].problem:
        return ""
    problem = _without_times(run.history[-1].problem)
    return "" if problem in run.reviewed else problem


def _whole(run: Run) -> tuple[TurnSummary, ...]:
    """Turns that completed. A failed or interrupted turn says nothing about the work."""
    return tuple(turn for turn in run.history if turn.status == "completed")


def _advanced(turn: TurnSummary, before: tuple[TurnSummary, ...]) -> bool:
    """The work is in a state in which it has not been before: going back and forth is no advance."""
    return all(turn.work != one.work for one in before)


def _repeats(turn: TurnSummary, before: tuple[TurnSummary, ...]) -> bool:
    return any(turn.actions == one.actions for one in before)


def _without_times(problem: str) -> str:
    """The same error took 0.31 s yesterday and 0.29 s today."""
    return _TIMES.sub("…", problem)


def _acted(turn: TurnSummary) -> bool:
    return bool(turn.commands or turn.tools or turn.files)

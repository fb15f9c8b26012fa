"""How a run comes to rest, and the receipt of each of its decisions (C13, C17)."""

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.compaction import veto
from rawr.core.draft import ThreadDraft
from rawr.core.events import LastCheckDue, RunRested, ThreadGone
from rawr.core.run.guards import Guard, budgets
from rawr.core.run.table import Move, after
from rawr.core.speech import NOTHING, Own
from rawr.core.state.run import Decided, Run, Status, Stop
from rawr.core.text import head
from rawr.core.thread import asking, quiet, spoken
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.opinions import SignatureName
from rawr.core.vocabulary.reasons import Reason

OF_A_TURN: tuple[SignatureName, ...] = ("full_auto_decision",)
"""Questions to a model about the last turn that ended. Guidance drops its own."""
RETRY = "run.retry"
TIME = "run.time"
STALL = "run.stall"
COOL = "run.cool"
CLOSING = "run.closing"
CLOSING_SECONDS = 0.5
"""Codex interrupts a turn 3 to 12 ms before it says that the thread was archived or deleted (measured)."""
SHOWN = 120
"""Characters of a message that a notice quotes."""


COMES_BACK = frozenset({Reason.RUN_PAUSED_CLOSED, Reason.RUN_PAUSED_ARCHIVED})
"""A thread that can be opened again."""
CALLED = {"paused": "pause", "stopped": "stop"}
"""A move by the name that a model gives it."""
MAX_DECIDED = 10


class Said(Struct, frozen=True):
    """Who proposed a move, and with what confidence. The rules are always certain."""

    by: str = "policy"
    confidence: float = 1.0
    detail: str = ""
    proposed: str = ""
    """The move that a model proposed. If another one is made, the model was overridden."""


# -- must it rest? ----------------------------------------------------------------------------------------------------


def rests_as_asked(draft: ThreadDraft) -> bool:
    """Stop or pause if a person asked for it, now that it cuts nothing in two. Return True if they did."""
    run = run_of(draft)
    if run.stop_asked:
        stop(draft, "stopped", Reason.RUN_STOPPED_PERSON, "")
    elif run.pause_asked:
        stop(draft, "paused", Reason.RUN_PAUSED_PERSON, "")
    else:
        return False
    return True


def rests_over_budget(draft: ThreadDraft) -> bool:
    over = next((guard for guard in budgets(run_of(draft), now=draft.at) if guard.hit), None)
    if over is not None:
        _stop_by(draft, over, ())
    return over is not None


def rests(draft: ThreadDraft) -> bool:
    """The one question before a run continues: must it rest? A person's word comes first, then the budgets."""
    return rests_as_asked(draft) or rests_over_budget(draft)


def rests_by_guard(
    draft: ThreadDraft,
    guards: tuple[Guard, ...],
    *,
    said: Said = Said(),  # noqa: B008 - frozen
) -> bool:
    """Stop the run if a guard objects. Return True if one did. All of them are in the receipt, and ``said``: what a
    model proposed."""
    hit = next((guard for guard in guards if guard.hit), None)
    if hit is not None:
        _stop_by(draft, hit, guards, said=said)
    return hit is not None


def _stop_by(
    draft: ThreadDraft,
    guard: Guard,
    guards: tuple[Guard, ...],
    *,
    said: Said = Said(),  # noqa: B008 - frozen
) -> None:
    """Stop, unless the job turns out to be done: what was done since the last check is checked first (C7)."""
    if not _checked_first(draft, guard.reason, guard.detail):
        stop(draft, "stopped", guard.reason, guard.detail, guards=guards, said=said)


def fail(draft: ThreadDraft, reason: Reason, detail: str) -> None:
    """The run cannot go on. What its last turn did may have finished the job nevertheless."""
    if not _checked_first(draft, reason, detail):
        stop(draft, "failed", reason, detail)


def _checked_first(draft: ThreadDraft, reason: Reason, detail: str) -> bool:
    """Return True if the check has the last word: it has not run since the last turn, or something was done since."""
    run = run_of(draft)
    stale = run.unchecked or (run.order.tree and run.judged != run.turns)
    if not run.order.done or not stale or run.check:
        return False
    change(draft, last=Stop(reason.value, detail))
    draft.emit(LastCheckDue())
    return True


def thread_gone(draft: ThreadDraft, event: ThreadGone) -> None:
    run = draft.state.run
    if run is not None and run.active:
        status: Status = "paused" if event.reason in COMES_BACK else "failed"
        stop(draft, status, event.reason, event.detail)


# -- coming to rest ---------------------------------------------------------------------------------------------------


def stop(
    draft: ThreadDraft,
    status: Status,
    reason: Reason,
    detail: str,
    *,
    guards: tuple[Guard, ...] = (),
    said: Said = Said(),  # noqa: B008 - frozen
) -> None:
    run = run_of(draft)
    note(draft, reason, status, guards=guards, said=replace(said, detail=detail))
    drop_questions(draft)
    veto.drop(draft, Reason.JUDGMENT_DROPPED_RUN)
    draft.emit(RunRested())
    move(
        draft,
        Move.RESTED,
        status=status,
        used_ms=run.used(draft.at),
        stop=Stop(reason.value, detail),
        rested=draft.seq,
        check="",
        # A check that was cut short has said nothing.
        unchecked=run.unchecked or bool(run.check),
        last=None,
        review="",
        # A review that was cut short is requested again.
        reviews=run.reviews - bool(run.review),
        reviewed=run.reviewed[:-1] if run.review else run.reviewed,
        interrupted="",
        pause_asked=False,
        stop_asked=False,
        cut_asked=False,
    )
    # The run repeats its unsent messages when it is resumed.
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose != "continue"))
    draft.cancel_deadline(RETRY)
    draft.cancel_deadline(TIME)
    draft.cancel_deadline(STALL)
    draft.cancel_deadline(COOL)
    draft.cancel_deadline(CLOSING)
    level: Literal["info", "warning", "error"] = (
        "info" if status == "done" else "error" if status == "failed" else "warning"
    )
    more = f" ({detail})" if detail else ""
    draft.do(Notify(level=level, text=f"[rawr] the run is {status}: {reason.meaning}{more}"))
    _tell_of_held(draft, status)


def _tell_of_held(draft: ThreadDraft, status: Status) -> None:
    """Nothing is sent while a run rests, so whoever wrote it has to know."""
    waiting = spoken.held_back(draft.state)
    if not waiting:
        return
    what = "your message did not" if len(waiting) == 1 else f"{len(waiting)} messages of yours did not"
    them = "it" if len(waiting) == 1 else "them"
    goes = f"`rawr override` sends {them} with more to do" if status == "done" else f"`rawr resume` sends {them}"
    draft.do(Notify(level="warning", text=f"[rawr] {what} reach the agent; {goes}: “{head(waiting[0].text, SHOWN)}”"))


def interrupted(draft: ThreadDraft, detail: str) -> None:
    """Pause: a person interrupted the turn. Where others have the thread, too, they may have closed it: then that is
    told in a moment, and is the reason."""
    if quiet.is_shared(draft.state):
        change(draft, interrupted=detail)
        draft.set_deadline(CLOSING, CLOSING_SECONDS)
    else:
        stop(draft, "paused", Reason.RUN_PAUSED_INTERRUPTED, detail)


def not_closed(draft: ThreadDraft) -> None:
    """The thread is still there, so it was the turn that they interrupted."""
    run = draft.state.run
    if run is not None and run.active and run.interrupted:
        stop(draft, "paused", Reason.RUN_PAUSED_INTERRUPTED, run.interrupted)


def pause_within_turn(draft: ThreadDraft, reason: Reason, detail: str) -> None:
    """Pause now, whatever is running. A running turn still belongs to the run, though the run rests when it ends."""
    change(draft, turns=run_of(draft).turns + (draft.state.turn is not None))
    stop(draft, "paused", reason, detail)


# -- receipts ---------------------------------------------------------------------------------------------------------


def note(
    draft: ThreadDraft,
    reason: Reason,
    action: str,
    *,
    guards: tuple[Guard, ...] = (),
    said: Said = Said(),  # noqa: B008 - frozen
) -> None:
    """The receipt of a decision: its inputs, what the guards saw, its outcome (C17)."""
    run = run_of(draft)
    summary = run.history[-1] if run.history else None
    overridden = said.proposed not in ("", action, CALLED.get(action))
    by_model = {"proposed": said.proposed, "outcome": "overridden" if overridden else "executed"}
    plan = f"{summary.plan_done}/{summary.plan_steps}" if summary is not None else ""
    draft.note(
        reason,
        run=run.id,
        action=action,
        detail=said.detail,
        confidence=said.confidence,
        by=said.by,
        turn=summary.turn if summary is not None else "",
        status=summary.status if summary is not None else "",
        plan=plan,
        problem=summary.problem if summary is not None else "",
        turns=run.turns,
        tokens=run.tokens,
        claimed=run.claimed,
        guards=[f"{one.name} {'hit' if one.hit else 'ok'} ({one.detail})" for one in guards],
        **(by_model if said.proposed else {}),
    )
    turn = summary.turn if summary is not None else ""
    made = Decided(turn, said.proposed or action, reason.value, said.by, said.confidence, overridden)
    change(draft, decided=(*run.decided, made)[-MAX_DECIDED:])


# -- small things -----------------------------------------------------------------------------------------------------


def remark(draft: ThreadDraft, text: Own = NOTHING) -> None:
    """What the next message of the run must say besides the goal."""
    change(draft, note=text)


def drop_questions(draft: ThreadDraft) -> None:
    """A model's statement about the last turn is no longer useful."""
    for signature in OF_A_TURN:
        asking.drop(draft, signature)


def clock(draft: ThreadDraft) -> None:
    run = run_of(draft)
    minutes = run.order.budgets.minutes
    if minutes:
        left = max(minutes * 60 - run.used(draft.at) // 1000, 1)
        draft.set_deadline(TIME, left)


def running(draft: ThreadDraft) -> Run | None:
    run = draft.state.run
    if run is None or not run.active:
        draft.note(Reason.IGNORED_NO_RUN)
        return None
    return run


def run_of(draft: ThreadDraft) -> Run:
    run = draft.state.run
    assert run is not None, "only called where there is a run"  # noqa: S101
    return run


def change(draft: ThreadDraft, **fields: Any) -> None:
    """``scripts/mypy_structs.py`` checks fields and types. What the run waits for changes through ``move``."""
    draft.change(run=replace(run_of(draft), **fields))


def move(draft: ThreadDraft, by: Move, **fields: Any) -> None:
    """Something happened: the run now waits for the next thing, according to its table."""
    draft.change(run=replace(run_of(draft), waiting=after(run_of(draft).waiting, by), **fields))

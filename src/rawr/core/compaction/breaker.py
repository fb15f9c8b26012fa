"""What a compaction gained, and the breaker that prevents useless ones from repeating (A20)."""

from rawr.core.draft import ThreadDraft
from rawr.core.policy.tiers import percent_remaining
from rawr.core.state.sequence import Breaker
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.reasons import Reason

MOST_FAILURES = 2
MOST_WITHOUT_WORK = 3
"""Compactions without work in between, whoever began them. Not a setting: whatever Codex does, it ends here (A20a)."""


def percent(state: ThreadState) -> int | None:
    usage = state.usage
    return percent_remaining(in_context=usage.in_context, window=usage.window) if usage is not None else None


def account(draft: ThreadDraft, before: int | None) -> None:
    """Compare tokens before and after. If either is unknown, the breaker stays as it is."""
    usage = draft.state.usage
    if usage is None or usage.window is None or before is None:
        return
    gained = (before - usage.in_context) * 100 // usage.window
    if gained >= draft.policy.compaction.min_gain_percent:
        # What it freed says nothing about work that is not done.
        if draft.state.idling.compactions < MOST_WITHOUT_WORK:
            draft.change(breaker=Breaker())
    else:
        _open(draft, f"it freed {gained} % of the window")


def failed(draft: ThreadDraft) -> None:
    _open(draft, "it failed")


def stop(draft: ThreadDraft, compactions: int) -> None:
    """They follow each other without work in between, so the next one would be for nothing as well (A20a)."""
    known = draft.state.breaker
    if known.stopped:
        return
    draft.change(breaker=Breaker(known.failures, known.open_until, stopped=True))
    draft.note(Reason.GAIN_OPENED_BREAKER, why=f"{compactions} without work in between", stopped=True)
    text = f"[rawr] {compactions} compactions without work in between; rawr will not compact this thread again."
    draft.do(Notify(level="warning", text=text))


def _open(draft: ThreadDraft, why: str) -> None:
    failures = draft.state.breaker.failures + 1
    stopped = failures >= MOST_FAILURES
    seconds = draft.policy.compaction.breaker_seconds * failures
    draft.change(breaker=Breaker(failures, draft.at + seconds * 1000, stopped))
    draft.note(Reason.GAIN_OPENED_BREAKER, why=why, failures=failures, stopped=stopped)
    if stopped:
        text = f"[rawr] {failures} compactions in a row gained nothing; rawr will not compact this thread again."
        draft.do(Notify(level="warning", text=text))

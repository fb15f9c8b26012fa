"""Codex compacts by itself again and again inside one turn, where no end of a turn stops it (A20, C6).

A compaction that leaves the context as full as before gains nothing. After several of those in a row, or within a short
time, rawr ends the turn of a run and the run pauses; on other threads rawr notifies a person, once.
"""

from rawr.core.draft import ThreadDraft
from rawr.core.events import CompactionStorm
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.reasons import Reason


def rages(draft: ThreadDraft) -> bool:
    """Count one of Codex's own compactions. Return True if it was one too many for a run: then rawr sends no more."""
    policy, run = draft.policy.full_auto, draft.state.run
    draft.change(barren=draft.state.barren + 1)
    barren, most = draft.state.barren, policy.native_compactions
    if barren >= most:
        _stop(draft, f"{barren} in a row without gain", first=barren == most)
    elif most > 1 and _close(draft, back=0):
        _stop(draft, f"{most} within {policy.native_seconds} s", first=not _close(draft, back=1))
    else:
        return False
    return run is not None and run.active


def _close(draft: ThreadDraft, *, back: int) -> bool:
    """Return True if the newest ones, or those before the newest ``back``, came within a short time."""
    run, policy = draft.state.run, draft.policy.full_auto
    since = run.stretch if run is not None and run.active else 0
    own = [one.at for one in draft.state.compactions if one.by == "upstream" and one.ok and one.at >= since]
    newest = own[len(own) - back - policy.native_compactions : len(own) - back]
    whole = len(own) - back >= policy.native_compactions
    return whole and newest[-1] - newest[0] <= policy.native_seconds * 1000


def _stop(draft: ThreadDraft, words: str, *, first: bool) -> None:
    run = draft.state.run
    if run is not None and run.active:
        draft.note(Reason.COMPACT_SEEN_STORM, run=run.id, detail=words)
        draft.emit(CompactionStorm(words))
    elif first:
        draft.note(Reason.COMPACT_SEEN_STORM, detail=words)
        text = f"[rawr] Codex keeps compacting by itself ({words}); its context may be too small for this work."
        draft.do(Notify(level="warning", text=text))


def usage_updated(draft: ThreadDraft) -> None:
    """The next model call shows what the newest one gained."""
    usage, past = draft.state.usage, draft.state.compactions
    before = past[-1].tokens_before if past else None
    if usage is None or usage.window is None or before is None:
        return
    if (before - usage.in_context) * 100 >= draft.policy.compaction.min_gain_percent * usage.window:
        draft.change(barren=0)


def over(draft: ThreadDraft) -> None:
    """A person has taken care of it."""
    draft.change(barren=0)

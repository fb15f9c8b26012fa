"""End the turn of a run early, if that cuts nothing in two (C5)."""

from rawr.core.compaction.table import cancellable
from rawr.core.draft import ThreadDraft
from rawr.core.run import ending
from rawr.core.thread import cutting


def cut_short(draft: ThreadDraft) -> bool:
    """Interrupt the running turn, if that cuts nothing in two."""
    state = draft.state
    if state.turn is None or not state.turn.id or state.compacting is not None:
        return False
    if state.sequence is not None and not cancellable(state.sequence.phase):
        return False
    cutting.cut(draft, state.turn.id)
    if state.run is not None:
        ending.change(draft, cut_asked=False)
    return True


def cut_if_asked(draft: ThreadDraft) -> None:
    """A request from while the turn was on its way, or while a sequence had to finish."""
    state, run = draft.state, draft.state.run
    if run is not None and run.active and run.cut_asked and (run.stop_asked or state.sequence is None):
        cut_short(draft)

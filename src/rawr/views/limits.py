"""Under what a thread works, in words: the sandbox, and who says yes."""

from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.limits import in_words

_DECIDES = {"never": "", "policy": "; rules approve what is safe", "ask": "; a person is asked"}


def limits_in_words(state: ThreadState) -> str:
    """As Codex told last, or else as ordered. Who says yes is the run's. Empty if nothing is known of it."""
    shown = state.in_force or state.limits
    if shown is None:
        return ""
    order = state.run.order if state.run is not None else None
    by = "" if order is None or shown.approvals == "never" else _DECIDES[order.approvals]
    declines = by and order is not None and order.approvals == "policy" and order.unsafe == "decline"
    return f"{in_words(shown)}{by}{', the rest is declined' if declines else ''}"

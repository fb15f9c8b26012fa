"""The limits of a thread, in words: the sandbox, and who approves."""

from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.limits import in_words

_DECIDES = {"never": "", "policy": "; rules approve what is safe", "ask": "; a person is asked"}


def limits_in_words(state: ThreadState) -> str:
    """As Codex last reported, or else as ordered. Who approves depends on the run. Empty if nothing is known."""
    shown = state.in_force or state.limits
    if shown is None:
        return ""
    order = state.run.order if state.run is not None else None
    by = "" if order is None or shown.approvals == "never" else _DECIDES[order.approvals]
    declines = by and order is not None and order.approvals == "policy" and order.unsafe == "decline"
    also = f", and {', '.join(order.allow)}" if by and order is not None and order.allow else ""
    return f"{in_words(shown)}{by}{also}{', the rest is declined' if declines else ''}"

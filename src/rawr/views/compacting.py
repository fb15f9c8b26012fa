"""Who compacts a thread, and from which percent on."""

from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.native import Native, in_words


def who_compacts(policy: Policy, state: ThreadState | None = None, *, native: Native | None = None) -> str:
    """One line for a person: about a thread, or about a Codex in general."""
    known = natively(state) if state is not None else native
    said = in_words(known)
    if known is not None and known.token_budget:
        return said
    return "; ".join([_rawr(policy, state), *([said] if said else [])])


def natively(state: ThreadState) -> Native:
    """What Codex does by itself on a thread, as far as anybody has said."""
    return replace(state.native or Native(), token_budget=state.token_budget)


def _rawr(policy: Policy, state: ThreadState | None) -> str:
    compaction = policy.compaction
    if not compaction.enabled:
        return "rawr does not compact: it is switched off"
    if compaction.mode != "auto":
        return f"rawr does not compact: the mode is {compaction.mode}"
    if state is not None and state.breaker.stopped:
        return "rawr has stopped compacting this thread"
    return f"rawr compacts at a boundary below {max(policy.thresholds.values())} % left"

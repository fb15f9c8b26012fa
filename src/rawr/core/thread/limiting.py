"""A thread that rawr drives keeps its limits (D11): they go out with every resume and turn, and rawr compares what
Codex reports as in force with them. Under wider limits nothing is begun, and a running turn is ended.

Threads that rawr only watches have none: nothing is sent there, and nothing is changed.
"""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.events import LimitsWidened
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.thread import joining
from rawr.core.vocabulary.effects import InterruptTurn, Notify
from rawr.core.vocabulary.facts import SettingsUpdated, ThreadAdopted
from rawr.core.vocabulary.limits import InForce, Limits, Sandboxing, in_words, settled, wider
from rawr.core.vocabulary.reasons import Reason


def native_last(policy: Policy) -> bool:
    return policy.compaction.enabled and policy.compaction.native_emergency_only


def sent(state: ThreadState) -> Limits | None:
    """The limits to send with a resume or a turn."""
    return state.limits if state.ours else None


def resume(draft: ThreadDraft, *, history: bool = False, take_goal: bool = False) -> None:
    """Join the thread under its limits. A run that was told to takes over from a goal before Codex can pursue it."""
    state = draft.state
    run = state.run
    takes = take_goal or (run is not None and run.active and run.order.take_goal)
    resumption = joining.resumption(state, history=history, limits=sent(state), take_goal=takes)
    draft.change(resuming=draft.do(resumption))


def opened(draft: ThreadDraft, limits: Limits | None, told: InForce | None) -> None:
    """One of rawr's threads is there. Announcements of other threads include neither."""
    if limits is not None:
        draft.change(limits=limits, started=True)
    if told is not None:
        told_of(draft, told)


def adopted(draft: ThreadDraft, fact: ThreadAdopted) -> None:
    """An existing thread keeps what it has, except for what a person orders now."""
    state = draft.state
    draft.change(ours=True)
    kept = state.limits if state.ours and state.limits is not None else Limits()
    if fact.sandbox:
        kept = replace(kept, sandbox=Sandboxing(fact.sandbox), exact=False, profile="")
    if fact.approvals:
        kept = replace(kept, approvals=fact.approvals)
    draft.change(limits=replace(kept, native_last=native_last(draft.policy)))
    if state.online and state.in_force is not None:
        told_of(draft, state.in_force)
        reassert(draft)


def settings_updated(draft: ThreadDraft, fact: SettingsUpdated) -> None:
    told_of(draft, fact.in_force)


def told_of(draft: ThreadDraft, told: InForce) -> None:
    """Codex reports what is in force; compare it with what was ordered."""
    before = draft.state.in_force
    draft.change(in_force=told)
    if not draft.state.ours:
        _hold_off(draft, before, told)
        return
    limits = settled(draft.state.limits or Limits(native_last=native_last(draft.policy)), told)
    beyond = wider(limits, told)
    draft.change(limits=limits, beyond=beyond)
    ordered, in_force = in_words(limits), in_words(told)
    if beyond:
        draft.note(Reason.LIMITS_WIDER_CODEX, ordered=ordered, in_force=in_force, wider=list(beyond))
        rest(draft)
    elif told != before and in_force != ordered:
        draft.note(Reason.LIMITS_NARROWER_CODEX, ordered=ordered, in_force=in_force)


def _hold_off(draft: ThreadDraft, before: InForce | None, told: InForce) -> None:
    """On a thread of others rawr sets no limits. Where the agent can write rawr's rules, rawr does nothing by them."""
    if told.reaches and (before is None or before.reaches != told.reaches):
        text = f"[rawr] rawr only watches this thread, and does nothing on it. {told.reaches}"
        draft.do(Notify(level="error", text=text))


def held(state: ThreadState) -> bool:
    """Return True if no turn may begin: more is in force than was ordered, or it is not known yet."""
    return state.ours and state.limits is not None and (bool(state.beyond) or state.in_force is None)


def rest(draft: ThreadDraft) -> None:
    """Pause the run, or notify the person who watches; and end a running turn."""
    run = draft.state.run
    if run is not None and run.active:
        draft.emit(LimitsWidened(in_force(draft.state)))
    else:
        why = in_force(draft.state)
        text = f"[rawr] Codex allows more than was ordered, so rawr starts nothing on this thread ({why})."
        draft.do(Notify(level="error", text=text))
    end_turn(draft)


def in_force(state: ThreadState) -> str:
    return f"in force: {'; '.join(state.beyond)}"


def end_turn(draft: ThreadDraft) -> None:
    """End a turn that runs under wider limits, even one that was on its way, but not another client's."""
    state, turn = draft.state, draft.state.turn
    if not state.beyond or not held(state) or turn is None or not turn.id:
        return
    if turn.purpose or turn.midway or any(not one.steer for one in state.sent):
        draft.do(InterruptTurn(turn=turn.id))


def reassert(draft: ThreadDraft) -> None:
    """A person wants to continue: set the limits again, and read them back before anything begins."""
    state = draft.state
    if state.beyond and held(state) and state.online and not state.resuming:
        draft.change(beyond=(), in_force=None)
        resume(draft)

"""A phase that the agent declares over: remembered, and a boundary, whichever way the agent said it (B9, D10)."""

from rawr.core.draft import ThreadDraft
from rawr.core.requests.tools import Phase
from rawr.core.state.mode import named_in
from rawr.core.state.thread import MAX_PHASES, PhaseMark
from rawr.core.state.turn import WORK
from rawr.core.vocabulary.payloads import PhaseOver
from rawr.core.vocabulary.reasons import Reason


def mark(draft: ThreadDraft, phase: Phase, turn: str) -> None:
    """In a turn of rawr's own it gates nothing: there the agent does not work."""
    over = PhaseMark(phase.phase, phase.summary, phase.next_phase, phase.artifacts, turn, draft.at)
    draft.change(phases=(*draft.state.phases, over)[-MAX_PHASES:])
    mode = named_in(phase.next_phase)
    if mode and draft.policy.look_up_claims:
        draft.change(mode=mode, mode_by="agent")
    last = draft.state.last_turn
    said_in = last if last is not None and turn and last.id == turn else draft.state.turn
    gates = said_in is None or said_in.purpose in WORK
    payload = PhaseOver(phase.phase, phase.summary, phase.next_phase, phase.artifacts)
    draft.signal("phase_boundary", payload, source="phase_tool", turn=turn, gates=gates)
    draft.note(Reason.PHASE_MARKED_TOOL, phase=phase.phase, next_phase=phase.next_phase)

"""The golden path as a table: which phase may follow which, and by which move (A9).

Nothing outside this file knows which phase follows which, and phases change only through ``after``. A move that is not
in the table is a bug, and the error names the phase and the move. The diagram in the docs is drawn from
here.
"""

from enum import StrEnum

from rawr.core.state.sequence import Phase
from rawr.errors import Bug


class Move(StrEnum):
    TURN_ENDED = "a turn ended"
    DECIDED_NO = "not now"
    JUDGMENT_ASKED = "a judgment is asked for"
    DECIDED_YES = "compact"
    SUBMITTED = "a person asks for it"
    NEARLY_FULL = "the window is nearly full"
    FULL = "the window is full"
    OVERTAKEN = "something else comes first"
    SCRATCH_ASKED = "notes are asked for"
    PACKET_ASKED = "the packet is asked for"
    PACKET_RETURNED = "the packet is sent back"
    PACKET_READY = "there is a packet"
    COMPACTED = "both signals came"
    FORESTALLED = "Codex compacted by itself"
    COMPACTION_FAILED = "it failed"
    HANDED_OFF = "the handoff arrived"
    HANDOFF_LOST = "Codex did not take the handoff"
    CANCELLED = "a person took over"
    CLOSED = "the thread is closed"


TABLE: dict[tuple[Phase, Move], Phase] = {
    (Phase.IDLE, Move.TURN_ENDED): Phase.ASSESSING,
    (Phase.IDLE, Move.SUBMITTED): Phase.HEADS_UP_INJECTED,
    (Phase.IDLE, Move.NEARLY_FULL): Phase.HEADS_UP_INJECTED,
    (Phase.IDLE, Move.FULL): Phase.HEADS_UP_INJECTED,
    (Phase.ASSESSING, Move.DECIDED_NO): Phase.IDLE,
    (Phase.ASSESSING, Move.JUDGMENT_ASKED): Phase.AWAITING_JUDGMENT,
    (Phase.ASSESSING, Move.DECIDED_YES): Phase.HEADS_UP_INJECTED,
    (Phase.AWAITING_JUDGMENT, Move.DECIDED_NO): Phase.IDLE,
    (Phase.AWAITING_JUDGMENT, Move.DECIDED_YES): Phase.HEADS_UP_INJECTED,
    (Phase.AWAITING_JUDGMENT, Move.OVERTAKEN): Phase.IDLE,
    (Phase.HEADS_UP_INJECTED, Move.SCRATCH_ASKED): Phase.AWAITING_SCRATCH,
    (Phase.HEADS_UP_INJECTED, Move.PACKET_ASKED): Phase.AWAITING_PACKET,
    (Phase.HEADS_UP_INJECTED, Move.CANCELLED): Phase.IDLE,
    (Phase.HEADS_UP_INJECTED, Move.CLOSED): Phase.IDLE,
    (Phase.AWAITING_SCRATCH, Move.PACKET_ASKED): Phase.AWAITING_PACKET,
    (Phase.AWAITING_SCRATCH, Move.CANCELLED): Phase.IDLE,
    (Phase.AWAITING_SCRATCH, Move.CLOSED): Phase.IDLE,
    (Phase.AWAITING_PACKET, Move.PACKET_RETURNED): Phase.AWAITING_PACKET,
    (Phase.AWAITING_PACKET, Move.PACKET_READY): Phase.COMPACTING,
    (Phase.AWAITING_PACKET, Move.FORESTALLED): Phase.HANDOFF_PENDING,
    (Phase.AWAITING_PACKET, Move.CANCELLED): Phase.IDLE,
    (Phase.AWAITING_PACKET, Move.CLOSED): Phase.IDLE,
    (Phase.COMPACTING, Move.OVERTAKEN): Phase.AWAITING_PACKET,
    (Phase.COMPACTING, Move.COMPACTED): Phase.HANDOFF_PENDING,
    (Phase.COMPACTING, Move.COMPACTION_FAILED): Phase.IDLE,
    (Phase.HANDOFF_PENDING, Move.HANDED_OFF): Phase.IDLE,
    (Phase.HANDOFF_PENDING, Move.HANDOFF_LOST): Phase.IDLE,
    (Phase.HANDOFF_PENDING, Move.CLOSED): Phase.IDLE,
}


def after(phase: Phase, move: Move) -> Phase:
    """The phase that a move leads to."""
    try:
        return TABLE[phase, move]
    except KeyError:
        raise Bug(f"the golden path has no move “{move.value}” in {phase.value}.") from None


def cancellable(phase: Phase) -> bool:
    """Until there is a packet, nothing is lost by cancelling. After that, the sequence is completed."""
    return (phase, Move.CANCELLED) in TABLE


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "  [*] --> Idle"]
    lines += [f"  {phase.value} --> {following.value}: {move.value}" for (phase, move), following in TABLE.items()]
    return "\n".join(lines)

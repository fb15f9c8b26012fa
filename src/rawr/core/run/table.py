"""A run as a table: what it waits for, what happens, and what it waits for next (C2).

Only ``after`` says what a run waits for next. A move that is not in the table is a bug, and raises an error. The
diagram in the docs is drawn from here.
"""

from enum import StrEnum
from typing import get_args

from rawr.core.state.run import Waiting
from rawr.errors import Bug


class Move(StrEnum):
    READY = "its next message is ready"
    GRANTED = "its slot comes"
    TURN_ENDED = "a turn ended"
    CHECKING = "the done check is run"
    CHECKED = "the check is back"
    CHECK_LOST = "the check was cut off"
    REVIEWING = "a review is asked for"
    MODEL_ASKED = "a model is asked"
    GUIDED = "guidance is asked"
    COMPACTING = "a compaction goes first"
    RETRYING = "the turn failed, for now"
    LIMITED = "a rate limit is reached"
    CUT_OFF = "the turn was cut off"
    RESUMED = "a person resumes it"
    RESTED = "it comes to rest"


ANY: tuple[Waiting, ...] = get_args(Waiting)
DECIDING: Waiting = ""
"""Nothing: what comes next is being decided, or the run rests."""

ROWS: dict[Move, tuple[tuple[Waiting, ...], Waiting]] = {
    Move.READY: (ANY, "slot"),
    Move.GRANTED: (("slot",), "turn"),
    Move.TURN_ENDED: (
        (DECIDING, "slot", "turn", "review", "retry", "limit", "sequence", "resume", "model", "guidance"),
        DECIDING,
    ),
    Move.CHECKING: (
        (DECIDING, "slot", "turn", "retry", "limit", "sequence", "resume", "model", "guidance"),
        "check",
    ),
    Move.CHECKED: (("check",), DECIDING),
    Move.CHECK_LOST: (("check",), "resume"),
    Move.REVIEWING: ((DECIDING, "resume", "model", "guidance", "review"), "review"),
    Move.MODEL_ASKED: ((DECIDING, "resume"), "model"),
    Move.GUIDED: ((DECIDING, "resume", "guidance", "sequence", "turn", "review", "retry", "limit"), "guidance"),
    Move.COMPACTING: ((DECIDING, "model", "guidance"), "sequence"),
    Move.RETRYING: ((DECIDING,), "retry"),
    Move.LIMITED: ((DECIDING, "slot", "retry", "limit"), "limit"),
    Move.CUT_OFF: ((DECIDING,), "resume"),
    Move.RESUMED: ((DECIDING,), "resume"),
    Move.RESTED: (ANY, DECIDING),
}
"""For each event: what the run may be waiting for, and what it waits for next."""

TABLE: dict[tuple[Waiting, Move], Waiting] = {
    (waiting, move): then for move, (states, then) in ROWS.items() for waiting in states
}


def after(waiting: Waiting, move: Move) -> Waiting:
    """What the run waits for after this has happened."""
    try:
        return TABLE[waiting, move]
    except KeyError:
        raise Bug(f"a run has no move “{move.value}” while it waits for “{waiting or 'nothing'}”.") from None


def diagram() -> str:
    """The table as a Mermaid state diagram. Moves that are possible in any state are drawn once."""
    lines = ["stateDiagram-v2", "  [*] --> deciding: a person orders it"]
    for move, (states, then) in ROWS.items():
        goal = "[*]" if move is Move.RESTED else then or "deciding"
        if states == ANY:
            lines.append(f"  any --> {goal}: {move.value}")
        elif move is Move.RESUMED:
            lines.append(f"  [*] --> {goal}: {move.value}")
        else:
            lines += [f"  {state or 'deciding'} --> {goal}: {move.value}" for state in states]
    return "\n".join(lines)

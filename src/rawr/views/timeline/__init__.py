"""A thread over time: everything that a chart or a report shows of it, from its facts and what followed from them.

``TimelineFold`` takes one ``Taken`` after the other, so a timeline comes from anything that feeds a kernel: a running
rawr, a journal (``journaled.timeline_of``), or the facts of a session that rawr never saw. ``Timeline`` is bounded,
however long the thread is: ``left_out`` says how much of each list is missing, and lists keep their extremes.
"""

from rawr.views.timeline.folding import TimelineFold
from rawr.views.timeline.shapes import (
    BoundaryPoint,
    CheckPoint,
    CommitPoint,
    CompactionPoint,
    ContextPoint,
    Counterfactual,
    DecisionPoint,
    FileTouched,
    PacketPoint,
    PlanPoint,
    RequestPoint,
    SessionRead,
    Timeline,
    TurnSpan,
    WouldCompact,
)

__all__ = [
    "BoundaryPoint",
    "CheckPoint",
    "CommitPoint",
    "CompactionPoint",
    "ContextPoint",
    "Counterfactual",
    "DecisionPoint",
    "FileTouched",
    "PacketPoint",
    "PlanPoint",
    "RequestPoint",
    "SessionRead",
    "Timeline",
    "TimelineFold",
    "TurnSpan",
    "WouldCompact",
]
